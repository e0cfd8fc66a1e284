// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <utility>

#include "tirx/ir/ops.h"
#include "tirx/text/literal.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

void Printer::PrintExpr(const Expr& expr, Prec outer) {
  GuardStack();
  // Programs read from JSON may lack parts.
  if (!expr.defined()) return Write("None");
  if (!marks_) return PrintExprHere(expr, outer);
  Span span(this, expr.get());
  PrintExprHere(expr, outer);
}

void Printer::PrintExprHere(const Expr& expr, Prec outer) {
  const ExprObj* node = expr.get();
  switch (node->kind) {
    case ExprKind::Var:
      return Write(NameOf(static_cast<const VarObj*>(node)));
    case ExprKind::IntImm:
      return PrintIntImm(static_cast<const IntImmObj*>(node));
    case ExprKind::FloatImm:
      return PrintFloatImm(static_cast<const FloatImmObj*>(node));
    case ExprKind::StringImm: {
      const ffi::String& value = static_cast<const StringImmObj*>(node)->value;
      if (in_attrs_) {
        WriteT();
        Write("StringImm(");
      }
      AppendQuoted(&out_, {value.data(), value.size()});
      if (in_attrs_) Write(')');
      return;
    }
    case ExprKind::DataTypeImm: {
      ffi::String name = ffi::DLDataTypeToString(static_cast<const DataTypeImmObj*>(node)->value);
      WriteT();
      Write("dtype(\"");
      Write({name.data(), name.size()});
      return Write("\")");
    }
    case ExprKind::GenericConst: {
      const auto* op = static_cast<const GenericConstObj*>(node);
      WriteT();
      Write("GenericConst(");
      PrintType(op->ty);
      Write(", ");
      PrintAny(op->value);
      return Write(')');
    }
    case ExprKind::GlobalVar:
      Write(module_name_);
      Write('.');
      return Write(FunctionName(static_cast<const GlobalVarObj*>(node)->name_hint));
    case ExprKind::Op: {
      const ffi::String& name = static_cast<const OpObj*>(node)->name;
      WriteT();
      Write("Op.get(");
      AppendQuoted(&out_, {name.data(), name.size()});
      return Write(')');
    }
    case ExprKind::Call:
      return PrintCall(static_cast<const CallObj*>(node));
    case ExprKind::TensorLoad:
      return PrintTensorLoad(static_cast<const TensorLoadObj*>(node));
    case ExprKind::TensorRegion: {
      const auto* op = static_cast<const TensorRegionObj*>(node);
      {
        Step step(this, "source");
        PrintExpr(op->source, Prec::Atom);
      }
      Write('[');
      for (int64_t i = 0; i < static_cast<int64_t>(op->region.size()); ++i) {
        if (i != 0) Write(", ");
        Step step(this, "region", i);
        Range range = op->region[i];
        Span span(this, range.get());
        PrintExpr(range->begin);
        Write(':');
        PrintExpr(add(range->begin, range->extent));
      }
      if (op->region.empty()) Write("()");
      return Write(']');
    }
    case ExprKind::Tuple: {
      const auto& fields = static_cast<const TupleObj*>(node)->fields;
      Write('(');
      for (int64_t i = 0; i < static_cast<int64_t>(fields.size()); ++i) {
        if (i != 0) Write(", ");
        Step step(this, "fields", i);
        PrintExpr(fields[i]);
      }
      return Write(fields.size() == 1 ? ",)" : ")");
    }
    case ExprKind::TupleGetItem: {
      const auto* op = static_cast<const TupleGetItemObj*>(node);
      {
        Step step(this, "tuple_value");
        PrintExpr(op->tuple_value, Prec::Atom);
      }
      return Write("[" + std::to_string(op->index) + "]");
    }
    case ExprKind::LambdaExpr: {
      const auto* op = static_cast<const LambdaExprObj*>(node);
      WriteT();
      Write("Lambda([");
      for (int64_t i = 0; i < static_cast<int64_t>(op->vars.size()); ++i) {
        if (i != 0) Write(", ");
        PrintType(op->vars[i]->ty);
      }
      Write("], ");
      PrintLambda(op->vars, [&] {
        Step step(this, "body");
        PrintExpr(op->body);
      });
      return Write(')');
    }
    case ExprKind::OpaqueExpr:
    case ExprKind::Foreign:
    case ExprKind::Function:
      return PrintFallback(expr);
#define TIRX_BINARY(Name, key) case ExprKind::Name:
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"
      return PrintBinary(expr, outer);
    case ExprKind::Not: {
      const Expr& a = static_cast<const NotObj*>(node)->a;
      Step step(this, "a");
      if (a.is(ExprKind::IntImm)) {
        WriteT();
        Write("Not(");
        PrintExpr(a);
        return Write(')');
      }
      if (outer > Prec::Not) Write('(');
      Write("not ");
      PrintExpr(a, Prec::Not);
      if (outer > Prec::Not) Write(')');
      return;
    }
    case ExprKind::BitwiseNot: {
      const Expr& a = static_cast<const BitwiseNotObj*>(node)->a;
      Step step(this, "a");
      // `~1` is Python's own -2.
      if (a.is(ExprKind::IntImm) && !typed_literals_ && SameDType(a.dtype(), int_dtype_)) {
        WriteT();
        Write("BitwiseNot(");
        PrintExpr(a);
        return Write(')');
      }
      if (outer > Prec::Unary) Write('(');
      Write('~');
      PrintExpr(a, Prec::Unary);
      if (outer > Prec::Unary) Write(')');
      return;
    }
    case ExprKind::Cast: {
      ffi::String name = ffi::DLDataTypeToString(node->dtype());
      WriteT();
      Write("Cast(\"");
      Write({name.data(), name.size()});
      Write("\", ");
      {
        Step step(this, "value");
        PrintExpr(static_cast<const CastObj*>(node)->value);
      }
      return Write(')');
    }
    case ExprKind::Select: {
      const auto* op = static_cast<const SelectObj*>(node);
      WriteT();
      Write("Select(");
      {
        Step step(this, "condition");
        PrintExpr(op->condition);
      }
      Write(", ");
      {
        Step step(this, "true_value");
        PrintExpr(op->true_value);
      }
      Write(", ");
      {
        Step step(this, "false_value");
        PrintExpr(op->false_value);
      }
      return Write(')');
    }
    case ExprKind::Let:
      return PrintLet(static_cast<const LetObj*>(node));
    case ExprKind::Ramp: {
      const auto* op = static_cast<const RampObj*>(node);
      WriteT();
      Write("Ramp(");
      {
        Step step(this, "base");
        PrintExpr(op->base);
      }
      Write(", ");
      {
        Step step(this, "stride");
        PrintExpr(op->stride);
      }
      Write(", ");
      {
        Step step(this, "lanes");
        PrintExpr(op->lanes);
      }
      return Write(')');
    }
    case ExprKind::Broadcast: {
      const auto* op = static_cast<const BroadcastObj*>(node);
      WriteT();
      Write("Broadcast(");
      {
        Step step(this, "value");
        PrintExpr(op->value);
      }
      Write(", ");
      {
        Step step(this, "lanes");
        PrintExpr(op->lanes);
      }
      return Write(')');
    }
    case ExprKind::Shuffle: {
      const auto* op = static_cast<const ShuffleObj*>(node);
      bool saved = std::exchange(typed_literals_, true);
      WriteT();
      Write("Shuffle(");
      PrintList(op->vectors, "vectors");
      Write(", ");
      PrintList(op->indices, "indices");
      Write(')');
      typed_literals_ = saved;
      return;
    }
  }
}

