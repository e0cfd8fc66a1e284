// SPDX-License-Identifier: Apache-2.0
// A library as a compiler would make it, in plain C terms; loaded by c_module.cc.
#include <tvm/ffi/extra/c_env_api.h>

#include <cstring>

extern "C" {

TVM_FFI_DLL_EXPORT void* __tvm_ffi__library_ctx = nullptr;
TVM_FFI_DLL_EXPORT void* ctest_context_value = nullptr;

TVM_FFI_DLL_EXPORT int __tvm_ffi_add(void* self, const TVMFFIAny* args, int32_t num_args,
                                     TVMFFIAny* result) {
  if (self != nullptr || num_args != 2) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add takes two arguments");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi_main(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIOpaquePtr;
  result->v_ptr = ctest_context_value;
  return 0;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_add(void*, const TVMFFIAny*, int32_t,
                                               TVMFFIAny* result) {
  const char* text = "{\"type_schema\":\"a schema\"}";
  TVMFFIByteArray bytes = {text, std::strlen(text)};
  return TVMFFIStringFromByteArray(&bytes, result);
}

TVM_FFI_DLL_EXPORT int __tvm_ffi__doc_add(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  TVMFFIByteArray bytes = {"Adds.", 5};
  return TVMFFIStringFromByteArray(&bytes, result);
}

/* Calls a function of the imports by name. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_call_import(void*, const TVMFFIAny* args, int32_t num_args,
                                             TVMFFIAny* result) {
  TVMFFIObjectHandle function = nullptr;
  int code = TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "imported", &function);
  if (code != 0) return code;
  return TVMFFIFunctionCall(function, const_cast<TVMFFIAny*>(args), num_args, result);
}
}
