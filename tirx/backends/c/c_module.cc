// SPDX-License-Identifier: Apache-2.0
// `target.build.c`: a module that holds C source text.
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <fstream>

#include "tirx/backends/c/host_emitter.h"
#include "tirx/target/target.h"

namespace tvm {
namespace tirx {
namespace c_backend {
namespace {

/// Source text of host functions. It does not run: the text is exported as a library first.
class CSourceModuleObj final : public ffi::ModuleObj {
 public:
  CSourceModuleObj(std::string source, std::vector<std::string> exported, std::string format)
      : source_(std::move(source)), exported_(std::move(exported)), format_(std::move(format)) {}

  const char* kind() const final { return "c"; }
  int GetPropertyMask() const final { return ffi::Module::kCompilationExportable; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (!ImplementsFunction(name)) return std::nullopt;
    TVM_FFI_THROW(RuntimeError) << "A module of C source does not run: compile it with "
                                   "Executable.jit() or export_library first";
    throw;
  }
  bool ImplementsFunction(const ffi::String& name) final {
    return std::find(exported_.begin(), exported_.end(), std::string(name)) != exported_.end();
  }
  ffi::String InspectSource(const ffi::String& format) const final { return source_; }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {format_}; }
  void WriteToFile(const ffi::String& file, const ffi::String& format) const final {
    std::ofstream stream(file, std::ios::binary);
    stream << source_;
    stream.close();
    if (!stream) TVM_FFI_THROW(RuntimeError) << "Cannot write the file `" << file << "`";
  }

 private:
  const std::string source_;
  const std::vector<std::string> exported_;
  const std::string format_;
};

ffi::Module Build(const IRModule& module, const Target& target) {
  std::vector<std::string> exported;
  std::string source = EmitHostModule(module, target.str(), &exported);
  return ffi::Module(
      ffi::make_object<CSourceModuleObj>(std::move(source), std::move(exported), "c"));
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def("target.build.c", Build)
      .def("runtime.CSourceModuleCreate",
           [](ffi::String source, ffi::String format, ffi::Array<ffi::String> exported) {
             std::vector<std::string> names;
             for (const ffi::String& name : exported) names.push_back(name);
             return ffi::Module(ffi::make_object<CSourceModuleObj>(source, names, format));
           });
}

}  // namespace c_backend
}  // namespace tirx
}  // namespace tvm
