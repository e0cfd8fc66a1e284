// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tirx/ir/analysis.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/stack_guard.h"
#include "tirx/script/builder.h"

namespace tvm {
namespace tirx {
namespace {

// A sum of integer multiples of expressions that are looked at no further, and a constant.
struct LinearForm {
  std::vector<std::pair<Expr, int64_t>> terms;
  int64_t constant = 0;

  void Add(const Expr& expr, int64_t factor) {
    GuardStack();
    if (auto value = as_const_int(expr)) {
      constant += *value * factor;
      return;
    }
    switch (expr.kind()) {
      case ExprKind::Add:
        Add(Lhs(expr.get()), factor);
        return Add(Rhs(expr.get()), factor);
      case ExprKind::Sub:
        Add(Lhs(expr.get()), factor);
        return Add(Rhs(expr.get()), -factor);
      case ExprKind::Mul:
        if (auto value = as_const_int(Rhs(expr.get()))) {
          return Add(Lhs(expr.get()), factor * *value);
        }
        if (auto value = as_const_int(Lhs(expr.get()))) {
          return Add(Rhs(expr.get()), factor * *value);
        }
        break;
      default:
        break;
    }
    for (auto& [term, coefficient] : terms) {
      if (DeepEqual(term, expr)) {
        coefficient += factor;
        return;
      }
    }
    terms.emplace_back(expr, factor);
  }
};

}  // namespace

std::optional<int64_t> ConstantDifference(const Expr& a, const Expr& b) {
  LinearForm form;
  form.Add(a, 1);
  form.Add(b, -1);
  for (const auto& [term, coefficient] : form.terms) {
    if (coefficient != 0) return std::nullopt;
  }
  return form.constant;
}

}  // namespace tirx
}  // namespace tvm
