// SPDX-License-Identifier: Apache-2.0
// Three ways to expose C++: an exported symbol, a class, and a function in the global registry.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdint>

namespace my_ffi_extension {

namespace ffi = tvm::ffi;

// y[i] = x[i] + 1. Found by name in the loaded library; nothing runs when the library is loaded.
void AddOne(ffi::TensorView x, ffi::TensorView y) {
  constexpr DLDataType f32{kDLFloat, 32, 1};
  TVM_FFI_CHECK(x.ndim() == 1 && y.ndim() == 1, ValueError)
      << "x and y must have one dimension, got " << x.ndim() << " and " << y.ndim();
  TVM_FFI_CHECK(x.size(0) == y.size(0), ValueError)
      << "x has " << x.size(0) << " elements and y has " << y.size(0);
  TVM_FFI_CHECK(x.dtype() == f32 && y.dtype() == f32, TypeError) << "x and y must be float32";
  TVM_FFI_CHECK(x.device().device_type == kDLCPU && y.device().device_type == kDLCPU, ValueError)
      << "x and y must be on the CPU";
  TVM_FFI_CHECK(x.IsContiguous() && y.IsContiguous(), ValueError) << "x and y must be contiguous";
  const float* in = static_cast<const float*>(x.data_ptr());
  float* out = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i) out[i] = in[i] + 1.0F;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, my_ffi_extension::AddOne);

// A pair of integers. Python, Rust and C++ see the fields and methods that are registered below.
class IntPairObj : public ffi::Object {
 public:
  int64_t a;
  int64_t b;

  IntPairObj() = default;
  IntPairObj(int64_t a, int64_t b) : a(a), b(b) {}

  int64_t GetFirst() const { return a; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("my_ffi_extension.IntPair", IntPairObj, ffi::Object);
};

class IntPair : public ffi::ObjectRef {
 public:
  explicit IntPair(int64_t a, int64_t b) { data_ = ffi::make_object<IntPairObj>(a, b); }

  // Never null: functions that take a pair refuse None, so they may follow it unchecked.
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntPair, ffi::ObjectRef, IntPairObj);
};

void RaiseError(const ffi::String& message) { TVM_FFI_THROW(RuntimeError) << message; }

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef().def("my_ffi_extension.raise_error", RaiseError);
  refl::ObjectDef<IntPairObj>()
      .def(refl::init<int64_t, int64_t>())
      .def_static("static_get_second", [](const IntPair& pair) -> int64_t { return pair->b; })
      .def("get_first", &IntPairObj::GetFirst, "The field `a`.")
      .def_ro("a", &IntPairObj::a)
      .def_ro("b", &IntPairObj::b);
}

}  // namespace my_ffi_extension
