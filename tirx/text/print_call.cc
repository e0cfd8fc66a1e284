// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tirx/text/literal.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

void Printer::PrintOpName(const OpObj* op) {
  if (op->id() == OpId::Unknown) {
    // An operator may share its script function with others.
    Op self = ffi::GetRef<Op>(op);
    if (self.HasAttr("TScriptPrinterName")) {
      WriteT();
      auto function = self.GetAttr("TScriptPrinterName").cast<ffi::String>();
      return Write({function.data(), function.size()});
    }
  }
  std::string_view name(op->name.data(), op->name.size());
  size_t dot = name.find('.');
  std::string_view first = name.substr(0, dot);
  if (dot != std::string_view::npos && (first == "tirx" || first == "prim" || first == "ir")) {
    WriteT();
    name.remove_prefix(dot + 1);
  }
  Write(name);
}

void Printer::PrintOperand(const Expr& arg, const char* field, int64_t i) {
  Step step(this, field, i);
  PrintExpr(arg);
}

namespace {

// A call whose attributes or type arguments the script function of the operator can't take.
bool NeedsGenericForm(const CallObj* op, const OpObj* called) {
  // Allocations are a binding of their own; anywhere else only the generic form builds one.
  if (called->id() == OpId::tirx_alloc_tensor || called->id() == OpId::tirx_decl_tensor)
    return true;
  if (op->ty_args.size() != called->ty_args_info.size()) return true;
  std::string_view wanted(called->attrs_type_key.data(), called->attrs_type_key.size());
  if (!op->attrs.defined()) return !wanted.empty();
  return op->attrs->GetTypeKey() != wanted;
}

}  // namespace

void Printer::PrintGenericCall(const CallObj* op, const OpObj* called) {
  WriteT();
  Write("Call(");
  if (called != nullptr) {
    AppendQuoted(&out_, {called->name.data(), called->name.size()});
  } else {
    Step step(this, "op");
    PrintExpr(op->op);
  }
  Write(", ");
  PrintList(op->args, "args");
  if (op->attrs.defined()) {
    Write(", attrs=");
    Step step(this, "attrs");
    PrintAny(op->attrs);
  }
  if (!op->ty_args.empty()) {
    Write(", ty_args=");
    PrintList(op->ty_args, "ty_args");
  }
  Write(", ty=");
  Step step(this, "ty");
  PrintType(op->ty);
  Write(')');
}

void Printer::PrintCall(const CallObj* op) {
  const OpObj* called = CalledOp(op);
  if (called == nullptr) return PrintGenericCall(op, nullptr);
  if (called->id() == OpId::tirx_tensor_data_ptr && op->args.size() == 1) {
    {
      Step step(this, "args", 0);
      PrintExpr(op->args[0], Prec::Atom);
    }
    return Write(".data");
  }
  if (NeedsGenericForm(op, called)) return PrintGenericCall(op, called);
  PrintOpName(called);
  Write('(');
  bool first = true;
  // A script function for several operators tells them apart by the types of the operands.
  bool shared =
      called->id() == OpId::Unknown && ffi::GetRef<Op>(called).HasAttr("TScriptPrinterName");
  for (int64_t i = 0; i < static_cast<int64_t>(op->args.size()); ++i) {
    if (!first) Write(", ");
    first = false;
    const Expr& arg = op->args[i];
    bool typed =
        std::exchange(typed_literals_, typed_literals_ || (shared && arg.is(ExprKind::IntImm)));
    PrintOperand(arg, "args", i);
    typed_literals_ = typed;
  }
  if (!op->ty_args.empty()) {
    Write(first ? "ty_args=" : ", ty_args=");
    first = false;
    PrintList(op->ty_args, "ty_args");
  }
  if (op->attrs.defined()) {
    Step step(this, "attrs");
    PrintAttrs(op->attrs, &first);
  }
  Type implied;
  try {
    implied = InferCallType(op->op, op->args, op->ty_args);
  } catch (const ffi::Error&) {
    // An ill-typed call still prints.
  }
  if (!implied.defined() || !SameType(implied, op->ty)) {
    Write(first ? "ty=" : ", ty=");
    Step step(this, "ty");
    PrintType(op->ty);
  }
  Write(')');
}

}  // namespace tirx
}  // namespace tvm
