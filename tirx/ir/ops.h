// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/op.h"

namespace tvm {
namespace tirx {

// Operators as the script language means them: operands are promoted to one type (a scalar beside
// a vector is broadcast), two constants fold, and identities with a constant (x + 0, x * 1, ...)
// give the operand. Errors: RuntimeError `Divide by zero` for a constant zero divisor, RuntimeError
// for a constant int32/int64 shift amount out of range, TypeError for operands of a wrong kind.
TIRX_API Expr add(Expr a, Expr b, Location loc = {});
TIRX_API Expr sub(Expr a, Expr b, Location loc = {});
TIRX_API Expr mul(Expr a, Expr b, Location loc = {});
// `/` of the language: floats only; refuses integers and names the integer divisions.
TIRX_API Expr div(Expr a, Expr b, Location loc = {});
TIRX_API Expr truncdiv(Expr a, Expr b, Location loc = {});
TIRX_API Expr truncmod(Expr a, Expr b, Location loc = {});
TIRX_API Expr floordiv(Expr a, Expr b, Location loc = {});
TIRX_API Expr floormod(Expr a, Expr b, Location loc = {});
// (a + b - 1) // b
TIRX_API Expr ceildiv(Expr a, Expr b, Location loc = {});
// Index arithmetic, known to be non-negative: floor forms.
inline Expr indexdiv(Expr a, Expr b, Location loc = {}) {
  return floordiv(std::move(a), std::move(b), std::move(loc));
}
inline Expr indexmod(Expr a, Expr b, Location loc = {}) {
  return floormod(std::move(a), std::move(b), std::move(loc));
}
TIRX_API Expr min(Expr a, Expr b, Location loc = {});
TIRX_API Expr max(Expr a, Expr b, Location loc = {});

TIRX_API Expr eq(Expr a, Expr b, Location loc = {});
TIRX_API Expr ne(Expr a, Expr b, Location loc = {});
TIRX_API Expr lt(Expr a, Expr b, Location loc = {});
TIRX_API Expr le(Expr a, Expr b, Location loc = {});
TIRX_API Expr gt(Expr a, Expr b, Location loc = {});
TIRX_API Expr ge(Expr a, Expr b, Location loc = {});

// Never folded.
TIRX_API Expr logical_and(Expr a, Expr b, Location loc = {});
TIRX_API Expr logical_or(Expr a, Expr b, Location loc = {});
TIRX_API Expr logical_not(Expr a, Location loc = {});

TIRX_API Expr bitwise_and(Expr a, Expr b, Location loc = {});
TIRX_API Expr bitwise_or(Expr a, Expr b, Location loc = {});
TIRX_API Expr bitwise_xor(Expr a, Expr b, Location loc = {});
TIRX_API Expr bitwise_not(Expr a, Location loc = {});
TIRX_API Expr shift_left(Expr a, Expr b, Location loc = {});
TIRX_API Expr shift_right(Expr a, Expr b, Location loc = {});

// a * -1
TIRX_API Expr neg(Expr a, Location loc = {});
// Of an int a Select, of a float prim.fabs, of an unsigned integer itself.
TIRX_API Expr abs(Expr a, Location loc = {});
// To `dtype`; the operand itself when it has the type; a scalar to a vector type is broadcast;
// constants fold when the value fits.
TIRX_API Expr cast(Expr a, DLDataType dtype, Location loc = {});
// Both sides are promoted to one type; evaluates both.
TIRX_API Expr select(Expr condition, Expr true_value, Expr false_value, Location loc = {});
// A call of prim.if_then_else; evaluates one side.
TIRX_API Expr if_then_else(Expr condition, Expr true_value, Expr false_value, Location loc = {});

// Float tests; isinf and isfinite expand to comparisons, on ints all are constants.
TIRX_API Expr isnan(Expr a, Location loc = {});
TIRX_API Expr isinf(Expr a, Location loc = {});
TIRX_API Expr isfinite(Expr a, Location loc = {});

// Constants. A value out of the range of the type is a ValueError.
TIRX_API Expr int_imm(DLDataType dtype, int64_t value, Location loc = {});
TIRX_API Expr float_imm(DLDataType dtype, double value, Location loc = {});
inline Expr int32(int64_t value) { return int_imm(Int(32), value); }
inline Expr int64(int64_t value) { return int_imm(Int(64), value); }
TIRX_API Expr bool_imm(bool value, Location loc = {});
// The constant of an arithmetic type, broadcast for a vector type.
TIRX_API Expr const_of(DLDataType dtype, double value, Location loc = {});
TIRX_API Expr zero(DLDataType dtype, Location loc = {});
TIRX_API Expr one(DLDataType dtype, Location loc = {});
// Extreme values of a type; infinity only for floats that have one.
TIRX_API Expr max_value(DLDataType dtype, Location loc = {});
TIRX_API Expr min_value(DLDataType dtype, Location loc = {});
TIRX_API Expr infinity(DLDataType dtype, Location loc = {});

// A call of the operator; `ty` null for the type that the operator implies.
TIRX_API Expr call_op(OpId id, ffi::Array<Expr> args, Type ty = {}, Location loc = {});
TIRX_API Expr call_op(std::string_view name, ffi::Array<Expr> args, Type ty = {},
                      Location loc = {});

// The operator function for a binary node kind, e.g. add for ExprKind::Add.
TIRX_API Expr fold_binary(ExprKind kind, Expr a, Expr b, Location loc = {});
// What two constants or an identity give; a null Expr when nothing folds. Operands already have
// one type.
TIRX_API Expr try_fold(ExprKind kind, const Expr& a, const Expr& b);
// Casts and broadcasts the operands to their common type.
TIRX_API void promote(Expr* a, Expr* b);

// The value of a scalar integer or bool constant (also below a Broadcast: no), else nullopt.
inline std::optional<int64_t> as_const_int(const Expr& e) {
  if (!e.is(ExprKind::IntImm)) return std::nullopt;
  return static_cast<const IntImmObj*>(e.get())->bits();
}
inline bool is_const_int(const Expr& e, int64_t value) {
  auto v = as_const_int(e);
  return v && *v == value;
}
inline std::optional<double> as_const_float(const Expr& e) {
  if (!e.is(ExprKind::FloatImm)) return std::nullopt;
  return static_cast<const FloatImmObj*>(e.get())->value;
}
inline bool is_zero(const Expr& e) { return is_const_int(e, 0); }
inline bool is_one(const Expr& e) { return is_const_int(e, 1); }

}  // namespace tirx
}  // namespace tvm
