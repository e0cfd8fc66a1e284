/* SPDX-License-Identifier: Apache-2.0 */
/* Every exported C function with null pointers, negative counts and objects of the wrong type: an
 * error that names the argument, or the documented answer; never a crash. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

static int failures = 0;

static void Fail(int line, const char* what, const char* got) {
  fprintf(stderr, "line %d: %s: %s\n", line, what, got);
  ++failures;
}

/* Takes the pending error and compares "KIND: MESSAGE" with `want`. */
static void CheckError(int line, int code, const char* want) {
  char text[512];
  TVMFFIObjectHandle error = NULL;
  const TVMFFIErrorCell* cell;
  if (code != -1) Fail(line, "expected -1", want);
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) {
    Fail(line, "no error is pending", want);
    return;
  }
  cell = TVMFFIErrorGetCellPtr(error);
  snprintf(text, sizeof(text), "%.*s: %.*s", (int)cell->kind.size, cell->kind.data,
           (int)cell->message.size, cell->message.data);
  if (strcmp(text, want) != 0) Fail(line, want, text);
  TVMFFIObjectDecRef(error);
}

static void CheckNoError(int line, int code) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  if (code != 0) Fail(line, "expected 0", "");
  if (error != NULL) Fail(line, "an error is pending", "");
  TVMFFIObjectDecRef(error);
}

#define RAISES(want, call) CheckError(__LINE__, call, want)
#define WORKS(call) CheckNoError(__LINE__, call)
#define NULL_ARGUMENT(function, argument, call) \
  CheckError(__LINE__, call, "ValueError: " function ": the argument `" argument "` is null")

static int AddOne(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  (void)self;
  (void)num_args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 1;
  return 0;
}

static int MakeNothing(void** out) {
  *out = NULL;
  return 0;
}

static int DropNothing(void* handle) { return handle == NULL; }

static TVMFFIByteArray Text(const char* text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return bytes;
}

/* Bytes whose data is missing. */
static TVMFFIByteArray Hollow(void) {
  TVMFFIByteArray bytes;
  bytes.data = NULL;
  bytes.size = 5;
  return bytes;
}
#define HOLLOW(function, argument, call)                         \
  CheckError(__LINE__, call,                                     \
             "ValueError: " function ": the argument `" argument \
             "` has 5 bytes, "                                   \
             "but its data is null")

#if !defined(_WIN32)
/* Functions without an error result end the process with a message. */
#define FATAL(want, call)                                                   \
  do {                                                                      \
    char said[1024] = {0};                                                  \
    int ends[2], status = 0;                                                \
    pid_t child;                                                            \
    ssize_t got;                                                            \
    size_t used = 0;                                                        \
    if (pipe(ends) != 0) return 1;                                          \
    child = fork();                                                         \
    if (child == 0) {                                                       \
      dup2(ends[1], 2);                                                     \
      (void)(call);                                                         \
      _exit(0);                                                             \
    }                                                                       \
    close(ends[1]);                                                         \
    while (used + 1 < sizeof(said) &&                                       \
           (got = read(ends[0], said + used, sizeof(said) - 1 - used)) > 0) \
      used += (size_t)got;                                                  \
    close(ends[0]);                                                         \
    waitpid(child, &status, 0);                                             \
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 255)                   \
      Fail(__LINE__, "expected exit status 255", #call);                    \
    if (strstr(said, want) == NULL) Fail(__LINE__, want, said);             \
  } while (0)
#endif

