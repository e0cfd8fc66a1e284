// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/node_path.h"

#include <tvm/ffi/reflection/accessor.h>

#include "tirx/ir/module.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {

namespace {

std::string KeyText(const ffi::Any& key) {
  if (const auto* var = key.as<GlobalVarObj>()) return "Module." + std::string(var->name_hint);
  if (auto text = key.as<ffi::String>()) return "\"" + std::string(*text) + "\"";
  return key.GetTypeKey();
}

// How `value` holds `child`: "" when it is the child, an index or key when an item of it is.
std::optional<std::string> StepInto(const ffi::Any& value, const ffi::Object* child) {
  auto object = value.as<ffi::ObjectRef>();
  if (!object || !object->defined()) return std::nullopt;
  if (object->get() == child) return "";
  if (const auto* list = object->as<ffi::ArrayObj>()) {
    for (int64_t i = 0; i < static_cast<int64_t>(list->size()); ++i) {
      if (auto inner = StepInto((*list)[i], child)) return "[" + std::to_string(i) + "]" + *inner;
    }
  } else if (const auto* map = object->as<ffi::MapObj>()) {
    for (const auto& [key, item] : *map) {
      if (auto inner = StepInto(item, child)) return "[" + KeyText(key) + "]" + *inner;
    }
  }
  return std::nullopt;
}

std::string Step(const ffi::Object* parent, const ffi::Object* child) {
  std::string found;
  ffi::reflection::ForEachFieldInfoWithEarlyStop(
      TVMFFIGetTypeInfo(parent->type_index()), [&](const TVMFFIFieldInfo* field) {
        ffi::Any value = ffi::reflection::FieldGetter(field)(parent);
        auto step = StepInto(value, child);
        if (!step) return false;
        found = "." + std::string(field->name.data, field->name.size) + *step;
        return true;
      });
  return found;
}

class DefinitionFinder final : public StmtExprVisitor {
 public:
  explicit DefinitionFinder(const VarObj* var) : var_(var) {}
  std::string path;

  void Root(const ffi::Object* root) {
    nodes_.push_back(root);
    if (root->IsInstance<IRModuleObj>()) {
      for (const auto& [var, func] : static_cast<const IRModuleObj*>(root)->functions) {
        if (func.is(ExprKind::Function)) VisitExpr(func);
      }
    } else {
      StmtExprVisitor::VisitFunction(static_cast<const FunctionObj*>(root));
    }
    nodes_.pop_back();
  }

 protected:
  template <typename Ref, typename F>
  void Under(const Ref& node, F f) {
    if (!path.empty()) return;
    nodes_.push_back(node.get());
    f();
    nodes_.pop_back();
  }
  void VisitExpr(const Expr& expr) final {
    Under(expr, [&] { StmtExprVisitor::VisitExpr(expr); });
  }
  void VisitStmt(const Stmt& stmt) final {
    Under(stmt, [&] { StmtExprVisitor::VisitStmt(stmt); });
  }
  void VisitRange(const Range& range) final {
    Under(range, [&] { StmtExprVisitor::VisitRange(range); });
  }
  void VisitVarDef(const Var& var) final {
    Under(var, [&] {
      if (var.get() == var_) {
        path = PathOf(nodes_);
        return;
      }
      VisitType(var->ty);
    });
  }
  void VisitType(const Type& type) final {
    Under(type, [&] { StmtExprVisitor::VisitType(type); });
  }
  // A size that a parameter type names is defined there.
  void VisitVar(const VarObj* op) final {
    if (op == var_ && path.empty()) path = PathOf(nodes_);
  }

 private:
  const VarObj* var_;
  std::vector<const ffi::Object*> nodes_;
};

}  // namespace

std::string PathOf(const std::vector<const ffi::Object*>& nodes) {
  std::string path = "<root>";
  for (size_t i = 1; i < nodes.size(); ++i) path += Step(nodes[i - 1], nodes[i]);
  return path;
}

std::string PathToDefinition(const ffi::Object* root, const VarObj* var) {
  DefinitionFinder finder(var);
  finder.Root(root);
  return finder.path;
}

}  // namespace tirx
}  // namespace tvm
