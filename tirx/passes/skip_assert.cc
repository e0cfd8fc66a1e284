// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/skip_assert.h"

#include "tirx/ir/mutator.h"

namespace tvm {
namespace tirx {
namespace {

class DropAssertions final : public StmtExprMutator {
 protected:
  Stmt VisitAssertStmt(AssertStmt) final { return Stmt(); }
};

}  // namespace

IRModule SkipAssert(IRModule module) {
  return MapFunctions(module, [](const Function& f) { return DropAssertions().Rewrite(f); });
}

}  // namespace tirx
}  // namespace tvm