static void ObjectsAndTypes(TVMFFIObjectHandle function) {
  TVMFFIByteArray hollow = Hollow(), key = Text("abi.bad_arguments"), absent = Text("abi.absent");
  TVMFFIFieldInfo field;
  TVMFFIMethodInfo method;
  TVMFFITypeMetadata metadata;
  TVMFFIAny none, value;
  TVMFFIObjectHandle out = NULL;
  int32_t index = 0;
  memset(&field, 0, sizeof(field));
  memset(&method, 0, sizeof(method));
  memset(&metadata, 0, sizeof(metadata));
  memset(&none, 0, sizeof(none));
  memset(&value, 0, sizeof(value));

  TVMFFIGetVersion(NULL);
  NULL_ARGUMENT("TVMFFIObjectIncRef", "obj", TVMFFIObjectIncRef(NULL));
  WORKS(TVMFFIObjectDecRef(NULL));
  NULL_ARGUMENT("TVMFFIObjectCreateOpaque", "out",
                TVMFFIObjectCreateOpaque(&out, kTVMFFIOpaquePyObject, NULL, NULL));
  RAISES("RuntimeError: An opaque object must have the type index 74, but got -3",
         TVMFFIObjectCreateOpaque(&out, -3, NULL, &out));
  NULL_ARGUMENT("TVMFFITypeKeyToIndex", "type_key", TVMFFITypeKeyToIndex(NULL, &index));
  NULL_ARGUMENT("TVMFFITypeKeyToIndex", "out_tindex", TVMFFITypeKeyToIndex(&key, NULL));
  HOLLOW("TVMFFITypeKeyToIndex", "type_key", TVMFFITypeKeyToIndex(&hollow, &index));
  RAISES("InternalError: Cannot find type `abi.absent`: no library that is loaded registers it",
         TVMFFITypeKeyToIndex(&absent, &index));

  index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  NULL_ARGUMENT("TVMFFITypeRegisterField", "info", TVMFFITypeRegisterField(index, NULL));
  field.name = hollow;
  HOLLOW("TVMFFITypeRegisterField", "&info->name", TVMFFITypeRegisterField(index, &field));
  field.name = Text("x");
  RAISES("InternalError: Cannot find type info for type_index=-1",
         TVMFFITypeRegisterField(-1, &field));
  field.flags = kTVMFFIFieldFlagBitSetterIsFunctionObj;
  WORKS(TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, NULL, &out));
  field.setter = out;
  RAISES(
      "TypeError: The setter of field `x` must be a `ffi.Function`, but got "
      "`ffi.OpaquePyObject`",
      TVMFFITypeRegisterField(index, &field));
  TVMFFIObjectDecRef(out);
  NULL_ARGUMENT("TVMFFITypeRegisterMethod", "info", TVMFFITypeRegisterMethod(index, NULL));
  RAISES("InternalError: Cannot find type info for type_index=2147483647",
         TVMFFITypeRegisterMethod(2147483647, &method));
  NULL_ARGUMENT("TVMFFITypeRegisterMetadata", "metadata", TVMFFITypeRegisterMetadata(index, NULL));
  metadata.doc = hollow;
  HOLLOW("TVMFFITypeRegisterMetadata", "&metadata->doc",
         TVMFFITypeRegisterMetadata(index, &metadata));
  NULL_ARGUMENT("TVMFFITypeRegisterAttr", "attr_name", TVMFFITypeRegisterAttr(index, NULL, &none));
  NULL_ARGUMENT("TVMFFITypeRegisterAttr", "attr_value", TVMFFITypeRegisterAttr(index, &key, NULL));
  RAISES("ValueError: TypeAttr `abi.bad_arguments` can't have the type index -1",
         TVMFFITypeRegisterAttr(-1, &key, &none));
  if (TVMFFIGetTypeAttrColumn(NULL) != NULL || TVMFFIGetTypeAttrColumn(&hollow) != NULL ||
      TVMFFIGetTypeAttrColumn(&absent) != NULL) {
    Fail(__LINE__, "a column without a name", "");
  }
  if (TVMFFIGetCustomAllocator() == NULL) Fail(__LINE__, "no allocator", "");
  {
    static TVMFFICustomAllocator empty;
    RAISES("ValueError: TVMFFISetCustomAllocator: the member `allocate` is null",
           TVMFFISetCustomAllocator(&empty));
    WORKS(TVMFFISetCustomAllocator(NULL));
  }
  {
    void* handle = NULL;
    NULL_ARGUMENT("TVMFFIHandleInitOnce", "handle_addr", TVMFFIHandleInitOnce(NULL, MakeNothing));
    NULL_ARGUMENT("TVMFFIHandleInitOnce", "init_func", TVMFFIHandleInitOnce(&handle, NULL));
    RAISES("RuntimeError: init_func must return a non-NULL handle",
           TVMFFIHandleInitOnce(&handle, MakeNothing));
    NULL_ARGUMENT("TVMFFIHandleDeinitOnce", "handle_addr",
                  TVMFFIHandleDeinitOnce(NULL, DropNothing));
    NULL_ARGUMENT("TVMFFIHandleDeinitOnce", "deinit_func", TVMFFIHandleDeinitOnce(&handle, NULL));
    WORKS(TVMFFIHandleDeinitOnce(&handle, DropNothing));
  }
  (void)function;
}

