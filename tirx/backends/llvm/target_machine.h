// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_BACKENDS_LLVM_TARGET_MACHINE_H_
#define TIRX_BACKENDS_LLVM_TARGET_MACHINE_H_

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tvm {
namespace tirx {
namespace llvm_backend {

/// What code is generated for, as strings of LLVM. Empty fields mean the default.
struct TargetSpec {
  std::string triple;                 // empty: the host
  std::string cpu;                    // empty: the host's for the host, else generic
  std::vector<std::string> features;  // "+avx2", "-sse4.2"; empty: the host's for the host
  std::string abi;
  std::string float_abi;  // "soft", "hard" or empty
  int opt_level = 2;      // 0 to 3
  bool fast_math = false;
};

/// Initialises the targets of LLVM and its process-wide options once.
void InitializeLLVM();

/// Throws ffi::Error: ValueError when LLVM knows no such target.
std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const TargetSpec& spec);

/// Whether code for `spec` runs in this process.
bool IsHost(const TargetSpec& spec);

std::string HostTriple();
std::string HostCPU();
std::vector<std::string> HostFeatures();
/// Names of the CPUs and features of a triple, as LLVM knows them.
std::vector<std::string> KnownCPUs(const std::string& triple);
std::vector<std::string> KnownFeatures(const std::string& triple);
/// Names of the features that are on for a target, sorted.
std::vector<std::string> FeaturesOf(const TargetSpec& spec);
/// Bits of the widest vector register that code for a target uses.
int VectorWidth(const TargetSpec& spec);
bool KnowsTriple(const std::string& triple);
/// Number of an intrinsic, 0 when there is none; name of an intrinsic, empty for a wrong number.
unsigned IntrinsicId(const std::string& name);
std::string IntrinsicName(unsigned id);
/// Names of all targets that LLVM was built with.
std::vector<std::string> KnownTargets();

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_LLVM_TARGET_MACHINE_H_
