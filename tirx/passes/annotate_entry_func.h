// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_ANNOTATE_ENTRY_FUNC_H_
#define TIRX_PASSES_ANNOTATE_ENTRY_FUNC_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Guarantees: the only function of the module, or the only exported one, has the attribute
///             `tirx.is_entry_func`. With several exported functions none gets it.
TIRX_API IRModule AnnotateEntryFunc(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_ANNOTATE_ENTRY_FUNC_H_