static void ValuesAndFunctions(TVMFFIObjectHandle function) {
  TVMFFIByteArray hollow = Hollow(), name = Text("abi.bad_arguments.function");
  TVMFFIByteArray odd = Text("abc"), bad_dtype = Text("int8y");
  TVMFFIAny view, out;
  TVMFFIObjectHandle object = NULL;
  TVMFFIMethodInfo method;
  DLDataType dtype = {0, 8, 1};
  memset(&view, 0, sizeof(view));
  memset(&out, 0, sizeof(out));
  memset(&method, 0, sizeof(method));

  NULL_ARGUMENT("TVMFFIAnyViewToOwnedAny", "any_view", TVMFFIAnyViewToOwnedAny(NULL, &out));
  NULL_ARGUMENT("TVMFFIAnyViewToOwnedAny", "out", TVMFFIAnyViewToOwnedAny(&view, NULL));
  view.type_index = kTVMFFIRawStr;
  RAISES("ValueError: A `const char*` value is null", TVMFFIAnyViewToOwnedAny(&view, &out));
  view.type_index = kTVMFFIByteArrayPtr;
  NULL_ARGUMENT("TVMFFIAnyViewToOwnedAny", "any_view", TVMFFIAnyViewToOwnedAny(&view, &out));
  view.type_index = kTVMFFIObjectRValueRef;
  RAISES("InternalError: RValueRef already moved", TVMFFIAnyViewToOwnedAny(&view, &out));
  view.type_index = kTVMFFIStr;
  RAISES("ValueError: A value of type index 65 holds no object",
         TVMFFIAnyViewToOwnedAny(&view, &out));

  NULL_ARGUMENT("TVMFFIStringFromByteArray", "input", TVMFFIStringFromByteArray(NULL, &out));
  HOLLOW("TVMFFIStringFromByteArray", "input", TVMFFIStringFromByteArray(&hollow, &out));
  NULL_ARGUMENT("TVMFFIStringFromByteArray", "out", TVMFFIStringFromByteArray(&odd, NULL));
  NULL_ARGUMENT("TVMFFIBytesFromByteArray", "input", TVMFFIBytesFromByteArray(NULL, &out));
  HOLLOW("TVMFFIBytesFromByteArray", "input", TVMFFIBytesFromByteArray(&hollow, &out));
  NULL_ARGUMENT("TVMFFIBigIntFromByteArray", "input", TVMFFIBigIntFromByteArray(NULL, &out));
  HOLLOW("TVMFFIBigIntFromByteArray", "input", TVMFFIBigIntFromByteArray(&hollow, &out));
  RAISES("ValueError: BigInt content must contain whole 64-bit words",
         TVMFFIBigIntFromByteArray(&odd, &out));
  view.type_index = kTVMFFIFloat;
  if (TVMFFIBigIntGetContentByteArray(NULL).data != NULL ||
      TVMFFIBigIntGetContentByteArray(&view).data != NULL) {
    Fail(__LINE__, "words of no integer", "");
  }
  view.type_index = kTVMFFIBigInt;
  if (TVMFFIBigIntGetContentByteArray(&view).size != 0) Fail(__LINE__, "words of no object", "");
  NULL_ARGUMENT("TVMFFIDataTypeFromString", "str", TVMFFIDataTypeFromString(NULL, &dtype));
  NULL_ARGUMENT("TVMFFIDataTypeFromString", "out", TVMFFIDataTypeFromString(&odd, NULL));
  RAISES("ValueError: unknown dtype `int8y`", TVMFFIDataTypeFromString(&bad_dtype, &dtype));
  NULL_ARGUMENT("TVMFFIDataTypeToString", "dtype", TVMFFIDataTypeToString(NULL, &out));
  NULL_ARGUMENT("TVMFFIDataTypeToString", "out", TVMFFIDataTypeToString(&dtype, NULL));
  dtype.code = 77;
  RAISES("ValueError: DLDataType contains unknown type_code=77",
         TVMFFIDataTypeToString(&dtype, &out));

  RAISES("ValueError: A function needs a non-NULL safe_call",
         TVMFFIFunctionCreate(NULL, NULL, NULL, &object));
  NULL_ARGUMENT("TVMFFIFunctionCreate", "out", TVMFFIFunctionCreate(NULL, AddOne, NULL, NULL));
  view.type_index = kTVMFFIInt;
  view.v_int64 = 41;
  RAISES("ValueError: Cannot call a null function", TVMFFIFunctionCall(NULL, &view, 1, &out));
  RAISES("ValueError: Cannot call a function with -1 arguments",
         TVMFFIFunctionCall(function, &view, -1, &out));
  NULL_ARGUMENT("TVMFFIFunctionCall", "args", TVMFFIFunctionCall(function, NULL, 1, &out));
  NULL_ARGUMENT("TVMFFIFunctionCall", "result", TVMFFIFunctionCall(function, &view, 1, NULL));
  WORKS(TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, NULL, &object));
  RAISES(
      "TypeError: Cannot call an object of type `ffi.OpaquePyObject`: it is not a "
      "`ffi.Function`",
      TVMFFIFunctionCall(object, &view, 1, &out));
  WORKS(TVMFFIFunctionCall(function, &view, 1, &out));
  if (out.type_index != kTVMFFIInt || out.v_int64 != 42) Fail(__LINE__, "41 + 1", "");

  NULL_ARGUMENT("TVMFFIFunctionGetGlobal", "name", TVMFFIFunctionGetGlobal(NULL, &object));
  NULL_ARGUMENT("TVMFFIFunctionGetGlobal", "out", TVMFFIFunctionGetGlobal(&name, NULL));
  NULL_ARGUMENT("TVMFFIFunctionSetGlobal", "name", TVMFFIFunctionSetGlobal(NULL, function, 0));
  RAISES("ValueError: Global Function `abi.bad_arguments.function` can't be null",
         TVMFFIFunctionSetGlobal(&name, NULL, 0));
  RAISES(
      "TypeError: Global Function `abi.bad_arguments.function` must be a `ffi.Function`, but "
      "got `ffi.OpaquePyObject`",
      TVMFFIFunctionSetGlobal(&name, object, 0));
  NULL_ARGUMENT("TVMFFIFunctionSetGlobalFromMethodInfo", "method_info",
                TVMFFIFunctionSetGlobalFromMethodInfo(NULL, 0));
  method.name = name;
  RAISES("ValueError: Global Function `abi.bad_arguments.function` can't be null",
         TVMFFIFunctionSetGlobalFromMethodInfo(&method, 0));
  TVMFFIObjectDecRef(object);
}

