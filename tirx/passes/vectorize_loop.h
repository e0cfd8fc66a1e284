// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_VECTORIZE_LOOP_H_
#define TIRX_PASSES_VECTORIZE_LOOP_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Turns vectorized loops into statements on vectors.
///
/// Guarantees:   no loop is marked vectorized. A loop of constant bounds whose body is stores of
/// element
///               expressions becomes one store of a vector each, when doing all iterations of one
///               store before those of the next cannot be noticed: the loop touches one tensor, or
///               the function has `tirx.noalias`, and what is read from a stored tensor is the
///               element that is stored. All other vectorized loops become serial ones, and with
///               `enable` off every one.
TIRX_API IRModule VectorizeLoop(IRModule module, bool enable);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_VECTORIZE_LOOP_H_
