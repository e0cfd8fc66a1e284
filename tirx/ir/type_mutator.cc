// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/mutator.h"
#include "tirx/ir/rewrite.h"

namespace tvm {
namespace tirx {

namespace {

template <typename F>
Iter RewriteIter(Iter iter, const F& visit) {
  Rewriter<Iter> node(std::move(iter));
  node.Field(&IterObj::extent, visit);
  node.Field(&IterObj::stride, visit);
  return node.Take();
}

template <typename F>
Layout RewriteLayout(Layout layout, const F& visit) {
  if (!layout.defined()) return layout;
  if (layout.as<TileLayoutObj>()) {
    Rewriter<TileLayout> node(Downcast<TileLayout>(std::move(layout)));
    auto iter = [&](Iter i) { return RewriteIter(std::move(i), visit); };
    node.Items(&TileLayoutObj::shard, iter);
    node.Items(&TileLayoutObj::replica, iter);
    bool changed = false;
    ffi::Map<Axis, Expr> offset;
    for (const auto& [axis, value] : node->offset) {
      Expr now = visit(value);
      changed = changed || !now.same_as(value);
      offset.Set(axis, now);
    }
    if (changed) return TileLayout(node->shard, node->replica, offset);
    return node.Take();
  }
  if (const auto* compose = layout.as<ComposeLayoutObj>()) {
    Layout tile = RewriteLayout(Layout(compose->tile_layout), visit);
    if (tile.same_as(compose->tile_layout)) return layout;
    return ComposeLayout(compose->per_element, compose->swizzle_len, compose->atom_len,
                         Downcast<TileLayout>(std::move(tile)), compose->swizzle_inner);
  }
  return layout;
}

}  // namespace

Type ExprMutator::VisitType(Type type) {
  auto visit = [this](Expr e) { return VisitExpr(std::move(e)); };
  auto visit_type = [this](Type t) { return VisitType(std::move(t)); };
  switch (type->kind) {
    case TypeKind::TensorType: {
      Rewriter<TensorType> node(Downcast<TensorType>(std::move(type)));
      node.Items(&TensorTypeObj::shape, visit);
      node.Field(&TensorTypeObj::layout,
                 [&](Layout layout) { return RewriteLayout(std::move(layout), visit); });
      return node.Take();
    }
    case TypeKind::PtrType: {
      Rewriter<PtrType> node(Downcast<PtrType>(std::move(type)));
      node.Field(&PtrTypeObj::element_type, visit_type);
      return node.Take();
    }
    case TypeKind::TupleType: {
      Rewriter<TupleType> node(Downcast<TupleType>(std::move(type)));
      node.Items(&TupleTypeObj::fields, visit_type);
      return node.Take();
    }
    case TypeKind::FuncType: {
      Rewriter<FuncType> node(Downcast<FuncType>(std::move(type)));
      node.Items(&FuncTypeObj::arg_types, visit_type);
      node.Field(&FuncTypeObj::ret_type, visit_type);
      return node.Take();
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
      return type;
  }
  TVM_FFI_UNREACHABLE();
}

}  // namespace tirx
}  // namespace tvm
