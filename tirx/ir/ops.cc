// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/ops.h"

#include <cmath>

#include "tirx/ir/node_text.h"

namespace tvm {
namespace tirx {

namespace {

void CheckOperand(const Expr& e) {
  TVM_FFI_CHECK(e.defined() && e.is_prim(), TypeError)
      << "an operator takes primitive expressions, got `"
      << (e.defined() ? e->GetTypeKey() + "[ty=" + e->ty.GetTypeKey() + "]" : std::string("None"))
      << "`";
}

Expr Fold(ExprKind kind, Expr a, Expr b, Location loc) {
  promote(&a, &b);
  Expr folded = try_fold(kind, a, b);
  return folded.defined() ? folded : MakeBinary(kind, std::move(a), std::move(b), std::move(loc));
}

void CheckIntegers(const Expr& a, const Expr& b, const char* op) {
  CheckOperand(a);
  CheckOperand(b);
  for (const Expr* e : {&a, &b}) {
    TVM_FFI_CHECK(IsInteger(e->dtype()) || (IsBool(e->dtype()) && e == &b), RuntimeError)
        << op << " takes integers, but `" << ShortText(*e) << "` is "
        << ffi::DLDataTypeToString(e->dtype());
  }
}

Expr FoldShift(ExprKind kind, Expr a, Expr b, const char* op, Location loc) {
  CheckOperand(a);
  CheckOperand(b);
  TVM_FFI_CHECK(IsInteger(a.dtype()), RuntimeError)
      << "Expected integer argument as LHS of " << op << ", but received " << ShortText(a)
      << " of type " << ShortText(a->ty);
  TVM_FFI_CHECK(IsInteger(b.dtype()), RuntimeError)
      << "Expected integer argument as RHS of " << op << ", but received " << ShortText(b)
      << " of type " << ShortText(b->ty);
  return Fold(kind, std::move(a), std::move(b), std::move(loc));
}

Expr FoldBits(ExprKind kind, Expr a, Expr b, const char* op, Location loc) {
  CheckOperand(a);
  CheckOperand(b);
  for (const Expr* e : {&a, &b}) {
    TVM_FFI_CHECK(IsInteger(e->dtype()) || IsBool(e->dtype()), RuntimeError)
        << "Expected integer argument as " << (e == &a ? "LHS" : "RHS") << " of " << op
        << ", but received " << ShortText(*e) << " of type " << ShortText((*e)->ty);
  }
  return Fold(kind, std::move(a), std::move(b), std::move(loc));
}

}  // namespace

Expr add(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::Add, std::move(a), std::move(b), std::move(loc));
}
Expr sub(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::Sub, std::move(a), std::move(b), std::move(loc));
}
Expr mul(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::Mul, std::move(a), std::move(b), std::move(loc));
}
Expr min(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::Min, std::move(a), std::move(b), std::move(loc));
}
Expr max(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::Max, std::move(a), std::move(b), std::move(loc));
}
Expr eq(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::EQ, std::move(a), std::move(b), std::move(loc));
}
Expr ne(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::NE, std::move(a), std::move(b), std::move(loc));
}
Expr lt(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::LT, std::move(a), std::move(b), std::move(loc));
}
Expr le(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::LE, std::move(a), std::move(b), std::move(loc));
}
Expr gt(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::GT, std::move(a), std::move(b), std::move(loc));
}
Expr ge(Expr a, Expr b, Location loc) {
  return Fold(ExprKind::GE, std::move(a), std::move(b), std::move(loc));
}

Expr div(Expr a, Expr b, Location loc) {
  CheckOperand(a);
  CheckOperand(b);
  if (!IsFloating(a.dtype()) && !IsFloating(b.dtype())) {
    TVM_FFI_THROW(RuntimeError)
        << "TVM supports multiple types of integer divisions, please call div, indexdiv/indexmod, "
           "floordiv/floormod  or truncdiv/truncmod directly to avoid ambiguity in the code.";
  }
  return Fold(ExprKind::Div, std::move(a), std::move(b), std::move(loc));
}

Expr truncdiv(Expr a, Expr b, Location loc) {
  CheckIntegers(a, b, "truncdiv");
  return Fold(ExprKind::Div, std::move(a), std::move(b), std::move(loc));
}

Expr truncmod(Expr a, Expr b, Location loc) {
  CheckIntegers(a, b, "truncmod");
  return Fold(ExprKind::Mod, std::move(a), std::move(b), std::move(loc));
}

Expr floordiv(Expr a, Expr b, Location loc) {
  CheckIntegers(a, b, "floordiv");
  return Fold(ExprKind::FloorDiv, std::move(a), std::move(b), std::move(loc));
}

Expr floormod(Expr a, Expr b, Location loc) {
  CheckIntegers(a, b, "floormod");
  return Fold(ExprKind::FloorMod, std::move(a), std::move(b), std::move(loc));
}

Expr ceildiv(Expr a, Expr b, Location loc) {
  CheckIntegers(a, b, "ceildiv");
  Expr top = sub(add(std::move(a), b, loc), int32(1), loc);
  return floordiv(std::move(top), std::move(b), std::move(loc));
}

Expr logical_and(Expr a, Expr b, Location loc) {
  return And(std::move(a), std::move(b), std::move(loc));
}
Expr logical_or(Expr a, Expr b, Location loc) {
  return Or(std::move(a), std::move(b), std::move(loc));
}
Expr logical_not(Expr a, Location loc) { return Not(std::move(a), std::move(loc)); }