void Printer::PrintIntImm(const IntImmObj* op) {
  DLDataType dtype = op->dtype();
  char digits[24];
  if (IsBool(dtype)) {
    WriteT();
    return Write(op->bits() != 0 ? "bool(True)" : "bool(False)");
  }
  int64_t value = op->bits();
  bool beyond = IsUInt(dtype) && value < 0;
  int length =
      beyond ? std::snprintf(digits, sizeof(digits), "%llu", static_cast<unsigned long long>(value))
             : std::snprintf(digits, sizeof(digits), "%lld", static_cast<long long>(value));
  std::string_view text(digits, static_cast<size_t>(length));
  if (!typed_literals_ && SameDType(dtype, int_dtype_)) return Write(text);
  ffi::String name = ffi::DLDataTypeToString(dtype);
  WriteT();
  if (beyond || !HasScriptName(dtype)) {
    Write("IntImm(\"");
    Write({name.data(), name.size()});
    Write("\", ");
  } else {
    Write({name.data(), name.size()});
    Write('(');
  }
  Write(text);
  Write(')');
}

void Printer::PrintFloatImm(const FloatImmObj* op) {
  DLDataType dtype = op->dtype();
  if (!typed_literals_ && SameDType(dtype, float_dtype_) && std::isfinite(op->value)) {
    return AppendFloat(&out_, op->value);
  }
  ffi::String name = ffi::DLDataTypeToString(dtype);
  WriteT();
  Write({name.data(), name.size()});
  Write('(');
  AppendFloat(&out_, op->value);
  Write(')');
}

