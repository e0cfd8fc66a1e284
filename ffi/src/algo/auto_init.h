// SPDX-License-Identifier: Apache-2.0
/// \file auto_init.h
/// \brief The constructor that is generated from the fields of a type.
#ifndef TVM_FFI_SRC_ALGO_AUTO_INIT_H_
#define TVM_FFI_SRC_ALGO_AUTO_INIT_H_

#include <cstdint>

namespace tvm {
namespace ffi {
namespace algo {

/// Registers the attribute `__ffi_init__` of a type from the fields it has now. \throws
/// InternalError for an unknown index.
void RegisterAutoInit(int32_t type_index);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_AUTO_INIT_H_
