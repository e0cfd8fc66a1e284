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
#include <utility>

#include "../code_image.h"
#include "../loading.h"
#include "elf_file.h"
#include "library.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#include <sys/stat.h>
#endif
#endif

namespace tvm {
namespace ffi {
namespace {

// Handles of the files that were refused because of their initialisers, with the error. They stay
// open, because others may hold functions of theirs; opening one again runs no initialiser again.
class RefusedFiles {
 public:
  static RefusedFiles& Global() {
    static RefusedFiles* files = new RefusedFiles();  // never destroyed: errors may need their code
    return *files;
  }
  // Throws when the file behind `handle` is refused, now or before.
  void Check(void* handle, const std::string& path, Loading* loading) {
    std::optional<Error> error = loading->Finish(path, CodeImageOfHandle(handle));
    std::lock_guard<std::mutex> lock(mutex_);
    if (error.has_value()) files_.insert_or_assign(handle, Refused{*error, StampOf(path)});
    auto it = files_.find(handle);
    if (it == files_.end()) return;
    const Refused& refused = it->second;
    if (StampOf(path) == refused.stamp) throw refused.error;
    throw Error(
        refused.error.kind(),
        refused.error.message() +
            "\nThe file has changed since it was refused, but a process reads a file of one "
            "name once: start a new process, or load it under another name",
        refused.error.backtrace());
  }

 private:
  using Stamp = std::pair<int64_t, int64_t>;  // seconds and nanoseconds; zero where not known
  struct Refused {
    Error error;
    Stamp stamp;
  };

  static Stamp StampOf([[maybe_unused]] const std::string& path) {
#if defined(__linux__)
    struct stat status;
    if (stat(path.c_str(), &status) == 0) return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
#endif
    return {0, 0};
  }

  std::mutex mutex_;
  std::map<void*, Refused> files_;
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
    Accept(path, &loading);
  }
  ~SharedLibrary() override {
    if (!is_kept_) FreeLibrary(handle_);
  }
  void* FindSymbol(const std::string& name) override {
    return reinterpret_cast<void*>(GetProcAddress(handle_, name.c_str()));
  }

 private:
  HMODULE handle_;
#else
  explicit SharedLibrary(const std::string& path) {
    Loading loading;
    handle_ = Open(path);
    Accept(path, &loading);
  }
  ~SharedLibrary() override {
    if (!is_kept_) dlclose(handle_);
  }

  /*! \brief Opens a file for good, for who has a use of his own for the handle of dlopen. */
  static void* OpenForGood(const String& path, bool is_global) {
    Loading loading;
    void* handle = Open(path, RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL));
    RefusedFiles::Global().Check(handle, path, &loading);
    return handle;
  }

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
  static void* Open(const std::string& path, int mode = RTLD_LAZY | RTLD_LOCAL) {
    // A name without a slash is searched for, so which file it is only the loader knows.
    if (path.find('/') != std::string::npos) {
      const LibraryFile file = InspectLibraryFile(path);
      if (!file.fault.empty()) Fail(path, ": " + file.fault);
      for (const std::string& name : file.needed_ffi_symbols) {
        // A function that is missing in the end would end the process at its first call. All
        // symbols are looked up now, so that it becomes an error before any code has run.
        if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr && !IsOwnSymbol(name)) {
          mode = (mode & ~RTLD_LAZY) | RTLD_NOW;
        }
      }
    }
    void* handle = dlopen(path.c_str(), mode);
    if (handle == nullptr) {
      const char* reason = dlerror();
      // Whoever names a file of the current folder means it.
      if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0) {
        return Open("./" + path, mode);
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

  void Accept(const std::string& path, Loading* loading) {
    RefusedFiles::Global().Check(handle_, path, loading);
    is_kept_ = loading->registered_anything();
  }

  // The registries point into a file whose initialisers registered something.
  bool is_kept_ = false;
};

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.Module.load_from_file.so",
                              [](const String& path, const String& format) {
                                return MakeLibraryModule(std::make_shared<SharedLibrary>(path));
                              });
#if !defined(_WIN32)
  // For ctypes: all that is checked of a module holds for these libraries, too.
  reflection::GlobalDef().def("ffi._OpenSharedLibrary", SharedLibrary::OpenForGood);
#endif
  // Called by the headers when a block like this one throws: whether somebody will raise the error.
  reflection::GlobalDef().def("ffi._StaticInitFailed", [](const Error& error) {
    Loading* loading = Loading::Innermost();
    if (loading == nullptr) return false;
    loading->NoteError(error);
    return true;
  });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
