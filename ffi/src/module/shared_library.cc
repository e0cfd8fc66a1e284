// SPDX-License-Identifier: Apache-2.0
/*!
 * \file shared_library.cc
 * \brief Modules from shared library files.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/reflection/registry.h>

#include <memory>
#include <string>

#include "library.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace tvm {
namespace ffi {
namespace {

// Closes the file when the last module and the last function of it are gone.
class SharedLibrary final : public Library {
 public:
#if defined(_WIN32)
  explicit SharedLibrary(const std::string& path) : handle_(LoadLibraryA(path.c_str())) {
    if (handle_ == nullptr) {
      TVM_FFI_THROW(InternalError)
          << "Failed to load dynamic shared library " << path << " error " << GetLastError();
    }
  }
  ~SharedLibrary() override { FreeLibrary(handle_); }
  void* FindSymbol(const std::string& name) override {
    return reinterpret_cast<void*>(GetProcAddress(handle_, name.c_str()));
  }

 private:
  HMODULE handle_;
#else
  explicit SharedLibrary(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      const char* reason = dlerror();
      TVM_FFI_THROW(InternalError) << "Failed to load dynamic shared library " << path << " "
                                   << (reason == nullptr ? "" : reason);
    }
  }
  ~SharedLibrary() override { dlclose(handle_); }
  void* FindSymbol(const std::string& name) override { return dlsym(handle_, name.c_str()); }

 private:
  void* handle_;
#endif
};

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.Module.load_from_file.so",
                              [](const String& path, const String& format) {
                                return MakeLibraryModule(std::make_shared<SharedLibrary>(path));
                              });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
