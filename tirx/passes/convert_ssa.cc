// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/convert_ssa.h"

#include "tirx/ir/analysis.h"
#include "tirx/passes/renew_definitions.h"

namespace tvm {
namespace tirx {
namespace {

class RenewRepeated final : public DefinitionRenewer {
 public:
  explicit RenewRepeated(std::unordered_set<const VarObj*>& seen) : seen_(seen) {}

  Function Run(Function function) {
    ffi::Array<Var> params = function->params;
    ffi::Map<Var, Expr> replaced;
    for (size_t i = 0; i < params.size(); ++i) {
      if (seen_.insert(params[i].get()).second) continue;
      Var fresh(params[i]->name, params[i]->ty, params[i]->loc);
      replaced.Set(params[i], fresh);
      params.Set(i, fresh);
    }
    if (!function->body.defined()) return function;
    SeqStmt body = function->body;
    if (!replaced.empty()) body = SeqStmt::From(Substitute(Stmt(body), replaced));
    SeqStmt renewed = VisitBody(body);
    if (renewed.same_as(function->body)) return function;
    return Function(params, renewed, function->ret_type, function->attrs, function->loc);
  }

 protected:
  bool Renews(const VarObj* var) final { return !seen_.insert(var).second; }

 private:
  std::unordered_set<const VarObj*>& seen_;
};

}  // namespace

IRModule ConvertSSA(IRModule module) {
  std::unordered_set<const VarObj*> seen;
  return MapFunctions(module,
                      [&](const Function& function) { return RenewRepeated(seen).Run(function); });
}

}  // namespace tirx
}  // namespace tvm
