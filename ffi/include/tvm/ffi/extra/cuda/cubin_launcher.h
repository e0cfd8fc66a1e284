// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/cubin_launcher.h
 * \brief Loads compiled CUDA kernels (cubin or fatbin images) and launches them.
 */
#ifndef TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
#define TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/cuda/internal/unified_api.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief A kernel of a loaded image. The module it comes from must outlive it. */
class CubinKernel {
 public:
  /*! \brief Throws RuntimeError when the image has no kernel of that name. */
  CubinKernel(cuda_api::LibraryHandle library, const char* name) {
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::GetKernel(&kernel_, library, name));
  }
  CubinKernel(const CubinKernel&) = delete;
  CubinKernel& operator=(const CubinKernel&) = delete;
  CubinKernel(CubinKernel&& other) noexcept : kernel_(std::exchange(other.kernel_, nullptr)) {}
  CubinKernel& operator=(CubinKernel&& other) noexcept {
    std::swap(kernel_, other.kernel_);
    return *this;
  }

  /*!
   * \brief Starts the kernel on a stream.
   * \param args Address of each kernel parameter, in order.
   * \param grid, block Extents in blocks and in threads.
   * \param dyn_smem_bytes Dynamic shared memory.
   * \return The result of the launch; the kernel may still fail later.
   */
  cuda_api::ResultType Launch(void** args, dim3 grid, dim3 block, cuda_api::StreamHandle stream,
                              uint32_t dyn_smem_bytes = 0) {
    cuda_api::EnsureContext();
    return cuda_api::LaunchKernel(kernel_, args, grid, block, stream, dyn_smem_bytes);
  }
  /*! \brief Starts the kernel with launch attributes, see cuda_api::ConstructLaunchConfig. */
  cuda_api::ResultType LaunchEx(void** args, const cuda_api::LaunchConfig& config) {
    cuda_api::EnsureContext();
    return cuda_api::LaunchKernelEx(kernel_, args, config);
  }
  cuda_api::KernelHandle GetHandle() const { return kernel_; }

 private:
  cuda_api::KernelHandle kernel_ = nullptr;
};

/*! \brief A loaded image; it is unloaded when the module is destroyed. */
class CubinModule {
 public:
  /*! \brief Loads an image, which is kept. Throws RuntimeError when it is not valid. */
  explicit CubinModule(const Bytes& bytes) : bytes_(bytes) { Load(bytes_.data()); }
  /*! \brief Loads an image in memory that stays as it is while the module lives. */
  explicit CubinModule(const char* code) { Load(code); }
  explicit CubinModule(const unsigned char* code) { Load(code); }
  CubinModule(const CubinModule&) = delete;
  CubinModule& operator=(const CubinModule&) = delete;
  CubinModule(CubinModule&& other) noexcept
      : bytes_(std::move(other.bytes_)), library_(std::exchange(other.library_, nullptr)) {}
  CubinModule& operator=(CubinModule&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(library_, other.library_);
    return *this;
  }
  ~CubinModule() {
    // At the end of the process the driver may be gone already; there is nothing left to undo then.
    if (library_ != nullptr) (void)cuda_api::UnloadLibrary(library_);
  }

  /*! \brief A kernel of the image by its (mangled) name. */
  CubinKernel GetKernel(const char* name) { return CubinKernel(library_, name); }
  CubinKernel operator[](const char* name) { return GetKernel(name); }

  /*!
   * \brief A kernel that may be launched with more dynamic shared memory than the default 48 KiB.
   * \param dynamic_smem_max Bytes; -1 for all that each device has beside the static use.
   */
  CubinKernel GetKernelWithMaxDynamicSharedMemory(const char* name, int64_t dynamic_smem_max = -1) {
    CubinKernel kernel = GetKernel(name);
    int count = 0;
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::GetDeviceCount(&count));
    bool any_set = false;
    for (int i = 0; i < count; ++i) {
      any_set = SetMaxDynamicSharedMemory(kernel, i, dynamic_smem_max) || any_set;
    }
    if (!any_set) {
      TVM_FFI_THROW(RuntimeError) << "Failed to set dynamic shared memory attribute for any device";
    }
    return kernel;
  }
  cuda_api::LibraryHandle GetHandle() const { return library_; }

 private:
  void Load(const void* code) {
    cuda_api::EnsureContext();
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::LoadLibrary(&library_, code));
  }
  // A device that the image was not compiled for is no reason to give up on the others.
  static bool SetMaxDynamicSharedMemory(const CubinKernel& kernel, int device_id, int64_t bytes) {
    cuda_api::DeviceHandle device;
    if (cuda_api::GetDeviceHandle(&device, device_id) != cuda_api::kSuccess) return false;
    if (bytes < 0) {
      int limit = 0;
      int in_use = 0;
      if (cuda_api::GetDeviceAttribute(&limit, cuda_api::kMaxSharedMemoryPerBlockOptin, device) !=
              cuda_api::kSuccess ||
          cuda_api::GetKernelSharedMem(kernel.GetHandle(), in_use, device) != cuda_api::kSuccess) {
        return false;
      }
      bytes = limit - in_use;
    }
    return cuda_api::SetKernelMaxDynamicSharedMem(kernel.GetHandle(), static_cast<int>(bytes),
                                                  device) == cuda_api::kSuccess;
  }

  Bytes bytes_;
  cuda_api::LibraryHandle library_ = nullptr;
};

/*!
 * \brief At namespace scope: the image that was linked in as `__tvm_ffi__cubin_<name>`.
 *
 * It is loaded on first use in this file.
 */
#define TVM_FFI_EMBED_CUBIN(name)                        \
  extern "C" const char __tvm_ffi__cubin_##name[];       \
  extern "C" const char __tvm_ffi__cubin_##name##_end[]; \
  TVM_FFI_EMBED_CUBIN_FROM_BYTES(name, __tvm_ffi__cubin_##name)

/*! \brief At namespace scope: an image given as an array. */
#define TVM_FFI_EMBED_CUBIN_FROM_BYTES(name, bytes) \
  namespace {                                       \
  struct EmbedCubinModule_##name {                  \
    ::tvm::ffi::CubinModule mod{bytes};             \
    static EmbedCubinModule_##name* Global() {      \
      static EmbedCubinModule_##name instance;      \
      return &instance;                             \
    }                                               \
  };                                                \
  } /* namespace */                                 \
  static_assert(true, "")

/*! \brief A kernel of an embedded image: `TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_image, "add")`. */
#define TVM_FFI_EMBED_CUBIN_GET_KERNEL(name, kernel_name) \
  (EmbedCubinModule_##name::Global()->mod[kernel_name])

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
