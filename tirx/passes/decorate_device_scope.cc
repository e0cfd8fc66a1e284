// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/decorate_device_scope.h"

namespace tvm {
namespace tirx {

IRModule DecorateDeviceScope(IRModule module) {
  return MapFunctions(module, [](const Function& function) {
    if (!function->body.defined()) return function;
    RegionStmt region(Op::Get(OpId::tirx_device_scope), {}, DictAttrs(), {}, function->body);
    return function.WithBody(SeqStmt({region}));
  });
}

}  // namespace tirx
}  // namespace tvm
