// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/base.h
 * \brief Error checks and launch dimensions for code that uses the CUDA runtime.
 */
#ifndef TVM_FFI_EXTRA_CUDA_BASE_H_
#define TVM_FFI_EXTRA_CUDA_BASE_H_

#if defined(__has_include)
#if !__has_include(<cuda_runtime.h>)
#error "tvm/ffi/extra/cuda needs the CUDA toolkit: cuda_runtime.h is not on the include path"
#endif
#endif
#include <cuda_runtime.h>
#include <tvm/ffi/error.h>

namespace tvm {
namespace ffi {
namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowCudaRuntimeError(
    cudaError_t err) {
  TVM_FFI_THROW(RuntimeError) << "CUDA Runtime Error: " << cudaGetErrorName(err) << " ("
                              << static_cast<int>(err) << "): " << cudaGetErrorString(err);
  TVM_FFI_UNREACHABLE();
}

}  // namespace detail

/*! \brief Runs a call of the CUDA runtime; throws RuntimeError when it fails. */
#define TVM_FFI_CHECK_CUDA_ERROR(stmt)                               \
  do {                                                               \
    const cudaError_t tvm_ffi_cuda_error = (stmt);                   \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_cuda_error != cudaSuccess)) {  \
      ::tvm::ffi::detail::ThrowCudaRuntimeError(tvm_ffi_cuda_error); \
    }                                                                \
  } while (0)

/*! \brief Extents of a grid (in blocks) or of a block (in threads). */
struct dim3 {
  unsigned int x = 1;
  unsigned int y = 1;
  unsigned int z = 1;

  dim3() = default;
  explicit dim3(unsigned int x_extent) : x(x_extent) {}
  dim3(unsigned int x_extent, unsigned int y_extent) : x(x_extent), y(y_extent) {}
  dim3(unsigned int x_extent, unsigned int y_extent, unsigned int z_extent)
      : x(x_extent), y(y_extent), z(z_extent) {}
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_CUDA_BASE_H_
