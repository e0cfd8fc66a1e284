// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/module.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace tvm {
namespace tirx {

namespace {

[[noreturn]] void ThrowMissing(const IRModuleObj* module, const ffi::String& name) {
  std::vector<std::string> names;
  for (const auto& [key, var] : module->global_var_map_) names.push_back(key);
  std::sort(names.begin(), names.end());
  std::ostringstream candidates;
  for (size_t i = 0; i < names.size(); ++i) {
    candidates << (i != 0 ? ", " : "") << '"' << names[i] << '"';
  }
  TVM_FFI_THROW(ValueError) << "Cannot find global var \"" << name << "\" in the Module\n"
                            << "candidates are: [" << candidates.str() << "]";
  TVM_FFI_UNREACHABLE();
}

}  // namespace

void IRModuleObj::Add(const GlobalVar& var, const BaseFunc& func, bool update) {
  if (auto known = global_var_map_.Get(var->name_hint)) {
    TVM_FFI_CHECK(update && known->same_as(var), ValueError)
        << "Duplicate global function name " << var->name_hint;
  }
  functions.Set(var, func);
  global_var_map_.Set(var->name_hint, var);
}

void IRModuleObj::Update(const GlobalVar& var, const BaseFunc& func) { Add(var, func, true); }

void IRModuleObj::Remove(const GlobalVar& var) {
  functions.erase(var);
  global_var_map_.erase(var->name_hint);
}

bool IRModuleObj::Contains(const ffi::String& name) const {
  return global_var_map_.count(name) != 0;
}

GlobalVar IRModuleObj::GetGlobalVar(const ffi::String& name) const {
  auto var = global_var_map_.Get(name);
  if (!var) ThrowMissing(this, name);
  return *var;
}

BaseFunc IRModuleObj::Lookup(const GlobalVar& var) const {
  auto func = functions.Get(var);
  TVM_FFI_CHECK(func.has_value(), ValueError)
      << "There is no definition of global var \"" << var->name_hint << "\"";
  return *func;
}

BaseFunc IRModuleObj::Lookup(const ffi::String& name) const { return Lookup(GetGlobalVar(name)); }

ffi::Array<GlobalVar> IRModuleObj::GetGlobalVars() const {
  ffi::Array<GlobalVar> result;
  for (const auto& [name, var] : global_var_map_) result.push_back(var);
  return result;
}

IRModule::IRModule(ffi::Map<GlobalVar, BaseFunc> functions, DictAttrs attrs,
                   ffi::Map<ffi::String, ffi::Array<GlobalInfo>> global_infos) {
  auto node = ffi::make_object<IRModuleObj>();
  for (const auto& [var, func] : functions) {
    TVM_FFI_CHECK(!node->Contains(var->name_hint), ValueError)
        << "Duplicate global function name " << var->name_hint;
    node->global_var_map_.Set(var->name_hint, var);
  }
  node->functions = std::move(functions);
  node->attrs = attrs.defined() ? std::move(attrs) : DictAttrs(ffi::Map<ffi::String, ffi::Any>());
  node->global_infos = std::move(global_infos);
  data_ = std::move(node);
}

IRModule IRModule::FromExpr(const Function& func) {
  ffi::String name = func.GetAttr<ffi::String>(attr::kGlobalSymbol).value_or("main");
  IRModule module{ffi::Map<GlobalVar, BaseFunc>()};
  module->Add(GlobalVar(name, func->ty), func);
  return module;
}

IRModule IRModule::WithAttr(const ffi::String& key, ffi::Any value) const {
  IRModule copy = ShallowCopy();
  copy->attrs = get()->attrs.With(key, std::move(value));
  return copy;
}

IRModule IRModule::WithoutAttr(const ffi::String& key) const {
  IRModule copy = ShallowCopy();
  copy->attrs = get()->attrs.Without(key);
  return copy;
}

IRModule IRModule::ShallowCopy() const {
  auto node = ffi::make_object<IRModuleObj>();
  node->functions = get()->functions;
  node->global_var_map_ = get()->global_var_map_;
  node->attrs = get()->attrs;
  node->global_infos = get()->global_infos;
  return IRModule(std::move(node));
}

}  // namespace tirx
}  // namespace tvm
