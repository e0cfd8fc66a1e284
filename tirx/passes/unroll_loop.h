// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_UNROLL_LOOP_H_
#define TIRX_PASSES_UNROLL_LOOP_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Writes unrolled loops out.
///
/// Guarantees:   an unrolled loop of constant bounds is its iterations one after another, in order
/// and
///               by its step; one without iterations is gone. Each copy has variables of its own.
///               A loop that a `break` or `continue` of its own leaves becomes serial.
/// Leaves alone: loops whose bounds are not constant; serial loops, unless `tirx.UnrollLoop` sets
/// auto_max_step; with its
///               explicit_unroll off, loops are marked unrolled and not written out.
TIRX_API IRModule UnrollLoop(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_UNROLL_LOOP_H_
