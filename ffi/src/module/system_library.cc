// SPDX-License-Identifier: Apache-2.0
/*!
 * \file system_library.cc
 * \brief Modules from symbols that are linked into the program.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../code_image.h"
#include "../loading.h"
#include "c_arguments.h"
#include "library.h"

namespace tvm {
namespace ffi {
namespace {

class SystemSymbols {
 public:
  static SystemSymbols* Global() {
    static SystemSymbols* symbols = new SystemSymbols();
    return symbols;
  }

  void Register(const std::string& name, void* address, const void* registrant) {
    void* before = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto [it, added] = symbols_.emplace(name, address);
      if (!added) before = it->second;
      it->second = address;
    }
    if (before == address) return;
    if (before != nullptr) {
      std::fprintf(stderr,
                   "[WARNING] System library symbol `%s` gets another address: %p, was %p\n",
                   name.c_str(), address, before);
    }
    Loading::NoteRegistration(registrant,
                              [this, name, address, before] { Restore(name, address, before); });
  }

  // Undoes Register, unless somebody else has changed the symbol since.
  void Restore(const std::string& name, void* address, void* before) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = symbols_.find(name);
    if (it == symbols_.end() || it->second != address) return;
    if (before == nullptr) {
      symbols_.erase(it);
    } else {
      it->second = before;
    }
  }

  void* Find(const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = symbols_.find(name);
    return it == symbols_.end() ? nullptr : it->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, void*> symbols_;
};

// Names with the prefix go before plain ones, so several system libraries live in one program.
class SystemLibrary final : public Library {
 public:
  explicit SystemLibrary(std::string prefix) : prefix_(std::move(prefix)) {}

  void* FindSymbol(const std::string& name) override {
    void* address = SystemSymbols::Global()->Find(prefix_ + name);
    return address != nullptr ? address : SystemSymbols::Global()->Find(name);
  }

  void* FindExported(const char* symbol_prefix, const std::string& name) override {
    void* address = SystemSymbols::Global()->Find(symbol_prefix + prefix_ + name);
    return address != nullptr ? address : SystemSymbols::Global()->Find(symbol_prefix + name);
  }

 private:
  std::string prefix_;
};

Module GetSystemLibrary(const std::string& prefix) {
  // Recursive: loading the import tree of one may ask for another.
  static auto* mutex = new std::recursive_mutex();
  static auto* modules = new std::map<std::string, Module>();
  std::lock_guard<std::recursive_mutex> lock(*mutex);
  auto it = modules->find(prefix);
  if (it != modules->end()) return it->second;
  Module module = MakeLibraryModule(std::make_shared<SystemLibrary>(prefix));
  modules->emplace(prefix, module);
  return module;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def_packed("ffi.SystemLib", [](PackedArgs args, Any* result) {
    if (args.size() > 1) {
      TVM_FFI_THROW(TypeError) << "ffi.SystemLib takes at most 1 argument, but got " << args.size();
    }
    *result = GetSystemLibrary(args.size() == 0 ? String() : args[0].cast<String>());
  });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(name);
  tvm::ffi::SystemSymbols::Global()->Register(name, symbol, registrant);
  TVM_FFI_SAFE_CALL_END();
}
