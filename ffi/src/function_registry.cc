// SPDX-License-Identifier: Apache-2.0
/*!
 * \file function_registry.cc
 * \brief Functions by global name.
 */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "c_arguments.h"
#include "code_image.h"
#include "loading.h"
#include "quick_def.h"

namespace tvm {
namespace ffi {
namespace {

std::string_view View(const TVMFFIByteArray& text) { return {text.data, text.size}; }

struct GlobalFunction {
  Function function;
  std::string doc;
  std::string metadata;
  int64_t flags;
  const void* registrant = nullptr;  // an address in the code that registered it
};

class FunctionRegistry {
 public:
  // Never destroyed: functions are looked up until the last line of the process.
  static FunctionRegistry* Global() {
    static FunctionRegistry* registry = new FunctionRegistry();
    return registry;
  }

  // Returns false when the name is taken and may not be overridden. `replaced` receives what was
  // overridden; it dies outside of the lock, since it may run arbitrary code then.
  bool Set(std::string_view name, GlobalFunction entry, bool allow_override,
           std::optional<GlobalFunction>* replaced) {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    auto it = functions_.find(name);
    if (it == functions_.end()) {
      functions_.emplace(std::string(name), std::move(entry));
      return true;
    }
    if (!allow_override) return false;
    *replaced = std::move(it->second);
    it->second = std::move(entry);
    return true;
  }

  // Undoes Set, unless somebody else has taken or left the name since.
  void Restore(const std::string& name, const void* registrant,
               std::optional<GlobalFunction> replaced) {
    std::optional<GlobalFunction> removed;  // dies outside of the lock
    std::unique_lock<std::shared_mutex> lock(mutex_);
    auto it = functions_.find(name);
    if (it == functions_.end() || it->second.registrant != registrant) return;
    removed = std::move(it->second);
    if (replaced.has_value()) {
      it->second = *std::move(replaced);
    } else {
      functions_.erase(it);
    }
  }

  // Who registered a name; null when it is free.
  const void* RegistrantOf(std::string_view name) {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto it = functions_.find(name);
    return it == functions_.end() ? nullptr : it->second.registrant;
  }

  Function Find(std::string_view name) {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto it = functions_.find(name);
    return it == functions_.end() ? Function(nullptr) : it->second.function;
  }

  bool Contains(std::string_view name) {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return functions_.find(name) != functions_.end();
  }

  // A text of the entry: its metadata or its documentation.
  std::optional<std::string> FindText(std::string_view name, std::string GlobalFunction::* text) {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto it = functions_.find(name);
    if (it == functions_.end()) return std::nullopt;
    return it->second.*text;
  }

  bool Remove(std::string_view name) {
    std::optional<GlobalFunction> removed;
    std::unique_lock<std::shared_mutex> lock(mutex_);
    auto it = functions_.find(name);
    if (it == functions_.end()) return false;
    removed = std::move(it->second);
    functions_.erase(it);
    return true;
  }

  std::vector<String> Names() {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    std::vector<String> names;
    names.reserve(functions_.size());
    for (const auto& [name, entry] : functions_) names.emplace_back(name);
    return names;
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };

