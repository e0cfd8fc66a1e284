// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/stmt.h"

#include "tirx/ir/node_text.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

template <typename Node>
ffi::ObjectPtr<Node> MakeStmt(Location loc) {
  auto node = ffi::make_object<Node>();
  node->loc = OrUnknown(std::move(loc));
  return node;
}

bool IsNoOp(const Stmt& stmt) {
  if (!stmt.is(StmtKind::Evaluate)) return false;
  const Expr& value = static_cast<const EvaluateObj*>(stmt.get())->value;
  return value.is(ExprKind::IntImm) || value.is(ExprKind::FloatImm);
}

void Flatten(const Stmt& stmt, ffi::Array<Stmt>* out) {
  if (stmt.is(StmtKind::SeqStmt)) {
    // Blocks inside blocks are already flat, so this goes one level down.
    for (const Stmt& inner : static_cast<const SeqStmtObj*>(stmt.get())->seq) {
      Flatten(inner, out);
    }
  } else if (stmt.defined() && !IsNoOp(stmt)) {
    out->push_back(stmt);
  }
}

void CheckCondition(const Expr& condition, const char* node) {
  TVM_FFI_CHECK(condition.defined() && condition.is_prim() && IsBool(condition.dtype()) &&
                    IsScalar(condition.dtype()),
                TypeError)
      << "the condition of " << node << " must be bool, but `" << ShortText(condition)
      << "` has type " << ShortText(condition->ty);
}

}  // namespace

SeqStmt::SeqStmt(ffi::Array<Stmt> seq, Location loc) {
  bool flat = true;
  for (const Stmt& stmt : seq) {
    flat = flat && stmt.defined() && !stmt.is(StmtKind::SeqStmt) && !IsNoOp(stmt);
  }
  auto node = MakeStmt<SeqStmtObj>(std::move(loc));
  if (flat) {
    node->seq = std::move(seq);
  } else {
    for (const Stmt& stmt : seq) Flatten(stmt, &node->seq);
  }
  data_ = std::move(node);
}

SeqStmt SeqStmt::From(Stmt stmt) {
  if (stmt.is(StmtKind::SeqStmt)) {
    return SeqStmt(ffi::GetObjectPtr<SeqStmtObj>(
        const_cast<SeqStmtObj*>(static_cast<const SeqStmtObj*>(stmt.get()))));
  }
  ffi::Array<Stmt> seq;
  if (stmt.defined()) seq.push_back(std::move(stmt));
  return SeqStmt(std::move(seq));
}

Bind::Bind(Var var, Expr value, Location loc) {
  TVM_FFI_CHECK(SameType(value->ty, var->ty), RuntimeError)
      << "Bind: the variable " << var->name << " has type " << ShortText(var->ty) << ", its value "
      << ShortText(value->ty);
  auto node = MakeStmt<BindObj>(std::move(loc));
  node->var = std::move(var);
  node->value = std::move(value);
  data_ = std::move(node);
}

TensorStore::TensorStore(Expr dest, ffi::Array<Expr> indices, Expr value, Location loc) {
  const TensorTypeObj* type = AsTensorType(dest);
  TVM_FFI_CHECK(type != nullptr, TypeError)
      << "Type " << dest->ty.GetTypeKey() << " does not support TensorStore";
  TVM_FFI_CHECK_EQ(type->shape.size(), indices.size(), RuntimeError)
      << "Destination " << ShortText(dest) << " is " << type->shape.size()
      << "-dimensional, cannot be indexed with the " << indices.size()
      << "-dimensional indices provided.";
  TVM_FFI_CHECK(value.defined() && value.is_prim(), TypeError)
      << "the value stored must be a primitive expression";
  DLDataType element = type->dtype->dtype;
  int index_lanes = 1;
  bool scalable = false;
  for (size_t i = 0; i < indices.size(); ++i) {
    Expr index = indices[i];
    TVM_FFI_CHECK(index.defined() && index.is_prim(), TypeError)
        << "index #" << i << " of a tensor must be a primitive expression";
    if (IsScalar(index.dtype())) continue;
    TVM_FFI_CHECK(i + 1 == indices.size(), RuntimeError)
        << "Only the last index of a tensor access may be a vector type.";
    index_lanes = Lanes(index.dtype());
    scalable = IsScalable(index.dtype());
  }
  DLDataType stored = value.dtype();
  TVM_FFI_CHECK_EQ(index_lanes * Lanes(element), Lanes(stored), RuntimeError)
      << "Cannot store value with " << Lanes(stored) << ", expected value with "
      << index_lanes * Lanes(element) << " (" << index_lanes << " index lanes * " << Lanes(element)
      << " tensor element lanes)";
  if (!SameElement(element, stored) || (scalable || IsScalable(element)) != IsScalable(stored)) {
    TVM_FFI_THROW(TypeError) << "dtype mismatch on TensorStore: tensor's dtype is `"
                             << ShortText(type->dtype) << "`, the lanes of indexing are: `"
                             << index_lanes << "`, the scalability is: `" << scalable
                             << "`, but RHS's dtype is `" << ShortText(value->ty) << "`";
  }
  auto node = MakeStmt<TensorStoreObj>(std::move(loc));
  node->dest = std::move(dest);
  node->indices = std::move(indices);
  node->value = std::move(value);
  data_ = std::move(node);
}

