// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_BACKENDS_LLVM_OPTIMIZE_H_
#define TIRX_BACKENDS_LLVM_OPTIMIZE_H_

#include <string>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tvm {
namespace tirx {
namespace llvm_backend {

/// Optimises in place. The passes depend on the size: what is quadratic in LLVM is left out for
/// functions where it would show. Level 0 changes nothing.
void Optimize(llvm::Module* module, llvm::TargetMachine* machine, int level);

/// Machine code of an optimised module: an object file, or assembly text. The module may be
/// changed by the code generator, but still means the same.
std::string EmitObject(llvm::Module* module, llvm::TargetMachine* machine);
std::string EmitAssembly(llvm::Module* module, llvm::TargetMachine* machine);

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_LLVM_OPTIMIZE_H_
