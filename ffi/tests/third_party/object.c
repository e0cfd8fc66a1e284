// SPDX-License-Identifier: Apache-2.0
// What a compiler would emit, in plain C: an object file that a just-in-time linker loads.
#include <stdint.h>
#include <tvm/ffi/c_api.h>

// Text in chunks, as compiled kernels raise it.
static int raise_type_error(const char* what) {
  const char* parts[] = {"object.c: ", what};
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 2);
  return -1;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi_scale(void* self, const TVMFFIAny* args, int32_t num_args,
                                       TVMFFIAny* result) {
  (void)self;
  if (num_args != 2) return raise_type_error("scale takes a tensor and a factor");
  if (args[0].type_index != kTVMFFITensor && args[0].type_index != kTVMFFIDLTensorPtr)
    return raise_type_error("the first argument is no tensor");
  if (args[1].type_index != kTVMFFIFloat) return raise_type_error("the factor is no float");
  DLTensor* tensor = args[0].type_index == kTVMFFITensor ? TVMFFITensorGetDLTensorPtr(args[0].v_obj)
                                                         : (DLTensor*)args[0].v_ptr;
  if (tensor->ndim != 1 || tensor->dtype.code != kDLFloat || tensor->dtype.bits != 32)
    return raise_type_error("expected float32 and 1 dimension");
  float* data = (float*)((char*)tensor->data + tensor->byte_offset);
  for (int64_t i = 0; i < tensor->shape[0]; ++i) data[i] *= (float)args[1].v_float64;
  result->type_index = kTVMFFINone;
  return 0;
}

// Calls a global function by its name with the arguments after it.
TVM_FFI_DLL_EXPORT int __tvm_ffi_call_global(void* self, const TVMFFIAny* args, int32_t num_args,
                                             TVMFFIAny* result) {
  (void)self;
  TVMFFIByteArray name = {"third_party.twice", sizeof("third_party.twice") - 1};
  TVMFFIObjectHandle function = NULL;
  int code = TVMFFIFunctionGetGlobal(&name, &function);
  if (code != 0) return code;
  if (function == NULL) return raise_type_error("third_party.twice is not registered");
  code = TVMFFIFunctionCall(function, (TVMFFIAny*)args, num_args, result);
  TVMFFIObjectDecRef(function);
  return code;
}

// An owned text longer than what fits inside a value.
TVM_FFI_DLL_EXPORT int __tvm_ffi_name(void* self, const TVMFFIAny* args, int32_t num_args,
                                      TVMFFIAny* result) {
  (void)self, (void)args, (void)num_args;
  TVMFFIByteArray text = {"an object file in plain C", 25};
  return TVMFFIStringFromByteArray(&text, result);
}
