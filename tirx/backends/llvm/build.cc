// SPDX-License-Identifier: Apache-2.0
// What the rest of the compiler calls: `target.build.llvm` and questions about targets.
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/reflection/registry.h>

#include <fstream>
#include <iterator>

#include "tirx/backends/llvm/llvm_module.h"
#include "tirx/target/target.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

TargetSpec SpecOf(const Target& target) {
  TargetSpec spec;
  auto text = [&](const char* name) {
    auto value = target.Attr<ffi::String>(name);
    return value.has_value() ? std::string(*value) : std::string();
  };
  spec.triple = text("mtriple");
  spec.cpu = text("mcpu");
  spec.abi = text("mabi");
  spec.float_abi = text("mfloat-abi");
  if (auto features = target.Attr<ffi::Array<ffi::String>>("mattr")) {
    for (const ffi::String& feature : *features) spec.features.push_back(feature);
  }
  spec.opt_level = static_cast<int>(target.Attr<int64_t>("opt-level").value_or(2));
  spec.fast_math = target.Attr<bool>("fast-math").value_or(false);
  return spec;
}

ffi::Module Build(const IRModule& module, const Target& target) {
  return MakeModule(std::make_unique<Compiled>(module, SpecOf(target)));
}

ffi::Module LoadIR(const ffi::String& path, const ffi::String& format) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) TVM_FFI_THROW(RuntimeError) << "Cannot read the file `" << path << "`";
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  return MakeModule(std::make_unique<Compiled>(text, TargetSpec(), std::string(path)));
}

ffi::Array<ffi::String> ToArray(const std::vector<std::string>& names) {
  ffi::Array<ffi::String> result;
  for (const std::string& name : names) result.push_back(name);
  return result;
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def("target.build.llvm", Build)
      .def("ffi.Module.load_from_file.ll", LoadIR)
      .def("ffi.Module.load_from_file.bc", LoadIR)
      .def("target.llvm_version_major", []() { return 19; })
      .def("target.llvm_get_targets", []() { return ToArray(KnownTargets()); })
      .def("target.llvm_get_cpu_archlist",
           [](ffi::String triple) { return ToArray(KnownCPUs(triple)); })
      .def("target.llvm_backend_enabled", [](ffi::String triple) { return KnowsTriple(triple); })
      .def("target.llvm_cpu_features",
           [](Target target) { return ToArray(FeaturesOf(SpecOf(target))); })
      .def("target.llvm_get_vector_width",
           [](Target target) { return VectorWidth(SpecOf(target)); })
      .def("target.llvm_lookup_intrinsic_id",
           [](ffi::String name) { return static_cast<int64_t>(IntrinsicId(name)); })
      .def("target.llvm_get_intrinsic_name",
           [](int64_t id) { return ffi::String(IntrinsicName(static_cast<unsigned>(id))); })
      .def("target.llvm_get_features",
           [](ffi::String triple) { return ToArray(KnownFeatures(triple)); })
      .def("target.llvm_get_system_triple", []() { return ffi::String(HostTriple()); })
      .def("target.llvm_get_system_cpu", []() { return ffi::String(HostCPU()); })
      .def("target.llvm_get_system_features", []() { return ToArray(HostFeatures()); });
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