For::For(Var var, Expr begin, Expr end, Expr step, ForKind kind, SeqStmt body,
         ffi::Map<ffi::String, ffi::Any> annotations, Location loc) {
  TVM_FFI_CHECK(var.is_prim() && IsScalar(var.dtype()) && IsInteger(var.dtype()), RuntimeError)
      << "For: the loop variable must be a scalar integer, but " << var->name << " has type "
      << ShortText(var->ty);
  TVM_FFI_CHECK(kind >= ForKind::Serial && kind <= ForKind::Unrolled, ValueError)
      << "For: unknown loop kind " << static_cast<int64_t>(kind);
  DLDataType dtype = var.dtype();
  for (Expr* bound : {&begin, &end, &step}) {
    TVM_FFI_CHECK(bound->defined() && bound->is_prim() && IsScalar(bound->dtype()) &&
                      IsInteger(bound->dtype()),
                  RuntimeError)
        << "For: begin, end and step must be scalar integers";
    TVM_FFI_CHECK(bound->dtype().bits <= dtype.bits, RuntimeError)
        << "Loop variable's dtype (" << ShortText(var->ty)
        << ") is narrower than that of `begin`, `end` or `step` (" << ShortText((*bound)->ty)
        << ")";
    *bound = cast(std::move(*bound), dtype);
  }
  auto node = MakeStmt<ForObj>(std::move(loc));
  node->var = std::move(var);
  node->begin = std::move(begin);
  node->end = std::move(end);
  node->step = std::move(step);
  node->for_kind = static_cast<int64_t>(kind);
  node->body = std::move(body);
  node->annotations = std::move(annotations);
  data_ = std::move(node);
}

While::While(Expr condition, SeqStmt body, Location loc) {
  CheckCondition(condition, "while");
  auto node = MakeStmt<WhileObj>(std::move(loc));
  node->condition = std::move(condition);
  node->body = std::move(body);
  data_ = std::move(node);
}

Break Break::Make(Location loc) { return Break(MakeStmt<BreakObj>(std::move(loc))); }

Continue Continue::Make(Location loc) { return Continue(MakeStmt<ContinueObj>(std::move(loc))); }

If::If(Expr condition, SeqStmt then_case, SeqStmt else_case, Location loc) {
  CheckCondition(condition, "if");
  auto node = MakeStmt<IfObj>(std::move(loc));
  node->condition = std::move(condition);
  node->then_case = std::move(then_case);
  node->else_case = std::move(else_case);
  data_ = std::move(node);
}

Return::Return(Expr value, Location loc) {
  TVM_FFI_CHECK(value.defined(), TypeError) << "A primitive function return requires an expression";
  auto node = MakeStmt<ReturnObj>(std::move(loc));
  node->value = std::move(value);
  data_ = std::move(node);
}

AssertStmt::AssertStmt(Expr condition, StringImm error_kind, ffi::Array<StringImm> message_parts,
                       Location loc) {
  TVM_FFI_CHECK(condition.defined() && condition.is_prim() && IsBool(condition.dtype()),
                RuntimeError)
      << "AssertStmt should have boolean condition, but received " << ShortText(condition)
      << " with dtype " << ShortText(condition->ty);
  auto node = MakeStmt<AssertStmtObj>(std::move(loc));
  node->condition = std::move(condition);
  node->error_kind = std::move(error_kind);
  node->message_parts = std::move(message_parts);
  data_ = std::move(node);
}

Evaluate::Evaluate(Expr value, Location loc) {
  TVM_FFI_CHECK(value.defined(), TypeError) << "Evaluate needs an expression";
  auto node = MakeStmt<EvaluateObj>(std::move(loc));
  node->value = std::move(value);
  data_ = std::move(node);
}

RegionStmt::RegionStmt(Op op, ffi::Array<Expr> args, DictAttrs attrs, ffi::Array<Var> body_params,
                       SeqStmt body, ffi::Array<Var> result_vars, Location loc) {
  TVM_FFI_CHECK(op.defined(), TypeError) << "a region needs an operator";
  auto node = MakeStmt<RegionStmtObj>(std::move(loc));
  node->op = std::move(op);
  node->attrs = attrs.defined() ? std::move(attrs) : DictAttrs(ffi::Map<ffi::String, ffi::Any>());
  node->args = std::move(args);
  node->body_params = std::move(body_params);
  node->body = std::move(body);
  node->result_vars = std::move(result_vars);
  data_ = std::move(node);
}

}  // namespace tirx
}  // namespace tvm
