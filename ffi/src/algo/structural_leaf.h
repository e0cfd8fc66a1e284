// SPDX-License-Identifier: Apache-2.0
/// \file structural_leaf.h
/// \brief Registration of native structural hooks.
#ifndef TVM_FFI_SRC_ALGO_STRUCTURAL_LEAF_H_
#define TVM_FFI_SRC_ALGO_STRUCTURAL_LEAF_H_

#include <cstdint>
#include <initializer_list>

namespace tvm {
namespace ffi {
namespace algo {

/// Stores a native function pointer as the attribute `name` of each type.
void RegisterNativeHook(const char* name, void* function,
                        std::initializer_list<int32_t> type_indices);

/// Gives a type mutate hooks that return every value unchanged.
void RegisterStructuralLeaf(int32_t type_index);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_STRUCTURAL_LEAF_H_
