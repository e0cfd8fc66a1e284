// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tirx/ir/dtype_limits.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

using Wide = __int128;

Wide WideValue(const Expr& e) {
  const auto* imm = static_cast<const IntImmObj*>(e.get());
  int64_t bits = imm->bits();
  return IsUInt(e.dtype()) ? static_cast<Wide>(static_cast<uint64_t>(bits))
                           : static_cast<Wide>(bits);
}

Expr MakeInt(DLDataType dtype, Wide value) {
  if (!FitsInteger(dtype, value)) return Expr();
  if (value > INT64_MAX) return IntImm(dtype, ffi::BigInt(static_cast<uint64_t>(value)));
  return IntImm(dtype, ffi::BigInt(static_cast<int64_t>(value)));
}

Expr MakeBool(bool value) { return IntImm(Bool(), ffi::BigInt(value ? 1 : 0)); }

// int32 and int64, the types of indices: only these fold shifts, bitwise operators and remainders
// in every form.
bool IsIndexType(DLDataType t) { return IsInt(t) && (t.bits == 32 || t.bits == 64); }

Wide FloorDivide(Wide a, Wide b) {
  Wide q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

void CheckDivisor(bool nonzero) { TVM_FFI_CHECK(nonzero, RuntimeError) << "Divide by zero"; }

// Whether a orders before b, with -0.0 before 0.0.
bool Before(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

Expr FoldInts(ExprKind kind, const Expr& ea, const Expr& eb) {
  DLDataType t = ea.dtype();
  Wide a = WideValue(ea), b = WideValue(eb);
  switch (kind) {
    case ExprKind::Add:
      return MakeInt(t, a + b);
    case ExprKind::Sub:
      return MakeInt(t, a - b);
    case ExprKind::Mul: {
      // Operands have at most 64 bits, so the product of magnitudes fits an unsigned 128-bit word
      // and a product that overflows Wide is out of range anyway.
      Wide product;
      if (__builtin_mul_overflow(a, b, &product)) return Expr();
      return MakeInt(t, product);
    }
    case ExprKind::Div:
      return MakeInt(t, a / b);
    case ExprKind::FloorDiv:
      return MakeInt(t, FloorDivide(a, b));
    case ExprKind::FloorMod:
      return IsUInt(t) || IsIndexType(t) ? MakeInt(t, a - FloorDivide(a, b) * b) : Expr();
    case ExprKind::Mod:
      return IsIndexType(t) || (IsUInt(t) && t.bits == 64) ? MakeInt(t, a % b) : Expr();
    case ExprKind::Min:
      return a < b ? ea : eb;
    case ExprKind::Max:
      return a > b ? ea : eb;
    case ExprKind::EQ:
      return MakeBool(a == b);
    case ExprKind::NE:
      return MakeBool(a != b);
    case ExprKind::LT:
      return MakeBool(a < b);
    case ExprKind::LE:
      return MakeBool(a <= b);
    case ExprKind::GT:
      return MakeBool(a > b);
    case ExprKind::GE:
      return MakeBool(a >= b);
    case ExprKind::BitwiseAnd:
      return IsIndexType(t) ? MakeInt(t, a & b) : Expr();
    case ExprKind::BitwiseOr:
      return IsIndexType(t) ? MakeInt(t, a | b) : Expr();
    case ExprKind::BitwiseXor:
      return IsIndexType(t) ? MakeInt(t, a ^ b) : Expr();
    case ExprKind::LShift:
      return IsIndexType(t) ? MakeInt(t, a * (static_cast<Wide>(1) << b)) : Expr();
    case ExprKind::RShift:
      return IsIndexType(t) ? MakeInt(t, a >> b) : Expr();
    default:
      return Expr();
  }
}

// float32 and float64; the narrower formats are not computed with at construction.
Expr MakeFloat(DLDataType dtype, double value) {
  if (dtype.code != kDLFloat || dtype.bits < 32) return Expr();
  if (dtype.bits == 32) value = static_cast<float>(value);
  return std::isfinite(value) ? Expr(FloatImm(dtype, value)) : Expr();
}

Expr FoldFloats(ExprKind kind, const Expr& ea, const Expr& eb) {
  DLDataType t = ea.dtype();
  double a = *as_const_float(ea), b = *as_const_float(eb);
  switch (kind) {
    case ExprKind::Add:
      return MakeFloat(t, a + b);
    case ExprKind::Sub:
      return MakeFloat(t, a - b);
    case ExprKind::Mul:
      return MakeFloat(t, a * b);
    case ExprKind::Div:
      return MakeFloat(t, a / b);
    // A NaN on either side must stay visible.
    case ExprKind::Min:
      return std::isnan(a) || std::isnan(b) ? Expr() : Before(b, a) ? eb : ea;
    case ExprKind::Max:
      return std::isnan(a) || std::isnan(b) ? Expr() : Before(a, b) ? eb : ea;
    case ExprKind::EQ:
      return MakeBool(a == b);
    case ExprKind::NE:
      return MakeBool(a != b);
    case ExprKind::LT:
      return MakeBool(a < b);
    case ExprKind::LE:
      return MakeBool(a <= b);
    case ExprKind::GT:
      return MakeBool(a > b);
    case ExprKind::GE:
      return MakeBool(a >= b);
    default:
      return Expr();
  }
}

bool IsNumber(const Expr& e, double value) {
  if (e.is(ExprKind::IntImm)) return is_const_int(e, static_cast<int64_t>(value));
  if (e.is(ExprKind::FloatImm)) return *as_const_float(e) == value;
  return false;
}

Expr FoldIdentity(ExprKind kind, const Expr& a, const Expr& b) {
  DLDataType t = a.dtype();
  switch (kind) {
    case ExprKind::Add:
      if (IsNumber(a, 0)) return b;
      if (IsNumber(b, 0)) return a;
      return Expr();
    case ExprKind::Sub:
      return IsNumber(b, 0) ? a : Expr();
    case ExprKind::Mul:
      if (IsNumber(a, 1)) return b;
      if (IsNumber(b, 1)) return a;
      if (IsNumber(a, 0)) return a;
      if (IsNumber(b, 0)) return b;
      return Expr();
    case ExprKind::Div:
    case ExprKind::FloorDiv:
      if (IsNumber(a, 0)) return a;
      return IsNumber(b, 1) ? a : Expr();
    case ExprKind::Mod:
    case ExprKind::FloorMod:
      if (!IsIndexType(t)) return Expr();
      if (IsNumber(a, 0)) return a;
      return IsNumber(b, 1) ? zero(t) : Expr();
    case ExprKind::LShift:
    case ExprKind::RShift:
      return IsIndexType(t) && IsNumber(b, 0) ? a : Expr();
    case ExprKind::Min:
    case ExprKind::Max:
      return a.same_as(b) ? a : Expr();
    default:
      return Expr();
  }
}

// What holds of a constant right operand, whatever the left one is.
void CheckRightOperand(ExprKind kind, const Expr& b) {
  switch (kind) {
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      if (b.is(ExprKind::IntImm)) CheckDivisor(WideValue(b) != 0);
      if (b.is(ExprKind::FloatImm)) CheckDivisor(*as_const_float(b) != 0);
      return;
    case ExprKind::LShift:
    case ExprKind::RShift:
      if (b.is(ExprKind::IntImm) && IsIndexType(b.dtype())) {
        int64_t amount = *as_const_int(b);
        TVM_FFI_CHECK(amount >= 0 && amount < b.dtype().bits, RuntimeError)
            << "Shift amount must be non-negative and less than "
            << static_cast<int>(b.dtype().bits) << " for type "
            << ffi::DLDataTypeToString(b.dtype());
      }
      return;
    default:
      return;
  }
}

}  // namespace

Expr try_fold(ExprKind kind, const Expr& a, const Expr& b) {
  CheckRightOperand(kind, b);
  if (a.is(ExprKind::IntImm) && b.is(ExprKind::IntImm)) {
    Expr folded = FoldInts(kind, a, b);
    if (folded.defined()) return folded;
  } else if (a.is(ExprKind::FloatImm) && b.is(ExprKind::FloatImm)) {
    Expr folded = FoldFloats(kind, a, b);
    if (folded.defined()) return folded;
  }
  if (a.is(ExprKind::IntImm) || a.is(ExprKind::FloatImm) || b.is(ExprKind::IntImm) ||
      b.is(ExprKind::FloatImm) || a.same_as(b)) {
    return FoldIdentity(kind, a, b);
  }
  return Expr();
}

}  // namespace tirx
}  // namespace tvm
