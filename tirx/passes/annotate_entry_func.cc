// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/annotate_entry_func.h"

#include <vector>

namespace tvm {
namespace tirx {

IRModule AnnotateEntryFunc(IRModule module) {
  std::vector<GlobalVar> all, exported;
  ForEachFunction(module, [&](const GlobalVar& var, const Function& function) {
    all.push_back(var);
    if (function.HasAttr(attr::kGlobalSymbol)) exported.push_back(var);
  });
  const std::vector<GlobalVar>& candidates = all.size() == 1 ? all : exported;
  if (candidates.size() != 1) return module;
  IRModule result = module.ShallowCopy();
  ForEachFunction(module, [&](const GlobalVar& var, const Function& function) {
    if (var.same_as(candidates[0])) {
      result->Update(var, function.WithAttr(attr::kIsEntryFunc, true));
    }
  });
  return result;
}

}  // namespace tirx
}  // namespace tvm
