// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library_bin.cc
 * \brief The import tree packed into libraries: any bytes end in a module or an Error.
 *
 * The size in front is the true one, unless the first byte is 255.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstring>
#include <memory>

#include "input.h"
#include "module/library_bin.h"

namespace {

using namespace tvm::ffi;

class PlainModuleObj final : public ModuleObj {
 public:
  const char* kind() const final { return "fuzz"; }
  Optional<Function> GetFunction(const String&) final { return std::nullopt; }
};

Module MakeModule() { return Module(ObjectPtr<ModuleObj>(make_object<PlainModuleObj>())); }

bool RegisterLoaders() {
  Function::SetGlobal("ffi.Module.load_from_bytes.f",
                      Function::FromTyped([](const Bytes&) { return MakeModule(); }));
  Function::SetGlobal("ffi.Module.load_from_bytes.e", Function::FromTyped([](const Bytes&) {
                        TVM_FFI_THROW(ValueError) << "this kind never loads";
                        return MakeModule();
                      }));
  Function::SetGlobal("ffi.Module.load_from_bytes.n",
                      Function::FromTyped([](const Bytes&) { return 1; }));
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool registered = RegisterLoaders();
  fuzz::Input input(data, size);
  uint64_t length = size;
  if (input.Byte() == 255) length = input.Take<uint64_t>();
  auto packed = std::make_unique<char[]>(size + 8);
  std::memcpy(packed.get(), &length, 8);
  if (size != 0) std::memcpy(packed.get() + 8, data, size);
  fuzz::Succeeds([&] {
    Module root = LoadLibraryBin(packed.get(), size + 8, MakeModule);
    fuzz::Require(!root->GetFunction("nothing", true).has_value(), "modules without functions");
  });
  return 0;
}
