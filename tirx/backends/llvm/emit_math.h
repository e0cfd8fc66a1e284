// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_BACKENDS_LLVM_EMIT_MATH_H_
#define TIRX_BACKENDS_LLVM_EMIT_MATH_H_

#include <llvm/IR/IRBuilder.h>

#include "tirx/ir/op.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

/// Whether `id` is a function on numbers that works lane by lane.
bool IsMathOp(OpId id);

/// The value of a function at a float32 scalar or vector, as straight-line code without branches,
/// so that loops over it vectorise. A null result means that there is no such code for `id`.
/// Every function is within 4 units in the last place over the whole range.
llvm::Value* EmitFloat32Function(llvm::IRBuilder<>& builder, OpId id,
                                 llvm::ArrayRef<llvm::Value*> args);

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_LLVM_EMIT_MATH_H_
