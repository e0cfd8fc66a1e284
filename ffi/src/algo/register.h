// SPDX-License-Identifier: Apache-2.0
/// \file register.h
/// \brief What the generic algorithms register when the library is loaded.
#ifndef TVM_FFI_SRC_ALGO_REGISTER_H_
#define TVM_FFI_SRC_ALGO_REGISTER_H_

namespace tvm {
namespace ffi {
namespace algo {

/// Registers everything below, once, in an order that fixes the dynamic type indices. Runs when the
/// library is loaded.
void RegisterAlgorithms();

void RegisterAccessPath();
void RegisterAutoInitFunctions();
void RegisterBigInt();
void RegisterContainerDevice();
void RegisterConversions();
void RegisterCopies();
void RegisterDataclassFunctions();
void RegisterEnums();
void RegisterFieldStorage();
void RegisterJsonGraph();
void RegisterPyClassFunctions();
void RegisterSentinels();
void RegisterStructuralFunctions();
void RegisterStructuralKey();
void RegisterStructuralMutate();
void RegisterStructuralVisit();
void RegisterVisitErrorContext();
void RegisterVisitInterrupt();
void RegisterWalkHooks();

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_REGISTER_H_
