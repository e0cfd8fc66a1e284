// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/extra/structural_equal.h>

#include <cstring>

#include "tirx/ir/analysis.h"
#include "tirx/ir/stack_guard.h"

namespace tvm {
namespace tirx {

namespace {

// Comparison and hashing of one field, by its type.
bool Same(const Expr& a, const Expr& b) { return DeepEqual(a, b); }
bool Same(const Var& a, const Var& b) { return a.same_as(b); }
bool Same(const Type& a, const Type& b) { return SameType(a, b); }
bool Same(const ffi::String& a, const ffi::String& b) { return a == b; }
bool Same(const ffi::BigInt& a, const ffi::BigInt& b) { return a == b; }
bool Same(int64_t a, int64_t b) { return a == b; }
bool Same(DLDataType a, DLDataType b) { return SameDType(a, b); }
// Bit by bit: NaN equals itself and 0.0 is not -0.0.
bool Same(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }
bool Same(const Range& a, const Range& b) {
  return a.same_as(b) || (DeepEqual(a->begin, b->begin) && DeepEqual(a->extent, b->extent));
}
bool Same(const Attrs& a, const Attrs& b) {
  if (a.same_as(b)) return true;
  return a.defined() && b.defined() && ffi::StructuralEqual()(a, b);
}
bool Same(const ffi::Any& a, const ffi::Any& b) { return ffi::StructuralEqual()(a, b); }

template <typename T>
bool Same(const ffi::Array<T>& a, const ffi::Array<T>& b) {
  if (a.same_as(b)) return true;
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < static_cast<int64_t>(a.size()); ++i) {
    if (!Same(a[i], b[i])) return false;
  }
  return true;
}

template <typename N>
bool SameFields(const ExprObj* a, const ExprObj* b) {
  const N* x = static_cast<const N*>(a);
  const N* y = static_cast<const N*>(b);
  bool same = true;
  ForEachField<N>([&](const auto& field) {
    same = same && (field.role == Role::Ignore || Same(x->*field.member, y->*field.member));
  });
  return same;
}

uint64_t Mix(uint64_t h, uint64_t value) {
  return (h ^ (value + 0x9e3779b97f4a7c15ULL + (h << 12) + (h >> 4))) * 0xff51afd7ed558ccdULL;
}

uint64_t Hash(const Expr& e) { return DeepHash(e); }
uint64_t Hash(const Var& v) { return reinterpret_cast<uintptr_t>(v.get()); }
// Types and attributes take no part: equal expressions nearly always have equal ones.
uint64_t Hash(const Type&) { return 1; }
uint64_t Hash(const Attrs& a) { return a.defined() ? 2 : 3; }
uint64_t Hash(const ffi::Any&) { return 4; }
uint64_t Hash(const ffi::String& s) { return std::hash<ffi::String>()(s); }
uint64_t Hash(const ffi::BigInt& v) { return v.hash(); }
uint64_t Hash(int64_t v) { return static_cast<uint64_t>(v); }
uint64_t Hash(DLDataType t) {
  return (uint64_t{t.code} << 24) | (uint64_t{t.bits} << 16) | t.lanes;
}
uint64_t Hash(double v) {
  uint64_t bits;
  std::memcpy(&bits, &v, sizeof(bits));
  return bits;
}
uint64_t Hash(const Range& r) { return Mix(DeepHash(r->begin), DeepHash(r->extent)); }
template <typename T>
uint64_t Hash(const ffi::Array<T>& items) {
  uint64_t h = items.size();
  for (const T& item : items) h = Mix(h, Hash(item));
  return h;
}

template <typename N>
uint64_t HashFields(const ExprObj* node) {
  uint64_t h = static_cast<uint64_t>(node->kind) * 0x9e3779b97f4a7c15ULL;
  if (node->ty.is_prim()) h = Mix(h, Hash(node->dtype()));
  ForEachField<N>([&](const auto& field) {
    if (field.role != Role::Ignore) h = Mix(h, Hash(static_cast<const N*>(node)->*field.member));
  });
  return h;
}

bool SameTensor(const TensorTypeObj* a, const TensorTypeObj* b) {
  if (!Same(a->shape, b->shape) || !SameType(a->dtype, b->dtype) || !a->scope.same_as(b->scope) ||
      a->data_alignment != b->data_alignment) {
    return false;
  }
  if (a->layout.same_as(b->layout)) return true;
  return a->layout.defined() && b->layout.defined() && ffi::StructuralEqual()(a->layout, b->layout);
}

}  // namespace

bool SameType(const Type& a, const Type& b) {
  GuardStack();
  if (a.same_as(b)) return true;
  if (!a.defined() || !b.defined() || a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeKind::PrimType:
      return SameDType(static_cast<const PrimTypeObj*>(a.get())->dtype,
                       static_cast<const PrimTypeObj*>(b.get())->dtype);
    case TypeKind::PtrType: {
      const auto* x = static_cast<const PtrTypeObj*>(a.get());
      const auto* y = static_cast<const PtrTypeObj*>(b.get());
      return x->scope.same_as(y->scope) && SameType(x->element_type, y->element_type);
    }
    case TypeKind::TensorType:
      return SameTensor(static_cast<const TensorTypeObj*>(a.get()),
                        static_cast<const TensorTypeObj*>(b.get()));
    case TypeKind::TupleType:
      return Same(static_cast<const TupleTypeObj*>(a.get())->fields,
                  static_cast<const TupleTypeObj*>(b.get())->fields);
    case TypeKind::FuncType: {
      const auto* x = static_cast<const FuncTypeObj*>(a.get());
      const auto* y = static_cast<const FuncTypeObj*>(b.get());
      return Same(x->arg_types, y->arg_types) && SameType(x->ret_type, y->ret_type);
    }
    case TypeKind::StringType:
    case TypeKind::NoneType:
    case TypeKind::AnyType:
    case TypeKind::OpaqueType:
    case TypeKind::MissingType:
    case TypeKind::TensorRegionType:
    case TypeKind::TensorMapType:
      return true;
    case TypeKind::Foreign:
      return ffi::StructuralEqual()(a, b);
  }
  return false;
}

bool DeepEqual(const Expr& a, const Expr& b) {
  GuardStack();
  if (a.same_as(b)) return true;
  if (!a.defined() || !b.defined() || a->kind != b->kind) return false;
  if (!SameType(a->ty, b->ty)) return false;
  switch (a->kind) {
    case ExprKind::Var:
    case ExprKind::GlobalVar:
    case ExprKind::Op:
    case ExprKind::Function:
    case ExprKind::OpaqueExpr:
      return false;
    case ExprKind::Foreign:
      return ffi::StructuralEqual()(a, b);
#define TIRX_CASE(Name) \
  case ExprKind::Name:  \
    return SameFields<Name##Obj>(a.get(), b.get());
      TIRX_CASE(IntImm)
      TIRX_CASE(FloatImm)
      TIRX_CASE(StringImm)
      TIRX_CASE(DataTypeImm)
      TIRX_CASE(GenericConst)
      TIRX_CASE(Call)
      TIRX_CASE(TensorLoad)
      TIRX_CASE(TensorRegion)
      TIRX_CASE(Tuple)
      TIRX_CASE(TupleGetItem)
      TIRX_CASE(LambdaExpr)
      TIRX_CASE(Not)
      TIRX_CASE(BitwiseNot)
      TIRX_CASE(Cast)
      TIRX_CASE(Select)
      TIRX_CASE(Let)
      TIRX_CASE(Ramp)
      TIRX_CASE(Broadcast)
      TIRX_CASE(Shuffle)
#undef TIRX_CASE
#define TIRX_BINARY(Name, key) case ExprKind::Name:
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"
      return DeepEqual(Lhs(a.get()), Lhs(b.get())) && DeepEqual(Rhs(a.get()), Rhs(b.get()));
  }
  return false;
}

uint64_t DeepHash(const Expr& expr) {
  GuardStack();
  if (!expr.defined()) return 0;
  const ExprObj* node = expr.get();
  switch (node->kind) {
    case ExprKind::Var:
    case ExprKind::GlobalVar:
    case ExprKind::Op:
    case ExprKind::Function:
    case ExprKind::OpaqueExpr:
      return Mix(static_cast<uint64_t>(node->kind), reinterpret_cast<uintptr_t>(node));
    case ExprKind::Foreign:
      return static_cast<uint64_t>(node->type_index());
#define TIRX_CASE(Name) \
  case ExprKind::Name:  \
    return HashFields<Name##Obj>(node);
      TIRX_CASE(IntImm)
      TIRX_CASE(FloatImm)
      TIRX_CASE(StringImm)
      TIRX_CASE(DataTypeImm)
      TIRX_CASE(GenericConst)
      TIRX_CASE(Call)
      TIRX_CASE(TensorLoad)
      TIRX_CASE(TensorRegion)
      TIRX_CASE(Tuple)
      TIRX_CASE(TupleGetItem)
      TIRX_CASE(LambdaExpr)
      TIRX_CASE(Not)
      TIRX_CASE(BitwiseNot)
      TIRX_CASE(Cast)
      TIRX_CASE(Select)
      TIRX_CASE(Let)
      TIRX_CASE(Ramp)
      TIRX_CASE(Broadcast)
      TIRX_CASE(Shuffle)
#undef TIRX_CASE
#define TIRX_BINARY(Name, key) case ExprKind::Name:
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"
      return HashFields<AddObj>(node);
  }
  return 0;
}

}  // namespace tirx
}  // namespace tvm
