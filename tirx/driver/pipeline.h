// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_DRIVER_PIPELINE_H_
#define TIRX_DRIVER_PIPELINE_H_

#include <tvm/ffi/extra/module.h>

#include "tirx/ir/module.h"
#include "tirx/target/target.h"

namespace tvm {
namespace tirx {

/// Compiles every function of `module` for `target`. A function with a target of its own keeps it.
/// Throws what the passes and the backends throw.
TIRX_API ffi::Module Compile(IRModule module, const Target& target);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_DRIVER_PIPELINE_H_
