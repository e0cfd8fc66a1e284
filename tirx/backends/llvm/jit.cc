// SPDX-License-Identifier: Apache-2.0
#include "tirx/backends/llvm/jit.h"

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <atomic>
#include <mutex>

#include "tirx/backends/llvm/target_machine.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

namespace orc = llvm::orc;

// LLJIT as a whole stays until the process ends; only the libraries in it come and go.
orc::LLJIT* SharedJIT() {
  static orc::LLJIT* jit = [] {
    InitializeLLVM();
    auto builder = orc::LLJITBuilder();
    // Kernels have no constructors, thread-locals or exceptions, so no platform support is needed.
    builder.setPlatformSetUp(orc::setUpInactivePlatform);
    auto made = builder.create();
    if (!made) {
      TVM_FFI_THROW(RuntimeError) << "LLVM's JIT cannot start: "
                                  << llvm::toString(made.takeError());
    }
    // Errors reach the caller of Lookup; the session's own report would only repeat them on stderr.
    (*made)->getExecutionSession().setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
    return made->release();
  }();
  return jit;
}

template <typename F>
orc::ExecutorSymbolDef Address(F* function) {
  return {orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

// The functions of libtvm_ffi by address: the library may be loaded with RTLD_LOCAL, where a search
// by name does not find them.
orc::SymbolMap FFISymbols(orc::LLJIT* jit) {
  orc::SymbolMap map;
  auto add = [&](const char* name, auto* function) {
    map[jit->mangleAndIntern(name)] = Address(function);
  };
  add("TVMFFIErrorSetRaisedFromCStr", TVMFFIErrorSetRaisedFromCStr);
  add("TVMFFIErrorSetRaisedFromCStrParts", TVMFFIErrorSetRaisedFromCStrParts);
  add("TVMFFIFunctionCall", TVMFFIFunctionCall);
  add("TVMFFIEnvModLookupFromImports", TVMFFIEnvModLookupFromImports);
  add("TVMFFIObjectDecRef", TVMFFIObjectDecRef);
  add("TVMFFIObjectIncRef", TVMFFIObjectIncRef);
  add("TVMFFIBigIntGetContentByteArray", TVMFFIBigIntGetContentByteArray);
  add("TVMFFIEnvSetStream", TVMFFIEnvSetStream);
  add("TVMFFIEnvGetStream", TVMFFIEnvGetStream);
  return map;
}

[[noreturn]] void ThrowLinkError(llvm::Error error) {
  TVM_FFI_THROW(RuntimeError) << "The kernel cannot be linked: "
                              << llvm::toString(std::move(error));
  throw;
}

}  // namespace

struct JitLibrary::Impl {
  orc::LLJIT* jit;
  orc::JITDylib* library;
};

JitLibrary::JitLibrary(const std::string& object) : impl_(std::make_unique<Impl>()) {
  orc::LLJIT* jit = SharedJIT();
  impl_->jit = jit;
  static std::atomic<uint64_t> count{0};
  auto& session = jit->getExecutionSession();
  auto library = session.createJITDylib("kernel" + std::to_string(count++));
  if (!library) ThrowLinkError(library.takeError());
  impl_->library = &*library;
  llvm::cantFail(impl_->library->define(orc::absoluteSymbols(FFISymbols(jit))));
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit->getDataLayout().getGlobalPrefix());
  if (!process) ThrowLinkError(process.takeError());
  impl_->library->addGenerator(std::move(*process));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, impl_->library->getName());
  if (auto error = jit->addObjectFile(*impl_->library, std::move(buffer))) {
    ThrowLinkError(std::move(error));
  }
}

JitLibrary::~JitLibrary() {
  if (impl_ == nullptr || impl_->library == nullptr) return;
  llvm::consumeError(impl_->jit->getExecutionSession().removeJITDylib(*impl_->library));
}

void* JitLibrary::Lookup(const std::string& name) {
  auto address = impl_->jit->lookup(*impl_->library, name);
  if (!address) ThrowLinkError(address.takeError());
  return address->toPtr<void*>();
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
