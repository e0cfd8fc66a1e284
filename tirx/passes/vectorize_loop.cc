// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/vectorize_loop.h"

#include <tvm/ffi/cast.h>

#include <optional>
#include <unordered_set>

#include "tirx/ir/analysis.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/visitor.h"
#include "tirx/passes/pass_config.h"

namespace tvm {
namespace tirx {
namespace {

// The value of an expression for all iterations at once; a null Expr when there is no such form.
class Widener {
 public:
  Widener(const VarObj* var, Expr begin, int lanes)
      : var_(var), begin_(std::move(begin)), lanes_(lanes) {}

  Expr Widen(const Expr& expr) {
    if (!UsesVar(expr, [this](const VarObj* v) { return v == var_; })) return expr;
    if (!expr->ty.is_prim() || IsVector(expr->dtype())) return Expr();
    switch (expr->kind) {
      case ExprKind::Var:
        return Ramp(begin_, one(expr->dtype()), int32(lanes_));
      case ExprKind::Add:
      case ExprKind::Sub:
      case ExprKind::Mul:
      case ExprKind::Div:
      case ExprKind::Mod:
      case ExprKind::FloorDiv:
      case ExprKind::FloorMod:
      case ExprKind::Min:
      case ExprKind::Max:
      case ExprKind::EQ:
      case ExprKind::NE:
      case ExprKind::LT:
      case ExprKind::LE:
      case ExprKind::GT:
      case ExprKind::GE:
      case ExprKind::And:
      case ExprKind::Or:
      case ExprKind::BitwiseAnd:
      case ExprKind::BitwiseOr:
      case ExprKind::BitwiseXor:
      case ExprKind::LShift:
      case ExprKind::RShift: {
        Expr a = Widen(Lhs(expr.get())), b = Widen(Rhs(expr.get()));
        if (!a.defined() || !b.defined()) return Expr();
        return Combine(expr->kind, a, b, expr->loc);
      }
      case ExprKind::Not: {
        Expr a = Widen(static_cast<const NotObj*>(expr.get())->a);
        return a.defined() ? Expr(Not(a, expr->loc)) : Expr();
      }
      case ExprKind::Cast: {
        Expr value = Widen(static_cast<const CastObj*>(expr.get())->value);
        if (!value.defined()) return Expr();
        return Cast(WithLanes(expr->dtype(), lanes_), value, expr->loc);
      }
      case ExprKind::Select: {
        auto* op = static_cast<const SelectObj*>(expr.get());
        Expr c = Widen(op->condition), yes = Widen(op->true_value), no = Widen(op->false_value);
        if (!c.defined() || !yes.defined() || !no.defined()) return Expr();
        return Select(Wide(c), Wide(yes), Wide(no), expr->loc);
      }
      case ExprKind::TensorLoad: {
        auto* op = static_cast<const TensorLoadObj*>(expr.get());
        auto indices = Indices(op->indices);
        return indices ? Expr(TensorLoad(op->source, *indices, expr->loc)) : Expr();
      }
      case ExprKind::Call: {
        auto* op = static_cast<const CallObj*>(expr.get());
        const OpObj* called = CalledOp(op);
        if (called == nullptr || !ffi::GetRef<Op>(called).vectorizable()) return Expr();
        ffi::Array<Expr> args;
        for (const Expr& arg : op->args) {
          Expr wide = arg->ty.is_prim() ? Widen(arg) : Expr();
          if (!wide.defined()) return Expr();
          args.push_back(Wide(wide));
        }
        return Call(op->op, args, op->attrs, op->ty_args,
                    PrimType(WithLanes(expr->dtype(), lanes_)), expr->loc);
      }
      default:
        return Expr();
    }
  }

  std::optional<ffi::Array<Expr>> Indices(const ffi::Array<Expr>& indices) {
    ffi::Array<Expr> result;
    for (size_t i = 0; i < indices.size(); ++i) {
      Expr wide = Widen(indices[i]);
      if (!wide.defined()) return std::nullopt;
      // The type system of accesses knows one vector index, the last.
      if (IsVector(wide->dtype()) && i + 1 != indices.size()) return std::nullopt;
      result.push_back(wide);
    }
    return result;
  }

  Expr Wide(const Expr& expr) {
    return IsVector(expr->dtype()) ? expr : Expr(Broadcast(expr, int32(lanes_)));
  }

