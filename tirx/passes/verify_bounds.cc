// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/verify_bounds.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {
namespace {

// `file:line: ` of a node, empty when it is not known.
std::string Place(const Location& loc) {
  if (auto* call = loc.as<CallSiteLocObj>()) return Place(call->callee);
  if (auto* source = loc.as<SourceLocObj>()) {
    return std::string(source->source_name->name) + ":" + std::to_string(source->start_line) + ": ";
  }
  return "";
}

std::string Name(const Expr& tensor) {
  if (!tensor.is(ExprKind::Var)) return "a tensor";
  return "`" + std::string(static_cast<const VarObj*>(tensor.get())->name) + "`";
}

struct Interval {
  int64_t low, high;
};

class BoundsVerifier final : public StmtExprVisitor {
 protected:
  void VisitFor(const ForObj* op) final {
    VisitExpr(op->begin);
    VisitExpr(op->end);
    auto begin = as_const_int(op->begin), end = as_const_int(op->end),
         step = as_const_int(op->step);
    bool runs = begin && end && step && *step == 1 && *begin < *end;
    if (runs) ranges_[op->var.get()] = {*begin, *end - 1};
    // A loop that may not run, or that a jump may leave, proves nothing about its body.
    bool certain = runs && !HasJump(op->body);
    if (!certain) ++guarded_;
    VisitStmt(op->body);
    if (!certain) --guarded_;
    ranges_.erase(op->var.get());
  }

  void VisitWhile(const WhileObj* op) final {
    ++guarded_;
    StmtExprVisitor::VisitWhile(op);
    --guarded_;
  }

  void VisitIf(const IfObj* op) final {
    VisitExpr(op->condition);
    ++guarded_;
    VisitStmt(op->then_case);
    if (op->else_case.defined()) VisitStmt(op->else_case);
    --guarded_;
  }

  void VisitAnd(const AndObj* op) final { VisitGuarded(op->a, op->b); }
  void VisitOr(const OrObj* op) final { VisitGuarded(op->a, op->b); }

  void VisitSelect(const SelectObj* op) final {
    ++guarded_;
    StmtExprVisitor::VisitSelect(op);
    --guarded_;
  }

  void VisitCall(const CallObj* op) final {
    // An address is no access; a choice evaluates one side.
    const OpObj* called = CalledOp(op);
    bool plain = called != nullptr && called->id() != OpId::prim_if_then_else &&
                 called->id() != OpId::tirx_address_of;
    if (!plain) ++guarded_;
    StmtExprVisitor::VisitCall(op);
    if (!plain) --guarded_;
  }

  void VisitReturn(const ReturnObj* op) final {
    StmtExprVisitor::VisitReturn(op);
    ++guarded_;  // what follows may not run
  }

  void VisitTensorLoad(const TensorLoadObj* op) final {
    Check(op->source, op->indices, op->loc);
    StmtExprVisitor::VisitTensorLoad(op);
  }

  void VisitTensorStore(const TensorStoreObj* op) final {
    Check(op->dest, op->indices, op->loc);
    StmtExprVisitor::VisitTensorStore(op);
  }

 private:
  void VisitGuarded(const Expr& always, const Expr& sometimes) {
    VisitExpr(always);
    ++guarded_;
    VisitExpr(sometimes);
    --guarded_;
  }

  static bool HasJump(const Stmt& body) {
    bool found = false;
    PostOrderVisitStmt(body, [&](const Stmt& s) {
      found |= s.is(StmtKind::Break) || s.is(StmtKind::Continue) || s.is(StmtKind::Return);
    });
    return found;
  }

