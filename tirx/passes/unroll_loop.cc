// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/unroll_loop.h"

#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/visitor.h"
#include "tirx/passes/pass_config.h"
#include "tirx/passes/renew_definitions.h"

namespace tvm {
namespace tirx {
namespace {

struct Options {
  int64_t auto_max_step = ConfigField("tirx.UnrollLoop", "auto_max_step", 0);
  int64_t auto_max_depth = ConfigField("tirx.UnrollLoop", "auto_max_depth", 8);
  int64_t auto_max_extent = ConfigField("tirx.UnrollLoop", "auto_max_extent", 0);
  bool explicit_unroll = ConfigField("tirx.UnrollLoop", "explicit_unroll", 1) != 0;
};

// Whether a jump in the body belongs to this loop.
class JumpFinder final : public StmtExprVisitor {
 public:
  bool found = false;

 protected:
  void VisitBreak(const BreakObj*) final { found = true; }
  void VisitContinue(const ContinueObj*) final { found = true; }
  void VisitFor(const ForObj*) final {}
  void VisitWhile(const WhileObj*) final {}
};

class Unroller final : public StmtExprMutator {
 protected:
  Stmt VisitFor(For op) final {
    Stmt inner = StmtExprMutator::VisitFor(op);
    For loop = inner.as<For>().value();
    auto begin = as_const_int(loop->begin), end = as_const_int(loop->end),
         step = as_const_int(loop->step);
    int64_t count = -1;
    if (begin && end && step && *step != 0) {
      int64_t distance = *step > 0 ? *end - *begin : *begin - *end;
      int64_t stride = *step > 0 ? *step : -*step;
      count = distance <= 0 ? 0 : (distance + stride - 1) / stride;
    }
    int64_t steps = std::max<int64_t>(count, 0) * std::max<int64_t>(inner_steps_, 1);
    bool automatic = count >= 0 && loop->loop_kind() == ForKind::Serial &&
                     inner_depth_ < options_.auto_max_depth &&
                     (steps <= options_.auto_max_step ||
                      (options_.auto_max_extent > 0 && count <= options_.auto_max_extent)) &&
                     (options_.auto_max_step > 0 || options_.auto_max_extent > 0);
    bool marked = loop->loop_kind() == ForKind::Unrolled;
    inner_steps_ = count < 0 ? inner_steps_ : steps;
    ++inner_depth_;
    if (!marked && !automatic) {
      inner_steps_ = 0;
      inner_depth_ = 0;
      return loop;
    }
    if (!options_.explicit_unroll || count < 0) {
      if (marked) return loop;
      return For(loop->var, loop->begin, loop->end, loop->step, ForKind::Unrolled, loop->body,
                 loop->annotations, loop->loc);
    }
    JumpFinder jumps;
    jumps.VisitStmt(loop->body);
    if (jumps.found) {
      return For(loop->var, loop->begin, loop->end, loop->step, ForKind::Serial, loop->body,
                 loop->annotations, loop->loc);
    }
    ffi::Array<Stmt> copies;
    for (int64_t i = 0; i < count; ++i) {
      Expr value = int_imm(loop->var->dtype(), *begin + i * *step);
      Stmt body = i + 1 < count ? RenewDefinitions(loop->body) : Stmt(loop->body);
      copies.push_back(Substitute(
          body, [&](const Var& var) { return var.same_as(loop->var) ? value : Expr(); }));
    }
    return SeqStmt(copies);
  }

 private:
  Options options_;
  int64_t inner_steps_ = 0;
  int64_t inner_depth_ = 0;
};

}  // namespace

IRModule UnrollLoop(IRModule module) {
  return MapFunctions(module, [](const Function& f) { return Unroller().Rewrite(f); });
}

}  // namespace tirx
}  // namespace tvm
