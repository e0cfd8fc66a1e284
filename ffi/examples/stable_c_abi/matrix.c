/* SPDX-License-Identifier: Apache-2.0 */
/* A library in C99. Two functions are symbols of the file; one closure over C data is made at run
 * time. Conventions of the ABI that C code has to keep itself:
 *   - arguments are borrowed: never release them, add a reference to keep one;
 *   - a result is owned by the caller: hand over a reference of your own;
 *   - a failing function returns -1 and leaves an error, with its kind, in the slot of the thread.
 */
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

/* A matrix of float64 in row-major order, or NULL with the error set. */
static const DLTensor* Matrix(const TVMFFIAny* value, const char* what) {
  const DLTensor* tensor = NULL;
  if (value->type_index == kTVMFFIDLTensorPtr) {
    tensor = (const DLTensor*)value->v_ptr;
  } else if (value->type_index == kTVMFFITensor) {
    tensor = TVMFFITensorGetDLTensorPtr(value->v_obj);
  }
  if (tensor == NULL || tensor->ndim != 2 || tensor->dtype.code != kDLFloat ||
      tensor->dtype.bits != 64 || tensor->device.device_type != kDLCPU) {
    const char* parts[2] = {what, ": expected a matrix of float64 on the CPU"};
    TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 2);
    return NULL;
  }
  if (tensor->strides != NULL && tensor->shape[0] > 1 &&
      (tensor->strides[1] != 1 || tensor->strides[0] != tensor->shape[1])) {
    const char* parts[2] = {what, ": expected contiguous rows"};
    TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 2);
    return NULL;
  }
  return tensor;
}

static double* Data(const DLTensor* tensor) {
  return (double*)((char*)tensor->data + tensor->byte_offset);
}

static int ExpectArguments(int32_t got, int32_t expected) {
  if (got == expected) return 0;
  TVMFFIErrorSetRaisedFromCStr("TypeError", "wrong number of arguments");
  return -1;
}

/* multiply(a, b, out): out = a * b */
TVM_FFI_DLL_EXPORT int __tvm_ffi_multiply(void* self, const TVMFFIAny* args, int32_t num_args,
                                          TVMFFIAny* result) {
  (void)self;
  if (ExpectArguments(num_args, 3) != 0) return -1;
  const DLTensor* a = Matrix(&args[0], "a");
  const DLTensor* b = a == NULL ? NULL : Matrix(&args[1], "b");
  const DLTensor* out = b == NULL ? NULL : Matrix(&args[2], "out");
  if (out == NULL) return -1;
  int64_t rows = a->shape[0];
  int64_t inner = a->shape[1];
  int64_t columns = b->shape[1];
  if (b->shape[0] != inner || out->shape[0] != rows || out->shape[1] != columns) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "the shapes of a, b and out do not fit");
    return -1;
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum += Data(a)[i * inner + k] * Data(b)[k * columns + j];
      Data(out)[i * columns + j] = sum;
    }
  }
  result->type_index = kTVMFFINone;
  result->v_int64 = 0;
  return 0;
}

/* apply(f, x): f(f(x)), for any function of the ABI, whatever language it is written in. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_apply_twice(void* self, const TVMFFIAny* args, int32_t num_args,
                                             TVMFFIAny* result) {
  (void)self;
  if (ExpectArguments(num_args, 2) != 0) return -1;
  if (args[0].type_index != kTVMFFIFunction) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "argument #0: expected a function");
    return -1;
  }
  TVMFFIAny once;
  memset(&once, 0, sizeof once);
  /* An error of the callee is in the slot of the thread already: return -1 and it travels on. */
  if (TVMFFIFunctionCall(args[0].v_obj, (TVMFFIAny*)&args[1], 1, &once) != 0) return -1;
  int status = TVMFFIFunctionCall(args[0].v_obj, &once, 1, result);
  if (once.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(once.v_obj);
  return status;
}

static int CallCounter(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  (void)args;
  if (ExpectArguments(num_args, 0) != 0) return -1;
  result->type_index = kTVMFFIInt;
  result->v_int64 = ++*(int64_t*)self;
  return 0;
}

/* make_counter(start): a function that counts on from start. It owns its state, and `free` is its
 * deleter. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_make_counter(void* self, const TVMFFIAny* args, int32_t num_args,
                                              TVMFFIAny* result) {
  (void)self;
  if (ExpectArguments(num_args, 1) != 0) return -1;
  if (args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "argument #0: expected an integer");
    return -1;
  }
  int64_t* count = (int64_t*)malloc(sizeof *count);
  if (count == NULL) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "out of memory");
    return -1;
  }
  *count = args[0].v_int64;
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(count, CallCounter, free, &function) != 0) {
    free(count);
    return -1;
  }
  result->type_index = kTVMFFIFunction;
  result->v_obj = (TVMFFIObject*)function;
  return 0;
}
