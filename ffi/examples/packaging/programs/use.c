/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the library of the wheel from C: the exported symbol, the global function, the class.
 * usage: use_c LIBRARY */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

static TVMFFIByteArray Text(const char* text) {
  TVMFFIByteArray bytes = {text, strlen(text)};
  return bytes;
}

/* Prints the error of this thread and releases it. */
static void PrintError(void) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  printf("%.*s: %.*s\n", (int)cell->kind.size, cell->kind.data, (int)cell->message.size,
         cell->message.data);
  TVMFFIObjectDecRef(error);
}

static int AddOne(void* library) {
  TVMFFISafeCallType add_one = NULL;
  *(void**)&add_one = dlsym(library, "__tvm_ffi_add_one");
  if (add_one == NULL) return 1;
  float in[3] = {1, 2, 3};
  float out[3] = {0, 0, 0};
  int64_t three[1] = {3};
  int64_t two[1] = {2};
  DLTensor x = {in, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, three, NULL, 0};
  DLTensor y = {out, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, three, NULL, 0};
  TVMFFIAny arguments[2];
  TVMFFIAny result;
  memset(arguments, 0, sizeof arguments);
  memset(&result, 0, sizeof result);
  arguments[0].type_index = kTVMFFIDLTensorPtr;
  arguments[0].v_ptr = &x;
  arguments[1].type_index = kTVMFFIDLTensorPtr;
  arguments[1].v_ptr = &y;
  if (add_one(NULL, arguments, 2, &result) != 0) return 1;
  printf("%g %g %g\n", out[0], out[1], out[2]);

  y.shape = two; /* wrong on purpose */
  if (add_one(NULL, arguments, 2, &result) == 0) return 1;
  PrintError();
  return 0;
}

/* Finds a method, or field, of a type by its name. */
static const TVMFFIMethodInfo* Method(const TVMFFITypeInfo* type, const char* name) {
  for (int32_t i = 0; i < type->num_methods; ++i) {
    const TVMFFIMethodInfo* method = &type->methods[i];
    if (method->name.size == strlen(name) && memcmp(method->name.data, name, strlen(name)) == 0) {
      return method;
    }
  }
  return NULL;
}

static int IntPair(void) {
  TVMFFIByteArray key = Text("my_ffi_extension.IntPair");
  int32_t index = 0;
  if (TVMFFITypeKeyToIndex(&key, &index) != 0) return 1;
  const TVMFFITypeInfo* type = TVMFFIGetTypeInfo(index);
  const TVMFFIMethodInfo* init = Method(type, "__ffi_init__");
  const TVMFFIMethodInfo* second = Method(type, "static_get_second");
  if (init == NULL || second == NULL) return 1;

  TVMFFIAny arguments[2];
  TVMFFIAny pair;
  TVMFFIAny value;
  memset(arguments, 0, sizeof arguments);
  memset(&pair, 0, sizeof pair);
  memset(&value, 0, sizeof value);
  arguments[0].type_index = kTVMFFIInt;
  arguments[0].v_int64 = 1;
  arguments[1].type_index = kTVMFFIInt;
  arguments[1].v_int64 = 2;
  if (TVMFFIFunctionCall(init->method.v_obj, arguments, 2, &pair) != 0) return 1;
  if (TVMFFIFunctionCall(second->method.v_obj, &pair, 1, &value) != 0) return 1;
  printf("second = %d\n", (int)value.v_int64);
  TVMFFIObjectDecRef(pair.v_obj);
  return 0;
}

static int RaiseError(void) {
  TVMFFIByteArray name = Text("my_ffi_extension.raise_error");
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionGetGlobal(&name, &function) != 0 || function == NULL) return 1;
  TVMFFIAny argument;
  TVMFFIAny result;
  memset(&argument, 0, sizeof argument);
  memset(&result, 0, sizeof result);
  argument.type_index = kTVMFFIRawStr;
  argument.v_c_str = "from C";
  int status = TVMFFIFunctionCall(function, &argument, 1, &result);
  TVMFFIObjectDecRef(function);
  if (status == 0) return 1;
  PrintError();
  return 0;
}

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: use_c LIBRARY");
    return 1;
  }
  return AddOne(library) || IntPair() || RaiseError();
}
