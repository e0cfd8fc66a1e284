// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/function.h"

namespace tvm {
namespace tirx {

struct GlobalInfoObj : ffi::Object {
  static constexpr auto Fields() { return std::make_tuple(); }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.GlobalInfo", GlobalInfoObj, ffi::Object);
};
struct GlobalInfo : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(GlobalInfo, ffi::ObjectRef, GlobalInfoObj);
};

// A set of functions by name; names are unique.
struct IRModuleObj : ffi::Object {
  ffi::Map<GlobalVar, BaseFunc> functions;
  ffi::Map<ffi::String, GlobalVar> global_var_map_;
  DictAttrs attrs;
  ffi::Map<ffi::String, ffi::Array<GlobalInfo>> global_infos;

  static constexpr auto Fields() {
    return std::make_tuple(Field("functions", &IRModuleObj::functions),
                           Field("global_var_map_", &IRModuleObj::global_var_map_),
                           Field("attrs", &IRModuleObj::attrs),
                           Field("global_infos", &IRModuleObj::global_infos));
  }

  // Throws ValueError when the name (of another variable) is taken and `update` is false.
  TIRX_API void Add(const GlobalVar& var, const BaseFunc& func, bool update = false);
  // Replaces or adds.
  TIRX_API void Update(const GlobalVar& var, const BaseFunc& func);
  TIRX_API void Remove(const GlobalVar& var);
  TIRX_API bool Contains(const ffi::String& name) const;
  // Throw ValueError with the candidates when there is none.
  TIRX_API GlobalVar GetGlobalVar(const ffi::String& name) const;
  TIRX_API BaseFunc Lookup(const GlobalVar& var) const;
  TIRX_API BaseFunc Lookup(const ffi::String& name) const;
  TIRX_API ffi::Array<GlobalVar> GetGlobalVars() const;

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.IRModule", IRModuleObj, ffi::Object);
};
struct IRModule : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(IRModule, ffi::ObjectRef, IRModuleObj);
  TIRX_API explicit IRModule(ffi::Map<GlobalVar, BaseFunc> functions, DictAttrs attrs = {},
                             ffi::Map<ffi::String, ffi::Array<GlobalInfo>> global_infos = {});
  // A module of the one function, named by its global_symbol, else "main".
  TIRX_API static IRModule FromExpr(const Function& func);
  TIRX_API IRModule WithAttr(const ffi::String& key, ffi::Any value) const;
  TIRX_API IRModule WithoutAttr(const ffi::String& key) const;
  // A module object of its own that shares the functions.
  TIRX_API IRModule ShallowCopy() const;
};

// Calls f(GlobalVar, Function) for each tirx.Function, in insertion order.
template <typename F>
void ForEachFunction(const IRModule& module, F&& f) {
  for (const auto& [var, func] : module->functions) {
    if (func.is(ExprKind::Function)) {
      f(var, Function(ffi::GetObjectPtr<FunctionObj>(
                 const_cast<FunctionObj*>(static_cast<const FunctionObj*>(func.get())))));
    }
  }
}

// A copy of the module with each tirx.Function replaced by f(func).
template <typename F>
IRModule MapFunctions(const IRModule& module, F&& f) {
  IRModule result = module.ShallowCopy();
  ForEachFunction(module, [&](const GlobalVar& var, const Function& func) {
    Function changed = f(func);
    if (!changed.same_as(func)) result->Update(var, changed);
  });
  return result;
}

}  // namespace tirx
}  // namespace tvm
