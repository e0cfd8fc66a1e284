// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {

void ExprVisitor::VisitExpr(const Expr& expr) {
  GuardStack();
  const ExprObj* op = expr.get();
  switch (op->kind) {
#define TIRX_EXPR(Name, key) \
  case ExprKind::Name:       \
    return Visit##Name(static_cast<const Name##Obj*>(op));
#include "tirx/defs/nodes.def"
    case ExprKind::Foreign:
      return VisitForeignExpr(op);
  }
}

void ExprVisitor::VisitForeignExpr(const ExprObj*) {}
void ExprVisitor::VisitVarDef(const Var& var) { VisitType(var->ty); }

void ExprVisitor::VisitRange(const Range& range) {
  VisitExpr(range->begin);
  VisitExpr(range->extent);
}

namespace {

template <typename F>
void ForEachLayoutExpr(const Layout& layout, F f) {
  if (const auto* tile = layout.as<TileLayoutObj>()) {
    for (const auto* iters : {&tile->shard, &tile->replica}) {
      for (const Iter& iter : *iters) {
        f(iter->extent);
        f(iter->stride);
      }
    }
    for (const auto& [axis, value] : tile->offset) f(value);
  } else if (const auto* compose = layout.as<ComposeLayoutObj>()) {
    ForEachLayoutExpr(compose->tile_layout, f);
  }
}

}  // namespace

void ExprVisitor::VisitType(const Type& type) {
  switch (type->kind) {
    case TypeKind::TensorType: {
      const auto* tensor = static_cast<const TensorTypeObj*>(type.get());
      for (const Expr& extent : tensor->shape) VisitExpr(extent);
      if (tensor->layout.defined()) {
        ForEachLayoutExpr(tensor->layout, [this](const Expr& e) { VisitExpr(e); });
      }
      return;
    }
    case TypeKind::PtrType:
      return VisitType(static_cast<const PtrTypeObj*>(type.get())->element_type);
    case TypeKind::TupleType:
      for (const Type& field : static_cast<const TupleTypeObj*>(type.get())->fields) {
        VisitType(field);
      }
      return;
    case TypeKind::FuncType: {
      const auto* func = static_cast<const FuncTypeObj*>(type.get());
      for (const Type& arg : func->arg_types) VisitType(arg);
      return VisitType(func->ret_type);
    }
    case TypeKind::PrimType:
    case TypeKind::StringType:
    case TypeKind::NoneType:
    case TypeKind::AnyType:
    case TypeKind::OpaqueType:
    case TypeKind::MissingType:
    case TypeKind::TensorRegionType:
    case TypeKind::TensorMapType:
    case TypeKind::Foreign:
      return;
  }
}

// Leaves.
void ExprVisitor::VisitIntImm(const IntImmObj*) {}
void ExprVisitor::VisitFloatImm(const FloatImmObj*) {}
void ExprVisitor::VisitStringImm(const StringImmObj*) {}
void ExprVisitor::VisitDataTypeImm(const DataTypeImmObj*) {}
void ExprVisitor::VisitGenericConst(const GenericConstObj*) {}
void ExprVisitor::VisitVar(const VarObj*) {}
void ExprVisitor::VisitGlobalVar(const GlobalVarObj*) {}
void ExprVisitor::VisitOp(const OpObj*) {}
void ExprVisitor::VisitOpaqueExpr(const OpaqueExprObj*) {}
void ExprVisitor::VisitFunction(const FunctionObj*) {}

void ExprVisitor::VisitCall(const CallObj* op) {
  if (!op->op.is(ExprKind::Op)) VisitExpr(op->op);
  for (const Expr& arg : op->args) VisitExpr(arg);
  for (const Type& type : op->ty_args) VisitType(type);
}

void ExprVisitor::VisitTensorLoad(const TensorLoadObj* op) {
  VisitExpr(op->source);
  for (const Expr& index : op->indices) VisitExpr(index);
}

void ExprVisitor::VisitTensorRegion(const TensorRegionObj* op) {
  VisitExpr(op->source);
  for (const Range& range : op->region) VisitRange(range);
}

void ExprVisitor::VisitTuple(const TupleObj* op) {
  for (const Expr& field : op->fields) VisitExpr(field);
}
void ExprVisitor::VisitTupleGetItem(const TupleGetItemObj* op) { VisitExpr(op->tuple_value); }

