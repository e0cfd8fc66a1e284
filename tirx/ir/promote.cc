// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tirx/ir/dtype_limits.h"
#include "tirx/ir/node_text.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

// The element format that operands of elements a and b meet in: a float before an int before a
// bool, the wider before the narrower, the unsigned before the signed, then the left one.
DLDataType CommonElement(DLDataType a, DLDataType b) {
  bool fa = IsFloating(a), fb = IsFloating(b);
  if (fa != fb) return fa ? a : b;
  if (IsBool(a) != IsBool(b)) return IsBool(a) ? b : a;
  if (a.bits != b.bits) return a.bits > b.bits ? a : b;
  if (!fa && IsUInt(b)) return b;
  return a;
}

Expr BroadcastLike(Expr scalar, DLDataType vector) {
  Expr lanes = int32(Lanes(vector));
  if (IsScalable(vector)) lanes = mul(call_op(OpId::prim_vscale, {}), std::move(lanes));
  return Broadcast(std::move(scalar), std::move(lanes));
}

// A constant in another scalar format; null when its value does not fit or the format is not one
// that constants are converted to.
Expr CastConstant(const Expr& value, DLDataType to) {
  bool narrow_float = to.code == kDLBfloat || (to.code == kDLFloat && to.bits <= 32);
  if (auto i = as_const_int(value)) {
    if (IsUInt(value.dtype()) && *i < 0) {
      if (IsUInt(to) && to.bits == 64)
        return IntImm(to, static_cast<const IntImmObj*>(value.get())->value);
      return Expr();
    }
    if (IsInteger(to) || IsBool(to)) {
      return FitsInteger(to, *i) ? Expr(IntImm(to, ffi::BigInt(*i))) : Expr();
    }
    double number = static_cast<double>(*i);
    if (!narrow_float || std::fabs(number) > LargestFinite(to)) return Expr();
    if (to.bits == 32) number = static_cast<float>(number);
    return FloatImm(to, number);
  }
  double number = *as_const_float(value);
  if (narrow_float) {
    bool single = (to.code == kDLFloat && to.bits == 32) || SameDType(value.dtype(), Float(32));
    if (std::isfinite(number)) {
      if (std::fabs(number) > LargestFinite(to)) return Expr();
      if (single) number = static_cast<float>(number);
      if (std::fabs(number) > LargestFinite(to)) return Expr();
    }
    return FloatImm(to, number);
  }
  if (!IsInteger(to) || !std::isfinite(number)) return Expr();
  number = std::trunc(number);
  // Bounds are powers of two, exact as doubles.
  int bits = IsUInt(to) ? to.bits : to.bits - 1;
  double limit = std::ldexp(1.0, bits);
  if (number >= limit || number < (IsUInt(to) ? 0.0 : -limit)) return Expr();
  if (IsUInt(to)) return IntImm(to, ffi::BigInt(static_cast<uint64_t>(number)));
  return IntImm(to, ffi::BigInt(static_cast<int64_t>(number)));
}

}  // namespace

Expr cast(Expr a, DLDataType dtype, Location loc) {
  TVM_FFI_CHECK(a.defined() && a.is_prim(), TypeError) << "cast takes a primitive expression";
  TVM_FFI_CHECK(dtype.code != kDLOpaqueHandle, TypeError)
      << "the target of a cast must be a number type, not void or a pointer";
  DLDataType from = a.dtype();
  if (SameDType(from, dtype)) return a;
  if (IsScalar(from) && !IsScalar(dtype)) {
    return BroadcastLike(cast(std::move(a), Element(dtype), std::move(loc)), dtype);
  }
  if (a.is(ExprKind::IntImm) || a.is(ExprKind::FloatImm)) {
    Expr folded = CastConstant(a, dtype);
    if (folded.defined()) return folded;
  }
  return Cast(dtype, std::move(a), std::move(loc));
}

