// SPDX-License-Identifier: Apache-2.0
// The functions and the class of ffi/examples/packaging/src/extension.cc, bound with nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace {

using Vector = nb::ndarray<nb::ro>;
using Output = nb::ndarray<>;

void AddOne(const Vector& x, const Output& y) {
  auto fail = [](const std::ostringstream& text) { throw nb::value_error(text.str().c_str()); };
  std::ostringstream text;
  if (x.ndim() != 1 || y.ndim() != 1) {
    text << "x and y must have one dimension, got " << x.ndim() << " and " << y.ndim();
    fail(text);
  }
  if (x.shape(0) != y.shape(0)) {
    text << "x has " << x.shape(0) << " elements and y has " << y.shape(0);
    fail(text);
  }
  if (x.dtype() != nb::dtype<float>() || y.dtype() != nb::dtype<float>()) {
    throw nb::type_error("x and y must be float32");
  }
  if (x.device_type() != nb::device::cpu::value || y.device_type() != nb::device::cpu::value) {
    throw nb::value_error("x and y must be on the CPU");
  }
  if (x.stride(0) != 1 || y.stride(0) != 1) throw nb::value_error("x and y must be contiguous");
  const float* in = static_cast<const float*>(x.data());
  float* out = static_cast<float*>(y.data());
  for (size_t i = 0; i < x.shape(0); ++i) out[i] = in[i] + 1.0F;
}

struct IntPair {
  IntPair(int64_t a, int64_t b) : a(a), b(b) {}
  int64_t GetFirst() const { return a; }
  int64_t a;
  int64_t b;
};

void RaiseError(const std::string& message) { throw std::runtime_error(message); }

}  // namespace

NB_MODULE(cpp_nanobind, m) {
  m.def("add_one", &AddOne);
  m.def("raise_error", &RaiseError);
  nb::class_<IntPair>(m, "IntPair")
      .def(nb::init<int64_t, int64_t>())
      .def_static("static_get_second", [](const IntPair& pair) { return pair.b; })
      .def("get_first", &IntPair::GetFirst, "The field `a`.")
      .def_ro("a", &IntPair::a)
      .def_ro("b", &IntPair::b);
}
