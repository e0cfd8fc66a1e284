// SPDX-License-Identifier: Apache-2.0
// float32 functions as polynomials.
#include "tirx/backends/llvm/emit_math.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

llvm::Value* EmitFloat32Function(llvm::IRBuilder<>& builder, OpId id,
                                 llvm::ArrayRef<llvm::Value*> args) {
  return nullptr;
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
