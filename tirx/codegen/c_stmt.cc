// SPDX-License-Identifier: Apache-2.0
// Statements in C.
#include <tvm/ffi/cast.h>

#include "tirx/codegen/c_emitter.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/stack_guard.h"

namespace tvm {
namespace tirx {

void CEmitter::Line(const std::string& text) {
  out_.append(2 * indent_, ' ');
  out_ += text;
  out_ += '\n';
}

void CEmitter::Open(const std::string& text) {
  Line(text);
  ++indent_;
}

void CEmitter::Close(const std::string& text) {
  --indent_;
  Line(text);
}

void CEmitter::Block(const SeqStmt& block) {
  if (!block.defined()) return;
  size_t depth = heap_.size();
  bool left = false;
  for (const Stmt& stmt : block->seq) {
    Statement(stmt);
    left = stmt.is(StmtKind::Break) || stmt.is(StmtKind::Continue) || stmt.is(StmtKind::Return);
    if (left) break;
  }
  if (!left) FreeDownTo(depth);
  heap_.resize(depth);
}

void CEmitter::Statement(const Stmt& stmt) {
  GuardStack();
  switch (stmt->kind) {
    case StmtKind::SeqStmt:
      for (const Stmt& inner : static_cast<const SeqStmtObj*>(stmt.get())->seq) Statement(inner);
      return;
    case StmtKind::Bind: {
      auto* op = static_cast<const BindObj*>(stmt.get());
      if (IsCallTo(op->value, OpId::tirx_alloc_tensor)) return Alloc(op->var.get());
      return BindValue(op->var.get(), op->value);
    }
    case StmtKind::TensorStore:
      return Store(static_cast<const TensorStoreObj*>(stmt.get()));
    case StmtKind::For:
      return Loop(static_cast<const ForObj*>(stmt.get()));
    case StmtKind::While:
      return While_(static_cast<const WhileObj*>(stmt.get()));
    case StmtKind::Break:
    case StmtKind::Continue: {
      if (loop_heap_depth_.empty()) {
        TVM_FFI_THROW(ValueError) << "A `break` or `continue` outside a loop";
      }
      bool is_break = stmt->kind == StmtKind::Break;
      if (is_break && loop_is_parallel_.back()) {
        TVM_FFI_THROW(ValueError) << "A `break` cannot leave a parallel loop";
      }
      FreeDownTo(loop_heap_depth_.back());
      return Line(is_break ? "break;" : "continue;");
    }
    case StmtKind::If:
      return If_(static_cast<const IfObj*>(stmt.get()));
    case StmtKind::Return:
      return Return_(static_cast<const ReturnObj*>(stmt.get())->value);
    case StmtKind::AssertStmt: {
      auto* op = static_cast<const AssertStmtObj*>(stmt.get());
      std::vector<std::string> parts;
      for (const StringImm& part : op->message_parts) parts.push_back(part->value);
      return RaiseIf("!" + Condition(op->condition), op->error_kind->value, parts);
    }
    case StmtKind::Evaluate: {
      const Expr& value = static_cast<const EvaluateObj*>(stmt.get())->value;
      if (value.is(ExprKind::TensorRegion)) return;
      for (const std::string& leaf : Leaves(value)) {
        if (leaf.find('(') != std::string::npos) Line("(void)" + leaf + ";");
      }
      return;
    }
    case StmtKind::RegionStmt:
      return Region(static_cast<const RegionStmtObj*>(stmt.get()));
    case StmtKind::Foreign:
      break;
  }
  TVM_FFI_THROW(RuntimeError) << "The " << dialect_.name
                              << " backend has no code for a statement of type "
                              << stmt->GetTypeKey();
}

CEmitter::Lanes CEmitter::Declare(const VarObj* var) {
  Variable variable;
  std::vector<std::string> types = LeafTypes(var->ty);
  for (size_t i = 0; i < types.size(); ++i) {
    std::string hint = var->name;
    if (types.size() > 1) hint += "_" + std::to_string(i);
    variable.leaves.push_back(names_.Unique(hint));
  }
  vars_[var] = variable;
  return variable.leaves;
}

void CEmitter::BindValue(const VarObj* var, const Expr& value) {
  Lanes values = Leaves(value);
  std::vector<std::string> types = LeafTypes(var->ty);
  if (types.size() != values.size()) {
    TVM_FFI_THROW(TypeError) << "`" << var->name << "` has " << types.size()
                             << " components, its value " << values.size();
  }
  Lanes names = Declare(var);
  for (size_t i = 0; i < names.size(); ++i) {
    bool cast_pointer = types[i].back() == '*';
    std::string text = cast_pointer ? "(" + types[i] + ")" + values[i] : values[i];
    Line(types[i] + " " + names[i] + " = " + text + ";");
  }
}

void CEmitter::Alloc(const VarObj* var) {
  const TensorTypeObj* type = AsTensorType(ffi::GetRef<Var>(var));
  DLDataType dtype = Element(type->dtype->dtype);
  std::string name = names_.Unique(std::string(var->name));
  vars_[var] = Variable{{name}};
  std::string count =
      dtype.bits < 8 ? Bytes(type) : Bytes(type) + " / " + std::to_string(ElementBytes(dtype));
  Line(MemoryType(dtype) + " " + name + "[" + count + "];");
}

void CEmitter::Loop(const ForObj* op) { CountedLoop(op); }

void CEmitter::CountedLoop(const ForObj* op) {
  DLDataType dtype = op->var->dtype();
  std::string type = ValueType(dtype);
  std::string begin = Scalar(op->begin);
  std::string end = Scalar(op->end);
  auto step = as_const_int(op->step);
  loop_heap_depth_.push_back(heap_.size());
  loop_is_parallel_.push_back(false);
  if (step == 1 || step == -1) {
    // The end is evaluated once.
    if (!op->end.is(ExprKind::IntImm) && !op->end.is(ExprKind::Var)) end = Hold(type, end);
    std::string name = Declare(op->var.get())[0];
    Open("for (" + type + " " + name + " = " + begin + "; " + name + (*step > 0 ? " < " : " > ") +
         end + "; " + (*step > 0 ? "++" : "--") + name + ") {");
    Block(op->body);
    Close();
  } else {
    // Counted, since a variable that is stepped could wrap past the end of its type.
    std::string first = Hold(type, begin), last = Hold(type, end);
    std::string by = Hold("int64_t", Scalar(op->step));
    if (!step.has_value()) RaiseIf(by + " == 0", "ValueError", {"range step cannot be zero"});
    std::string count = names_.Unique("count"), i = names_.Unique("i");
    auto steps = [&](const std::string& low, const std::string& high, const std::string& size) {
      return "(" + low + " < " + high + " ? ((uint64_t)" + high + " - (uint64_t)" + low +
             " - 1) / " + size + " + 1 : 0)";
    };
    Line("uint64_t " + count + " = " + by + " > 0 ? " + steps(first, last, "(uint64_t)" + by) +
         " : " + steps(last, first, "(0 - (uint64_t)" + by + ")") + ";");
    Open("for (uint64_t " + i + " = 0; " + i + " < " + count + "; ++" + i + ") {");
    std::string name = Declare(op->var.get())[0];
    Line(type + " " + name + " = (" + type + ")((uint64_t)" + first + " + " + i + " * (uint64_t)" +
         by + ");");
    Block(op->body);
    Close();
  }
  loop_heap_depth_.pop_back();
  loop_is_parallel_.pop_back();
}

void CEmitter::While_(const WhileObj* op) {
  loop_heap_depth_.push_back(heap_.size());
  loop_is_parallel_.push_back(false);
  std::string condition;
  ++indent_;
  std::string before = Captured([&] { condition = Condition(op->condition); });
  --indent_;
  if (before.empty()) {
    Open("while (" + condition + ") {");
  } else {
    Open("while (1) {");
    out_ += before;
    Line("if (!" + condition + ") break;");
  }
  Block(op->body);
  Close();
  loop_heap_depth_.pop_back();
  loop_is_parallel_.pop_back();
}

void CEmitter::If_(const IfObj* op) {
  Open("if (" + Condition(op->condition) + ") {");
  Block(op->then_case);
  if (op->else_case.defined()) {
    --indent_;
    Open("} else {");
    Block(op->else_case);
  }
  Close();
}

void CEmitter::Region(const RegionStmtObj* op) {
  TVM_FFI_THROW(RuntimeError) << "The " << dialect_.name << " backend has no code for the region `"
                              << op->op->name << "`";
}

void CEmitter::AddHelper(const std::string& name, const std::string& text) {
  if (helpers_->text.emplace(name, text).second) helpers_->order.push_back(name);
}

}  // namespace tirx
}  // namespace tvm
