// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/function.h"
#include "tirx/ir/stack_guard.h"

namespace tvm {
namespace tirx {

// Walks an expression, children in field order. Override VisitX and call ExprVisitor::VisitX to go
// on below. Types are not visited, except those of definitions (VisitVarDef) and `ty_args`.
class TIRX_API ExprVisitor {
 public:
  virtual ~ExprVisitor() = default;
  virtual void VisitExpr(const Expr& expr);
  // Sizes and layouts of a type.
  virtual void VisitType(const Type& type);

 protected:
  // A variable where it is defined (Let, lambda, and statements below); visits its type.
  virtual void VisitVarDef(const Var& var);
  virtual void VisitRange(const Range& range);
  // Node types of other libraries; does nothing.
  virtual void VisitForeignExpr(const ExprObj* op);
#define TIRX_EXPR(Name, key) virtual void Visit##Name(const Name##Obj* op);
#include "tirx/defs/nodes.def"
};

// Walks statements too.
class TIRX_API StmtExprVisitor : public ExprVisitor {
 public:
  virtual void VisitStmt(const Stmt& stmt);

 protected:
  virtual void VisitForeignStmt(const StmtObj* op);
  // Parameters as definitions, then the body.
  void VisitFunction(const FunctionObj* op) override;
#define TIRX_STMT(Name, key) virtual void Visit##Name(const Name##Obj* op);
#include "tirx/defs/nodes.def"
};

// Calls `f` on each node after its children. Iterative in no case: guarded by GuardStack.
template <typename FExpr>
void PostOrderVisitExpr(const Expr& expr, FExpr f) {
  struct Walk final : ExprVisitor {
    FExpr& f;
    explicit Walk(FExpr& f) : f(f) {}
    void VisitExpr(const Expr& e) final {
      ExprVisitor::VisitExpr(e);
      f(e);
    }
  };
  Walk(f).VisitExpr(expr);
}

// Calls `f` on each expression inside a statement, after its children.
template <typename FExpr>
void PostOrderVisitExpr(const Stmt& stmt, FExpr f) {
  struct Walk final : StmtExprVisitor {
    FExpr& f;
    explicit Walk(FExpr& f) : f(f) {}
    void VisitExpr(const Expr& e) final {
      ExprVisitor::VisitExpr(e);
      f(e);
    }
  };
  Walk(f).VisitStmt(stmt);
}

// Calls `f` on each statement after those inside it; expressions are not visited.
template <typename FStmt>
void PostOrderVisitStmt(const Stmt& stmt, FStmt f) {
  struct Walk final : StmtExprVisitor {
    FStmt& f;
    explicit Walk(FStmt& f) : f(f) {}
    void VisitStmt(const Stmt& s) final {
      StmtExprVisitor::VisitStmt(s);
      f(s);
    }
    void VisitExpr(const Expr&) final {}
  };
  Walk(f).VisitStmt(stmt);
}

}  // namespace tirx
}  // namespace tvm
