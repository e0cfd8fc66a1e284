// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/device.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tirx/runtime/device_api.h"
#include "tirx/runtime/tensor_bytes.h"

namespace tvm {
namespace runtime {
namespace {

class CPUDeviceAPI final : public DeviceAPI {
 public:
  void SetDevice(DLDevice device) final {}

  ffi::Any GetAttr(DLDevice device, DeviceAttr attr) final {
    switch (attr) {
      case DeviceAttr::kExist:
        return true;
      case DeviceAttr::kTotalGlobalMemory:
        return Pages(_SC_PHYS_PAGES);
      case DeviceAttr::kAvailableGlobalMemory:
        return Pages(_SC_AVPHYS_PAGES);
      default:
        return nullptr;
    }
  }

  void* AllocDataSpace(DLDevice device, size_t nbytes, size_t alignment) final {
    void* data = nullptr;
    alignment = std::max(alignment, sizeof(void*));
    // One byte at least, so that an empty tensor too has an address of its own.
    if (posix_memalign(&data, alignment, std::max<size_t>(nbytes, 1)) != 0) {
      TVM_FFI_THROW(MemoryError) << "Cannot allocate " << nbytes << " bytes on the CPU";
    }
    return data;
  }

  void FreeDataSpace(DLDevice device, void* data) final { std::free(data); }

  void CopyDataFromTo(const DLTensor& from, const DLTensor& to, void* stream) final {
    std::memcpy(static_cast<char*>(to.data) + to.byte_offset,
                static_cast<const char*>(from.data) + from.byte_offset, TensorBytes(from));
  }

  void StreamSync(DLDevice device, void* stream) final {}

 private:
  static int64_t Pages(int name) {
    return static_cast<int64_t>(sysconf(name)) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  }
};

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef().def("device_api.cpu", []() -> void* {
    static DeviceAPI* api = new CPUDeviceAPI();  // never freed: others hold it until the end
    return api;
  });
}

}  // namespace runtime
}  // namespace tvm