  std::shared_mutex mutex_;
  std::unordered_map<std::string, GlobalFunction, Hash, std::equal_to<>> functions_;
};

Function FunctionFromHandle(std::string_view name, TVMFFIObjectHandle handle) {
  if (handle == nullptr) {
    TVM_FFI_THROW(ValueError) << "Global Function `" << name << "` can't be null";
  }
  if (TVMFFIObjectGetTypeIndex(handle) != kTVMFFIFunction) {
    TVM_FFI_THROW(TypeError) << "Global Function `" << name
                             << "` must be a `ffi.Function`, but got `"
                             << TypeIndexToTypeKey(TVMFFIObjectGetTypeIndex(handle)) << "`";
  }
  return Function(
      detail::ObjectUnsafe::ObjectPtrFromUnowned<FunctionObj>(static_cast<TVMFFIObject*>(handle)));
}

// Registers `handle` as `key` with the other members of `entry`. `causes` ends the message about a
// taken name, which is printed as well when it has one.
void Register(std::string_view key, TVMFFIObjectHandle handle, GlobalFunction entry,
              bool allow_override, const char* causes) {
  FunctionRegistry* registry = FunctionRegistry::Global();
  const void* const registrant = entry.registrant;
  std::optional<GlobalFunction> replaced;
  bool taken = !allow_override && registry->Contains(key);
  if (!taken) {
    entry.function = FunctionFromHandle(key, handle);
    taken = !registry->Set(key, std::move(entry), allow_override, &replaced);
  }
  if (!taken) {
    Loading::NoteRegistration(
        registrant, [name = std::string(key), registrant, replaced = std::move(replaced)] {
          FunctionRegistry::Global()->Restore(name, registrant, replaced);
        });
    return;
  }
  const Repeat repeat{"global function `" + std::string(key) + "`", Repeat::kNoneIfSameBuild, "",
                      registry->RegistrantOf(key), registrant};
  if (KeepFirst(repeat)) return;
  try {
    TVM_FFI_THROW(RuntimeError) << "Global Function `" << key << "` is already registered"
                                << causes;
  } catch (const Error& error) {
    if (*causes != '\0') std::fprintf(stderr, "%s", error.FullMessage().c_str());
    throw;
  }
}

// f(-1) is the number of names, f(i) the i-th name of the snapshot.
Function ListGlobalNames() {
  return Function::FromTyped([names = FunctionRegistry::Global()->Names()](int64_t i) -> Any {
    int64_t count = static_cast<int64_t>(names.size());
    if (i == -1) return count;
    if (i < 0 || i >= count) {
      TVM_FFI_THROW(IndexError) << "Index " << i << " out of bounds " << count;
    }
    return names[static_cast<size_t>(i)];
  });
}

template <std::string GlobalFunction::* kText>
String GetGlobalFuncText(const String& name) {
  std::optional<std::string> text =
      FunctionRegistry::Global()->FindText({name.data(), name.size()}, kText);
  if (!text) TVM_FFI_THROW(RuntimeError) << "Global Function is not found: " << name;
  return String(*std::move(text));
}

Function FunctionFromExternC(void* self, void* safe_call, void* deleter) {
  return Function::FromExternC(self, reinterpret_cast<TVMFFISafeCallType>(safe_call),
                               reinterpret_cast<void (*)(void*)>(deleter));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  QuickDef()
      .def("ffi.FunctionRemoveGlobal",
           [](const String& name) {
             return FunctionRegistry::Global()->Remove({name.data(), name.size()});
           })
      .def("ffi.FunctionListGlobalNamesFunctor", ListGlobalNames)
      .def("ffi.GetGlobalFuncMetadata", GetGlobalFuncText<&GlobalFunction::metadata>)
      .def("ffi.GetGlobalFuncDoc", GetGlobalFuncText<&GlobalFunction::doc>)
      .def("ffi.FunctionFromExternC", FunctionFromExternC);
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

using tvm::ffi::Function;
using tvm::ffi::FunctionRegistry;

int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = tvm::ffi::detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(
      FunctionRegistry::Global()->Find(TVM_FFI_TEXT_ARGUMENT(name)));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle f, int allow_override) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string_view text = TVM_FFI_TEXT_ARGUMENT(name);
  tvm::ffi::Register(text, f,
                     {Function(nullptr), "", "", kTVMFFIFieldFlagBitMaskIsStaticMethod, registrant},
                     allow_override != 0, "");
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo* method_info, int allow_override) {
  const void* const registrant = TVM_FFI_CALLER_ADDRESS();
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(method_info);
  const std::string_view text = TVM_FFI_TEXT_ARGUMENT(&method_info->name);
  TVMFFIObjectHandle handle =
      method_info->method.type_index == kTVMFFIFunction ? method_info->method.v_obj : nullptr;
  tvm::ffi::Register(
      text, handle,
      {Function(nullptr), std::string(tvm::ffi::View(method_info->doc)),
       std::string(tvm::ffi::View(method_info->metadata)), method_info->flags, registrant},
      allow_override != 0,
      ", possible causes:\n"
      "- two definitions use this name\n"
      "- two libraries that define it are loaded in this process");
  TVM_FFI_SAFE_CALL_END();
}
