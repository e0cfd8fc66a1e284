// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_BIND_TARGET_H_
#define TIRX_PASSES_BIND_TARGET_H_

#include "tirx/ir/module.h"
#include "tirx/target/target.h"

namespace tvm {
namespace tirx {

/// Guarantees:   every function has the attribute `target`.
/// Leaves alone: functions that have one.
TIRX_API IRModule BindTarget(IRModule module, const Target& target);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_BIND_TARGET_H_
