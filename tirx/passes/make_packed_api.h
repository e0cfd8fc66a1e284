// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_MAKE_PACKED_API_H_
#define TIRX_PASSES_MAKE_PACKED_API_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Attribute of a packed function: JSON text with the names and types of its former parameters.
inline constexpr const char* kMetadataAttr = "tirx.ffi_metadata";

/// Gives every exported function the safe-call shape of the FFI.
///
/// Expects:     functions of host targets; parameters are scalars, pointers, None slots and
/// tensors. Guarantees:  an exported function `f` is `__tvm_ffi_f(self, args, num_args, result) ->
/// int32`,
///              calling_conv 1: it checks its arguments, binds the former parameters, writes the
///              result and returns 0. Whoever calls `f` inside the module calls the former
///              function, which stays as a private one then.
/// Leaves alone: private functions, and those with another calling convention.
///
/// Throws ValueError when a size cannot be found from the arguments, TypeError for a parameter or
/// result that has no FFI form.
TIRX_API IRModule MakePackedAPI(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_MAKE_PACKED_API_H_
