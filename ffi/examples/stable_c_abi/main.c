/* SPDX-License-Identifier: Apache-2.0 */
/* A C program that loads the C library through the module loader and calls it.
 * usage: stable_c_abi LIBRARY */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

static TVMFFIByteArray Text(const char* text) {
  TVMFFIByteArray bytes = {text, strlen(text)};
  return bytes;
}

static int Report(void) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  printf("%.*s: %.*s\n", (int)cell->kind.size, cell->kind.data, (int)cell->message.size,
         cell->message.data);
  TVMFFIObjectDecRef(error);
  return 1;
}

/* Calls a global function; the result, if it is an object, is owned by the caller. */
static int CallGlobal(const char* name, TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  TVMFFIByteArray bytes = Text(name);
  TVMFFIObjectHandle function = NULL;
  memset(result, 0, sizeof *result);
  if (TVMFFIFunctionGetGlobal(&bytes, &function) != 0) return -1;
  if (function == NULL) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", name);
    return -1;
  }
  int status = TVMFFIFunctionCall(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return status;
}

static int FunctionOf(TVMFFIAny module, const char* name, TVMFFIAny* function) {
  TVMFFIAny args[3];
  memset(args, 0, sizeof args);
  args[0] = module;
  args[1].type_index = kTVMFFIRawStr;
  args[1].v_c_str = name;
  args[2].type_index = kTVMFFIBool;
  return CallGlobal("ffi.ModuleGetFunction", args, 3, function);
}

static TVMFFIAny View(DLTensor* tensor) {
  TVMFFIAny value;
  memset(&value, 0, sizeof value);
  value.type_index = kTVMFFIDLTensorPtr;
  value.v_ptr = tensor;
  return value;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  printf("ABI %u.%u\n", (unsigned)version.major, (unsigned)version.minor);

  TVMFFIAny args[3];
  TVMFFIAny module;
  memset(args, 0, sizeof args);
  args[0].type_index = kTVMFFIRawStr;
  args[0].v_c_str = argv[1];
  if (CallGlobal("ffi.ModuleLoadFromFile", args, 1, &module) != 0) return Report();

  TVMFFIAny multiply;
  if (FunctionOf(module, "multiply", &multiply) != 0) return Report();
  double a[4] = {1, 2, 3, 4};
  double b[4] = {0, 1, 1, 0};
  double c[4];
  int64_t shape[2] = {2, 2};
  DLTensor x = {a, {kDLCPU, 0}, 2, {kDLFloat, 64, 1}, shape, NULL, 0};
  DLTensor y = {b, {kDLCPU, 0}, 2, {kDLFloat, 64, 1}, shape, NULL, 0};
  DLTensor z = {c, {kDLCPU, 0}, 2, {kDLFloat, 64, 1}, shape, NULL, 0};
  TVMFFIAny result;
  memset(&result, 0, sizeof result);
  args[0] = View(&x);
  args[1] = View(&y);
  args[2] = View(&z);
  if (TVMFFIFunctionCall(multiply.v_obj, args, 3, &result) != 0) return Report();
  printf("%g %g / %g %g\n", c[0], c[1], c[2], c[3]);

  z.ndim = 1; /* wrong on purpose */
  if (TVMFFIFunctionCall(multiply.v_obj, args, 3, &result) == 0) return 1;
  Report();

  TVMFFIAny make_counter;
  TVMFFIAny counter;
  if (FunctionOf(module, "make_counter", &make_counter) != 0) return Report();
  memset(args, 0, sizeof args);
  memset(&counter, 0, sizeof counter);
  args[0].type_index = kTVMFFIInt;
  args[0].v_int64 = 40;
  if (TVMFFIFunctionCall(make_counter.v_obj, args, 1, &counter) != 0) return Report();
  TVMFFIFunctionCall(counter.v_obj, NULL, 0, &result);
  TVMFFIFunctionCall(counter.v_obj, NULL, 0, &result);
  printf("counted to %d\n", (int)result.v_int64);

  TVMFFIObjectDecRef(counter.v_obj);
  TVMFFIObjectDecRef(make_counter.v_obj);
  TVMFFIObjectDecRef(multiply.v_obj);
  TVMFFIObjectDecRef(module.v_obj);
  return 0;
}