void promote(Expr* a, Expr* b) {
  for (Expr* e : {a, b}) {
    TVM_FFI_CHECK(e->defined() && e->is_prim(), TypeError)
        << "an operator takes primitive expressions, got `"
        << (e->defined() ? (*e)->GetTypeKey() + "[ty=" + (*e)->ty.GetTypeKey() + "]"
                         : std::string("None"))
        << "`";
  }
  DLDataType ta = a->dtype(), tb = b->dtype();
  if (SameDType(ta, tb)) return;
  TVM_FFI_CHECK(ta.lanes == tb.lanes || IsScalar(ta) || IsScalar(tb), RuntimeError)
      << "Cannot match type " << ShortText((*a)->ty) << " vs " << ShortText((*b)->ty);
  DLDataType element = CommonElement(Element(ta), Element(tb));
  DLDataType common = WithLanesOf(element, IsScalar(ta) ? tb : ta);
  *a = cast(std::move(*a), common);
  *b = cast(std::move(*b), common);
}

Expr int_imm(DLDataType dtype, int64_t value, Location loc) {
  return IntImm(dtype, ffi::BigInt(value), std::move(loc));
}

Expr float_imm(DLDataType dtype, double value, Location loc) {
  return FloatImm(dtype, value, std::move(loc));
}

Expr bool_imm(bool value, Location loc) {
  return IntImm(Bool(), ffi::BigInt(value ? 1 : 0), std::move(loc));
}

Expr const_of(DLDataType dtype, double value, Location loc) {
  if (!IsScalar(dtype)) return BroadcastLike(const_of(Element(dtype), value, loc), dtype);
  if (IsFloating(dtype)) return FloatImm(dtype, value, std::move(loc));
  TVM_FFI_CHECK(!IsUInt(dtype) || value >= 0, RuntimeError)
      << "cannot make uint from negative value " << value;
  return IntImm(dtype, ffi::BigInt(value), std::move(loc));
}

Expr zero(DLDataType dtype, Location loc) { return const_of(dtype, 0, std::move(loc)); }
Expr one(DLDataType dtype, Location loc) { return const_of(dtype, 1, std::move(loc)); }

Expr max_value(DLDataType dtype, Location loc) {
  if (!IsScalar(dtype)) return BroadcastLike(max_value(Element(dtype), loc), dtype);
  if (IsFloating(dtype)) return FloatImm(dtype, LargestFinite(dtype), std::move(loc));
  if (!IsInteger(dtype)) {
    TVM_FFI_THROW(RuntimeError) << "Cannot decide max_value for type "
                                << ShortText(PrimType(dtype));
  }
  int bits = IsUInt(dtype) ? dtype.bits : dtype.bits - 1;
  uint64_t value = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  return IntImm(dtype, ffi::BigInt(value), std::move(loc));
}

Expr min_value(DLDataType dtype, Location loc) {
  if (!IsScalar(dtype)) return BroadcastLike(min_value(Element(dtype), loc), dtype);
  if (IsFloating(dtype)) {
    double lowest = dtype.code == kDLFloat8_e8m0fnu ? 0x1p-127 : -LargestFinite(dtype);
    return FloatImm(dtype, lowest, std::move(loc));
  }
  if (!IsInteger(dtype)) {
    TVM_FFI_THROW(RuntimeError) << "Cannot decide min_value for type "
                                << ShortText(PrimType(dtype));
  }
  int64_t value = IsUInt(dtype)      ? 0
                  : dtype.bits >= 64 ? INT64_MIN
                                     : -(int64_t{1} << (dtype.bits - 1));
  return IntImm(dtype, ffi::BigInt(value), std::move(loc));
}

Expr infinity(DLDataType dtype, Location loc) {
  if (!IsScalar(dtype)) return BroadcastLike(infinity(Element(dtype), loc), dtype);
  bool has_infinity = dtype.code == kDLFloat || dtype.code == kDLBfloat ||
                      dtype.code == kDLFloat8_e5m2 || dtype.code == kDLFloat8_e4m3 ||
                      dtype.code == kDLFloat8_e3m4;
  if (!has_infinity) {
    TVM_FFI_THROW(RuntimeError) << "Cannot decide infinity for type " << ShortText(PrimType(dtype));
  }
  return FloatImm(dtype, std::numeric_limits<double>::infinity(), std::move(loc));
}

}  // namespace tirx
}  // namespace tvm
