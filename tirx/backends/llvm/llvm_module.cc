// SPDX-License-Identifier: Apache-2.0
#include "tirx/backends/llvm/llvm_module.h"

#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/runtime/c_backend_api.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <mutex>

#include "tirx/backends/llvm/jit.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

// What a function of a kernel keeps alive: the code that it points into.
class KernelFunctionObj : public ffi::FunctionObj {
 public:
  KernelFunctionObj(TVMFFISafeCallType entry, ffi::Module module) : module_(std::move(module)) {
    // The kernel is a safe call itself and ignores its handle: no code stands between.
    this->safe_call = entry;
    this->cpp_call = nullptr;
  }

 private:
  ffi::Module module_;
};

class LLVMModuleObj final : public ffi::ModuleObj {
 public:
  explicit LLVMModuleObj(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}

  const char* kind() const final { return "llvm"; }

  int GetPropertyMask() const final {
    int mask = ffi::Module::kCompilationExportable;
    if (IsHost(compiled_->spec())) mask |= ffi::Module::kRunnable;
    return mask;
  }

  bool ImplementsFunction(const ffi::String& name) final {
    const auto& names = compiled_->exported();
    return std::find(names.begin(), names.end(), std::string(name)) != names.end();
  }

  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (!ImplementsFunction(name)) return std::nullopt;
    auto* entry =
        reinterpret_cast<TVMFFISafeCallType>(Load()->Lookup("__tvm_ffi_" + std::string(name)));
    return ffi::Function(ffi::make_object<KernelFunctionObj>(
        entry, ffi::GetRef<ffi::Module>(static_cast<ffi::ModuleObj*>(this))));
  }

  ffi::Optional<ffi::String> GetFunctionMetadata(const ffi::String& name) final {
    std::string metadata = compiled_->Metadata(name);
    if (metadata.empty()) return std::nullopt;
    return ffi::String(metadata);
  }

  void WriteToFile(const ffi::String& file, const ffi::String& format) const final {
    std::string path = file, kind = format;
    if (kind.empty()) {
      size_t dot = path.rfind('.');
      kind = dot == std::string::npos ? "" : path.substr(dot + 1);
    }
    std::string content = Content(kind);
    std::ofstream stream(path, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    if (!stream) TVM_FFI_THROW(RuntimeError) << "Cannot write the file `" << path << "`";
  }

  ffi::Array<ffi::String> GetWriteFormats() const final {
    return {"o", "obj", "ll", "bc", "s", "asm"};
  }

  ffi::String InspectSource(const ffi::String& format) const final {
    std::string kind = format;
    if (kind.empty() || kind == "ll") return compiled_->IRText();
    return Content(kind);
  }

 private:
  std::string Content(const std::string& kind) const {
    if (kind == "o" || kind == "obj") return compiled_->Object();
    if (kind == "s" || kind == "asm") return compiled_->Assembly();
    if (kind == "ll") return compiled_->IRText();
    if (kind == "bc") return compiled_->Bitcode();
    TVM_FFI_THROW(ValueError) << "An LLVM module is written as o, ll, bc or s, not as `" << kind
                              << "`";
    throw;
  }

  JitLibrary* Load() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (library_ != nullptr) return library_.get();
    if (!IsHost(compiled_->spec())) {
      TVM_FFI_THROW(RuntimeError) << "Code for `" << compiled_->spec().triple
                                  << "` does not run here; use export_library";
    }
    auto library = std::make_unique<JitLibrary>(compiled_->Object());
    for (const std::string& name : compiled_->context_pointers()) {
      if (void* value = ContextPointer(name)) {
        *static_cast<void**>(library->Lookup(name)) = value;
      }
    }
    library_ = std::move(library);
    return library_.get();
  }

  void* ContextPointer(const std::string& name) {
    if (name == "__tvm_ffi__library_ctx") return static_cast<ffi::ModuleObj*>(this);
#define TIRX_CONTEXT(function) \
  if (name == "__" #function) return reinterpret_cast<void*>(function)
    TIRX_CONTEXT(TVMBackendParallelLaunch);
    TIRX_CONTEXT(TVMBackendParallelBarrier);
    TIRX_CONTEXT(TVMBackendAllocWorkspace);
    TIRX_CONTEXT(TVMBackendFreeWorkspace);
    TIRX_CONTEXT(TVMBackendGetDeviceIndex);
    TIRX_CONTEXT(TVMBackendSetDevice);
#undef TIRX_CONTEXT
    return nullptr;
  }

  std::unique_ptr<Compiled> compiled_;
  std::unique_ptr<JitLibrary> library_;
  std::mutex mutex_;
};

}  // namespace

ffi::Module MakeModule(std::unique_ptr<Compiled> compiled) {
  return ffi::Module(ffi::make_object<LLVMModuleObj>(std::move(compiled)));
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
