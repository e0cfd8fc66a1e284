// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/device_guard.h
 * \brief Makes a CUDA device current for a scope.
 */
#ifndef TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

#include <tvm/ffi/extra/cuda/base.h>

#include <exception>

namespace tvm {
namespace ffi {

/*!
 * \brief Makes a device the current one of this thread, and the former one again at the end.
 *
 * Both may throw RuntimeError; while another exception is on its way, the end does not.
 */
struct CUDADeviceGuard {
  CUDADeviceGuard() = delete;
  /*! \brief `device_index` counts the visible devices. */
  explicit CUDADeviceGuard(int device_index) {
    exceptions_ = std::uncaught_exceptions();
    target_device_index_ = device_index;
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&original_device_index_));
    if (target_device_index_ != original_device_index_) {
      TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(device_index));
    }
  }
  CUDADeviceGuard(const CUDADeviceGuard&) = delete;
  CUDADeviceGuard& operator=(const CUDADeviceGuard&) = delete;
  ~CUDADeviceGuard() noexcept(false) {
    if (original_device_index_ == target_device_index_) return;
    const cudaError_t err = cudaSetDevice(original_device_index_);
    if (err != cudaSuccess && std::uncaught_exceptions() == exceptions_) {
      detail::ThrowCudaRuntimeError(err);
    }
  }

 private:
  int original_device_index_ = 0;
  int target_device_index_ = 0;
  int exceptions_ = 0;
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
