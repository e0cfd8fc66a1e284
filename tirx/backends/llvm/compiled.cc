// SPDX-License-Identifier: Apache-2.0
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "tirx/backends/llvm/emit.h"
#include "tirx/backends/llvm/llvm_module.h"
#include "tirx/backends/llvm/optimize.h"
#include "tirx/passes/make_packed_api.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

struct Compiled::Impl {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

Compiled::Compiled(const IRModule& ir, const TargetSpec& spec)
    : impl_(std::make_unique<Impl>()), spec_(spec) {
  impl_->machine = MakeTargetMachine(spec);
  EmitOptions options;
  options.fast_math = spec.fast_math;
  impl_->module = ModuleEmitter(impl_->context, impl_->machine.get(), options).Run(ir);
  Optimize(impl_->module.get(), impl_->machine.get(), spec.opt_level);
  Collect();
  const std::string prefix = "__tvm_ffi_";
  ForEachFunction(ir, [&](const GlobalVar&, const Function& function) {
    auto symbol = function.GetAttr<ffi::String>(attr::kGlobalSymbol);
    auto metadata = function.GetAttr<ffi::String>(kMetadataAttr);
    if (!symbol || !metadata) return;
    std::string name = *symbol;
    if (name.compare(0, prefix.size(), prefix) == 0) {
      metadata_.emplace_back(name.substr(prefix.size()), *metadata);
    }
    if (function.GetAttr<bool>(attr::kIsEntryFunc).value_or(false)) {
      metadata_.emplace_back("main", *metadata);
    }
  });
}

Compiled::Compiled(const std::string& text, const TargetSpec& spec, const std::string& name)
    : impl_(std::make_unique<Impl>()), spec_(spec) {
  impl_->machine = MakeTargetMachine(spec);
  llvm::SMDiagnostic problem;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, name);
  impl_->module = llvm::parseIR(buffer->getMemBufferRef(), problem, impl_->context);
  if (impl_->module == nullptr) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    problem.print(nullptr, stream, /*ShowColors=*/false);
    TVM_FFI_THROW(ValueError) << "This is no LLVM IR: " << stream.str();
  }
  Collect();
}

Compiled::~Compiled() = default;

void Compiled::Collect() {
  const std::string prefix = "__tvm_ffi_";
  auto note = [&](const llvm::GlobalValue& value) {
    std::string name = value.getName().str();
    if (value.isDeclaration() || value.hasLocalLinkage() ||
        name.compare(0, prefix.size(), prefix) != 0) {
      return;
    }
    if (llvm::isa<llvm::GlobalVariable>(value)) return;
    exported_.push_back(name.substr(prefix.size()));
  };
  for (const llvm::Function& function : *impl_->module) note(function);
  for (const llvm::GlobalAlias& alias : impl_->module->aliases()) note(alias);
  for (const llvm::GlobalVariable& variable : impl_->module->globals()) {
    if (!variable.isDeclaration() && variable.hasWeakLinkage()) {
      context_pointers_.push_back(variable.getName().str());
    }
  }
}

std::string Compiled::Metadata(const std::string& name) const {
  for (const auto& [known, metadata] : metadata_) {
    if (known == name) return metadata;
  }
  return "";
}

const std::string& Compiled::Object() {
  if (object_.empty()) object_ = EmitObject(impl_->module.get(), impl_->machine.get());
  return object_;
}

std::string Compiled::Assembly() {
  // The code generator consumes its module, so it works on a copy.
  auto copy = llvm::CloneModule(*impl_->module);
  return EmitAssembly(copy.get(), impl_->machine.get());
}

std::string Compiled::IRText() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->module->print(stream, nullptr);
  return stream.str();
}

std::string Compiled::Bitcode() {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*impl_->module, stream);
  return stream.str();
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