  std::optional<Interval> Bound(const Expr& e) const {
    if (auto value = as_const_int(e)) return Interval{*value, *value};
    if (e.is(ExprKind::Var)) {
      auto it = ranges_.find(static_cast<const VarObj*>(e.get()));
      if (it == ranges_.end()) return std::nullopt;
      return it->second;
    }
    if (e.is(ExprKind::Ramp)) return BoundOfRamp(static_cast<const RampObj*>(e.get()));
    if (!e.is(ExprKind::Add) && !e.is(ExprKind::Sub) && !e.is(ExprKind::Mul)) return std::nullopt;
    auto a = Bound(Lhs(e.get())), b = Bound(Rhs(e.get()));
    if (!a || !b) return std::nullopt;
    constexpr int64_t kLimit = int64_t{1} << 31;
    for (int64_t v : {a->low, a->high, b->low, b->high}) {
      if (v > kLimit || v < -kLimit) return std::nullopt;
    }
    if (e.is(ExprKind::Add)) return Interval{a->low + b->low, a->high + b->high};
    if (e.is(ExprKind::Sub)) return Interval{a->low - b->high, a->high - b->low};
    if (b->low != b->high) std::swap(a, b);
    if (b->low != b->high) return std::nullopt;
    int64_t x = a->low * b->low, y = a->high * b->low;
    return Interval{std::min(x, y), std::max(x, y)};
  }

  // From the first lane to the last.
  std::optional<Interval> BoundOfRamp(const RampObj* ramp) const {
    auto base = Bound(ramp->base);
    auto stride = as_const_int(ramp->stride), lanes = as_const_int(ramp->lanes);
    constexpr int64_t kLimit = int64_t{1} << 31;
    if (!base || !stride || !lanes || *stride > kLimit || *stride < -kLimit) return std::nullopt;
    int64_t reach = *stride * (*lanes - 1);
    return Interval{base->low + std::min<int64_t>(reach, 0),
                    base->high + std::max<int64_t>(reach, 0)};
  }

  // Each variable once, or the extremes need not be reached together.
  static bool IsLinear(const Expr& e, std::vector<const ffi::Object*>* seen) {
    bool linear = true;
    PostOrderVisitExpr(e, [&](const Expr& x) {
      if (!x.is(ExprKind::Var)) return;
      for (const ffi::Object* other : *seen) linear &= other != x.get();
      seen->push_back(x.get());
    });
    return linear;
  }

  void Check(const Expr& tensor, const ffi::Array<Expr>& indices, const Location& loc) const {
    const TensorTypeObj* type = AsTensorType(tensor);
    if (guarded_ > 0 || type == nullptr || indices.size() != type->shape.size()) return;
    for (size_t d = 0; d < indices.size(); ++d) {
      if (!IsScalar(indices[d]->dtype()) && !indices[d].is(ExprKind::Ramp)) continue;
      auto extent = as_const_int(type->shape[d]);
      std::vector<const ffi::Object*> seen;
      auto bound = Bound(indices[d]);
      if (!bound || !IsLinear(indices[d], &seen)) continue;
      int64_t bad = bound->low < 0 ? bound->low : bound->high;
      if (bound->low >= 0 && (!extent || bound->high < *extent)) continue;
      TVM_FFI_THROW(IndexError) << Place(loc) << "index " << bad << " of dimension " << d << " of "
                                << Name(tensor) << " is out of bounds"
                                << (extent ? ": the extent is " + std::to_string(*extent) : "");
    }
  }

  std::unordered_map<const VarObj*, Interval> ranges_;
  int guarded_ = 0;
};

// The checks that the accesses of an expression need, each under the condition that the access
// happens.
class AccessCollector final : public ExprVisitor {
 public:
  std::vector<Stmt> checks;

  void Check(const Expr& tensor, const ffi::Array<Expr>& indices, const Location& loc) {
    const TensorTypeObj* type = AsTensorType(tensor);
    if (type == nullptr || indices.size() != type->shape.size()) return;
    for (size_t d = 0; d < indices.size(); ++d) {
      const Expr& index = indices[d];
      if (!IsScalar(index->dtype())) continue;
      Expr inside = lt(index, type->shape[d]);
      if (!IsUInt(index->dtype())) inside = logical_and(ge(index, zero(index->dtype())), inside);
      for (auto it = guards_.rbegin(); it != guards_.rend(); ++it) {
        inside = logical_or(logical_not(*it), inside);
      }
      std::string text = Place(loc) + "index of dimension " + std::to_string(d) + " of " +
                         Name(tensor) + " is out of bounds";
      checks.push_back(AssertStmt(inside, StringImm("IndexError"), {StringImm(text)}, loc));
    }
  }

