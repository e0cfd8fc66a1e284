// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_COMMON_SUBEXPR_ELIM_H_
#define TIRX_PASSES_COMMON_SUBEXPR_ELIM_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Gives repeated expressions a name: `cse_v1`, `cse_v2`, ...
///
/// Guarantees:   arithmetic on variables and constants that stands twice in a block, or in blocks
///               inside it, is calculated once, right before its first use in the smallest block
///               that holds all uses. Expressions of less height have lower numbers.
/// Leaves alone: comparisons, choices, calls, loads, divisions that may fail, and expressions of
/// more than 128 nodes.
TIRX_API IRModule CommonSubexprElim(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_COMMON_SUBEXPR_ELIM_H_
