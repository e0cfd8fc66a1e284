// SPDX-License-Identifier: Apache-2.0
/*!
 * \file shared_library.cc
 * \brief Modules from shared library files.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/reflection/registry.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "elf_file.h"
#include "library.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#endif
#endif

namespace tvm {
namespace ffi {
namespace {

// Files that are being loaded on this thread, innermost first: an initialiser may load another.
struct Loading {
  explicit Loading() : outer(innermost) { innermost = this; }
  ~Loading() { innermost = outer; }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  Loading* outer;
  std::optional<Error> error;  // the first that a TVM_FFI_STATIC_INIT_BLOCK of the file threw

  static thread_local Loading* innermost;
};
thread_local Loading* Loading::innermost = nullptr;

// Handles of the files whose initialisers failed, with the error. They stay open, because the
// registry may know functions of theirs; opening one again runs no initialiser again.
class FailedFiles {
 public:
  static FailedFiles& Global() {
    static FailedFiles* files = new FailedFiles();  // never destroyed: errors may need their code
    return *files;
  }
  // Throws when the file behind `handle` failed, now or before.
  void Check(void* handle, const std::string& path, const std::optional<Error>& error) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (error.has_value()) errors_.insert_or_assign(handle, *error);
    auto it = errors_.find(handle);
    if (it == errors_.end()) return;
    const Error& cause = it->second;
    const std::string message = "Failed to initialize shared library " + path + ": " +
                                cause.kind() + ": " + cause.message();
    throw Error(cause.kind(), message, cause.backtrace(), cause, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::map<void*, Error> errors_;
};

// Closes the file when the last module and the last function of it are gone.
class SharedLibrary final : public Library {
 public:
#if defined(_WIN32)
  explicit SharedLibrary(const std::string& path) {
    Loading loading;
    handle_ = LoadLibraryA(path.c_str());
    if (handle_ == nullptr) {
      TVM_FFI_THROW(InternalError)
          << "Failed to load dynamic shared library " << path << " error " << GetLastError();
    }
    FailedFiles::Global().Check(handle_, path, loading.error);
  }
  ~SharedLibrary() override { FreeLibrary(handle_); }
  void* FindSymbol(const std::string& name) override {
    return reinterpret_cast<void*>(GetProcAddress(handle_, name.c_str()));
  }

 private:
  HMODULE handle_;
#else
  explicit SharedLibrary(const std::string& path) {
    Loading loading;
    handle_ = Open(path);
    FailedFiles::Global().Check(handle_, path, loading.error);
  }
  ~SharedLibrary() override { dlclose(handle_); }
  void* FindSymbol(const std::string& name) override { return dlsym(handle_, name.c_str()); }

#if defined(__linux__)
  size_t SizeOfSymbol(const void* address) override {
    Dl_info info;
    const ElfW(Sym)* symbol = nullptr;
    void** out = const_cast<void**>(reinterpret_cast<const void* const*>(&symbol));
    if (dladdr1(address, &info, out, RTLD_DL_SYMENT) == 0) return 0;
    return symbol != nullptr && info.dli_saddr == address ? symbol->st_size : 0;
  }
#endif

 private:
  static void* Open(const std::string& path) {
    int mode = RTLD_LAZY | RTLD_LOCAL;
    // A name without a slash is searched for, so which file it is only the loader knows.
    if (path.find('/') != std::string::npos) {
      const LibraryFile file = InspectLibraryFile(path);
      if (!file.fault.empty()) Fail(path, ": " + file.fault);
      for (const std::string& name : file.needed_ffi_symbols) {
        // A function that is missing in the end would end the process at its first call. All
        // symbols are looked up now, so that it becomes an error before any code has run.
        if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr && !IsOwnSymbol(name)) {
          mode = RTLD_NOW | RTLD_LOCAL;
        }
      }
    }
    void* handle = dlopen(path.c_str(), mode);
    if (handle == nullptr) {
      const char* reason = dlerror();
      // Whoever names a file of the current folder means it.
      if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0) {
        return Open("./" + path);
      }
      Fail(path, Explain(path, reason == nullptr ? "" : reason));
    }
    return handle;
  }

  // Whether this library has a function, also where it is not in the global scope.
  static bool IsOwnSymbol(const std::string& name) {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&TVMFFIGetVersion), &info) == 0) return false;
    void* self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (self == nullptr) return false;
    const bool found = dlsym(self, name.c_str()) != nullptr;
    dlclose(self);
    return found;
  }

  // The loader's reason without a second mention of the path, and what to do where that is known.
  static std::string Explain(const std::string& path, const std::string& reason) {
    const std::string prefix = path + ": ";
    if (reason.compare(0, prefix.size(), prefix) == 0) {
      const std::string rest = reason.substr(prefix.size());
      if (rest.find("undefined symbol: TVMFFI") == 0 ||
          rest.find("undefined symbol: _ZN3tvm3ffi") == 0) {
        TVMFFIVersion version;
        TVMFFIGetVersion(&version);
        return ": " + rest + "; the library was built with a newer version of tvm_ffi than this (" +
               std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
               std::to_string(version.patch) + "): update tvm_ffi, or build the library again";
      }
      return ": " + rest;
    }
    if (reason.find(": cannot open shared object file") != std::string::npos) {
      return ", which needs " + reason +
             "; add the folder of that file to LD_LIBRARY_PATH, or link with -Wl,-rpath";
    }
    return " " + reason;
  }

  [[noreturn]] static void Fail(const std::string& path, const std::string& why) {
    TVM_FFI_THROW(InternalError) << "Failed to load dynamic shared library " << path << why;
    TVM_FFI_UNREACHABLE();
  }

  void* handle_;
#endif
};

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.Module.load_from_file.so",
                              [](const String& path, const String& format) {
                                return MakeLibraryModule(std::make_shared<SharedLibrary>(path));
                              });
  // Called by the headers when a block like this one throws: whether somebody will raise the error.
  reflection::GlobalDef().def("ffi._StaticInitFailed", [](const Error& error) {
    Loading* loading = Loading::innermost;
    if (loading == nullptr) return false;
    if (!loading->error.has_value()) loading->error = error;
    return true;
  });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
