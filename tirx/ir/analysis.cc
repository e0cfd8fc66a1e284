// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/analysis.h"

#include <algorithm>
#include <unordered_set>

#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {

namespace {

class UseCollector final : public StmtExprVisitor {
 public:
  std::unordered_set<const VarObj*> defined;
  std::vector<const VarObj*> uses;

  void Module(const IRModuleObj* module) {
    for (const auto& [var, func] : module->functions) {
      if (func.is(ExprKind::Function)) VisitExpr(func);
    }
  }

 protected:
  void VisitVarDef(const Var& var) final {
    defined.insert(var.get());
    StmtExprVisitor::VisitVarDef(var);
  }
  void VisitVar(const VarObj* op) final {
    if (seen_.insert(op).second) uses.push_back(op);
    if (in_parameters_) defined.insert(op);
  }
  void VisitFunction(const FunctionObj* op) final {
    in_parameters_ = true;
    for (const Var& param : op->params) VisitVarDef(param);
    in_parameters_ = false;
    if (op->body.defined()) VisitStmt(op->body);
  }

 private:
  std::unordered_set<const VarObj*> seen_;
  // The types of parameters define the sizes that they name.
  bool in_parameters_ = false;
};

class EffectFinder final : public ExprVisitor {
 public:
  Effect effect = Effect::Pure;

 protected:
  void VisitTensorLoad(const TensorLoadObj* op) final {
    Raise(Effect::ReadState);
    ExprVisitor::VisitTensorLoad(op);
  }
  void VisitCall(const CallObj* op) final {
    const OpObj* called = CalledOp(op);
    Effect kind = called == nullptr ? Effect::UpdateState : ffi::GetRef<Op>(called).effect();
    // Annotations and promises change nothing; a jump must stay where it is.
    if (kind == Effect::ControlJump) kind = Effect::UpdateState;
    if (kind == Effect::UpdateState || kind == Effect::ReadState) Raise(kind);
    if (kind == Effect::EmbedInfo || kind == Effect::SpecialCallArg) Raise(Effect::UpdateState);
    ExprVisitor::VisitCall(op);
  }
  void VisitForeignExpr(const ExprObj*) final { Raise(Effect::UpdateState); }

 private:
  void Raise(Effect kind) { effect = std::max(effect, kind); }
};

class VarFinder final : public StmtExprVisitor {
 public:
  explicit VarFinder(const std::function<bool(const VarObj*)>& pred) : pred_(pred) {}
  bool found = false;

  void VisitExpr(const Expr& expr) final {
    if (!found) StmtExprVisitor::VisitExpr(expr);
  }
  void VisitStmt(const Stmt& stmt) final {
    if (!found) StmtExprVisitor::VisitStmt(stmt);
  }

 protected:
  void VisitVar(const VarObj* op) final { found = found || pred_(op); }

 private:
  const std::function<bool(const VarObj*)>& pred_;
};

}  // namespace

ffi::Array<Var> UndefinedVars(const ffi::ObjectRef& node, const ffi::Array<Var>& defs) {
  UseCollector collector;
  for (const Var& var : defs) collector.defined.insert(var.get());
  if (const auto* expr = node.as<ExprObj>()) {
    collector.VisitExpr(ffi::GetRef<Expr>(expr));
  } else if (const auto* stmt = node.as<StmtObj>()) {
    collector.VisitStmt(ffi::GetRef<Stmt>(stmt));
  } else if (const auto* module = node.as<IRModuleObj>()) {
    collector.Module(module);
  } else {
    TVM_FFI_THROW(TypeError) << "undefined_vars takes an expression, a statement, a function or a "
                                "module, got "
                             << node.GetTypeKey();
  }
  ffi::Array<Var> result;
  for (const VarObj* var : collector.uses) {
    if (collector.defined.count(var) == 0) result.push_back(ffi::GetRef<Var>(var));
  }
  return result;
}

Effect SideEffect(const Expr& expr) {
  EffectFinder finder;
  finder.VisitExpr(expr);
  return finder.effect;
}

bool UsesVar(const Expr& expr, const std::function<bool(const VarObj*)>& pred) {
  VarFinder finder(pred);
  finder.VisitExpr(expr);
  return finder.found;
}

bool UsesVar(const Stmt& stmt, const std::function<bool(const VarObj*)>& pred) {
  VarFinder finder(pred);
  finder.VisitStmt(stmt);
  return finder.found;
}

}  // namespace tirx
}  // namespace tvm
