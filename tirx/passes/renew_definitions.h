// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_RENEW_DEFINITIONS_H_
#define TIRX_PASSES_RENEW_DEFINITIONS_H_

#include <unordered_map>
#include <unordered_set>

#include "tirx/ir/mutator.h"

namespace tvm {
namespace tirx {

/// Copies a statement so that what it defines are new variables of the same names. A statement that
/// is to stand in a program twice is copied like this.
TIRX_API Stmt RenewDefinitions(Stmt stmt);

/// Replaces definitions of variables for which `Renews` holds, and their uses.
class DefinitionRenewer : public StmtExprMutator {
 protected:
  virtual bool Renews(const VarObj* var) = 0;

  Expr VisitVar(Var op) override;
  Expr VisitLet(Let op) override;
  Expr VisitLambdaExpr(LambdaExpr op) override;
  Stmt VisitBind(Bind op) override;
  Stmt VisitFor(For op) override;
  Stmt VisitRegionStmt(RegionStmt op) override;

 private:
  Var Define(const Var& var);

  std::unordered_map<const VarObj*, Var> renewed_;
};

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_RENEW_DEFINITIONS_H_
