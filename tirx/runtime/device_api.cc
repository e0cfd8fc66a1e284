// SPDX-License-Identifier: Apache-2.0
#include "tirx/runtime/device_api.h"

#include <tvm/ffi/device.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <array>
#include <atomic>
#include <utility>

namespace tvm {
namespace runtime {
namespace {

constexpr std::pair<const char*, int> kDeviceNames[] = {
    {"cpu", 1},        {"cuda", 2},     {"cuda_host", 3},     {"opencl", 4},
    {"vulkan", 7},     {"metal", 8},    {"vpi", 9},           {"rocm", 10},
    {"rocm_host", 11}, {"ext_dev", 12}, {"cuda_managed", 13}, {"oneapi", 14},
    {"webgpu", 15},    {"hexagon", 16}, {"maia", 17},         {"trn", 18},
};

constexpr int kMaxDeviceType = 64;

// Filled on first use; a failed search is not remembered, since a backend may load later.
std::array<std::atomic<DeviceAPI*>, kMaxDeviceType> known_apis;

}  // namespace

std::string DeviceTypeName(int device_type) {
  for (auto [name, number] : kDeviceNames) {
    if (number == device_type) return name;
  }
  return "unknown(" + std::to_string(device_type) + ")";
}

std::optional<int> DeviceTypeFromName(const std::string& name) {
  for (auto [known, number] : kDeviceNames) {
    if (name == known) return number;
  }
  return std::nullopt;
}

DeviceAPI* DeviceAPI::Get(int device_type, bool required) {
  if (device_type > 0 && device_type < kMaxDeviceType) {
    if (DeviceAPI* api = known_apis[device_type].load(std::memory_order_acquire)) return api;
    std::string name = DeviceTypeName(device_type);
    if (auto getter = ffi::Function::GetGlobal("device_api." + name)) {
      auto* api = static_cast<DeviceAPI*>((*getter)().cast<void*>());
      known_apis[device_type].store(api, std::memory_order_release);
      return api;
    }
  }
  if (required) {
    TVM_FFI_THROW(RuntimeError) << "Device API " << DeviceTypeName(device_type)
                                << " is not enabled.";
  }
  return nullptr;
}

void* DeviceAPI::AllocScoped(const DLTensor& prototype, size_t nbytes, const std::string& scope) {
  if (!scope.empty() && scope != "global") {
    TVM_FFI_THROW(RuntimeError) << "Unsupported memory scope: " << scope;
  }
  return AllocDataSpace(prototype.device, nbytes, kAllocAlignment);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def("runtime.GetDeviceAttr",
           [](DLDevice device, int attr) -> ffi::Any {
             DeviceAPI* api = DeviceAPI::Get(device.device_type, /*required=*/false);
             if (attr == static_cast<int>(DeviceAttr::kExist)) {
               if (api == nullptr) return false;
             } else if (api == nullptr) {
               return nullptr;
             }
             return api->GetAttr(device, static_cast<DeviceAttr>(attr));
           })
      .def("runtime.SetDevice",
           [](DLDevice device) { DeviceAPI::Get(device.device_type)->SetDevice(device); })
      .def("runtime.CreateStream",
           [](DLDevice device) -> void* {
             return DeviceAPI::Get(device.device_type)->CreateStream(device);
           })
      .def("runtime.FreeStream",
           [](DLDevice device, void* stream) {
             DeviceAPI::Get(device.device_type)->FreeStream(device, stream);
           })
      .def("runtime.SetStream",
           [](DLDevice device, void* stream) {
             DeviceAPI::Get(device.device_type);
             TVMFFIEnvSetStream(device.device_type, device.device_id, stream, nullptr);
           })
      .def("runtime.StreamSync",
           [](DLDevice device, void* stream) {
             DeviceAPI::Get(device.device_type)->StreamSync(device, stream);
           })
      .def("runtime.DeviceTypeName", [](int type) { return ffi::String(DeviceTypeName(type)); });
}

}  // namespace runtime
}  // namespace tvm
