// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/mutator.h"

namespace tvm {
namespace tirx {

namespace {

// A variable whose type changes with the substitution (a size) is replaced at its definition and
// at its uses.
class Substituter final : public StmtExprMutator {
 public:
  explicit Substituter(const std::function<Expr(const Var&)>& map) : map_(map) {}

 protected:
  Expr VisitVar(Var op) final {
    if (auto renamed = renamed_.Get(op)) return *renamed;
    Expr replaced = map_(op);
    return replaced.defined() ? replaced : Expr(std::move(op));
  }

  Var VisitVarDef(Var var) final {
    Type type = VisitType(var->ty);
    if (type.same_as(var->ty)) return var;
    Var fresh(var->name, std::move(type), var->loc);
    renamed_.Set(var, fresh);
    return fresh;
  }

 private:
  const std::function<Expr(const Var&)>& map_;
  ffi::Map<Var, Var> renamed_;
};

std::function<Expr(const Var&)> Lookup(const ffi::Map<Var, Expr>& map) {
  return [&map](const Var& var) -> Expr {
    auto found = map.Get(var);
    return found ? *found : Expr();
  };
}

}  // namespace

Expr Substitute(Expr expr, const std::function<Expr(const Var&)>& map) {
  return Substituter(map).VisitExpr(std::move(expr));
}
Stmt Substitute(Stmt stmt, const std::function<Expr(const Var&)>& map) {
  return Substituter(map).VisitStmt(std::move(stmt));
}
Expr Substitute(Expr expr, const ffi::Map<Var, Expr>& map) {
  return Substitute(std::move(expr), Lookup(map));
}
Stmt Substitute(Stmt stmt, const ffi::Map<Var, Expr>& map) {
  return Substitute(std::move(stmt), Lookup(map));
}

}  // namespace tirx
}  // namespace tvm