void ExprVisitor::VisitLambdaExpr(const LambdaExprObj* op) {
  for (const Var& var : op->vars) VisitVarDef(var);
  VisitExpr(op->body);
}

#define TIRX_BINARY(Name, key)                         \
  void ExprVisitor::Visit##Name(const Name##Obj* op) { \
    VisitExpr(op->a);                                  \
    VisitExpr(op->b);                                  \
  }
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"

void ExprVisitor::VisitNot(const NotObj* op) { VisitExpr(op->a); }
void ExprVisitor::VisitBitwiseNot(const BitwiseNotObj* op) { VisitExpr(op->a); }
void ExprVisitor::VisitCast(const CastObj* op) { VisitExpr(op->value); }

void ExprVisitor::VisitSelect(const SelectObj* op) {
  VisitExpr(op->condition);
  VisitExpr(op->true_value);
  VisitExpr(op->false_value);
}

void ExprVisitor::VisitLet(const LetObj* op) {
  VisitExpr(op->value);
  VisitVarDef(op->var);
  VisitExpr(op->body);
}

void ExprVisitor::VisitRamp(const RampObj* op) {
  VisitExpr(op->base);
  VisitExpr(op->stride);
  VisitExpr(op->lanes);
}

void ExprVisitor::VisitBroadcast(const BroadcastObj* op) {
  VisitExpr(op->value);
  VisitExpr(op->lanes);
}

void ExprVisitor::VisitShuffle(const ShuffleObj* op) {
  for (const Expr& vector : op->vectors) VisitExpr(vector);
  for (const Expr& index : op->indices) VisitExpr(index);
}

// ---- statements

void StmtExprVisitor::VisitStmt(const Stmt& stmt) {
  GuardStack();
  const StmtObj* op = stmt.get();
  switch (op->kind) {
#define TIRX_STMT(Name, key) \
  case StmtKind::Name:       \
    return Visit##Name(static_cast<const Name##Obj*>(op));
#include "tirx/defs/nodes.def"
    case StmtKind::Foreign:
      return VisitForeignStmt(op);
  }
}

void StmtExprVisitor::VisitForeignStmt(const StmtObj*) {}
void StmtExprVisitor::VisitBreak(const BreakObj*) {}
void StmtExprVisitor::VisitContinue(const ContinueObj*) {}

void StmtExprVisitor::VisitFunction(const FunctionObj* op) {
  for (const Var& param : op->params) VisitVarDef(param);
  if (op->body.defined()) VisitStmt(op->body);
}

void StmtExprVisitor::VisitSeqStmt(const SeqStmtObj* op) {
  for (const Stmt& stmt : op->seq) VisitStmt(stmt);
}

void StmtExprVisitor::VisitBind(const BindObj* op) {
  VisitExpr(op->value);
  VisitVarDef(op->var);
}

void StmtExprVisitor::VisitTensorStore(const TensorStoreObj* op) {
  VisitExpr(op->dest);
  for (const Expr& index : op->indices) VisitExpr(index);
  VisitExpr(op->value);
}

void StmtExprVisitor::VisitFor(const ForObj* op) {
  VisitExpr(op->begin);
  VisitExpr(op->end);
  VisitExpr(op->step);
  VisitVarDef(op->var);
  VisitStmt(op->body);
}

void StmtExprVisitor::VisitWhile(const WhileObj* op) {
  VisitExpr(op->condition);
  VisitStmt(op->body);
}

void StmtExprVisitor::VisitIf(const IfObj* op) {
  VisitExpr(op->condition);
  VisitStmt(op->then_case);
  if (op->else_case.defined()) VisitStmt(op->else_case);
}

void StmtExprVisitor::VisitReturn(const ReturnObj* op) { VisitExpr(op->value); }
void StmtExprVisitor::VisitAssertStmt(const AssertStmtObj* op) { VisitExpr(op->condition); }
void StmtExprVisitor::VisitEvaluate(const EvaluateObj* op) { VisitExpr(op->value); }

void StmtExprVisitor::VisitRegionStmt(const RegionStmtObj* op) {
  for (const Expr& arg : op->args) VisitExpr(arg);
  for (const Var& param : op->body_params) VisitVarDef(param);
  VisitStmt(op->body);
  for (const Var& result : op->result_vars) VisitVarDef(result);
}

}  // namespace tirx
}  // namespace tvm
