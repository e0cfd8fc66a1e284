// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/mutator.h"
#include "tirx/ir/rewrite.h"

namespace tvm {
namespace tirx {

Stmt StmtExprMutator::VisitStmt(Stmt stmt) {
  GuardStack();
  switch (stmt->kind) {
#define TIRX_STMT(Name, key) \
  case StmtKind::Name:       \
    return Visit##Name(Downcast<Name>(std::move(stmt)));
#include "tirx/defs/nodes.def"
    case StmtKind::Foreign:
      return VisitForeignStmt(std::move(stmt));
  }
  TVM_FFI_UNREACHABLE();
}

SeqStmt StmtExprMutator::VisitBody(SeqStmt body) {
  if (!body.defined()) return body;
  return SeqStmt::From(VisitStmt(std::move(body)));
}

Function StmtExprMutator::Rewrite(Function func) {
  Rewriter<Function> node(std::move(func));
  node.Field(&FunctionObj::body, [this](SeqStmt s) { return VisitBody(std::move(s)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitForeignStmt(Stmt stmt) { return stmt; }
Stmt StmtExprMutator::VisitBreak(Break op) { return op; }
Stmt StmtExprMutator::VisitContinue(Continue op) { return op; }

Stmt StmtExprMutator::VisitSeqStmt(SeqStmt op) {
  // Statements are moved out one by one when the block is ours, so they can change in place.
  bool alone = op.unique();
  const ffi::Array<Stmt>& seq = op->seq;
  int64_t n = static_cast<int64_t>(seq.size());
  ffi::Array<Stmt> result;
  bool changed = false;
  if (alone) {
    ffi::Array<Stmt> taken = std::move(const_cast<SeqStmtObj*>(op.get())->seq);
    bool splice = false;
    taken.MutateByApply([&](Stmt stmt) {
      Stmt now = VisitStmt(std::move(stmt));
      splice = splice || !now.defined() || now.is(StmtKind::SeqStmt);
      return now;
    });
    if (splice) return SeqStmt(std::move(taken), op->loc);
    const_cast<SeqStmtObj*>(op.get())->seq = std::move(taken);
    return op;
  }
  for (int64_t i = 0; i < n; ++i) {
    Stmt stmt = seq[i];
    Stmt now = VisitStmt(stmt);
    if (!changed && now.same_as(stmt)) continue;
    if (!changed) {
      changed = true;
      result.reserve(n);
      for (int64_t k = 0; k < i; ++k) result.push_back(seq[k]);
    }
    if (now.defined()) result.push_back(std::move(now));
  }
  return changed ? SeqStmt(std::move(result), op->loc) : op;
}

Stmt StmtExprMutator::VisitBind(Bind op) {
  Rewriter<Bind> node(std::move(op));
  node.Field(&BindObj::value, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Field(&BindObj::var, [this](Var v) { return VisitVarDef(std::move(v)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitTensorStore(TensorStore op) {
  Rewriter<TensorStore> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  node.Field(&TensorStoreObj::dest, visit);
  node.Items(&TensorStoreObj::indices, visit);
  node.Field(&TensorStoreObj::value, visit);
  return node.Take();
}

Stmt StmtExprMutator::VisitFor(For op) {
  Rewriter<For> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  node.Field(&ForObj::begin, visit);
  node.Field(&ForObj::end, visit);
  node.Field(&ForObj::step, visit);
  node.Field(&ForObj::var, [this](Var v) { return VisitVarDef(std::move(v)); });
  node.Field(&ForObj::body, [this](SeqStmt s) { return VisitBody(std::move(s)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitWhile(While op) {
  Rewriter<While> node(std::move(op));
  node.Field(&WhileObj::condition, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Field(&WhileObj::body, [this](SeqStmt s) { return VisitBody(std::move(s)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitIf(If op) {
  Rewriter<If> node(std::move(op));
  node.Field(&IfObj::condition, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Field(&IfObj::then_case, [this](SeqStmt s) { return VisitBody(std::move(s)); });
  node.Field(&IfObj::else_case, [this](SeqStmt s) { return VisitBody(std::move(s)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitReturn(Return op) {
  Rewriter<Return> node(std::move(op));
  node.Field(&ReturnObj::value, [this](Expr e) { return VisitExpr(std::move(e)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitAssertStmt(AssertStmt op) {
  Rewriter<AssertStmt> node(std::move(op));
  node.Field(&AssertStmtObj::condition, [this](Expr e) { return VisitExpr(std::move(e)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitEvaluate(Evaluate op) {
  Rewriter<Evaluate> node(std::move(op));
  node.Field(&EvaluateObj::value, [this](Expr e) { return VisitExpr(std::move(e)); });
  return node.Take();
}

Stmt StmtExprMutator::VisitRegionStmt(RegionStmt op) {
  Rewriter<RegionStmt> node(std::move(op));
  auto define = [this](Var v) { return VisitVarDef(std::move(v)); };
  node.Items(&RegionStmtObj::args, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Items(&RegionStmtObj::body_params, define);
  node.Field(&RegionStmtObj::body, [this](SeqStmt s) { return VisitBody(std::move(s)); });
  node.Items(&RegionStmtObj::result_vars, define);
  return node.Take();
}

}  // namespace tirx
}  // namespace tvm
