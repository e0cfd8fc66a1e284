// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/expand_operators.h"

#include <tvm/ffi/extra/structural_equal.h>

#include <string>

#include "tirx/ir/mutator.h"
#include "tirx/ir/node_text.h"
#include "tirx/ir/ops.h"
#include "tirx/target/target.h"

namespace tvm {
namespace tirx {
namespace {

constexpr const char* kDefaultHook = "default.FLowerIntrin";
// An expansion may use operators that expand again, but not without end.
constexpr int kNestingMost = 64;

class Expander final : public StmtExprMutator {
 public:
  explicit Expander(const std::string& kind) : kind_hook_(kind + ".FLowerIntrin") {}

 protected:
  Expr VisitCall(Call op) final {
    Expr visited = ExprMutator::VisitCall(std::move(op));
    if (!visited.is(ExprKind::Call)) return visited;
    const CallObj* call = static_cast<const CallObj*>(visited.get());
    const OpObj* called = CalledOp(call);
    if (called == nullptr || called->id() != OpId::Unknown) return visited;
    ffi::Any hook = HookOf(called);
    if (hook == nullptr) return visited;
    TVM_FFI_CHECK(nesting_ < kNestingMost, RuntimeError)
        << "the expansion of operator `" << called->name << "` does not end";
    Expr expanded = hook.cast<ffi::Function>()(visited).cast<Expr>();
    TVM_FFI_CHECK(ffi::StructuralEqual()(expanded->ty, call->ty), TypeError)
        << "the expansion of operator `" << called->name << "` has type " << ShortText(expanded->ty)
        << ", its call " << ShortText(call->ty);
    ++nesting_;
    expanded = VisitExpr(std::move(expanded));
    --nesting_;
    return expanded;
  }

  Stmt VisitEvaluate(Evaluate op) final {
    Stmt visited = StmtExprMutator::VisitEvaluate(std::move(op));
    if (!visited.is(StmtKind::Evaluate)) return visited;
    const Expr& value = static_cast<const EvaluateObj*>(visited.get())->value;
    if (!value.is(ExprKind::Call)) return visited;
    const OpObj* called = CalledOp(static_cast<const CallObj*>(value.get()));
    if (called == nullptr || called->id() != OpId::Unknown) return visited;
    Effect effect = Op::Find({called->name.data(), called->name.size()}).effect();
    if (effect != Effect::EmbedInfo && effect != Effect::ExprAnnotation) return visited;
    return Evaluate(int_imm(Int(32), 0));
  }

 private:
  ffi::Any HookOf(const OpObj* called) const {
    Op op = Op::Find({called->name.data(), called->name.size()});
    for (const std::string& column : {kind_hook_, std::string(kDefaultHook)}) {
      if (op.HasAttr(column)) return op.GetAttr(column);
    }
    return ffi::Any();
  }

  std::string kind_hook_;
  int nesting_ = 0;
};

}  // namespace

IRModule ExpandOperators(IRModule module) {
  return MapFunctions(module, [](const Function& function) {
    auto target = function.GetAttr<Target>(attr::kTarget);
    if (!target.has_value() || !function->body.defined()) return function;
    return Expander(std::string((*target)->kind->name)).Rewrite(function);
  });
}

}  // namespace tirx
}  // namespace tvm
