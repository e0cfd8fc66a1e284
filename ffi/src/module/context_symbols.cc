// SPDX-License-Identifier: Apache-2.0
#include "context_symbols.h"

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../code_image.h"
#include "../loading.h"
#include "c_arguments.h"

namespace tvm {
namespace ffi {
namespace {

struct ContextSymbols {
  std::mutex mutex;
  std::vector<std::pair<std::string, void*>> entries;  // in registration order

  static ContextSymbols* Global() {
    static ContextSymbols* symbols = new ContextSymbols();
    return symbols;
  }

  // A copy: what visits the entries may register more.
  std::vector<std::pair<std::string, void*>> Snapshot() {
    std::lock_guard<std::mutex> lock(mutex);
    return entries;
  }

  // Takes back the last entry of that name and value.
  void Remove(const std::string& name, void* value) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = entries.size(); i-- > 0;) {
      if (entries[i].first != name || entries[i].second != value) continue;
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
};

}  // namespace

void StoreContextSymbols(Library* library) {
  for (const auto& [name, value] : ContextSymbols::Global()->Snapshot()) {
    if (void* variable = library->FindSymbol(name)) *static_cast<void**>(variable) = value;
  }
}

void Module::VisitContextSymbols(const TypedFunction<void(String, void*)>& callback) {
  for (const auto& [name, value] : ContextSymbols::Global()->Snapshot()) callback(name, value);
}

}  // namespace ffi
}  // namespace tvm

int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(name);
  auto* symbols = tvm::ffi::ContextSymbols::Global();
  {
    std::lock_guard<std::mutex> lock(symbols->mutex);
    symbols->entries.emplace_back(name, symbol);
  }
  tvm::ffi::Loading::NoteRegistration(
      registrant, [symbols, name = std::string(name), symbol] { symbols->Remove(name, symbol); });
  TVM_FFI_SAFE_CALL_END();
}
