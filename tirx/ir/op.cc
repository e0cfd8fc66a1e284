// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/op.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "tirx/ir/op_table.h"
#include "tirx/ir/ptx_table.h"

namespace tvm {
namespace tirx {

namespace {

using Column = std::vector<ffi::Any>;

struct Registry {
  mutable std::shared_mutex mutex;
  std::unordered_map<std::string, int64_t> index_of;
  // Pointers stay valid while the registry grows.
  std::vector<std::unique_ptr<Op>> ops;
  std::unordered_map<std::string, Column> columns;

  Registry();
  void AddPtx();
  Op* Create(std::string_view name);
  Column& ColumnOf(const std::string& name) { return columns[name]; }
  void Set(const std::string& column, int64_t index, ffi::Any value) {
    Column& values = columns[column];
    if (static_cast<int64_t>(values.size()) <= index) values.resize(index + 1);
    values[index] = std::move(value);
  }
};

ffi::Array<ArgumentInfo> SplitNames(std::string_view names) {
  ffi::Array<ArgumentInfo> result;
  while (!names.empty()) {
    size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    result.push_back(ArgumentInfo(ffi::String(name.data(), name.size()), ""));
    if (comma == std::string_view::npos) break;
    names.remove_prefix(comma + 1);
  }
  return result;
}

Op* Registry::Create(std::string_view name) {
  auto node = ffi::make_object<OpObj>();
  node->name = ffi::String(name.data(), name.size());
  node->index = static_cast<int64_t>(ops.size());
  index_of.emplace(std::string(name), node->index);
  ops.push_back(std::make_unique<Op>(std::move(node)));
  return ops.back().get();
}

Registry::Registry() {
  for (const OpRow& row : OpTable()) {
    Op* op = Create(row.name);
    OpObj* node = const_cast<OpObj*>(op->get());
    node->doc = row.doc;
    node->args_info = SplitNames(row.args);
    if (row.var_arg[0] != '\0') node->var_args_info = ArgumentInfo(row.var_arg, "");
    if (row.effect >= 0) Set("TCallEffectKind", node->index, int64_t{row.effect});
    if (row.vectorizable) Set("TVectorizable", node->index, true);
    Type fixed = FixedResultType(row.result);
    if (fixed.defined()) Set("TFixedReturnType", node->index, fixed);
    if (HasInferRule(row.result)) Set("FInferType", node->index, InferFunction(row.result));
    if (row.effect == kRegionEffect) {
      Set("FRegionGetBodyParams", node->index,
          RegionParamsFunction(static_cast<OpId>(node->index)));
    }
  }
#define TIRX_OP_TYPE_ARG(id, name)                              \
  const_cast<OpObj*>(ops[static_cast<size_t>(OpId::id)]->get()) \
      ->ty_args_info.push_back(ArgumentInfo(name, ""));
#define TIRX_OP_ATTRS(id, type_key) \
  const_cast<OpObj*>(ops[static_cast<size_t>(OpId::id)]->get())->attrs_type_key = type_key;
#define TIRX_OP_SYMBOL(id, symbol) \
  Set("TGlobalSymbol", static_cast<int64_t>(OpId::id), ffi::String(symbol));
#include "tirx/defs/ops.def"
  AddPtx();
}

// The instructions of a family share a script function.
void Registry::AddPtx() {
  Type void_type = FixedResultType(ResultRule::Void);
  ArgumentInfo operands("operands", "");
  for (const PtxRow& row : PtxTable()) {
    Op* op = Create(std::string("tirx.ptx.") + row.name);
    OpObj* node = const_cast<OpObj*>(op->get());
    node->doc = row.name;
    node->var_args_info = operands;
    Set("TCallEffectKind", node->index, static_cast<int64_t>(Effect::UpdateState));
    Set("TFixedReturnType", node->index, void_type);
    Set("TScriptPrinterName", node->index, ffi::String(std::string("ptx.") + row.family));
  }
  OpObj* addr = const_cast<OpObj*>(Create("tirx.ptx.addr")->get());
  addr->doc = "PTX address expression";
  addr->args_info = SplitNames("base,byte_offset");
  Set("TCallEffectKind", addr->index, static_cast<int64_t>(Effect::Pure));
  Set("FInferType", addr->index, ffi::Function::FromTyped([](Call call) -> Type {
        TVM_FFI_CHECK_EQ(call->args.size(), 2, TypeError)
            << "tirx.ptx.addr takes a base and a byte offset";
        return call->args[0]->ty;
      }));
}

Registry& GetRegistry() {
  // Never destroyed: operators are held by nodes that outlive static destruction.
  static Registry& registry = *new Registry;
  return registry;
}

}  // namespace

ArgumentInfo::ArgumentInfo(ffi::String name, ffi::String doc) {
  auto node = ffi::make_object<ArgumentInfoObj>();
  node->name = std::move(name);
  node->doc = std::move(doc);
  data_ = std::move(node);
}

Op Op::Find(std::string_view name) {
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  auto it = registry.index_of.find(std::string(name));
  return it == registry.index_of.end() ? Op() : *registry.ops[it->second];
}

const Op& Op::Get(std::string_view name) {
  Registry& registry = GetRegistry();
  {
    std::shared_lock lock(registry.mutex);
    auto it = registry.index_of.find(std::string(name));
    if (it != registry.index_of.end()) return *registry.ops[it->second];
  }
  TVM_FFI_THROW(AttributeError) << "Operator " << name << " is not registered";
  TVM_FFI_UNREACHABLE();
}

const Op& Op::Get(OpId id) {
  TVM_FFI_ICHECK(id < OpId::Unknown) << "not a built-in operator";
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  return *registry.ops[static_cast<size_t>(id)];
}

Op Op::Register(std::string_view name) {
  Registry& registry = GetRegistry();
  std::unique_lock lock(registry.mutex);
  auto it = registry.index_of.find(std::string(name));
  return it != registry.index_of.end() ? *registry.ops[it->second] : *registry.Create(name);
}

std::vector<ffi::String> Op::ListNames() {
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  std::vector<ffi::String> names;
  for (const auto& op : registry.ops) names.push_back((*op)->name);
  return names;
}

std::vector<ffi::String> Op::ListAttrNames() {
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  std::vector<ffi::String> names;
  for (const auto& [name, column] : registry.columns) names.push_back(name);
  return names;
}

bool Op::HasAttrColumn(const ffi::String& column) {
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  return registry.columns.count(column) != 0;
}

bool Op::HasAttr(const ffi::String& column) const {
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  auto it = registry.columns.find(column);
  return it != registry.columns.end() && get()->index < static_cast<int64_t>(it->second.size()) &&
         it->second[get()->index] != nullptr;
}

ffi::Any Op::GetAttr(const ffi::String& column) const {
  Registry& registry = GetRegistry();
  std::shared_lock lock(registry.mutex);
  auto it = registry.columns.find(column);
  TVM_FFI_CHECK(it != registry.columns.end(), RuntimeError)
      << "Attribute '" << column << "' is not registered";
  if (get()->index >= static_cast<int64_t>(it->second.size())) return ffi::Any();
  return it->second[get()->index];
}

void Op::SetAttr(const ffi::String& column, ffi::Any value, bool override) const {
  TVM_FFI_CHECK(value != nullptr, ValueError)
      << "Registered attribute is null for " << column << " of operator " << get()->name;
  Registry& registry = GetRegistry();
  std::unique_lock lock(registry.mutex);
  Column& values = registry.columns[column];
  if (static_cast<int64_t>(values.size()) <= get()->index) values.resize(get()->index + 1);
  TVM_FFI_CHECK(override || values[get()->index] == nullptr, ValueError)
      << "Attribute " << column << " of " << get()->name << " is already registered";
  values[get()->index] = std::move(value);
}

void Op::ResetAttr(const ffi::String& column) const {
  Registry& registry = GetRegistry();
  std::unique_lock lock(registry.mutex);
  auto it = registry.columns.find(column);
  if (it != registry.columns.end() && get()->index < static_cast<int64_t>(it->second.size())) {
    it->second[get()->index] = ffi::Any();
  }
}

Effect Op::effect() const {
  if (get()->id() != OpId::Unknown) {
    int effect = OpTable()[get()->index].effect;
    if (effect >= 0) return static_cast<Effect>(effect);
  }
  ffi::Any value = GetAttr("TCallEffectKind");
  if (value == nullptr) return Effect::UpdateState;
  return static_cast<Effect>(value.cast<int64_t>());
}

bool Op::vectorizable() const {
  ffi::Any value = GetAttr("TVectorizable");
  return value != nullptr && value.cast<bool>();
}

bool Op::is_region() const { return HasAttr("FRegionGetBodyParams"); }

}  // namespace tirx
}  // namespace tvm