static void Errors(TVMFFIObjectHandle function) {
  TVMFFIByteArray kind = Text("ValueError"), message = Text("m");
  const char* parts[] = {"a", NULL, "b"};
  TVMFFIObjectHandle error = NULL;
  if (TVMFFIErrorCreate(&kind, &message, NULL, NULL) != -1) Fail(__LINE__, "no place", "");
  WORKS(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  CheckError(__LINE__, -1, ": ");
  WORKS(TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, NULL, NULL, NULL, &error));
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  CheckError(__LINE__, -1, "ValueError: m");
  TVMFFIErrorSetRaised(NULL);
  WORKS(0);
  TVMFFIErrorSetRaised(function);
  CheckError(__LINE__, -1, "TypeError: TVMFFIErrorSetRaised: the object is no `ffi.Error`");
  TVMFFIErrorSetRaisedFromCStr(NULL, NULL);
  CheckError(__LINE__, -1, ": ");
  TVMFFIErrorSetRaisedFromCStrParts("K", NULL, 3);
  CheckError(__LINE__, -1, "K: ");
  TVMFFIErrorSetRaisedFromCStrParts("K", parts, -7);
  CheckError(__LINE__, -1, "K: ");
  TVMFFIErrorSetRaisedFromCStrParts("K", parts, 3);
  TVMFFIErrorMoveFromRaised(NULL);
  CheckError(__LINE__, -1, "K: ab");
  if (TVMFFIBacktrace(NULL, -1, NULL, 1) == NULL) Fail(__LINE__, "no backtrace", "");
}

