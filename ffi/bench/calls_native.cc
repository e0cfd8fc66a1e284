// SPDX-License-Identifier: Apache-2.0
// The functions of python_calls.py, as typed functions of a module.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdint>

namespace ffi = tvm::ffi;

namespace {

void Empty() {}
void Three(int64_t, int64_t, int64_t) {}
int64_t Int(int64_t x) { return x; }
ffi::String Str(ffi::String x) { return x; }
int64_t Array(ffi::TensorView x) { return x.ndim(); }
void Arrays(ffi::TensorView, ffi::TensorView, ffi::TensorView) {}
void Fail() { TVM_FFI_THROW(ValueError) << "no"; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty, Empty)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(three, Three)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(int_, Int)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(str, Str)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(array, Array)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(arrays, Arrays)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, Fail)
