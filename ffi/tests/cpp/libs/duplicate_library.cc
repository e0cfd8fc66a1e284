// SPDX-License-Identifier: Apache-2.0
// Registers what others registered before, while it is being loaded; c_registration.cc loads it.
#include <tvm/ffi/c_api.h>

#include <cstdlib>

namespace {

int Nothing(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; }

TVMFFIByteArray Text(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  return {text, size};
}

// As inline code does: an error here would be thrown out of an initialiser and end the process.
void Require(int code) {
  if (code != 0) std::abort();
}

__attribute__((constructor)) void RegisterAgain() {
  TVMFFIObjectHandle function = nullptr;
  Require(TVMFFIFunctionCreate(nullptr, Nothing, nullptr, &function));
  TVMFFIByteArray name = Text("ctest.duplicate");
  Require(TVMFFIFunctionSetGlobal(&name, function, 0));
  TVMFFIMethodInfo method{};
  method.name = name;
  method.method.type_index = kTVMFFIFunction;
  method.method.v_obj = static_cast<TVMFFIObject*>(function);
  Require(TVMFFIFunctionSetGlobalFromMethodInfo(&method, 0));
  TVMFFIObjectDecRef(function);

  TVMFFIByteArray key = Text("ctest.DuplicateType");
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata{};
  metadata.total_size = 99;
  Require(TVMFFITypeRegisterMetadata(index, &metadata));
  TVMFFIFieldInfo field{};
  field.name = Text("x");
  Require(TVMFFITypeRegisterField(index, &field));
  TVMFFIByteArray attr = Text("ctest_duplicate_attr");
  TVMFFIAny value{};
  value.type_index = kTVMFFIInt;
  value.v_int64 = 2;
  Require(TVMFFITypeRegisterAttr(index, &attr, &value));
}

}  // namespace
