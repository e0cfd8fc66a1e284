// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_SKIP_ASSERT_H_
#define TIRX_PASSES_SKIP_ASSERT_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Guarantees: the module has no assertions.
TIRX_API IRModule SkipAssert(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_SKIP_ASSERT_H_
