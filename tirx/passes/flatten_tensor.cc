// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/flatten_tensor.h"

#include <unordered_map>

#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace {

TensorType Flat(const TensorTypeObj* type) {
  Expr size;
  for (const Expr& extent : type->shape) size = size.defined() ? mul(size, extent) : extent;
  if (!size.defined()) size = int32(1);
  return TensorType({size}, type->dtype, type->scope, type->data_alignment, type->layout);
}

class Flattener final : public StmtExprMutator {
 public:
  Function Run(Function function) {
    if (!function->body.defined()) return function;
    ffi::Array<Stmt> views;
    for (const Var& param : function->params) {
      const TensorTypeObj* type = AsTensorType(param);
      if (type == nullptr || type->layout.defined()) continue;
      TensorType flat = Flat(type);
      Var view(param->name, flat);
      Expr data = call_op(OpId::tirx_tensor_data_ptr, {param});
      views.push_back(Bind(view, Call(Op::Get(OpId::tirx_decl_tensor), {data}, {}, {flat}, flat)));
      accessed_as_.emplace(param.get(), view);
    }
    SeqStmt body = VisitBody(function->body);
    views.push_back(body);
    return function.WithBody(SeqStmt(views));
  }

 protected:
  Stmt VisitBind(Bind op) final {
    const TensorTypeObj* type = AsTensorType(op->var);
    bool declares =
        IsCallTo(op->value, OpId::tirx_alloc_tensor) || IsCallTo(op->value, OpId::tirx_decl_tensor);
    if (type == nullptr || !declares || type->layout.defined() || type->shape.size() == 1) {
      return StmtExprMutator::VisitBind(std::move(op));
    }
    TensorType flat = Flat(type);
    auto* call = static_cast<const CallObj*>(op->value.get());
    ffi::Array<Expr> args;
    for (const Expr& arg : call->args) args.push_back(VisitExpr(arg));
    Var var(op->var->name, flat, op->var->loc);
    accessed_as_.emplace(op->var.get(), var);
    renamed_.emplace(op->var.get(), var);
    return Bind(var, Call(call->op, args, call->attrs, {flat}, flat, call->loc), op->loc);
  }

  // A tensor named otherwise than in an access: a local one has been replaced altogether.
  Expr VisitVar(Var op) final {
    auto it = renamed_.find(op.get());
    return it == renamed_.end() ? Expr(op) : Expr(it->second);
  }

  Expr VisitTensorLoad(TensorLoad op) final {
    ffi::Array<Expr> indices;
    for (const Expr& index : op->indices) indices.push_back(VisitExpr(index));
    auto it = Accessed(op->source);
    if (it == accessed_as_.end()) {
      return TensorLoad(VisitExpr(op->source), indices, op->loc);
    }
    return TensorLoad(it->second, {Position(AsTensorType(op->source), indices)}, op->loc);
  }

  Stmt VisitTensorStore(TensorStore op) final {
    Expr value = VisitExpr(op->value);
    ffi::Array<Expr> indices;
    for (const Expr& index : op->indices) indices.push_back(VisitExpr(index));
    auto it = Accessed(op->dest);
    if (it == accessed_as_.end()) {
      return TensorStore(VisitExpr(op->dest), indices, value, op->loc);
    }
    return TensorStore(it->second, {Position(AsTensorType(op->dest), indices)}, value, op->loc);
  }

 private:
  std::unordered_map<const ffi::Object*, Var>::iterator Accessed(const Expr& tensor) {
    return accessed_as_.find(tensor.get());
  }

  static Expr Position(const TensorTypeObj* type, const ffi::Array<Expr>& indices) {
    if (indices.empty()) return int32(0);
    Expr flat = indices[0];
    for (size_t d = 1; d < indices.size(); ++d) flat = add(mul(flat, type->shape[d]), indices[d]);
    return flat;
  }

  std::unordered_map<const ffi::Object*, Var> accessed_as_, renamed_;
};

}  // namespace

IRModule FlattenTensor(IRModule module) {
  return MapFunctions(module, [](const Function& f) { return Flattener().Run(f); });
}

}  // namespace tirx
}  // namespace tvm
