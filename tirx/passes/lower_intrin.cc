// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/lower_intrin.h"

#include <bit>

#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace {

class DivisionLowerer final : public StmtExprMutator {
 protected:
  Expr VisitFloorDiv(FloorDiv op) final { return Lower(op->a, op->b, /*quotient=*/true); }
  Expr VisitFloorMod(FloorMod op) final { return Lower(op->a, op->b, /*quotient=*/false); }

 private:
  Expr Lower(const Expr& left, const Expr& right, bool quotient) {
    Expr a = VisitExpr(left), b = VisitExpr(right);
    DLDataType dtype = a->dtype();
    DLDataType element = Element(dtype);
    auto divisor = as_const_int(
        b.is(ExprKind::Broadcast) ? static_cast<const BroadcastObj*>(b.get())->value : b);
    auto constant = [&](int64_t value) {
      Expr scalar = int_imm(element, value);
      return IsVector(dtype) ? cast(scalar, dtype) : scalar;
    };
    if (divisor && *divisor > 0 && std::has_single_bit(static_cast<uint64_t>(*divisor))) {
      int shift = std::countr_zero(static_cast<uint64_t>(*divisor));
      return quotient ? Expr(RShift(a, constant(shift)))
                      : Expr(BitwiseAnd(a, constant(*divisor - 1)));
    }
    Expr q = Div(a, b), r = Mod(a, b);
    if (IsUInt(dtype)) return quotient ? q : r;
    if (divisor && *divisor > 0) {
      // The remainder is negative exactly when its sign bits are all ones.
      Expr sign = RShift(r, constant(dtype.bits - 1));
      return quotient ? Expr(Add(q, sign)) : Expr(Add(r, BitwiseAnd(b, sign)));
    }
    Var remainder("rmod", r->ty);
    Expr nought = constant(0);
    Expr right_sign = divisor ? Expr(LE(remainder, nought))
                              : Expr(Or(And(GE(b, nought), GE(remainder, nought)),
                                        And(LT(b, nought), LE(remainder, nought))));
    if (!quotient) {
      return Let(remainder, r, Select(right_sign, remainder, Add(remainder, b)));
    }
    Var rounded("rdiv", q->ty);
    Expr body = Let(rounded, q, Select(right_sign, rounded, Sub(rounded, constant(1))));
    return Let(remainder, r, body);
  }
};

}  // namespace

IRModule LowerIntrin(IRModule module) {
  return MapFunctions(
      module, [](const Function& function) {
        if (!function.HasAttr(attr::kTarget)) {
          TVM_FFI_THROW(ValueError)
              << "LowerIntrin needs the attribute `target` of each function: run BindTarget";
        }
        return DivisionLowerer().Rewrite(function);
      });
}

}  // namespace tirx
}  // namespace tvm
