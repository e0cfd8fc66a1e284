// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/common_subexpr_elim.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "tirx/ir/analysis.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {
namespace {

constexpr int kMaxNodes = 128;

// Number of nodes of an expression that may be named; 0 for one that may not.
int CountNodes(const Expr& expr, int budget) {
  if (budget <= 0 || !expr->ty.is_prim()) return 0;
  auto sum = [&](std::initializer_list<const Expr*> children) {
    int total = 1;
    for (const Expr* child : children) {
      int nodes = CountNodes(*child, budget - total);
      if (nodes == 0) return 0;
      total += nodes;
    }
    return total;
  };
  switch (expr->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::Var:
      return 1;
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod: {
      // Naming a division moves it, perhaps out of a condition that keeps it from failing.
      const Expr& divisor = Rhs(expr.get());
      bool safe = IsFloating(expr->dtype()) || as_const_int(divisor).value_or(0) != 0;
      return safe ? sum({&Lhs(expr.get()), &divisor}) : 0;
    }
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::BitwiseAnd:
    case ExprKind::BitwiseOr:
    case ExprKind::BitwiseXor:
    case ExprKind::LShift:
    case ExprKind::RShift:
      return sum({&Lhs(expr.get()), &Rhs(expr.get())});
    case ExprKind::BitwiseNot:
      return sum({&static_cast<const BitwiseNotObj*>(expr.get())->a});
    case ExprKind::Cast:
      return sum({&static_cast<const CastObj*>(expr.get())->value});
    default:
      return 0;
  }
}

// Length of the longest path to a leaf, for expressions that CountNodes counts.
int Height(const Expr& expr) {
  switch (expr->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::Var:
      return 0;
    case ExprKind::BitwiseNot:
      return 1 + Height(static_cast<const BitwiseNotObj*>(expr.get())->a);
    case ExprKind::Cast:
      return 1 + Height(static_cast<const CastObj*>(expr.get())->value);
    default:
      return 1 + std::max(Height(Lhs(expr.get())), Height(Rhs(expr.get())));
  }
}

struct ExprHash {
  size_t operator()(const Expr& e) const { return DeepHash(e); }
};
struct ExprEqual {
  bool operator()(const Expr& a, const Expr& b) const {
    return a->ty.is_prim() && b->ty.is_prim() && SameDType(a->dtype(), b->dtype()) &&
           DeepEqual(a, b);
  }
};

// A statement: for each block around it, from outside, the block and the position in it.
using Place = std::vector<std::pair<const SeqStmtObj*, size_t>>;

// The statement in the smallest common block before which both places lie.
Place Common(const Place& a, const Place& b) {
  Place common;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i].first == b[i].first; ++i) {
    common.emplace_back(a[i].first, std::min(a[i].second, b[i].second));
    if (a[i].second != b[i].second) break;
  }
  return common;
}

struct Candidate {
  Expr expr;
  int height;
  size_t order;  // of the first occurrence
  int uses = 0;
  std::vector<Place> places;
  std::vector<Candidate*> owners;  // expressions around it, one a use; null outside of others
  Place place;
  Var var;
};

class Finder final : public StmtExprVisitor {
 public:
  std::unordered_map<Expr, Candidate, ExprHash, ExprEqual> candidates;

  void VisitExpr(const Expr& expr) final {
    int nodes = CountNodes(expr, kMaxNodes);
    if (nodes <= 1) {
      if (nodes == 0) StmtExprVisitor::VisitExpr(expr);
      return;
    }
    auto [it, fresh] = candidates.try_emplace(expr);
    Candidate& candidate = it->second;
    if (fresh) {
      candidate.expr = expr;
      candidate.height = Height(expr);
      candidate.order = candidates.size();
    }
    ++candidate.uses;
    candidate.places.push_back(place_);
    candidate.owners.push_back(owner_);
    // What is inside is calculated once, however often this expression stands here.
    if (!fresh) return;
    Candidate* outer = owner_;
    owner_ = &candidate;
    StmtExprVisitor::VisitExpr(expr);
    owner_ = outer;
  }

