// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_BACKENDS_LLVM_LLVM_MODULE_H_
#define TIRX_BACKENDS_LLVM_LLVM_MODULE_H_

#include <tvm/ffi/extra/module.h>

#include <memory>
#include <string>
#include <vector>

#include "tirx/backends/llvm/target_machine.h"
#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

/// What the compilation of one IR module gives; the LLVM module itself stays behind it.
class Compiled {
 public:
  /// Emits and optimises. Throws ffi::Error.
  Compiled(const IRModule& module, const TargetSpec& spec);
  /// From the text or bitcode of LLVM IR.
  Compiled(const std::string& text, const TargetSpec& spec, const std::string& name);
  ~Compiled();

  const std::string& Object();  // generated at the first call
  std::string Assembly();
  std::string IRText();
  std::string Bitcode();
  /// Names of the functions that a caller may ask for, without the prefix `__tvm_ffi_`.
  const std::vector<std::string>& exported() const { return exported_; }
  /// Names of pointer variables that the loader fills in.
  const std::vector<std::string>& context_pointers() const { return context_pointers_; }
  const TargetSpec& spec() const { return spec_; }
  /// JSON metadata of an exported function; empty when there is none.
  std::string Metadata(const std::string& name) const;

 private:
  void Collect();

  struct Impl;
  std::unique_ptr<Impl> impl_;
  TargetSpec spec_;
  std::vector<std::string> exported_, context_pointers_;
  std::vector<std::pair<std::string, std::string>> metadata_;  // name, JSON
  std::string object_;
};

/// An ffi Module of kind `llvm`: its functions are loaded by the JIT at the first question.
ffi::Module MakeModule(std::unique_ptr<Compiled> compiled);

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_LLVM_LLVM_MODULE_H_
