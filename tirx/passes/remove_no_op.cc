// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/remove_no_op.h"

#include "tirx/ir/analysis.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace {

bool IsPure(const Expr& expr) { return SideEffect(expr) < Effect::UpdateState; }

bool IsEmpty(const SeqStmt& block) { return !block.defined() || block->seq.empty(); }

class NoOpRemover final : public StmtExprMutator {
 protected:
  Stmt VisitEvaluate(Evaluate op) final {
    if (IsPure(op->value)) return Stmt();
    return op;
  }

  Stmt VisitFor(For op) final {
    auto begin = as_const_int(op->begin), end = as_const_int(op->end),
         step = as_const_int(op->step);
    if (begin && end && step && (*step > 0 ? *begin >= *end : *begin <= *end)) return Stmt();
    Stmt inner = StmtExprMutator::VisitFor(std::move(op));
    auto* loop = static_cast<const ForObj*>(inner.get());
    if (IsEmpty(loop->body) && IsPure(loop->begin) && IsPure(loop->end) && IsPure(loop->step)) {
      return Stmt();
    }
    return inner;
  }

  Stmt VisitIf(If op) final {
    Stmt inner = StmtExprMutator::VisitIf(std::move(op));
    auto* branch = static_cast<const IfObj*>(inner.get());
    if (auto constant = as_const_int(branch->condition)) {
      const SeqStmt& taken = *constant != 0 ? branch->then_case : branch->else_case;
      return IsEmpty(taken) ? Stmt() : Stmt(taken);
    }
    if (IsEmpty(branch->then_case) && IsEmpty(branch->else_case)) {
      return IsPure(branch->condition) ? Stmt() : Stmt(Evaluate(branch->condition, branch->loc));
    }
    if (branch->else_case.defined() && IsEmpty(branch->else_case)) {
      return If(branch->condition, branch->then_case, SeqStmt(), branch->loc);
    }
    return inner;
  }

  Stmt VisitTensorStore(TensorStore op) final {
    if (op->value.is(ExprKind::TensorLoad)) {
      auto* load = static_cast<const TensorLoadObj*>(op->value.get());
      bool same = load->source.same_as(op->dest) && load->indices.size() == op->indices.size();
      for (size_t i = 0; same && i < op->indices.size(); ++i) {
        same = DeepEqual(load->indices[i], op->indices[i]) && IsPure(op->indices[i]);
      }
      if (same) return Stmt();
    }
    return op;
  }
};

}  // namespace

IRModule RemoveNoOp(IRModule module) {
  return MapFunctions(module, [](const Function& f) { return NoOpRemover().Rewrite(f); });
}

}  // namespace tirx
}  // namespace tvm
