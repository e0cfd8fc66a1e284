// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/ops.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

namespace {

struct Spelling {
  const char* constructor;
  const char* symbol;    // null: a function of the script
  const char* function;  // when there is no symbol
  Prec prec;
};

Spelling SpellingOf(ExprKind kind, DLDataType operand) {
  bool floating = IsFloating(operand);
  switch (kind) {
    case ExprKind::Add:
      return {"Add", " + ", nullptr, Prec::Sum};
    case ExprKind::Sub:
      return {"Sub", " - ", nullptr, Prec::Sum};
    case ExprKind::Mul:
      return {"Mul", " * ", nullptr, Prec::Product};
    case ExprKind::Div:
      if (floating) return {"Div", " / ", nullptr, Prec::Product};
      return {"Div", nullptr, "Div", Prec::Atom};
    case ExprKind::Mod:
      return {"Mod", nullptr, floating ? "Mod" : "truncmod", Prec::Atom};
    case ExprKind::FloorDiv:
      if (floating) return {"FloorDiv", nullptr, "FloorDiv", Prec::Atom};
      return {"FloorDiv", " // ", nullptr, Prec::Product};
    case ExprKind::FloorMod:
      if (floating) return {"FloorMod", nullptr, "FloorMod", Prec::Atom};
      return {"FloorMod", " % ", nullptr, Prec::Product};
    case ExprKind::Min:
      return {"Min", nullptr, "min", Prec::Atom};
    case ExprKind::Max:
      return {"Max", nullptr, "max", Prec::Atom};
    case ExprKind::EQ:
      return {"EQ", " == ", nullptr, Prec::Compare};
    case ExprKind::NE:
      return {"NE", " != ", nullptr, Prec::Compare};
    case ExprKind::LT:
      return {"LT", " < ", nullptr, Prec::Compare};
    case ExprKind::LE:
      return {"LE", " <= ", nullptr, Prec::Compare};
    case ExprKind::GT:
      return {"GT", " > ", nullptr, Prec::Compare};
    case ExprKind::GE:
      return {"GE", " >= ", nullptr, Prec::Compare};
    case ExprKind::And:
      return {"And", " and ", nullptr, Prec::And};
    case ExprKind::Or:
      return {"Or", " or ", nullptr, Prec::Or};
    case ExprKind::BitwiseAnd:
      return {"BitwiseAnd", " & ", nullptr, Prec::BitAnd};
    case ExprKind::BitwiseOr:
      return {"BitwiseOr", " | ", nullptr, Prec::BitOr};
    case ExprKind::BitwiseXor:
      return {"BitwiseXor", " ^ ", nullptr, Prec::BitXor};
    case ExprKind::LShift:
      return {"LShift", " << ", nullptr, Prec::Shift};
    case ExprKind::RShift:
      return {"RShift", " >> ", nullptr, Prec::Shift};
    default:
      return {"", nullptr, "", Prec::Atom};
  }
}

bool IsNumber(const Expr& e) { return e.is(ExprKind::IntImm) || e.is(ExprKind::FloatImm); }

// Whether the operator of the script, given the operands, would build something else.
bool WouldFold(ExprKind kind, const Expr& a, const Expr& b) {
  if (kind == ExprKind::And || kind == ExprKind::Or) return IsNumber(a) || IsNumber(b);
  if (!IsNumber(b) && !IsNumber(a) && !a.same_as(b)) return false;
  // Divisions by zero and shifts out of range raise in the operator.
  if (auto amount = as_const_int(b)) {
    if ((kind == ExprKind::LShift || kind == ExprKind::RShift) && IsInt(b.dtype()) &&
        (b.dtype().bits == 32 || b.dtype().bits == 64) &&
        (*amount < 0 || *amount >= b.dtype().bits)) {
      return true;
    }
  }
  bool divides = kind == ExprKind::Div || kind == ExprKind::Mod || kind == ExprKind::FloorDiv ||
                 kind == ExprKind::FloorMod;
  if (divides && (is_zero(b) || (b.is(ExprKind::FloatImm) && *as_const_float(b) == 0))) return true;
  return try_fold(kind, a, b).defined();
}

}  // namespace

void Printer::PrintConstructor(const char* name, const Expr& a, const Expr& b) {
  WriteT();
  Write(name);
  Write('(');
  {
    Step step(this, "a");
    PrintExpr(a);
  }
  Write(", ");
  {
    Step step(this, "b");
    PrintExpr(b);
  }
  Write(')');
}

void Printer::PrintBinary(const Expr& expr, Prec outer) {
  // Runs down the left operands in a loop: a long sum is a deep tree.
  struct Level {
    const ExprObj* node;
    Spelling spelling;
    bool parentheses;
  };
  std::vector<Level> levels;
  const ExprObj* node = expr.get();
  while (true) {
    const Expr& a = Lhs(node);
    const Expr& b = Rhs(node);
    Spelling spelling = SpellingOf(node->kind, a.dtype());
    bool bare_literals = a.is(ExprKind::IntImm) && b.is(ExprKind::IntImm) && !typed_literals_ &&
                         SameDType(a.dtype(), int_dtype_);
    bool constructor = bare_literals || WouldFold(node->kind, a, b);
    if (constructor || spelling.symbol == nullptr) {
      PrintConstructor(constructor ? spelling.constructor : spelling.function, a, b);
      break;
    }
    bool parentheses = outer > spelling.prec;
    if (parentheses) Write('(');
    levels.push_back({node, spelling, parentheses});
    // Comparisons chain in Python, so one below another needs parentheses on either side.
    outer = spelling.prec == Prec::Compare ? Tighter(spelling.prec) : spelling.prec;
    if (marks_ || !IsBinary(a->kind)) {
      Step step(this, "a");
      PrintExpr(a, outer);
      break;
    }
    node = a.get();
  }
  for (size_t i = levels.size(); i-- > 0;) {
    const Level& level = levels[i];
    Write(level.spelling.symbol);
    {
      Step step(this, "b");
      PrintExpr(Rhs(level.node), Tighter(level.spelling.prec));
    }
    if (level.parentheses) Write(')');
  }
}

}  // namespace tirx
}  // namespace tvm
