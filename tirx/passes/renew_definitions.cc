// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/renew_definitions.h"

namespace tvm {
namespace tirx {

Var DefinitionRenewer::Define(const Var& var) {
  Type type = VisitType(var->ty);
  if (!Renews(var.get())) {
    if (type.same_as(var->ty)) return var;
  }
  Var fresh(var->name, type, var->loc);
  renewed_[var.get()] = fresh;
  return fresh;
}

Expr DefinitionRenewer::VisitVar(Var op) {
  auto it = renewed_.find(op.get());
  return it == renewed_.end() ? Expr(op) : Expr(it->second);
}

Expr DefinitionRenewer::VisitLet(Let op) {
  Expr value = VisitExpr(op->value);
  Var var = Define(op->var);
  Expr body = VisitExpr(op->body);
  if (value.same_as(op->value) && var.same_as(op->var) && body.same_as(op->body)) return op;
  return Let(var, value, body, op->loc);
}

Expr DefinitionRenewer::VisitLambdaExpr(LambdaExpr op) {
  ffi::Array<Var> vars;
  for (const Var& var : op->vars) vars.push_back(Define(var));
  return LambdaExpr(vars, VisitExpr(op->body), op->loc);
}

Stmt DefinitionRenewer::VisitBind(Bind op) {
  Expr value = VisitExpr(op->value);
  Var var = Define(op->var);
  if (value.same_as(op->value) && var.same_as(op->var)) return op;
  return Bind(var, value, op->loc);
}

Stmt DefinitionRenewer::VisitFor(For op) {
  Expr begin = VisitExpr(op->begin), end = VisitExpr(op->end), step = VisitExpr(op->step);
  Var var = Define(op->var);
  SeqStmt body = VisitBody(op->body);
  if (begin.same_as(op->begin) && end.same_as(op->end) && step.same_as(op->step) &&
      var.same_as(op->var) && body.same_as(op->body)) {
    return op;
  }
  return For(var, begin, end, step, op->loop_kind(), body, op->annotations, op->loc);
}

Stmt DefinitionRenewer::VisitRegionStmt(RegionStmt op) {
  ffi::Array<Expr> args;
  for (const Expr& arg : op->args) args.push_back(VisitExpr(arg));
  ffi::Array<Var> params, results;
  for (const Var& param : op->body_params) params.push_back(Define(param));
  SeqStmt body = VisitBody(op->body);
  for (const Var& result : op->result_vars) results.push_back(Define(result));
  return RegionStmt(op->op, args, op->attrs, params, body, results, op->loc);
}

namespace {

class RenewAll final : public DefinitionRenewer {
 protected:
  bool Renews(const VarObj*) final { return true; }
};

}  // namespace

Stmt RenewDefinitions(Stmt stmt) { return RenewAll().VisitStmt(std::move(stmt)); }

}  // namespace tirx
}  // namespace tvm
