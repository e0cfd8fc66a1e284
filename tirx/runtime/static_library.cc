// SPDX-License-Identifier: Apache-2.0
// A module that is an object file or archive: it takes part in export_library and does not run.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tvm {
namespace runtime {
namespace {

class StaticLibraryObj final : public ffi::ModuleObj {
 public:
  StaticLibraryObj(std::string content, std::vector<std::string> names)
      : content_(std::move(content)), names_(std::move(names)) {}

  const char* kind() const final { return "static_library"; }
  int GetPropertyMask() const final { return ffi::Module::kCompilationExportable; }
  bool ImplementsFunction(const ffi::String& name) final {
    return std::find(names_.begin(), names_.end(), std::string(name)) != names_.end();
  }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (!ImplementsFunction(name)) return std::nullopt;
    TVM_FFI_THROW(RuntimeError) << "A static library does not run; link it with export_library";
    throw;
  }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {"o"}; }
  void WriteToFile(const ffi::String& file, const ffi::String& format) const final {
    std::ofstream stream(file, std::ios::binary);
    stream.write(content_.data(), static_cast<std::streamsize>(content_.size()));
    stream.close();
    if (!stream) TVM_FFI_THROW(RuntimeError) << "Cannot write the file `" << file << "`";
  }

 private:
  const std::string content_;
  const std::vector<std::string> names_;
};

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef().def(
      "runtime.ModuleLoadStaticLibrary", [](ffi::String path, ffi::Array<ffi::String> functions) {
        std::ifstream stream(path, std::ios::binary);
        if (!stream) TVM_FFI_THROW(RuntimeError) << "Cannot read the file `" << path << "`";
        std::string content((std::istreambuf_iterator<char>(stream)),
                            std::istreambuf_iterator<char>());
        std::vector<std::string> names(functions.begin(), functions.end());
        return ffi::Module(
            ffi::make_object<StaticLibraryObj>(std::move(content), std::move(names)));
      });
}

}  // namespace runtime
}  // namespace tvm