static void TensorsAndEnvironment(TVMFFIObjectHandle function) {
  DLManagedTensor plain;
  DLManagedTensorVersioned versioned;
  DLManagedTensor* plain_out = NULL;
  DLManagedTensorVersioned* versioned_out = NULL;
  TVMFFIObjectHandle object = NULL, context = NULL;
  DLTensor prototype;
  memset(&plain, 0, sizeof(plain));
  memset(&versioned, 0, sizeof(versioned));
  memset(&prototype, 0, sizeof(prototype));

  RAISES("ValueError: FromDLPack: the tensor is null", TVMFFITensorFromDLPack(NULL, 0, 0, &object));
  NULL_ARGUMENT("TVMFFITensorFromDLPack", "out", TVMFFITensorFromDLPack(&plain, 0, 0, NULL));
  RAISES("ValueError: FromDLPack: the tensor is null",
         TVMFFITensorFromDLPackVersioned(NULL, 0, 0, &object));
  NULL_ARGUMENT("TVMFFITensorFromDLPackVersioned", "out",
                TVMFFITensorFromDLPackVersioned(&versioned, 0, 0, NULL));
  RAISES(
      "RuntimeError: FromDLPack: the tensor has DLPack version 0.0, but only version 1.x is "
      "supported",
      TVMFFITensorFromDLPackVersioned(&versioned, 0, 0, &object));
  RAISES("TypeError: ToDLPack: expected `ffi.Tensor` but got `ffi.Function`",
         TVMFFITensorToDLPack(function, &plain_out));
  RAISES("TypeError: ToDLPackVersioned: expected `ffi.Tensor` but got `None`",
         TVMFFITensorToDLPackVersioned(NULL, &versioned_out));
  RAISES("TypeError: TVMFFITensorCreateUnsafeView: expected `ffi.Tensor` but got `ffi.Function`",
         TVMFFITensorCreateUnsafeView(function, &prototype, &object));

  RAISES("ValueError: No such device: type -1, id 0", TVMFFIEnvSetStream(-1, 0, NULL, NULL));
  WORKS(TVMFFIEnvSetStream(2, 0, NULL, NULL));
  if (TVMFFIEnvGetStream(-1, -1) != NULL) Fail(__LINE__, "a stream of no device", "");
  WORKS(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, NULL));
  (void)TVMFFIEnvGetDLPackManagedTensorAllocator();
  NULL_ARGUMENT("TVMFFIEnvTensorAlloc", "prototype", TVMFFIEnvTensorAlloc(NULL, &object));
  NULL_ARGUMENT("TVMFFIEnvTensorAlloc", "out", TVMFFIEnvTensorAlloc(&prototype, NULL));
  WORKS(TVMFFIEnvCheckSignals());
  NULL_ARGUMENT("TVMFFIEnvRegisterCAPI", "name", TVMFFIEnvRegisterCAPI(NULL, NULL));
  RAISES("ValueError: Unknown env API nothing", TVMFFIEnvRegisterCAPI("nothing", NULL));
  RAISES("ValueError: The library has no module: __tvm_ffi__library_ctx is null",
         TVMFFIEnvModLookupFromImports(NULL, "f", &object));
  /* What lies where a module has its header is one of another object. */
  context = (char*)function - sizeof(void*);
  RAISES("TypeError: __tvm_ffi__library_ctx holds no module: its type index is 68",
         TVMFFIEnvModLookupFromImports(context, "f", &object));
  NULL_ARGUMENT("TVMFFIEnvModRegisterContextSymbol", "name",
                TVMFFIEnvModRegisterContextSymbol(NULL, NULL));
  NULL_ARGUMENT("TVMFFIEnvModRegisterSystemLibSymbol", "name",
                TVMFFIEnvModRegisterSystemLibSymbol(NULL, NULL));
}

int main(void) {
  TVMFFIObjectHandle function = NULL;
  WORKS(TVMFFIFunctionCreate(NULL, AddOne, NULL, &function));
  ObjectsAndTypes(function);
  ValuesAndFunctions(function);
  Errors(function);
  TensorsAndEnvironment(function);
#if !defined(_WIN32)
  {
    TVMFFIByteArray key = Text("abi.fatal");
    /* The function is declared pure: a call whose result nobody looks at is left out. */
    const TVMFFITypeInfo* volatile found;
    FATAL("the argument `type_key` is null", TVMFFITypeGetOrAllocIndex(NULL, -1, 1, 0, 1, 64));
    FATAL("Type `abi.fatal` asks for -1 child slots",
          TVMFFITypeGetOrAllocIndex(&key, -1, 1, -1, 1, 64));
    FATAL("Type `abi.fatal` below `ffi.Object` must have the depth 1, but has 7",
          TVMFFITypeGetOrAllocIndex(&key, -1, 7, 0, 1, 64));
    FATAL("Type `abi.fatal` has neither an index nor a parent",
          TVMFFITypeGetOrAllocIndex(&key, -1, 0, 0, 1, -1));
    FATAL("Cannot find type info for type_index=-4", found = TVMFFIGetTypeInfo(-4));
    FATAL("Cannot find type info for type_index=100", found = TVMFFIGetTypeInfo(100));
  }
#endif
  WORKS(TVMFFIObjectDecRef(function));
  if (failures == 0) printf("every function refuses bad arguments\n");
  return failures == 0 ? 0 : 1;
}
