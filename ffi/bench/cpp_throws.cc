// SPDX-License-Identifier: Apache-2.0
// A library with a function that fails; cpp_calls.cc calls it through the C ABI.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

int64_t Fail(int64_t value) {
  TVM_FFI_THROW(ValueError) << "can't use " << value;
  return value;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(bench_fail, Fail)
