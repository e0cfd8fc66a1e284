// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/ops.h"
#include "tirx/text/literal.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

void Printer::PrintStmt(const Stmt& stmt) {
  GuardStack();
  size_t saved_begin = stmt_begin_;
  bool saved_in = in_stmt_;
  stmt_begin_ = out_.size();
  in_stmt_ = true;
  if (stmt->kind == StmtKind::SeqStmt) {
    const auto& seq = static_cast<const SeqStmtObj*>(stmt.get())->seq;
    for (int64_t i = 0; i < static_cast<int64_t>(seq.size()); ++i) {
      Step step(this, "seq", i);
      PrintStmt(seq[i]);
    }
  } else {
    PrintStmtHere(stmt);
    // Includes lines that a Let put in front of it only when they came first, so the span is added
    // here, where its begin is known.
    if (marks_) marks_->Add(stmt.get(), stmt_begin_ + static_cast<size_t>(indent_), out_.size());
  }
  stmt_begin_ = saved_begin;
  in_stmt_ = saved_in;
}

void Printer::PrintBlock(const SeqStmt& body, const char* field) {
  indent_ += indent_step_;
  {
    Step step(this, field);
    if (!body.defined() || body->seq.empty()) {
      BeginLine();
      Write("pass");
      EndLine();
    } else {
      PrintStmt(body);
    }
  }
  indent_ -= indent_step_;
}

void Printer::PrintStmtHere(const Stmt& stmt) {
  const StmtObj* node = stmt.get();
  switch (node->kind) {
    case StmtKind::SeqStmt:
      return PrintStmt(stmt);
    case StmtKind::Bind:
      return PrintBind(static_cast<const BindObj*>(node));
    case StmtKind::TensorStore:
      return PrintStore(static_cast<const TensorStoreObj*>(node));
    case StmtKind::For:
      return PrintFor(static_cast<const ForObj*>(node));
    case StmtKind::While: {
      const auto* op = static_cast<const WhileObj*>(node);
      BeginLine();
      Write("while ");
      {
        Step step(this, "condition");
        PrintExpr(op->condition);
      }
      Write(':');
      EndLine();
      return PrintBlock(op->body, "body");
    }
    case StmtKind::Break:
      BeginLine();
      Write("break");
      return EndLine();
    case StmtKind::Continue:
      BeginLine();
      Write("continue");
      return EndLine();
    case StmtKind::If: {
      const auto* op = static_cast<const IfObj*>(node);
      BeginLine();
      Write("if ");
      {
        Step step(this, "condition");
        PrintExpr(op->condition);
      }
      Write(':');
      EndLine();
      PrintBlock(op->then_case, "then_case");
      if (op->else_case.defined()) {
        BeginLine();
        Write("else:");
        EndLine();
        PrintBlock(op->else_case, "else_case");
      }
      return;
    }
    case StmtKind::Return: {
      BeginLine();
      Write("return ");
      {
        Step step(this, "value");
        PrintExpr(static_cast<const ReturnObj*>(node)->value);
      }
      return EndLine();
    }
    case StmtKind::AssertStmt: {
      const auto* op = static_cast<const AssertStmtObj*>(node);
      BeginLine();
      Write("assert ");
      {
        Step step(this, "condition");
        PrintExpr(op->condition);
      }
      Write(", (");
      {
        Step step(this, "error_kind");
        PrintExpr(op->error_kind);
      }
      Write(", ");
      PrintList(op->message_parts, "message_parts");
      Write(')');
      return EndLine();
    }
    case StmtKind::Evaluate:
      return PrintEvaluate(static_cast<const EvaluateObj*>(node));
    case StmtKind::RegionStmt:
      return PrintRegion(static_cast<const RegionStmtObj*>(node));
    case StmtKind::Foreign:
      BeginLine();
      PrintFallback(stmt);
      return EndLine();
  }
}

void Printer::PrintEvaluate(const EvaluateObj* op) {
  BeginLine();
  Step step(this, "value");
  // `A.data` is a call that reads as an attribute.
  bool bare = op->value.is(ExprKind::Call) && !IsCallTo(op->value, OpId::tirx_tensor_data_ptr);
  if (bare) {
    PrintExpr(op->value);
  } else {
    WriteT();
    Write("evaluate(");
    PrintExpr(op->value);
    Write(')');
  }
  EndLine();
}

void Printer::PrintStore(const TensorStoreObj* op) {
  BeginLine();
  {
    Step step(this, "dest");
    PrintExpr(op->dest, Prec::Atom);
  }
  // The value is visited before the indices: variables take their names in that order.
  Position begin = Here();
  {
    Step step(this, "value");
    PrintExpr(op->value);
  }
  Position middle = Here();
  PrintIndices(op->indices, /*slices=*/true);
  Write(" = ");
  SwapTail(At(begin), At(middle));
  EndLine();
}

