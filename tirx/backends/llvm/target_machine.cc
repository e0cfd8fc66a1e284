// SPDX-License-Identifier: Apache-2.0
#include "tirx/backends/llvm/target_machine.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/Triple.h>
#include <tvm/ffi/error.h>

#include <algorithm>
#include <mutex>

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

void SetOption(const char* name, const char* value) {
  auto& options = llvm::cl::getRegisteredOptions();
  auto it = options.find(name);
  if (it == options.end()) return;  // another release of LLVM: slower code, not wrong code
  it->second->addOccurrence(0, name, value);
}

const llvm::Target* FindTarget(const std::string& triple) {
  InitializeLLVM();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    TVM_FFI_THROW(ValueError) << "LLVM has no target for the triple `" << triple << "`: " << error;
  }
  return target;
}

std::string NormalTriple(const std::string& triple) {
  return triple.empty() ? llvm::sys::getDefaultTargetTriple() : llvm::Triple::normalize(triple);
}

}  // namespace

void InitializeLLVM() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    // The schedulers compare all memory operations of a block with each other up to these limits
    // (1000 and 500 as delivered), which makes long blocks quadratic.
    SetOption("dag-maps-huge-region", "128");
    SetOption("dag-maps-reduction-size", "64");
    // Lets the vectoriser keep the order of a strict floating sum.
    SetOption("force-ordered-reductions", "true");
  });
}

bool IsHost(const TargetSpec& spec) {
  if (spec.triple.empty()) return true;
  llvm::Triple wanted(NormalTriple(spec.triple)), host(llvm::sys::getProcessTriple());
  return wanted.getArch() == host.getArch() && wanted.getOS() == host.getOS();
}

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const TargetSpec& spec) {
  std::string triple = NormalTriple(spec.triple);
  const llvm::Target* target = FindTarget(triple);
  bool host = IsHost(spec);
  std::string cpu = spec.cpu;
  llvm::SubtargetFeatures features;
  if (cpu.empty()) {
    cpu = host ? HostCPU() : "";
    if (host && spec.features.empty()) {
      for (const std::string& feature : HostFeatures()) features.AddFeature(feature);
    }
  }
  for (const std::string& feature : spec.features) features.AddFeature(feature);

  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  if (spec.fast_math) {
    options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
    options.UnsafeFPMath = true;
  }
  if (spec.float_abi == "soft") options.FloatABIType = llvm::FloatABI::Soft;
  if (spec.float_abi == "hard") options.FloatABIType = llvm::FloatABI::Hard;
  options.MCOptions.ABIName = spec.abi;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!cpu.empty() && info != nullptr && !info->isCPUStringValid(cpu)) {
    TVM_FFI_THROW(ValueError) << "LLVM knows no CPU `" << cpu << "` for the triple `" << triple
                              << "`";
  }
  auto level = static_cast<llvm::CodeGenOptLevel>(std::clamp(spec.opt_level, 0, 3));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features.getString(), options, llvm::Reloc::PIC_, std::nullopt, level));
  if (machine == nullptr) {
    TVM_FFI_THROW(ValueError) << "LLVM cannot generate code for the triple `" << triple << "`";
  }
  return machine;
}

std::string HostTriple() { return llvm::sys::getDefaultTargetTriple(); }

std::string HostCPU() {
  static const std::string name = llvm::sys::getHostCPUName().str();
  return name;
}

std::vector<std::string> HostFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> result;
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      result.push_back((feature.second ? "+" : "-") + feature.first().str());
    }
    std::sort(result.begin(), result.end());
    return result;
  }();
  return features;
}

std::vector<std::string> KnownCPUs(const std::string& triple) {
  std::string normal = NormalTriple(triple);
  const llvm::Target* target = FindTarget(normal);
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(normal, "", ""));
  std::vector<std::string> result;
  for (const auto& cpu : info->getAllProcessorDescriptions()) result.push_back(cpu.Key);
  return result;
}

std::vector<std::string> KnownFeatures(const std::string& triple) {
  std::string normal = NormalTriple(triple);
  const llvm::Target* target = FindTarget(normal);
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(normal, "", ""));
  std::vector<std::string> result;
  for (const auto& feature : info->getAllProcessorFeatures()) result.push_back(feature.Key);
  return result;
}

std::vector<std::string> FeaturesOf(const TargetSpec& spec) {
  auto machine = MakeTargetMachine(spec);
  const llvm::MCSubtargetInfo* info = machine->getMCSubtargetInfo();
  std::vector<std::string> result;
  for (const auto& feature : info->getAllProcessorFeatures()) {
    if (info->checkFeatures(std::string("+") + feature.Key)) result.push_back(feature.Key);
  }
  std::sort(result.begin(), result.end());
  return result;
}

int VectorWidth(const TargetSpec& spec) {
  auto machine = MakeTargetMachine(spec);
  llvm::LLVMContext context;
  llvm::Module module("width", context);
  module.setDataLayout(machine->createDataLayout());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  auto info = machine->getTargetTransformInfo(*function);
  return static_cast<int>(
      info.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
}

bool KnowsTriple(const std::string& triple) {
  InitializeLLVM();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(NormalTriple(triple), error) != nullptr;
}

unsigned IntrinsicId(const std::string& name) { return llvm::Function::lookupIntrinsicID(name); }

std::string IntrinsicName(unsigned id) {
  if (id == 0 || id >= llvm::Intrinsic::num_intrinsics) return "";
  return llvm::Intrinsic::getBaseName(id).str();
}

std::vector<std::string> KnownTargets() {
  InitializeLLVM();
  std::vector<std::string> result;
  for (const llvm::Target& target : llvm::TargetRegistry::targets())
    result.push_back(target.getName());
  return result;
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
