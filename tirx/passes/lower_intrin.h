// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_LOWER_INTRIN_H_
#define TIRX_PASSES_LOWER_INTRIN_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Writes floor division and floor modulo as what processors have.
///
/// Expects:      every function has a target.
/// Guarantees:   no FloorDiv and no FloorMod: by a power of two they are a shift and a mask,
/// otherwise
///               truncated forms with a correction.
/// Leaves alone: truncated divisions; mathematical functions, which each code generator has its own
/// way
///               for.
/// Throws ValueError for a function without a target.
TIRX_API IRModule LowerIntrin(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_LOWER_INTRIN_H_
