// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_BACKENDS_LLVM_JIT_H_
#define TIRX_BACKENDS_LLVM_JIT_H_

#include <memory>
#include <string>

namespace tvm {
namespace tirx {
namespace llvm_backend {

/// Code of one module, loaded into this process. All share one LLJIT; each has a symbol table of
/// its own, so that two kernels may have the same name. Freed with the object: whoever holds an
/// address keeps the object alive.
class JitLibrary {
 public:
  /// Takes an object file for the host. Throws ffi::Error.
  explicit JitLibrary(const std::string& object);
  ~JitLibrary();
  JitLibrary(const JitLibrary&) = delete;
  JitLibrary& operator=(const JitLibrary&) = delete;

  /// Address of a symbol that the object defines. Throws RuntimeError when there is none, or when
  /// linking fails; the message names the symbols that nobody defines.
  void* Lookup(const std::string& name);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_LLVM_JIT_H_
