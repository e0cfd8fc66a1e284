// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tirx/ir/analysis.h"
#include "tirx/ir/node_path.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {

namespace {

// Walks in the order of definition and use, with the nodes on the way kept for the path of an
// error. Stops by throwing the text of the first fault.
class Checker : public StmtExprVisitor {
 public:
  void CheckFunction(const FunctionObj* func) {
    Enter here(this, func);
    Scope scope(this);
    // Sizes first: every parameter may use those that another one names.
    SizeVars sizes;
    for (const Var& param : func->params) sizes.VisitType(param->ty);
    std::unordered_set<const VarObj*> params;
    for (const Var& param : func->params) params.insert(param.get());
    for (const VarObj* var : sizes.order) {
      if (params.count(var) == 0) BindSize(var);
    }
    for (const Var& param : func->params) {
      Enter at(this, param.get());
      DefineHere(param.get());
    }
    if (func->body.defined()) VisitStmt(func->body);
  }

  void CheckModule(const IRModuleObj* module) {
    Enter here(this, module);
    for (const auto& [var, func] : module->functions) {
      if (const auto* function = func.as<FunctionObj>()) CheckFunction(function);
    }
  }

 protected:
  class Enter {
   public:
    Enter(Checker* checker, const ffi::Object* node) : checker_(checker) {
      checker_->nodes_.push_back(node);
    }
    ~Enter() { checker_->nodes_.pop_back(); }

   private:
    Checker* checker_;
  };
  // Definitions made during its life are out of scope after it.
  class Scope {
   public:
    explicit Scope(Checker* checker) : checker_(checker), mark_(checker->scope_.size()) {}
    ~Scope() {
      while (checker_->scope_.size() > mark_) {
        checker_->state_[checker_->scope_.back()] = false;
        checker_->scope_.pop_back();
      }
    }

   private:
    Checker* checker_;
    size_t mark_;
  };

  class SizeVars final : public ExprVisitor {
   public:
    std::vector<const VarObj*> order;

   protected:
    void VisitVar(const VarObj* op) final { order.push_back(op); }
  };

  // A fault at the innermost node whose place is known. That of a variable is its definition.
  IllFormed FaultHere(std::string text) const {
    IllFormed fault;
    fault.text = std::move(text);
    for (size_t i = nodes_.size(); i-- > 0 && !fault.loc.defined();) {
      Location loc;
      if (nodes_[i]->IsInstance<StmtObj>()) {
        loc = static_cast<const StmtObj*>(nodes_[i])->loc;
      } else if (nodes_[i]->IsInstance<ExprObj>() && !nodes_[i]->IsInstance<VarObj>()) {
        loc = static_cast<const ExprObj*>(nodes_[i])->loc;
      }
      if (loc.defined() && !loc->IsInstance<UnknownLocObj>()) fault.loc = loc;
    }
    return fault;
  }

  std::string DefinitionOf(const VarObj* var) const {
    return PathToDefinition(nodes_.front(), var);
  }

  void DefineHere(const VarObj* var) {
    auto [it, fresh] = state_.try_emplace(var, true);
    if (!fresh) {
      bool nested = it->second;
      throw FaultHere("TIR is ill-formed, due to multiple " + std::string(nested ? "nested " : "") +
                      "definitions of variable " + std::string(var->name) +
                      ". It was first defined at " + DefinitionOf(var) + ", and was " +
                      (nested ? "re-defined at " : "later re-defined at ") + PathOf(nodes_));
    }
    scope_.push_back(var);
  }

  // Functions of a module may share a symbolic size: each binds it anew from its own arguments.
  void BindSize(const VarObj* var) {
    bool& in_scope = state_[var];
    if (in_scope) return;
    in_scope = true;
    scope_.push_back(var);
  }

  void VisitExpr(const Expr& expr) final {
    Enter here(this, expr.get());
    ExprVisitor::VisitExpr(expr);
  }
  void VisitType(const Type& type) final {
    Enter here(this, type.get());
    ExprVisitor::VisitType(type);
  }
  void VisitRange(const Range& range) final {
    Enter here(this, range.get());
    ExprVisitor::VisitRange(range);
  }
  void VisitStmt(const Stmt& stmt) final {
    Enter here(this, stmt.get());
    StmtExprVisitor::VisitStmt(stmt);
  }

