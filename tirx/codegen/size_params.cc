// SPDX-License-Identifier: Apache-2.0
#include "tirx/codegen/size_params.h"

#include <tvm/ffi/cast.h>

#include <unordered_set>

#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {

std::vector<Var> SizeParams(const FunctionObj* function) {
  std::vector<Var> sizes;
  std::unordered_set<const ffi::Object*> seen;
  for (const Var& param : function->params) seen.insert(param.get());
  for (const Var& param : function->params) {
    const TensorTypeObj* tensor = AsTensorType(param);
    if (tensor == nullptr) continue;
    for (const Expr& extent : tensor->shape) {
      PostOrderVisitExpr(extent, [&](const Expr& e) {
        if (e.is(ExprKind::Var) && seen.insert(e.get()).second) {
          sizes.push_back(ffi::GetRef<Var>(static_cast<const VarObj*>(e.get())));
        }
      });
    }
  }
  return sizes;
}

}  // namespace tirx
}  // namespace tvm