namespace {

// A call that the script writes as `name = T.alloc_tensor(...)`.
const CallObj* AsTensorMaker(const Expr& value) {
  if (!IsCallTo(value, OpId::tirx_alloc_tensor) && !IsCallTo(value, OpId::tirx_decl_tensor)) {
    return nullptr;
  }
  const auto* call = static_cast<const CallObj*>(value.get());
  if (call->ty_args.size() != 1 || call->args.size() > 1) return nullptr;
  if (call->attrs.defined() && !call->attrs.as<DictAttrsObj>()) return nullptr;
  return SameType(call->ty, call->ty_args[0]) ? call : nullptr;
}

}  // namespace

void Printer::PrintBind(const BindObj* op) {
  BeginLine();
  if (const CallObj* call = AsTensorMaker(op->value)) {
    // The value is visited first; the new name is put in front of it.
    Position begin = Here();
    {
      Step step(this, "value");
      Span span(this, call);
      PrintOpName(CalledOp(call));
      Write('(');
      bool first = true;
      for (int64_t i = 0; i < static_cast<int64_t>(call->args.size()); ++i) {
        PrintOperand(call->args[i], "args", i);
        first = false;
      }
      Write(first ? "ty_args=" : ", ty_args=");
      PrintList(call->ty_args, "ty_args");
      if (call->attrs.defined()) {
        Write(", attrs=");
        Step inner(this, "attrs");
        PrintAny(call->attrs);
      }
      Write(')');
    }
    Position middle = Here();
    {
      Step step(this, "var");
      Span span(this, op->var.get());
      Write(Define(op->var.get()));
    }
    Write(" = ");
    SwapTail(At(begin), At(middle));
    return EndLine();
  }
  Position begin = Here();
  {
    Step step(this, "value");
    PrintExpr(op->value);
  }
  Position middle = Here();
  {
    Step step(this, "var");
    Span span(this, op->var.get());
    Write(Define(op->var.get()));
  }
  Write(": ");
  WriteT();
  Write("let[");
  PrintType(op->var->ty);
  Write("] = ");
  SwapTail(At(begin), At(middle));
  EndLine();
}

void Printer::PrintFor(const ForObj* op) {
  BeginLine();
  Position begin = Here();
  bool plain = op->loop_kind() == ForKind::Serial && op->annotations.empty();
  bool unit_step = is_one(op->step);
  auto bound = [this](const char* field, const Expr& value) {
    Step step(this, field);
    PrintExpr(value);
  };
  if (plain && unit_step && is_zero(op->begin) && SameDType(op->var.dtype(), Int(32))) {
    Write("range(");
    bound("end", op->end);
  } else if (plain) {
    Write("range(");
    bound("begin", op->begin);
    Write(", ");
    bound("end", op->end);
    if (!unit_step) {
      Write(", ");
      bound("step", op->step);
    }
  } else {
    static const char* const kNames[] = {"serial(", "parallel(", "vectorized(", "unroll("};
    WriteT();
    Write(kNames[op->for_kind & 3]);
    bound("begin", op->begin);
    Write(", ");
    bound("end", op->end);
    if (!op->annotations.empty()) {
      Write(", annotations=");
      Step step(this, "annotations");
      bool saved = std::exchange(in_attrs_, true);
      bool typed = std::exchange(typed_literals_, true);
      PrintDict(op->annotations);
      in_attrs_ = saved;
      typed_literals_ = typed;
    }
    if (!unit_step) {
      Write(", step=");
      bound("step", op->step);
    }
  }
  Write("):");
  Position middle = Here();
  Write("for ");
  {
    Step step(this, "var");
    Span span(this, op->var.get());
    Write(Define(op->var.get()));
  }
  Write(" in ");
  SwapTail(At(begin), At(middle));
  EndLine();
  PrintBlock(op->body, "body");
}

void Printer::PrintRegion(const RegionStmtObj* op) {
  BeginLine();
  Write("with ");
  PrintOpName(op->op.get());
  Write('(');
  bool first = true;
  for (int64_t i = 0; i < static_cast<int64_t>(op->args.size()); ++i) {
    if (!first) Write(", ");
    first = false;
    PrintOperand(op->args[i], "args", i);
  }
  if (op->attrs.defined() && !op->attrs->dict.empty()) {
    Step step(this, "attrs");
    PrintAttrs(op->attrs, &first);
  }
  Write(')');
  int64_t n = static_cast<int64_t>(op->body_params.size());
  if (n != 0) Write(n == 1 ? " as " : " as (");
  for (int64_t i = 0; i < n; ++i) {
    if (i != 0) Write(", ");
    Step step(this, "body_params", i);
    Span span(this, op->body_params[i].get());
    Write(Define(op->body_params[i].get()));
  }
  if (n > 1) Write(')');
  Write(':');
  EndLine();
  PrintBlock(op->body, "body");
  for (const Var& result : op->result_vars) Define(result.get());
}

}  // namespace tirx
}  // namespace tvm
