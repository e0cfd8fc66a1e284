// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_RUNTIME_DEVICE_API_H_
#define TIRX_RUNTIME_DEVICE_API_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#if defined(_WIN32)
#define TVM_RUNTIME_API __declspec(dllexport)
#else
#define TVM_RUNTIME_API __attribute__((visibility("default")))
#endif

namespace tvm {
namespace runtime {

/// Property of a device; the numbers are those of the Python enumeration.
enum class DeviceAttr : int {
  kExist = 0,
  kMaxThreadsPerBlock = 1,
  kWarpSize = 2,
  kMaxSharedMemoryPerBlock = 3,
  kComputeVersion = 4,
  kDeviceName = 5,
  kMaxClockRate = 6,
  kMultiProcessorCount = 7,
  kMaxThreadDimensions = 8,
  kMaxRegistersPerBlock = 9,
  kGcnArch = 10,
  kApiVersion = 11,
  kDriverVersion = 12,
  kL2CacheSizeBytes = 13,
  kTotalGlobalMemory = 14,
  kAvailableGlobalMemory = 15,
};

/// Every allocation is aligned to at least this many bytes.
inline constexpr size_t kAllocAlignment = 64;

/// What a kind of device can do. One object a device type, alive until the process ends. A backend
/// registers the global function `device_api.<name>`, which returns the object as an opaque
/// pointer; `DeviceAPI::Get` finds it. All functions throw ffi::Error.
class DeviceAPI {
 public:
  virtual ~DeviceAPI() = default;

  /// Makes `device` current for this thread.
  virtual void SetDevice(DLDevice device) = 0;

  /// None when the device has no such property. kExist is always a bool.
  virtual ffi::Any GetAttr(DLDevice device, DeviceAttr attr) = 0;

  /// Memory of `nbytes` bytes, aligned to `alignment`, owned by the caller until FreeDataSpace.
  virtual void* AllocDataSpace(DLDevice device, size_t nbytes, size_t alignment) = 0;
  virtual void FreeDataSpace(DLDevice device, void* data) = 0;

  /// Memory for the elements of `prototype` in a memory scope; only "" and "global" here.
  virtual void* AllocScoped(const DLTensor& prototype, size_t nbytes, const std::string& scope);

  /// Copies elements between two compact tensors of equal size, one of which may be on the host.
  virtual void CopyDataFromTo(const DLTensor& from, const DLTensor& to, void* stream) = 0;

  virtual void* CreateStream(DLDevice device) { return nullptr; }
  virtual void FreeStream(DLDevice device, void* stream) {}
  /// Waits for the work of a stream; nullptr is the current one.
  virtual void StreamSync(DLDevice device, void* stream) = 0;

  /// The object of a device type, or nullptr when `required` is false and no backend has it.
  /// Otherwise RuntimeError `Device API <name> is not enabled.`
  TVM_RUNTIME_API static DeviceAPI* Get(int device_type, bool required = true);
};

/// `cpu`, `cuda`, ...; `unknown(<n>)` for other numbers.
TVM_RUNTIME_API std::string DeviceTypeName(int device_type);

/// Number of a device name, without an index.
TVM_RUNTIME_API std::optional<int> DeviceTypeFromName(const std::string& name);

}  // namespace runtime
}  // namespace tvm

#endif  // TIRX_RUNTIME_DEVICE_API_H_