  void VisitSeqStmt(const SeqStmtObj* op) final {
    for (size_t i = 0; i < op->seq.size(); ++i) {
      place_.emplace_back(op, i);
      VisitStmt(op->seq[i]);
      place_.pop_back();
    }
  }

 protected:
  void VisitVarDef(const Var&) final {}  // sizes in types are no uses
  void VisitLet(const LetObj* op) final { VisitExpr(op->value); }
  void VisitLambdaExpr(const LambdaExprObj*) final {}

 private:
  Place place_;
  Candidate* owner_ = nullptr;
};

class Namer final : public StmtExprMutator {
 public:
  explicit Namer(std::unordered_map<Expr, Candidate, ExprHash, ExprEqual>& found) : found_(found) {}

  void Define(Candidate* candidate) {
    const auto& [block, position] = candidate->place.back();
    before_[block][position].push_back(candidate);
  }

  Expr VisitExpr(Expr expr) final {
    int nodes = CountNodes(expr, kMaxNodes);
    if (nodes == 1) return expr;
    if (nodes > 1) {
      auto it = found_.find(expr);
      if (it != found_.end() && it->second.var.defined() && !expr.same_as(defining_)) {
        return it->second.var;
      }
    }
    return StmtExprMutator::VisitExpr(std::move(expr));
  }

 protected:
  Stmt VisitSeqStmt(SeqStmt op) final {
    auto it = before_.find(op.get());
    ffi::Array<Stmt> seq;
    for (size_t i = 0; i < op->seq.size(); ++i) {
      if (it != before_.end()) {
        for (Candidate* candidate : it->second[i]) {
          Expr outer = defining_;
          defining_ = candidate->expr;
          Expr value = VisitExpr(candidate->expr);
          defining_ = outer;
          seq.push_back(Bind(candidate->var, value));
        }
      }
      Stmt stmt = VisitStmt(op->seq[i]);
      if (stmt.defined()) seq.push_back(stmt);
    }
    return SeqStmt(seq, op->loc);
  }

 private:
  std::unordered_map<Expr, Candidate, ExprHash, ExprEqual>& found_;
  std::unordered_map<const SeqStmtObj*, std::unordered_map<size_t, std::vector<Candidate*>>>
      before_;
  Expr defining_;
};

Function Eliminate(const Function& function) {
  if (!function->body.defined()) return function;
  Finder finder;
  finder.VisitStmt(function->body);
  std::vector<Candidate*> repeated;
  for (auto& [expr, candidate] : finder.candidates) {
    if (candidate.uses >= 2) repeated.push_back(&candidate);
  }
  if (repeated.empty()) return function;
  // The higher ones first: a use inside another repeated expression is where that one is defined.
  std::sort(repeated.begin(), repeated.end(), [](const Candidate* a, const Candidate* b) {
    return a->height != b->height ? a->height > b->height : a->order < b->order;
  });
  for (Candidate* candidate : repeated) {
    for (size_t i = 0; i < candidate->places.size(); ++i) {
      const Candidate* owner = candidate->owners[i];
      while (owner != nullptr && owner->uses < 2) owner = owner->owners[0];
      const Place& place = owner == nullptr ? candidate->places[i] : owner->place;
      candidate->place = i == 0 ? place : Common(candidate->place, place);
    }
  }
  std::sort(repeated.begin(), repeated.end(), [](const Candidate* a, const Candidate* b) {
    return a->height != b->height ? a->height < b->height : a->order < b->order;
  });
  Namer namer(finder.candidates);
  int number = 0;
  for (Candidate* candidate : repeated) {
    candidate->var = Var("cse_v" + std::to_string(++number), candidate->expr->ty);
    namer.Define(candidate);
  }
  return function.WithBody(SeqStmt::From(namer.VisitStmt(function->body)));
}

}  // namespace

IRModule CommonSubexprElim(IRModule module) { return MapFunctions(module, Eliminate); }

}  // namespace tirx
}  // namespace tvm
