// SPDX-License-Identifier: Apache-2.0
/*!
 * \file module_functions.cc
 * \brief Global functions of modules.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <mutex>
#include <unordered_map>

namespace tvm {
namespace ffi {
namespace {

// Modules that stay loaded until they are removed.
class KeptModules {
 public:
  static KeptModules* Global() {
    static KeptModules* modules = new KeptModules();
    return modules;
  }

  void Add(const Module& module) {
    std::lock_guard<std::mutex> lock(mutex_);
    modules_.emplace(module.get(), module);
  }

  void Remove(const Module& module) {
    // `module` keeps it alive until the lock is released.
    std::lock_guard<std::mutex> lock(mutex_);
    modules_.erase(module.get());
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const ModuleObj*, Module> modules_;
};

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      .def("ffi.ModuleLoadFromFile", Module::LoadFromFile)
      .def("ffi.ModuleGetFunction",
           [](Module module, String name, bool query_imports) {
             return module->GetFunction(name, query_imports);
           })
      .def("ffi.ModuleGetFunctionDoc",
           [](Module module, String name, bool query_imports) {
             return module->GetFunctionDoc(name, query_imports);
           })
      .def("ffi.ModuleGetFunctionMetadata",
           [](Module module, String name, bool query_imports) {
             return module->GetFunctionMetadata(name, query_imports);
           })
      .def("ffi.ModuleImplementsFunction",
           [](Module module, String name, bool query_imports) {
             return module->ImplementsFunction(name, query_imports);
           })
      .def("ffi.ModuleGetKind", [](Module module) { return String(module->kind()); })
      .def("ffi.ModuleGetPropertyMask", [](Module module) { return module->GetPropertyMask(); })
      .def("ffi.ModuleGetWriteFormats", [](Module module) { return module->GetWriteFormats(); })
      .def("ffi.ModuleInspectSource",
           [](Module module, String format) { return module->InspectSource(format); })
      .def("ffi.ModuleWriteToFile",
           [](Module module, String file, String format) { module->WriteToFile(file, format); })
      .def("ffi.ModuleImportModule",
           [](Module module, Module other) { module->ImportModule(other); })
      .def("ffi.ModuleClearImports", [](Module module) { module->ClearImports(); })
      .def("ffi.ModuleGlobalsAdd", [](Module module) { KeptModules::Global()->Add(module); })
      .def("ffi.ModuleGlobalsRemove", [](Module module) { KeptModules::Global()->Remove(module); });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
