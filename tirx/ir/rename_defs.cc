// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "tirx/ir/analysis.h"
#include "tirx/ir/given.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/reflect.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {

namespace {

class SizeVars final : public ExprVisitor {
 public:
  ffi::Array<Var> vars;

 protected:
  void VisitVar(const VarObj* op) final { vars.push_back(ffi::GetRef<Var>(op)); }
};

// Gives every variable that the program defines a new object.
class Renewer final : public StmtExprMutator {
 public:
  Function Renew(const Function& func) {
    SizeVars sizes;
    for (const Var& param : func->params) sizes.VisitType(param->ty);
    std::unordered_map<const VarObj*, bool> params;
    for (const Var& param : func->params) params[param.get()] = true;
    for (const Var& size : sizes.vars) {
      if (params.count(size.get()) == 0 && !renewed_.Get(size)) VisitVarDef(size);
    }
    ffi::Array<Var> fresh;
    for (const Var& param : func->params) fresh.push_back(VisitVarDef(param));
    SeqStmt body = func->body.defined() ? VisitBody(func->body) : SeqStmt();
    return Function(std::move(fresh), std::move(body), VisitType(func->ret_type), func->attrs,
                    func->loc);
  }

 protected:
  Var VisitVarDef(Var var) final {
    Var fresh(var->name, VisitType(var->ty), var->loc);
    renewed_.Set(var, fresh);
    return fresh;
  }
  Expr VisitVar(Var op) final {
    auto found = renewed_.Get(op);
    return found ? Expr(*found) : Expr(std::move(op));
  }

 private:
  ffi::Map<Var, Var> renewed_;
};

Expr Apply(const Given<LambdaExpr>& lambda, const ffi::Array<Given<Expr>>& args) {
  TVM_FFI_CHECK_EQ(lambda->vars.size(), args.size(), TypeError)
      << "the lambda takes " << lambda->vars.size() << " arguments";
  ffi::Map<Var, Expr> map;
  for (int64_t i = 0; i < static_cast<int64_t>(args.size()); ++i) {
    TVM_FFI_CHECK(SameType(lambda->vars[i]->ty, args[i]->ty), TypeError)
        << "argument #" << i << " of the lambda has another type than its parameter";
    map.Set(lambda->vars[i], args[i]);
  }
  return Substitute(lambda->body, map);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef()
      .def("tirx.RenewDef", [](Given<Function> func) { return Renewer().Renew(func); })
      .def("ir.LambdaApply", Apply)
      .def("ir.UndefinedVars",
           [](ffi::ObjectRef node, ffi::Array<Given<Var>> defs) {
             return UndefinedVars(node, defs);
           })
      .def("ir.CheckWellFormed", [](ffi::ObjectRef node) { CheckWellFormed(node); })
      .def("ir.FindIllFormed",
           // (text, location, name of a variable that is out of scope), or None
           [](ffi::ObjectRef node) -> ffi::Optional<ffi::Array<ffi::Any>> {
             auto fault = FindIllFormed(node);
             if (!fault) return std::nullopt;
             return ffi::Array<ffi::Any>{ffi::String(fault->text), fault->loc,
                                         ffi::String(fault->out_of_scope ? fault->name : "")};
           })
      .def("ir.WellFormedError",
           [](ffi::ObjectRef node) { return ffi::String(WellFormedError(node)); })
      .def("ir.AssertStructuralEqual", [](ffi::Any lhs, ffi::Any rhs, bool map_free_vars) {
        AssertStructuralEqual(lhs, rhs, map_free_vars);
      });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
