// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_DECORATE_DEVICE_SCOPE_H_
#define TIRX_PASSES_DECORATE_DEVICE_SCOPE_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Guarantees: the body of every function is one `tirx.device_scope` region.
TIRX_API IRModule DecorateDeviceScope(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_DECORATE_DEVICE_SCOPE_H_
