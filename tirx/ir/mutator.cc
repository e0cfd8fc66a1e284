// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/mutator.h"

#include "tirx/ir/rewrite.h"

namespace tvm {
namespace tirx {

Expr ExprMutator::VisitExpr(Expr expr) {
  GuardStack();
  switch (expr->kind) {
#define TIRX_EXPR(Name, key) \
  case ExprKind::Name:       \
    return Visit##Name(Downcast<Name>(std::move(expr)));
#include "tirx/defs/nodes.def"
    case ExprKind::Foreign:
      return VisitForeignExpr(std::move(expr));
  }
  TVM_FFI_UNREACHABLE();
}

Expr ExprMutator::VisitForeignExpr(Expr expr) { return expr; }
Var ExprMutator::VisitVarDef(Var var) { return var; }

Range ExprMutator::VisitRange(Range range) {
  Rewriter<Range> node(std::move(range));
  node.Field(&RangeObj::begin, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Field(&RangeObj::extent, [this](Expr e) { return VisitExpr(std::move(e)); });
  return node.Take();
}

// Leaves.
Expr ExprMutator::VisitIntImm(IntImm op) { return op; }
Expr ExprMutator::VisitFloatImm(FloatImm op) { return op; }
Expr ExprMutator::VisitStringImm(StringImm op) { return op; }
Expr ExprMutator::VisitDataTypeImm(DataTypeImm op) { return op; }
Expr ExprMutator::VisitGenericConst(GenericConst op) { return op; }
Expr ExprMutator::VisitVar(Var op) { return op; }
Expr ExprMutator::VisitGlobalVar(GlobalVar op) { return op; }
Expr ExprMutator::VisitOp(Op op) { return op; }
Expr ExprMutator::VisitOpaqueExpr(OpaqueExpr op) { return op; }
Expr ExprMutator::VisitFunction(Function op) { return op; }

Expr ExprMutator::VisitCall(Call op) {
  Rewriter<Call> node(std::move(op));
  if (!node->op.is(ExprKind::Op)) {
    node.Field(&CallObj::op, [this](Expr e) { return VisitExpr(std::move(e)); });
  }
  node.Items(&CallObj::args, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Items(&CallObj::ty_args, [this](Type t) { return VisitType(std::move(t)); });
  return node.Take();
}

Expr ExprMutator::VisitTensorLoad(TensorLoad op) {
  DLDataType index = op->indices.empty() ? Int(32) : op->indices.back().dtype();
  Rewriter<TensorLoad> node(std::move(op));
  node.Field(&TensorLoadObj::source, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Items(&TensorLoadObj::indices, [this](Expr e) { return VisitExpr(std::move(e)); });
  const TensorLoadObj* changed = node.operator->();
  DLDataType now = changed->indices.empty() ? Int(32) : changed->indices.back().dtype();
  const TensorTypeObj* type = AsTensorType(changed->source);
  // A vector index makes a vector, another tensor another element.
  if (index.lanes != now.lanes || type == nullptr ||
      !SameElement(type->dtype->dtype, changed->dtype())) {
    return TensorLoad(changed->source, changed->indices, changed->loc);
  }
  return node.Take();
}

Expr ExprMutator::VisitTensorRegion(TensorRegion op) {
  Rewriter<TensorRegion> node(std::move(op));
  node.Field(&TensorRegionObj::source, [this](Expr e) { return VisitExpr(std::move(e)); });
  node.Items(&TensorRegionObj::region, [this](Range r) { return VisitRange(std::move(r)); });
  return node.Take();
}

Expr ExprMutator::VisitTuple(Tuple op) {
  Rewriter<Tuple> node(std::move(op));
  bool changed = node.Items(&TupleObj::fields, [this](Expr e) { return VisitExpr(std::move(e)); });
  if (changed) return Tuple(node->fields, node->loc);
  return node.Take();
}

Expr ExprMutator::VisitTupleGetItem(TupleGetItem op) {
  Rewriter<TupleGetItem> node(std::move(op));
  node.Field(&TupleGetItemObj::tuple_value, [this](Expr e) { return VisitExpr(std::move(e)); });
  return node.Take();
}

Expr ExprMutator::VisitLambdaExpr(LambdaExpr op) {
  Rewriter<LambdaExpr> node(std::move(op));
  node.Items(&LambdaExprObj::vars, [this](Var v) { return VisitVarDef(std::move(v)); });
  node.Field(&LambdaExprObj::body, [this](Expr e) { return VisitExpr(std::move(e)); });
  return node.Take();
}

// Operands keep their types in nearly all rewrites; only else is the node built anew.
#define TIRX_BINARY(Name, key)                                                          \
  Expr ExprMutator::Visit##Name(Name op) {                                              \
    DLDataType before = op->a.dtype();                                                  \
    Rewriter<Name> node(std::move(op));                                                 \
    node.Field(&Name##Obj::a, [this](Expr e) { return VisitExpr(std::move(e)); });      \
    node.Field(&Name##Obj::b, [this](Expr e) { return VisitExpr(std::move(e)); });      \
    const Name##Obj* now = node.operator->();                                           \
    if (!now->a.is_prim() || !now->b.is_prim() || !SameDType(now->a.dtype(), before) || \
        !SameDType(now->b.dtype(), before)) {                                           \
      return Name(now->a, now->b, now->loc);                                            \
    }                                                                                   \
    return node.Take();                                                                 \
  }
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"

namespace {

// A node with one operand whose type it has.
template <typename Ref, typename F>
Expr RewriteUnary(Ref op, F f) {
  Rewriter<Ref> node(std::move(op));
  if (node.Field(&Ref::ContainerType::a, f)) return Ref(node->a, node->loc);
  return node.Take();
}

}  // namespace

Expr ExprMutator::VisitNot(Not op) {
  return RewriteUnary(std::move(op), [this](Expr e) { return VisitExpr(std::move(e)); });
}
Expr ExprMutator::VisitBitwiseNot(BitwiseNot op) {
  return RewriteUnary(std::move(op), [this](Expr e) { return VisitExpr(std::move(e)); });
}

Expr ExprMutator::VisitCast(Cast op) {
  Rewriter<Cast> node(std::move(op));
  if (node.Field(&CastObj::value, [this](Expr e) { return VisitExpr(std::move(e)); })) {
    DLDataType to = node->dtype();
    return Cast(WithLanesOf(to, node->value.dtype()), node->value, node->loc);
  }
  return node.Take();
}

Expr ExprMutator::VisitSelect(Select op) {
  Rewriter<Select> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  bool changed = node.Field(&SelectObj::condition, visit);
  changed |= node.Field(&SelectObj::true_value, visit);
  changed |= node.Field(&SelectObj::false_value, visit);
  if (changed) return Select(node->condition, node->true_value, node->false_value, node->loc);
  return node.Take();
}

Expr ExprMutator::VisitLet(Let op) {
  Rewriter<Let> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  bool changed = node.Field(&LetObj::value, visit);
  changed |= node.Field(&LetObj::var, [this](Var v) { return VisitVarDef(std::move(v)); });
  changed |= node.Field(&LetObj::body, visit);
  if (changed) return Let(node->var, node->value, node->body, node->loc);
  return node.Take();
}

Expr ExprMutator::VisitRamp(Ramp op) {
  Rewriter<Ramp> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  bool changed = node.Field(&RampObj::base, visit);
  changed |= node.Field(&RampObj::stride, visit);
  changed |= node.Field(&RampObj::lanes, visit);
  if (changed) return Ramp(node->base, node->stride, node->lanes, node->loc);
  return node.Take();
}

Expr ExprMutator::VisitBroadcast(Broadcast op) {
  Rewriter<Broadcast> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  bool changed = node.Field(&BroadcastObj::value, visit);
  changed |= node.Field(&BroadcastObj::lanes, visit);
  if (changed) return Broadcast(node->value, node->lanes, node->loc);
  return node.Take();
}

Expr ExprMutator::VisitShuffle(Shuffle op) {
  Rewriter<Shuffle> node(std::move(op));
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  bool changed = node.Items(&ShuffleObj::vectors, visit);
  changed |= node.Items(&ShuffleObj::indices, visit);
  if (changed) return Shuffle(node->vectors, node->indices, node->loc);
  return node.Take();
}

}  // namespace tirx
}  // namespace tvm