 protected:
  void VisitTensorLoad(const TensorLoadObj* op) final {
    ExprVisitor::VisitTensorLoad(op);
    Check(op->source, op->indices, op->loc);
  }
  void VisitAnd(const AndObj* op) final { Guarded(op->a, op->a, op->b); }
  void VisitOr(const OrObj* op) final { Guarded(op->a, logical_not(op->a), op->b); }
  void VisitCall(const CallObj* op) final {
    const OpObj* called = CalledOp(op);
    if (called != nullptr && called->id() == OpId::tirx_address_of) return;
    if (called != nullptr && called->id() == OpId::prim_if_then_else &&
        IsScalar(op->args[0]->dtype())) {
      VisitExpr(op->args[0]);
      Under(op->args[0], op->args[1]);
      Under(logical_not(op->args[0]), op->args[2]);
      return;
    }
    ExprVisitor::VisitCall(op);
  }
  void VisitLet(const LetObj* op) final { VisitExpr(op->value); }  // the body names a new variable
  void VisitLambdaExpr(const LambdaExprObj*) final {}

 private:
  void Guarded(const Expr& first, Expr guard, const Expr& second) {
    VisitExpr(first);
    if (!IsScalar(first->dtype())) return VisitExpr(second);
    Under(std::move(guard), second);
  }
  void Under(Expr guard, const Expr& expr) {
    guards_.push_back(std::move(guard));
    VisitExpr(expr);
    guards_.pop_back();
  }

  std::vector<Expr> guards_;
};

class CheckInserter final : public StmtExprMutator {
 protected:
  Stmt VisitBind(Bind op) final { return WithChecks(op, {op->value}); }
  Stmt VisitEvaluate(Evaluate op) final { return WithChecks(op, {op->value}); }
  Stmt VisitReturn(Return op) final { return WithChecks(op, {op->value}); }
  Stmt VisitAssertStmt(AssertStmt op) final { return WithChecks(op, {op->condition}); }

  Stmt VisitTensorStore(TensorStore op) final {
    AccessCollector collector;
    for (const Expr& index : op->indices) collector.VisitExpr(index);
    collector.VisitExpr(op->value);
    collector.Check(op->dest, op->indices, op->loc);
    return Sequence(collector.checks, op);
  }

  Stmt VisitIf(If op) final {
    std::vector<Expr> exprs{op->condition};
    return WithChecks(StmtExprMutator::VisitIf(std::move(op)), exprs);
  }

  Stmt VisitFor(For op) final {
    std::vector<Expr> exprs{op->begin, op->end, op->step};
    return WithChecks(StmtExprMutator::VisitFor(std::move(op)), exprs);
  }

 private:
  static Stmt WithChecks(Stmt stmt, const std::vector<Expr>& exprs) {
    AccessCollector collector;
    for (const Expr& expr : exprs) collector.VisitExpr(expr);
    return Sequence(collector.checks, stmt);
  }

  static Stmt Sequence(const std::vector<Stmt>& checks, Stmt stmt) {
    if (checks.empty()) return stmt;
    ffi::Array<Stmt> all(checks.begin(), checks.end());
    all.push_back(stmt);
    return SeqStmt(all);
  }
};

}  // namespace

IRModule VerifyBounds(IRModule module) {
  ForEachFunction(module, [](const GlobalVar&, const Function& function) {
    if (function->body.defined()) BoundsVerifier().VisitStmt(function->body);
  });
  return module;
}

IRModule InsertBoundChecks(IRModule module) {
  return MapFunctions(module, [](const Function& f) { return CheckInserter().Rewrite(f); });
}

}  // namespace tirx
}  // namespace tvm
