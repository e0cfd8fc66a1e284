// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_REMOVE_NO_OP_H_
#define TIRX_PASSES_REMOVE_NO_OP_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Removes what has no effect: evaluations of pure expressions, loops and branches with empty
/// bodies, loops of constant bounds without iterations, and stores of an element to itself.
///
/// Leaves alone: bindings, also unused ones, and loops of one iteration.
TIRX_API IRModule RemoveNoOp(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_REMOVE_NO_OP_H_
