// SPDX-License-Identifier: Apache-2.0
#include "tirx/driver/pipeline.h"

#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "tirx/driver/runner.h"
#include "tirx/ir/visitor.h"
#include "tirx/passes/annotate_entry_func.h"
#include "tirx/passes/bind_target.h"
#include "tirx/passes/expand_operators.h"
#include "tirx/passes/make_packed_api.h"
#include "tirx/passes/pass_config.h"
#include "tirx/passes/verify_bounds.h"

namespace tvm {
namespace tirx {
namespace {

// The code generator of a target; ValueError when this build has none.
ffi::Function Builder(const Target& target) {
  std::string name = "target.build." + std::string(target->kind->name);
  auto build = ffi::Function::GetGlobal(name);
  if (!build.has_value()) TVM_FFI_THROW(ValueError) << "Cannot find global function " << name;
  return *build;
}

ffi::Module Generate(const IRModule& module, const Target& target) {
  return Builder(target)(module, target).cast<ffi::Module>();
}

bool HasDeviceCode(const IRModule& module) {
  bool found = false;
  ForEachFunction(module, [&](const GlobalVar&, const Function& function) {
    if (!function->body.defined()) return;
    PostOrderVisitStmt(function->body, [&](const Stmt& stmt) {
      if (!stmt.is(StmtKind::RegionStmt)) return;
      OpId id = static_cast<const RegionStmtObj*>(stmt.get())->op->id();
      found |= id == OpId::tirx_device_entry || id == OpId::tirx_device_scope ||
               id == OpId::tirx_launch_thread;
    });
  });
  return found;
}

// The target of code that launches: the one given, the target itself when it is a CPU, else what
// this build has for a CPU.
Target HostOf(const Target& target) {
  if (target.Host().defined()) return target.Host();
  if (target.IsHostKind() || target.DeviceType() == 1) return target;
  return Target(ffi::Function::GetGlobal("target.build.llvm").has_value() ? "llvm" : "c");
}

// The whole compiler up to code generation.
IRModule Lower(IRModule module, const Target& target, Runner& run) {
  module = run("BindTarget", BindTarget, module, target);
  module = run("ExpandOperators", ExpandOperators, module);
  module = run("VerifyBounds", VerifyBounds, module);
  if (ConfigFlag("tirx.enable_debug")) module = run("InsertBoundChecks", InsertBoundChecks, module);
  module = run("AnnotateEntryFunc", AnnotateEntryFunc, module);
  module = run("MakePackedAPI", MakePackedAPI, module);
  return module;
}

}  // namespace

ffi::Module Compile(IRModule module, const Target& target) {
  Runner run;
  Target host = HostOf(target);
  if (!target.IsHostKind() && HasDeviceCode(module)) Builder(target);
  module = Lower(std::move(module), target, run);
  return run.Timed("Generate", [&] { return Generate(module, host); });
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def("tirx.driver.Lower",
           [](IRModule module, Target target) {
             Runner run;
             return Lower(std::move(module), target, run);
           })
      .def("tirx.driver.Compile", Compile)
      .def("tirx.driver.Generate", Generate);
}

}  // namespace tirx
}  // namespace tvm
