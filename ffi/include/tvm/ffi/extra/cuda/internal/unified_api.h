// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/internal/unified_api.h
 * \brief One set of names for loading and launching kernels by the CUDA driver or runtime.
 *
 * TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API selects the driver (1) or the runtime (0), which can do it
 * since CUDA 12.8. A program links libcuda or libcudart accordingly.
 */
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/cuda/base.h>

#include <cstdint>

#ifndef TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#if CUDART_VERSION >= 12080
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 0
#else
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 1
#endif
#endif

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#include <cuda.h>
#elif CUDART_VERSION < 12080
#error "TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API=0 needs CUDA 12.8 or newer"
#endif

namespace tvm {
namespace ffi {
namespace cuda_api {

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API

using StreamHandle = CUstream;
using DeviceHandle = CUdevice;
using LibraryHandle = CUlibrary;
using KernelHandle = CUkernel;
using LaunchConfig = CUlaunchConfig;
using ResultType = CUresult;
using LaunchAttrType = CUlaunchAttribute;
using DeviceAttrType = CUdevice_attribute;

inline constexpr ResultType kSuccess = CUDA_SUCCESS;
inline constexpr DeviceAttrType kMaxSharedMemoryPerBlockOptin =
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;

/*! \brief Name and text of a result; both live as long as the program. */
inline void GetErrorString(ResultType err, const char** name, const char** text) {
  if (cuGetErrorName(err, name) != CUDA_SUCCESS) *name = "unknown error";
  if (cuGetErrorString(err, text) != CUDA_SUCCESS) *text = "unknown error";
}
inline ResultType LoadLibrary(LibraryHandle* library, const void* image) {
  return cuLibraryLoadData(library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
inline ResultType UnloadLibrary(LibraryHandle library) { return cuLibraryUnload(library); }
inline ResultType GetKernel(KernelHandle* kernel, LibraryHandle library, const char* name) {
  return cuLibraryGetKernel(kernel, library, name);
}
inline ResultType GetDeviceHandle(DeviceHandle* device, int device_id) {
  return cuDeviceGet(device, device_id);
}
inline ResultType LaunchKernel(KernelHandle kernel, void** args, tvm::ffi::dim3 grid,
                               tvm::ffi::dim3 block, StreamHandle stream,
                               uint32_t dyn_smem_bytes = 0) {
  return cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), grid.x, grid.y, grid.z, block.x,
                        block.y, block.z, dyn_smem_bytes, stream, args, nullptr);
}
inline ResultType LaunchKernelEx(KernelHandle kernel, void** args, const LaunchConfig& config) {
  return cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel), args, nullptr);
}
/*! \brief Bytes of shared memory that the kernel declares itself. */
inline ResultType GetKernelSharedMem(KernelHandle kernel, int& bytes, DeviceHandle device) {
  return cuKernelGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, device);
}
inline ResultType SetKernelMaxDynamicSharedMem(KernelHandle kernel, int bytes,
                                               DeviceHandle device) {
  return cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes, kernel,
                              device);
}
/*! \brief Fills `config`, which refers to `attr` when `cluster_dim` is more than 1. */
inline ResultType ConstructLaunchConfig(KernelHandle, StreamHandle stream, uint32_t smem_bytes,
                                        tvm::ffi::dim3 grid, tvm::ffi::dim3 block, int cluster_dim,
                                        LaunchConfig& config, LaunchAttrType& attr) {
  config = LaunchConfig{};
  config.gridDimX = grid.x;
  config.gridDimY = grid.y;
  config.gridDimZ = grid.z;
  config.blockDimX = block.x;
  config.blockDimY = block.y;
  config.blockDimZ = block.z;
  config.sharedMemBytes = smem_bytes;
  config.hStream = stream;
  if (cluster_dim > 1) {
    attr.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attr.value.clusterDim.x = static_cast<unsigned int>(cluster_dim);
    attr.value.clusterDim.y = 1;
    attr.value.clusterDim.z = 1;
    config.attrs = &attr;
    config.numAttrs = 1;
  }
  return kSuccess;
}
inline ResultType GetDeviceCount(int* count) {
  // The runtime makes the primary context current, which launches through the driver need.
  return cudaFree(nullptr) == cudaSuccess ? cuDeviceGetCount(count) : CUDA_ERROR_NOT_INITIALIZED;
}
inline ResultType GetDeviceAttribute(int* value, DeviceAttrType attribute, DeviceHandle device) {
  return cuDeviceGetAttribute(value, attribute, device);
}
/*! \brief Makes a context current unless there is one. */
inline void EnsureContext() {
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaFree(nullptr));
  }
}

