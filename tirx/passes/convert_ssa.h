// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_CONVERT_SSA_H_
#define TIRX_PASSES_CONVERT_SSA_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Guarantees:   no variable is defined twice in the module.
/// Leaves alone: the first definition of each variable, and all names.
TIRX_API IRModule ConvertSSA(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_CONVERT_SSA_H_