void Printer::PrintTensorLoad(const TensorLoadObj* op) {
  Position begin = Here();
  // Indices are visited first: variables take their names in that order.
  bool direct =
      op->source.is(ExprKind::Var) && IsNamed(static_cast<const VarObj*>(op->source.get()));
  if (!direct) {
    PrintIndices(op->indices, /*slices=*/false);
  }
  Position middle = Here();
  {
    Step step(this, "source");
    PrintExpr(op->source, Prec::Atom);
  }
  if (direct) return PrintIndices(op->indices, /*slices=*/false);
  SwapTail(At(begin), At(middle));
}

void Printer::PrintIndices(const ffi::Array<Expr>& indices, bool slices) {
  Write('[');
  for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
    if (i != 0) Write(", ");
    Step step(this, "indices", i);
    Expr index = indices[i];
    if (!slices || !PrintSlice(index)) PrintExpr(index);
  }
  if (indices.empty()) Write("()");
  Write(']');
}

bool Printer::PrintSlice(const Expr& index) {
  if (!index.is(ExprKind::Ramp)) return false;
  const auto* ramp = static_cast<const RampObj*>(index.get());
  auto stride = as_const_int(ramp->stride);
  // A slice that counts down would have another number of elements.
  if (!stride || *stride <= 0) return false;
  Span span(this, ramp);
  {
    Step step(this, "base");
    PrintExpr(ramp->base);
  }
  Write(':');
  PrintExpr(add(ramp->base, mul(ramp->lanes, ramp->stride)));
  if (*stride != 1) {
    Write(':');
    Step step(this, "stride");
    PrintExpr(ramp->stride);
  }
  return true;
}

void Printer::PrintLambda(const ffi::Array<Var>& vars, const std::function<void()>& body) {
  size_t mark = names_.Mark();
  Write("lambda");
  for (int64_t i = 0; i < static_cast<int64_t>(vars.size()); ++i) {
    Write(i == 0 ? " " : ", ");
    Step step(this, "vars", i);
    Span span(this, vars[i].get());
    Write(Define(vars[i].get()));
  }
  Write(": ");
  body();
  for (const Var& var : vars) var_names_.erase(var.get());
  names_.ReleaseTo(mark);
}

void Printer::PrintLet(const LetObj* op) {
  WriteT();
  Write("Let(");
  // The value is visited before the variable, the variable before the body.
  Position begin = Here();
  Write(", where={");
  Position value_begin = Here();
  {
    Step step(this, "value");
    PrintExpr(op->value);
  }
  bool known = IsNamed(op->var.get());
  std::string name = known ? NameOf(op->var.get()) : Define(op->var.get());
  if (!known && in_stmt_) {
    std::string line(static_cast<size_t>(indent_), ' ');
    line += Declaration(op->var.get(), name);
    if (marks_) marks_->Insert(stmt_begin_, line.size());
    out_.insert(stmt_begin_, line);
    stmt_begin_ += line.size();
    inserted_ += line.size();
  }
  size_t at = At(value_begin);
  out_.insert(at, name + ": ");
  if (marks_) marks_->Insert(at, name.size() + 2);
  Write('}');
  Position middle = Here();
  {
    Step step(this, "body");
    PrintExpr(op->body);
  }
  SwapTail(At(begin), At(middle));
  Write(')');
}

}  // namespace tirx
}  // namespace tvm