Expr bitwise_and(Expr a, Expr b, Location loc) {
  return FoldBits(ExprKind::BitwiseAnd, std::move(a), std::move(b), "& operator (bitwise AND)",
                  std::move(loc));
}
Expr bitwise_or(Expr a, Expr b, Location loc) {
  return FoldBits(ExprKind::BitwiseOr, std::move(a), std::move(b), "| operator (bitwise OR)",
                  std::move(loc));
}
Expr bitwise_xor(Expr a, Expr b, Location loc) {
  return FoldBits(ExprKind::BitwiseXor, std::move(a), std::move(b), "^ operator (bitwise XOR)",
                  std::move(loc));
}
Expr bitwise_not(Expr a, Location loc) {
  CheckOperand(a);
  if (IsFloating(a.dtype())) {
    TVM_FFI_THROW(RuntimeError) << "Cannot use ~ operator on float type Expr.";
  }
  return BitwiseNot(std::move(a), std::move(loc));
}
Expr shift_left(Expr a, Expr b, Location loc) {
  return FoldShift(ExprKind::LShift, std::move(a), std::move(b), "<< operator (left shift)",
                   std::move(loc));
}
Expr shift_right(Expr a, Expr b, Location loc) {
  return FoldShift(ExprKind::RShift, std::move(a), std::move(b), ">> operator (right shift)",
                   std::move(loc));
}

Expr neg(Expr a, Location loc) {
  CheckOperand(a);
  Expr minus_one = const_of(a.dtype(), -1, loc);
  return mul(std::move(a), std::move(minus_one), std::move(loc));
}

Expr abs(Expr a, Location loc) {
  CheckOperand(a);
  DLDataType t = a.dtype();
  if (IsUInt(t)) return a;
  if (IsInt(t)) {
    if (auto value = as_const_int(a)) return *value < 0 ? neg(std::move(a), std::move(loc)) : a;
    Expr none = zero(t, loc);
    Expr negated = sub(none, a, loc);
    return Select(ge(a, std::move(none), loc), a, std::move(negated), loc);
  }
  if (!IsFloating(t) || IsSmallFloat(t)) {
    TVM_FFI_THROW(RuntimeError) << "Data type " << ShortText(a->ty)
                                << " not supported for absolute op. Skipping absolute op...";
  }
  if (auto value = as_const_float(a)) return FloatImm(t, std::fabs(*value), std::move(loc));
  return call_op(OpId::prim_fabs, {std::move(a)}, {}, std::move(loc));
}

Expr select(Expr condition, Expr true_value, Expr false_value, Location loc) {
  promote(&true_value, &false_value);
  return Select(std::move(condition), std::move(true_value), std::move(false_value),
                std::move(loc));
}

Expr if_then_else(Expr condition, Expr true_value, Expr false_value, Location loc) {
  CheckOperand(condition);
  TVM_FFI_CHECK(IsBool(condition.dtype()) && IsScalar(condition.dtype()), RuntimeError)
      << "if_then_else needs a bool condition, but `" << ShortText(condition) << "` is "
      << ffi::DLDataTypeToString(condition.dtype());
  if (true_value.is_prim() && false_value.is_prim()) promote(&true_value, &false_value);
  return call_op(OpId::prim_if_then_else,
                 {std::move(condition), std::move(true_value), std::move(false_value)}, {},
                 std::move(loc));
}

Expr isnan(Expr a, Location loc) {
  return call_op(OpId::prim_isnan, {std::move(a)}, {}, std::move(loc));
}

Expr isinf(Expr a, Location loc) {
  CheckOperand(a);
  DLDataType t = a.dtype();
  if (IsInteger(t)) return zero(WithLanesOf(Bool(), t), std::move(loc));
  if (t.code != kDLFloat && t.code != kDLBfloat) {
    TVM_FFI_THROW(RuntimeError) << "Data type " << ShortText(a->ty)
                                << " not supported for finiteness ops. Skipping it...";
  }
  Expr limit = infinity(t, loc);
  return And(eq(abs(a, loc), std::move(limit), loc), Not(isnan(a, loc), loc), loc);
}

Expr isfinite(Expr a, Location loc) {
  Expr inf = isinf(a, loc);
  Expr number = Not(isnan(a, loc), loc);
  if (inf.is(ExprKind::IntImm)) return number;
  return And(Not(std::move(inf), loc), std::move(number), loc);
}

Expr call_op(OpId id, ffi::Array<Expr> args, Type ty, Location loc) {
  return Call(Op::Get(id), std::move(args), {}, {}, std::move(ty), std::move(loc));
}

Expr call_op(std::string_view name, ffi::Array<Expr> args, Type ty, Location loc) {
  return Call(Op::Get(name), std::move(args), {}, {}, std::move(ty), std::move(loc));
}

Expr fold_binary(ExprKind kind, Expr a, Expr b, Location loc) {
  switch (kind) {
    case ExprKind::And:
      return logical_and(std::move(a), std::move(b), std::move(loc));
    case ExprKind::Or:
      return logical_or(std::move(a), std::move(b), std::move(loc));
    default:
      return Fold(kind, std::move(a), std::move(b), std::move(loc));
  }
}

}  // namespace tirx
}  // namespace tvm