 private:
  // A ramp stays one under addition and multiplication with a scalar.
  Expr Combine(ExprKind kind, const Expr& a, const Expr& b, const Location& loc) {
    auto ramp = [](const Expr& e) {
      return e.is(ExprKind::Ramp) ? static_cast<const RampObj*>(e.get()) : nullptr;
    };
    const RampObj* left = ramp(a);
    const RampObj* right = ramp(b);
    bool scalar_a = IsScalar(a->dtype()), scalar_b = IsScalar(b->dtype());
    Expr n = int32(lanes_);
    if (kind == ExprKind::Add && left && scalar_b) return Ramp(add(left->base, b), left->stride, n);
    if (kind == ExprKind::Add && right && scalar_a)
      return Ramp(add(a, right->base), right->stride, n);
    if (kind == ExprKind::Sub && left && scalar_b) return Ramp(sub(left->base, b), left->stride, n);
    if (kind == ExprKind::Mul && left && scalar_b) {
      return Ramp(mul(left->base, b), mul(left->stride, b), n);
    }
    if (kind == ExprKind::Mul && right && scalar_a) {
      return Ramp(mul(a, right->base), mul(a, right->stride), n);
    }
    return MakeBinary(kind, Wide(a), Wide(b), loc);
  }

  const VarObj* var_;
  Expr begin_;
  int lanes_;
};

class Vectorizer final : public StmtExprMutator {
 public:
  Vectorizer(bool enable, bool no_alias) : enable_(enable), no_alias_(no_alias) {}

 protected:
  Stmt VisitFor(For op) final {
    if (op->loop_kind() != ForKind::Vectorized) return StmtExprMutator::VisitFor(std::move(op));
    if (enable_) {
      Stmt wide = Vectorized(op);
      if (wide.defined()) return wide;
    }
    SeqStmt body = VisitBody(op->body);
    return For(op->var, op->begin, op->end, op->step, ForKind::Serial, body, op->annotations,
               op->loc);
  }

 private:
  Stmt Vectorized(const For& op) {
    auto begin = as_const_int(op->begin), end = as_const_int(op->end),
         step = as_const_int(op->step);
    if (!begin || !end || !step || *step != 1 || *end - *begin < 2 || *end - *begin > 1024)
      return Stmt();
    if (!Separable(op)) return Stmt();
    Widener widener(op->var.get(), op->begin, static_cast<int>(*end - *begin));
    ffi::Array<Stmt> stores;
    for (const Stmt& stmt : op->body->seq) {
      auto* store = static_cast<const TensorStoreObj*>(stmt.get());
      Expr value = widener.Widen(store->value);
      auto indices = widener.Indices(store->indices);
      if (!value.defined() || !indices) return Stmt();
      bool wide_index = false;
      for (const Expr& index : *indices) wide_index |= IsVector(index->dtype());
      if (!wide_index) return Stmt();  // every iteration stores to one element: the last one stays
      stores.push_back(TensorStore(store->dest, *indices, widener.Wide(value), store->loc));
    }
    return SeqStmt(stores);
  }

  // Whether the iterations of one store may all be done before the next store.
  bool Separable(const For& op) const {
    std::unordered_set<const ffi::Object*> tensors, stored;
    for (const Stmt& stmt : op->body->seq) {
      if (!stmt.is(StmtKind::TensorStore)) return false;
      auto* store = static_cast<const TensorStoreObj*>(stmt.get());
      tensors.insert(store->dest.get());
      // Two stores to one tensor might meet.
      if (!stored.insert(store->dest.get()).second) return false;
    }
    bool separable = true;
    for (const Stmt& stmt : op->body->seq) {
      auto* store = static_cast<const TensorStoreObj*>(stmt.get());
      PostOrderVisitExpr(stmt, [&](const Expr& e) {
        if (!e.is(ExprKind::TensorLoad)) return;
        auto* load = static_cast<const TensorLoadObj*>(e.get());
        tensors.insert(load->source.get());
        if (stored.count(load->source.get()) == 0) return;
        bool same =
            load->source.same_as(store->dest) && load->indices.size() == store->indices.size();
        for (size_t i = 0; same && i < load->indices.size(); ++i) {
          same = DeepEqual(load->indices[i], store->indices[i]);
        }
        separable &= same;
      });
    }
    return separable && (no_alias_ || tensors.size() <= 1);
  }

  const bool enable_;
  const bool no_alias_;
};

}  // namespace

IRModule VectorizeLoop(IRModule module, bool enable) {
  return MapFunctions(module, [&](const Function& function) {
    bool no_alias = function.GetAttr<bool>(attr::kNoAlias).value_or(ConfigFlag("tirx.noalias"));
    return Vectorizer(enable, no_alias).Rewrite(function);
  });
}

}  // namespace tirx
}  // namespace tvm
