// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library_module.cc
 * \brief The module whose functions are symbols of a library.
 */
#include <tvm/ffi/cast.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/memory.h>

#include <utility>

#include "context_symbols.h"
#include "library.h"
#include "library_bin.h"

namespace tvm {
namespace ffi {
// In `detail`: stack traces leave out what lies between two user functions.
namespace detail {

// A function of a library. The module reference keeps the library mapped.
class LibraryFunctionObj : public FunctionObj {
 public:
  LibraryFunctionObj(Module module, TVMFFISafeCallType symbol)
      : module_(std::move(module)), symbol_(symbol) {
    safe_call = Call;
    cpp_call = nullptr;
  }

 private:
  static int Call(void* handle, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    auto* self = static_cast<LibraryFunctionObj*>(static_cast<Object*>(handle));
    if (TVM_FFI_PREDICT_FALSE(result->type_index >= kTVMFFIStaticObjectBegin)) {
      return RejectResultSlot();
    }
    return self->symbol_(nullptr, args, num_args, result);
  }

  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static int RejectResultSlot() {
    TVMFFIErrorSetRaisedFromCStr("InternalError",
                                 "The result slot of a call already owns an object");
    return -1;
  }

  Module module_;
  TVMFFISafeCallType symbol_;
};

}  // namespace detail

namespace {

class LibraryModuleObj final : public ModuleObj {
 public:
  explicit LibraryModuleObj(std::shared_ptr<Library> library) : library_(std::move(library)) {}

  const char* kind() const final { return "library"; }

  int GetPropertyMask() const final { return Module::kBinarySerializable | Module::kRunnable; }

  Optional<Function> GetFunction(const String& name) final {
    TVMFFISafeCallType symbol = Find(symbol::tvm_ffi_symbol_prefix, name);
    if (symbol == nullptr) return std::nullopt;
    return Function(make_object<detail::LibraryFunctionObj>(GetRef<Module>(this), symbol));
  }

  bool ImplementsFunction(const String& name) final {
    return Find(symbol::tvm_ffi_symbol_prefix, name) != nullptr;
  }

  Optional<String> GetFunctionDoc(const String& name) final {
    return CallForText(Find(symbol::tvm_ffi_doc_prefix, name));
  }

  Optional<String> GetFunctionMetadata(const String& name) final {
    return CallForText(Find(symbol::tvm_ffi_metadata_prefix, name));
  }

 private:
  TVMFFISafeCallType Find(const char* prefix, const String& name) {
    return reinterpret_cast<TVMFFISafeCallType>(library_->FindExported(prefix, name));
  }

  static Optional<String> CallForText(TVMFFISafeCallType symbol) {
    if (symbol == nullptr) return std::nullopt;
    return Function::InvokeExternC(nullptr, symbol).cast<String>();
  }

  std::shared_ptr<Library> library_;
};

}  // namespace

Module MakeLibraryModule(std::shared_ptr<Library> library) {
  StoreContextSymbols(library.get());
  const char* binary = static_cast<const char*>(library->FindSymbol(symbol::tvm_ffi_library_bin));
  void** context = static_cast<void**>(library->FindSymbol(symbol::tvm_ffi_library_ctx));
  auto make_host = [&] {
    ObjectPtr<LibraryModuleObj> object = make_object<LibraryModuleObj>(library);
    // The address of the C++ object, not of the header inside: compiled libraries rely on it.
    if (context != nullptr) *context = static_cast<ModuleObj*>(object.get());
    return Module(ObjectPtr<ModuleObj>(std::move(object)));
  };
  if (binary == nullptr) return make_host();
  return LoadLibraryBin(binary, library->SizeOfSymbol(binary), make_host);
}

}  // namespace ffi
}  // namespace tvm
