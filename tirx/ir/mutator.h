// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tirx/ir/function.h"
#include "tirx/ir/stack_guard.h"

namespace tvm {
namespace tirx {

// Rewrites an expression. An unchanged one comes back as the same object; one that nobody else
// holds is changed in place, so pass arguments with std::move when the old tree is not needed.
// Override VisitX(X op) and call ExprMutator::VisitX(std::move(op)) for the children. A binary
// node whose operand types changed gets the type of its new operands.
class TIRX_API ExprMutator {
 public:
  virtual ~ExprMutator() = default;
  virtual Expr VisitExpr(Expr expr);
  // Sizes and layouts of a type; the same type when nothing changed.
  virtual Type VisitType(Type type);

 protected:
  // A variable where it is defined; returns it unchanged. Whoever replaces it must also replace
  // its uses (VisitVar).
  virtual Var VisitVarDef(Var var);
  virtual Range VisitRange(Range range);
  virtual Expr VisitForeignExpr(Expr expr);
#define TIRX_EXPR(Name, key) virtual Expr Visit##Name(Name op);
#include "tirx/defs/nodes.def"
};

// Rewrites statements too. VisitStmt of a statement inside a block may return a SeqStmt (spliced
// in) or a null Stmt (dropped).
class TIRX_API StmtExprMutator : public ExprMutator {
 public:
  virtual Stmt VisitStmt(Stmt stmt);
  // VisitStmt for a body: always a block, a null result becomes an empty one.
  SeqStmt VisitBody(SeqStmt body);
  // Rewrites the body of a function; the same object when nothing changed.
  Function Rewrite(Function func);

 protected:
  virtual Stmt VisitForeignStmt(Stmt stmt);
#define TIRX_STMT(Name, key) virtual Stmt Visit##Name(Name op);
#include "tirx/defs/nodes.def"
};

// Replaces free variables. `map` gives a null Expr for a variable that stays.
TIRX_API Expr Substitute(Expr expr, const std::function<Expr(const Var&)>& map);
TIRX_API Stmt Substitute(Stmt stmt, const std::function<Expr(const Var&)>& map);
TIRX_API Expr Substitute(Expr expr, const ffi::Map<Var, Expr>& map);
TIRX_API Stmt Substitute(Stmt stmt, const ffi::Map<Var, Expr>& map);

}  // namespace tirx
}  // namespace tvm
