// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/bind_target.h"

namespace tvm {
namespace tirx {

IRModule BindTarget(IRModule module, const Target& target) {
  return MapFunctions(module, [&](const Function& function) {
    return function.HasAttr(attr::kTarget) ? function : function.WithAttr(attr::kTarget, target);
  });
}

}  // namespace tirx
}  // namespace tvm
