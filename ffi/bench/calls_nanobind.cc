// SPDX-License-Identifier: Apache-2.0
// The functions of python_calls.py, bound with nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace nb = nanobind;
using Array = nb::ndarray<nb::ro>;
using DropGil = nb::call_guard<nb::gil_scoped_release>;

NB_MODULE(nb_calls, m) {
  m.def("empty", [] {});
  m.def("empty_nogil", [] {}, DropGil());
  m.def("three", [](int64_t, int64_t, int64_t) {});
  m.def("three_nogil", [](int64_t, int64_t, int64_t) {}, DropGil());
  m.def("int_", [](int64_t x) { return x; });
  m.def("str", [](std::string_view x) { return x; });
  m.def("array", [](const Array& x) { return static_cast<int64_t>(x.ndim()); });
  m.def("arrays", [](const Array&, const Array&, const Array&) {});
  m.def("fail", [] { throw std::invalid_argument("no"); });
}
