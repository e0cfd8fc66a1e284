// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tirx/ir/given.h"
#include "tirx/ir/module.h"
#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

using Equal = ffi::TypedFunction<bool(ffi::AnyView, ffi::AnyView, int, ffi::AnyView)>;
using Hash = ffi::TypedFunction<int64_t(ffi::AnyView, int64_t, int)>;

// Parameters define variables, so they come before what uses them; `ty` repeats both.
bool FunctionEqual(const FunctionObj* a, const FunctionObj* b, const Equal& equal) {
  return equal(a->params, b->params, kTVMFFIDefRegionKindPattern, "params") &&
         equal(a->ret_type, b->ret_type, kTVMFFIDefRegionKindNone, "ret_type") &&
         equal(a->attrs, b->attrs, kTVMFFIDefRegionKindNone, "attrs") &&
         equal(a->body, b->body, kTVMFFIDefRegionKindNone, "body");
}

int64_t FunctionHash(const FunctionObj* func, int64_t init, const Hash& hash) {
  int64_t h = hash(func->params, init, kTVMFFIDefRegionKindPattern);
  h = hash(func->ret_type, h, kTVMFFIDefRegionKindNone);
  h = hash(func->attrs, h, kTVMFFIDefRegionKindNone);
  return hash(func->body, h, kTVMFFIDefRegionKindNone);
}

ffi::Array<GlobalVar> SortedVars(const IRModuleObj* module) {
  std::vector<GlobalVar> vars;
  for (const auto& [var, func] : module->functions) vars.push_back(var);
  std::sort(vars.begin(), vars.end(), [](const GlobalVar& a, const GlobalVar& b) {
    return std::string(a->name_hint) < std::string(b->name_hint);
  });
  return ffi::Array<GlobalVar>(vars.begin(), vars.end());
}

// Functions pair up by name; their variables are defined before any body calls them.
bool ModuleEqual(const IRModuleObj* a, const IRModuleObj* b, const Equal& equal) {
  return equal(SortedVars(a), SortedVars(b), kTVMFFIDefRegionKindSimple, "global_var_map_") &&
         equal(a->attrs, b->attrs, kTVMFFIDefRegionKindNone, "attrs") &&
         equal(a->functions, b->functions, kTVMFFIDefRegionKindNone, "functions") &&
         equal(a->global_infos, b->global_infos, kTVMFFIDefRegionKindNone, "global_infos");
}

int64_t ModuleHash(const IRModuleObj* module, int64_t init, const Hash& hash) {
  ffi::Array<GlobalVar> vars = SortedVars(module);
  int64_t h = hash(vars, init, kTVMFFIDefRegionKindSimple);
  h = hash(module->attrs, h, kTVMFFIDefRegionKindNone);
  for (const GlobalVar& var : vars) {
    h = hash(module->functions.at(var), h, kTVMFFIDefRegionKindNone);
  }
  return hash(module->global_infos, h, kTVMFFIDefRegionKindNone);
}

void RegisterFunctions() {
  RegisterNode<BaseFuncObj>();
  RegisterNode<FunctionObj>();
  refl::TypeAttrDef<FunctionObj>()
      .def("__s_equal__", FunctionEqual)
      .def("__s_hash__", FunctionHash);
  refl::GlobalDef()
      .def("tirx.Function",
           [](ffi::Array<Given<Var>> params, Type ret_type, SeqStmt body, DictAttrs attrs,
              Location loc) {
             return Function(std::move(params), std::move(body), std::move(ret_type),
                             std::move(attrs), std::move(loc));
           })
      .def("ir.BaseFuncWithAttr",
           [](Given<Function> func, ffi::String key, ffi::Any value) {
             return func.WithAttr(key, std::move(value));
           })
      .def("ir.BaseFuncWithoutAttr",
           [](Given<Function> func, ffi::String key) { return func.WithoutAttr(key); });
}

void RegisterModules() {
  RegisterNode<GlobalInfoObj>();
  RegisterNode<IRModuleObj>();
  refl::TypeAttrDef<IRModuleObj>().def("__s_equal__", ModuleEqual).def("__s_hash__", ModuleHash);
  refl::GlobalDef()
      .def("ir.IRModule",
           [](ffi::Map<GlobalVar, BaseFunc> functions, DictAttrs attrs,
              ffi::Map<ffi::String, ffi::Array<GlobalInfo>> infos) {
             return IRModule(std::move(functions), std::move(attrs), std::move(infos));
           })
      .def("ir.Module_FromExpr", [](Given<Function> func) { return IRModule::FromExpr(func); })
      .def("ir.Module_Add", [](Given<IRModule> module, Given<GlobalVar> var, Given<BaseFunc> func,
                               bool update) { module->Add(var, func, update); })
      .def("ir.Module_UpdateFunction", [](Given<IRModule> module, Given<GlobalVar> var,
                                          Given<BaseFunc> func) { module->Update(var, func); })
      .def("ir.Module_Remove",
           [](Given<IRModule> module, Given<GlobalVar> var) { module->Remove(var); })
      .def("ir.Module_Lookup",
           [](Given<IRModule> module, Given<GlobalVar> var) { return module->Lookup(var); })
      .def("ir.Module_LookupStr",
           [](Given<IRModule> module, ffi::String name) { return module->Lookup(name); })
      .def("ir.Module_ContainGlobalVar",
           [](Given<IRModule> module, ffi::String name) { return module->Contains(name); })
      .def("ir.Module_GetGlobalVar",
           [](Given<IRModule> module, ffi::String name) { return module->GetGlobalVar(name); })
      .def("ir.Module_GetGlobalVars",
           [](Given<IRModule> module) { return module->GetGlobalVars(); })
      .def("ir.Module_Clone", [](Given<IRModule> module) { return module.ShallowCopy(); })
      .def("ir.Module_WithAttr",
           [](Given<IRModule> module, ffi::String key, ffi::Any value) {
             return module.WithAttr(key, std::move(value));
           })
      .def("ir.Module_WithoutAttr",
           [](Given<IRModule> module, ffi::String key) { return module.WithoutAttr(key); })
      .def("ir.Module_UpdateGlobalInfo",
           [](Given<IRModule> module, ffi::String name, ffi::Array<GlobalInfo> infos) {
             module->global_infos.Set(name, std::move(infos));
           });
}

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterFunctions();
  RegisterModules();
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
