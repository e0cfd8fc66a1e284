// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/written_params.h"

#include <unordered_map>

#include "tirx/ir/op.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {
namespace {

class Finder final : public StmtExprVisitor {
 public:
  explicit Finder(const Function& function) {
    for (const Var& param : function->params) owner_[param.get()] = param.get();
    if (function->body.defined()) VisitStmt(function->body);
  }

  std::unordered_set<const VarObj*> written;

 protected:
  void VisitBind(const BindObj* op) final {
    StmtExprVisitor::VisitBind(op);
    if (const VarObj* param = OwnerOfView(op->value)) owner_[op->var.get()] = param;
  }

  void VisitTensorStore(const TensorStoreObj* op) final {
    StmtExprVisitor::VisitTensorStore(op);
    Mark(OwnerOf(op->dest));
  }

  void VisitCall(const CallObj* op) final {
    StmtExprVisitor::VisitCall(op);
    const OpObj* called = CalledOp(op);
    if (called != nullptr && called->id() == OpId::tirx_atomic_add && !op->args.empty()) {
      Mark(OwnerOfPointer(op->args[0]));
    }
  }

 private:
  void Mark(const VarObj* param) {
    if (param != nullptr) written.insert(param);
  }

  // The parameter whose memory a tensor variable, a pointer or a declaration of a view names.
  const VarObj* OwnerOf(const Expr& tensor) const {
    if (!tensor.is(ExprKind::Var)) return nullptr;
    auto it = owner_.find(static_cast<const VarObj*>(tensor.get()));
    return it == owner_.end() ? nullptr : it->second;
  }
  const VarObj* OwnerOfPointer(const Expr& pointer) const {
    if (pointer.is(ExprKind::Var)) return OwnerOf(pointer);
    if (!IsCallTo(pointer, OpId::tirx_tensor_data_ptr) &&
        !IsCallTo(pointer, OpId::tirx_address_of)) {
      return nullptr;
    }
    Expr inside = static_cast<const CallObj*>(pointer.get())->args[0];
    if (inside.is(ExprKind::TensorLoad)) {
      inside = static_cast<const TensorLoadObj*>(inside.get())->source;
    }
    return OwnerOf(inside);
  }
  const VarObj* OwnerOfView(const Expr& value) const {
    if (!IsCallTo(value, OpId::tirx_decl_tensor)) return OwnerOfPointer(value);
    const CallObj* call = static_cast<const CallObj*>(value.get());
    return call->args.empty() ? nullptr : OwnerOfPointer(call->args[0]);
  }

  std::unordered_map<const VarObj*, const VarObj*> owner_;
};

}  // namespace

std::unordered_set<const VarObj*> WrittenParams(const Function& function) {
  return std::move(Finder(function).written);
}

}  // namespace tirx
}  // namespace tvm