#else  // the runtime

using StreamHandle = cudaStream_t;
using DeviceHandle = int;
using LibraryHandle = cudaLibrary_t;
using KernelHandle = cudaKernel_t;
using LaunchConfig = cudaLaunchConfig_t;
using ResultType = cudaError_t;
using LaunchAttrType = cudaLaunchAttribute;
using DeviceAttrType = cudaDeviceAttr;

inline constexpr ResultType kSuccess = cudaSuccess;
inline constexpr DeviceAttrType kMaxSharedMemoryPerBlockOptin =
    cudaDevAttrMaxSharedMemoryPerBlockOptin;

/*! \brief Name and text of a result; both live as long as the program. */
inline void GetErrorString(ResultType err, const char** name, const char** text) {
  *name = cudaGetErrorName(err);
  *text = cudaGetErrorString(err);
}
inline ResultType LoadLibrary(LibraryHandle* library, const void* image) {
  return cudaLibraryLoadData(library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
inline ResultType UnloadLibrary(LibraryHandle library) { return cudaLibraryUnload(library); }
inline ResultType GetKernel(KernelHandle* kernel, LibraryHandle library, const char* name) {
  return cudaLibraryGetKernel(kernel, library, name);
}
inline ResultType GetDeviceHandle(DeviceHandle* device, int device_id) {
  *device = device_id;
  return kSuccess;
}
inline ResultType LaunchKernel(KernelHandle kernel, void** args, tvm::ffi::dim3 grid,
                               tvm::ffi::dim3 block, StreamHandle stream,
                               uint32_t dyn_smem_bytes = 0) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), ::dim3(grid.x, grid.y, grid.z),
                          ::dim3(block.x, block.y, block.z), args, dyn_smem_bytes, stream);
}
inline ResultType LaunchKernelEx(KernelHandle kernel, void** args, const LaunchConfig& config) {
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), args);
}
/*! \brief Bytes of shared memory that the kernel declares itself. */
inline ResultType GetKernelSharedMem(KernelHandle kernel, int& bytes, DeviceHandle) {
  cudaFuncAttributes attributes;
  const ResultType err = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (err == cudaSuccess) bytes = static_cast<int>(attributes.sharedSizeBytes);
  return err;
}
inline ResultType SetKernelMaxDynamicSharedMem(KernelHandle kernel, int bytes,
                                               DeviceHandle device) {
  return cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes,
                                         device);
}
/*! \brief Fills `config`, which refers to `attr` when `cluster_dim` is more than 1. */
inline ResultType ConstructLaunchConfig(KernelHandle, StreamHandle stream, uint32_t smem_bytes,
                                        tvm::ffi::dim3 grid, tvm::ffi::dim3 block, int cluster_dim,
                                        LaunchConfig& config, LaunchAttrType& attr) {
  config = LaunchConfig{};
  config.gridDim = ::dim3(grid.x, grid.y, grid.z);
  config.blockDim = ::dim3(block.x, block.y, block.z);
  config.dynamicSmemBytes = smem_bytes;
  config.stream = stream;
  if (cluster_dim > 1) {
    attr.id = cudaLaunchAttributeClusterDimension;
    attr.val.clusterDim.x = static_cast<unsigned int>(cluster_dim);
    attr.val.clusterDim.y = 1;
    attr.val.clusterDim.z = 1;
    config.attrs = &attr;
    config.numAttrs = 1;
  }
  return kSuccess;
}
inline ResultType GetDeviceCount(int* count) { return cudaGetDeviceCount(count); }
inline ResultType GetDeviceAttribute(int* value, DeviceAttrType attribute, DeviceHandle device) {
  return cudaDeviceGetAttribute(value, attribute, device);
}
/*! \brief The runtime makes a context current by itself. */
inline void EnsureContext() {}

#endif

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowError(ResultType err) {
  const char* name = "";
  const char* text = "";
  GetErrorString(err, &name, &text);
  TVM_FFI_THROW(RuntimeError) << "CUDA Error: " << name << " (" << static_cast<int>(err)
                              << "): " << text;
  TVM_FFI_UNREACHABLE();
}

}  // namespace cuda_api

/*! \brief Runs a call of the API in use; throws RuntimeError when it fails. */
#define TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(stmt)                                   \
  do {                                                                                  \
    const ::tvm::ffi::cuda_api::ResultType tvm_ffi_cuda_result = (stmt);                \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_cuda_result != ::tvm::ffi::cuda_api::kSuccess)) { \
      ::tvm::ffi::cuda_api::ThrowError(tvm_ffi_cuda_result);                            \
    }                                                                                   \
  } while (0)

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
