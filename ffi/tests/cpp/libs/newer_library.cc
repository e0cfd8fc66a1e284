// SPDX-License-Identifier: Apache-2.0
// A library built with a newer release: it calls a function that this one does not have, already
// while it is loaded.
#include <tvm/ffi/c_api.h>

extern "C" int TVMFFIFunctionOfTheNextRelease(void);

namespace {
struct CallsWhileLoading {
  CallsWhileLoading() { value = TVMFFIFunctionOfTheNextRelease(); }
  int value;
} calls;
}  // namespace

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_value(void*, const TVMFFIAny*,
                                                                      int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = calls.value;
  return 0;
}
