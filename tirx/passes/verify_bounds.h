// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_VERIFY_BOUNDS_H_
#define TIRX_PASSES_VERIFY_BOUNDS_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Throws IndexError, with file and line, for an access that is certain to happen when the function
/// runs and certain to be out of bounds: a constant index, or a linear one under loops of constant
/// bounds. Accesses below a condition are not judged. Returns the module unchanged.
TIRX_API IRModule VerifyBounds(IRModule module);

/// Puts an assertion in front of each access to a tensor: IndexError with file and line when an
/// index is not inside its extent. For the config flag `tirx.enable_debug`.
///
/// Leaves alone: accesses in conditions of `while`, and accesses with vector indices.
TIRX_API IRModule InsertBoundChecks(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_VERIFY_BOUNDS_H_
