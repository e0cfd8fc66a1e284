// SPDX-License-Identifier: Apache-2.0
/// \file sentinel.h
/// \brief The two process-wide marker objects: MISSING (no value) and KWARGS (names follow).
#ifndef TVM_FFI_SRC_ALGO_SENTINEL_H_
#define TVM_FFI_SRC_ALGO_SENTINEL_H_

#include <tvm/ffi/c_api.h>

namespace tvm {
namespace ffi {
namespace algo {

/// Borrowed; lives as long as the process.
const TVMFFIObject* MissingSentinel();
/// Borrowed; lives as long as the process.
const TVMFFIObject* KwargsSentinel();

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_SENTINEL_H_
