// SPDX-License-Identifier: Apache-2.0
/*!
 * \file module.cc
 * \brief Modules: imports, lookup through imports, loading by file name.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "c_arguments.h"

namespace tvm {
namespace ffi {
namespace {

ModuleObj* AsModule(const Any& import) {
  return const_cast<ModuleObj*>(import.cast<const ModuleObj*>());
}

// Calls `visit(module)` for `root` and everything it imports, directly or not, depth first and each
// once, until it returns true. Tells whether it did.
template <typename F>
bool VisitImports(ModuleObj* root, F&& visit) {
  std::vector<ModuleObj*> pending{root};  // next one last
  std::unordered_set<ModuleObj*> seen;
  while (!pending.empty()) {
    ModuleObj* module = pending.back();
    pending.pop_back();
    if (!seen.insert(module).second) continue;
    if (visit(module)) return true;
    const Array<Any>& imports = module->imports();
    for (size_t i = imports.size(); i > 0; --i) {
      pending.push_back(AsModule(imports[static_cast<int64_t>(i - 1)]));
    }
  }
  return false;
}

template <typename R, typename Getter>
Optional<R> FindInModules(ModuleObj* root, bool query_imports, Getter&& get) {
  if (!query_imports) return get(root);
  Optional<R> found = std::nullopt;
  VisitImports(root, [&](ModuleObj* module) {
    found = get(module);
    return found.has_value();
  });
  return found;
}

}  // namespace

Optional<Function> ModuleObj::GetFunction(const String& name, bool query_imports) {
  return FindInModules<Function>(this, query_imports,
                                 [&](ModuleObj* module) { return module->GetFunction(name); });
}

Optional<String> ModuleObj::GetFunctionDoc(const String& name, bool query_imports) {
  return FindInModules<String>(this, query_imports,
                               [&](ModuleObj* module) { return module->GetFunctionDoc(name); });
}

Optional<String> ModuleObj::GetFunctionMetadata(const String& name, bool query_imports) {
  return FindInModules<String>(
      this, query_imports, [&](ModuleObj* module) { return module->GetFunctionMetadata(name); });
}

bool ModuleObj::ImplementsFunction(const String& name, bool query_imports) {
  if (!query_imports) return ImplementsFunction(name);
  return VisitImports(this, [&](ModuleObj* module) { return module->ImplementsFunction(name); });
}

void ModuleObj::ImportModule(const Module& other) {
  if (other.get() == nullptr) TVM_FFI_THROW(ValueError) << "Cannot import a null module";
  bool cyclic = VisitImports(other.operator->(), [&](ModuleObj* module) { return module == this; });
  if (cyclic) TVM_FFI_THROW(RuntimeError) << "Cyclic dependency detected during import";
  imports_.push_back(other);
}

namespace {

// What a path that has no loader is instead of a shared library, as the end of a message.
std::string WhyNoLibrary(const std::string& path, std::string_view format) {
  const std::string lead = format.empty() ? ": " : " ";
  if (path.empty())
    return lead + "the file name is empty; name a shared library (.so, .dylib or .dll).";
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return lead + (format.empty() ? "it" : "It") +
           " is a folder; name a shared library (.so, .dylib or .dll) in it.";
  }
  for (std::string_view source : {"c", "cc", "cpp", "cxx", "cu", "h", "hpp", "rs", "py"}) {
    if (format != source) continue;
    return lead + "`" + path + "` is source text; name the shared library (.so, .dylib or .dll) " +
           "that is built from it.";
  }
  if (!format.empty()) return "";
  for (const char* suffix : {".so", ".dylib", ".dll"}) {
    if (std::filesystem::is_regular_file(path + suffix, ignored)) {
      return lead + "it has no extension. Did you mean `" + path + suffix + "`?";
    }
  }
  return lead + "it has no extension; name a shared library (.so, .dylib or .dll).";
}

}  // namespace

void ModuleObj::ClearImports() { imports_ = Array<Any>(); }

Module Module::LoadFromFile(const String& file_name) {
  std::string path = file_name;
  // Loaders hand the path on as a C string: they would open the file that its first part names.
  size_t zero = path.find('\0');
  if (zero != std::string::npos) {
    TVM_FFI_THROW(ValueError) << "File name holds a zero byte at position " << zero << ", after `"
                              << path.substr(0, zero) << "`";
  }
  size_t dot = path.rfind('.');
  size_t folder = path.find_last_of("/\\");
  bool no_dot = dot == std::string::npos || (folder != std::string::npos && dot < folder);
  if (no_dot || dot + 1 == path.size()) {
    TVM_FFI_THROW(RuntimeError) << "Failed to get file format from " << path
                                << WhyNoLibrary(path, "");
  }
  std::string format = path.substr(dot + 1);
  if (format == "dll" || format == "dylib" || format == "dso") format = "so";
  std::string name = "ffi.Module.load_from_file." + format;
  std::optional<Function> loader = Function::GetGlobal(name);
  if (!loader) {
    TVM_FFI_THROW(RuntimeError) << "Loader for `." << format
                                << "` files is not registered, resolved to (" << name
                                << ") in the global registry. Import the package that registers it."
                                << WhyNoLibrary(path, format);
  }
  return (*loader)(file_name, format).cast<Module>();
}

struct ModuleObj::InternalUnsafe {
  // Function of a module's imports or of the global registry; remembered in the module's cache.
  static TVMFFIObject* FindFromImports(ModuleObj* module, const String& name) {
    static auto* mutex = new std::mutex();
    {
      std::lock_guard<std::mutex> lock(*mutex);
      if (TVMFFIObject* cached = FindCached(module, name)) return cached;
    }
    Function found = Find(module, name);  // not under the lock: it runs code of others
    std::lock_guard<std::mutex> lock(*mutex);
    // Another thread may have been first; its function may be in use already.
    if (TVMFFIObject* cached = FindCached(module, name)) return cached;
    module->import_lookup_cache_.Set(name, found);
    return FindCached(module, name);
  }

  static void RegisterReflection() {
    namespace refl = tvm::ffi::reflection;
    refl::ObjectDef<ModuleObj>(refl::init(false)).def_ro("imports_", &ModuleObj::imports_);
  }

 private:
  static TVMFFIObject* FindCached(ModuleObj* module, const String& name) {
    std::optional<Function> cached = module->import_lookup_cache_.Get(name);
    // The cache keeps it alive.
    return cached ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*cached) : nullptr;
  }

  static Function Find(ModuleObj* module, const String& name) {
    for (const Any& import : module->imports_) {
      Optional<Function> found = AsModule(import)->GetFunction(name, /*query_imports=*/true);
      if (found.has_value()) return found.value();
    }
    if (std::optional<Function> global = Function::GetGlobal(name)) return *global;
    TVM_FFI_THROW(RuntimeError) << "Cannot find function " << name
                                << " in the imported modules or global registry.";
    TVM_FFI_UNREACHABLE();
  }
};

TVM_FFI_STATIC_INIT_BLOCK() { ModuleObj::InternalUnsafe::RegisterReflection(); }

}  // namespace ffi
}  // namespace tvm

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* func_name,
                                  TVMFFIObjectHandle* out) {
  namespace ffi = tvm::ffi;
  TVM_FFI_SAFE_CALL_BEGIN();
  if (library_ctx == nullptr) {
    TVM_FFI_THROW(ValueError) << "The library has no module: __tvm_ffi__library_ctx is null";
  }
  const auto* module = static_cast<ffi::ModuleObj*>(library_ctx);
  if (module->type_index() != kTVMFFIModule) {
    TVM_FFI_THROW(TypeError) << "__tvm_ffi__library_ctx holds no module: its type index is "
                             << module->type_index();
  }
  TVM_FFI_REQUIRE_ARGUMENT(func_name);
  TVM_FFI_REQUIRE_ARGUMENT(out);
  // `library_ctx` is the C++ object; a module's header lies behind its virtual table pointer.
  *out = ffi::ModuleObj::InternalUnsafe::FindFromImports(static_cast<ffi::ModuleObj*>(library_ctx),
                                                         func_name);
  TVM_FFI_SAFE_CALL_END();
}