  void VisitVarDef(const Var& var) final {
    Enter here(this, var.get());
    VisitType(var->ty);
    nodes_.pop_back();
    DefineHere(var.get());
    nodes_.push_back(var.get());
  }

  void VisitVar(const VarObj* op) final {
    auto it = state_.find(op);
    if (it != state_.end() && it->second) return;
    std::string text = "Invalid use of undefined variable " + std::string(op->name) + " at " +
                       PathOf(nodes_) + ".";
    if (it != state_.end()) {
      text += "  While this variable was previously defined at " + DefinitionOf(op) +
              ", this definition is no longer in-scope.";
    }
    IllFormed fault = FaultHere(std::move(text));
    fault.out_of_scope = it != state_.end();
    fault.name = op->name;
    throw fault;
  }

  void VisitTensorStore(const TensorStoreObj* op) final {
    VisitExpr(op->dest);
    VisitExpr(op->value);
    for (const Expr& index : op->indices) VisitExpr(index);
  }

  void VisitLet(const LetObj* op) final {
    VisitExpr(op->value);
    Scope scope(this);
    VisitVarDef(op->var);
    VisitExpr(op->body);
  }
  void VisitLambdaExpr(const LambdaExprObj* op) final {
    Scope scope(this);
    StmtExprVisitor::VisitLambdaExpr(op);
  }
  void VisitFunction(const FunctionObj* op) final { CheckFunction(op); }

  void VisitSeqStmt(const SeqStmtObj* op) final {
    Scope scope(this);
    StmtExprVisitor::VisitSeqStmt(op);
  }
  void VisitFor(const ForObj* op) final {
    Scope scope(this);
    ++loops_;
    StmtExprVisitor::VisitFor(op);
    --loops_;
  }
  void VisitWhile(const WhileObj* op) final {
    ++loops_;
    StmtExprVisitor::VisitWhile(op);
    --loops_;
  }
  void VisitRegionStmt(const RegionStmtObj* op) final {
    for (const Expr& arg : op->args) VisitExpr(arg);
    {
      Scope scope(this);
      for (const Var& param : op->body_params) VisitVarDef(param);
      VisitStmt(op->body);
    }
    for (const Var& result : op->result_vars) VisitVarDef(result);
  }
  void VisitBreak(const BreakObj*) final { RequireLoop("break"); }
  void VisitContinue(const ContinueObj*) final { RequireLoop("continue"); }

 private:
  void RequireLoop(const char* what) const {
    if (loops_ != 0) return;
    throw FaultHere(std::string(what) + " at " + PathOf(nodes_) +
                    " requires an enclosing loop in the same function.");
  }

  std::vector<const ffi::Object*> nodes_;
  // Whether a variable that was defined is still in scope.
  std::unordered_map<const VarObj*, bool> state_;
  std::vector<const VarObj*> scope_;
  int loops_ = 0;
};

}  // namespace

std::optional<IllFormed> FindIllFormed(const ffi::ObjectRef& node) {
  Checker checker;
  try {
    if (const auto* func = node.as<FunctionObj>()) {
      checker.CheckFunction(func);
    } else if (const auto* module = node.as<IRModuleObj>()) {
      checker.CheckModule(module);
    } else {
      TVM_FFI_THROW(TypeError) << "Expected CheckWellFormed argument to be a Function or IRModule, "
                                  "but found "
                               << node.GetTypeKey();
    }
  } catch (IllFormed& fault) {
    return std::move(fault);
  }
  return std::nullopt;
}

std::string WellFormedError(const ffi::ObjectRef& node) {
  auto fault = FindIllFormed(node);
  return fault ? fault->text : "";
}

void CheckWellFormed(const ffi::ObjectRef& node) {
  std::string error = WellFormedError(node);
  if (!error.empty()) TVM_FFI_THROW(ValueError) << error;
}

}  // namespace tirx
}  // namespace tvm
