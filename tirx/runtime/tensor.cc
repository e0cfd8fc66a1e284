// SPDX-License-Identifier: Apache-2.0
// Tensors on any device: allocation and copies, as global functions.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstring>
#include <sstream>
#include <string>

#include "tirx/runtime/device_api.h"
#include "tirx/runtime/tensor_bytes.h"

namespace tvm {
namespace runtime {
namespace {

struct DeviceAllocator {
  void AllocData(DLTensor* tensor, const std::string& scope) {
    DeviceAPI* api = DeviceAPI::Get(tensor->device.device_type);
    tensor->data = api->AllocScoped(*tensor, TensorBytes(*tensor), scope);
  }
  void FreeData(DLTensor* tensor) {
    DeviceAPI* api = DeviceAPI::Get(tensor->device.device_type, /*required=*/false);
    if (api != nullptr) api->FreeDataSpace(tensor->device, tensor->data);
  }
};

ffi::Tensor Empty(ffi::Shape shape, DLDataType dtype, DLDevice device,
                  ffi::Optional<ffi::String> scope) {
  size_t bits = static_cast<size_t>(dtype.bits) * dtype.lanes;
  for (int64_t extent : shape) {
    if (extent < 0) {
      TVM_FFI_THROW(ValueError) << "A tensor has no negative extent, got " << extent;
    }
    if (__builtin_mul_overflow(bits, static_cast<size_t>(extent), &bits)) {
      TVM_FFI_THROW(MemoryError) << "A tensor of shape " << shape << " is too large";
    }
  }
  std::string name = scope.has_value() ? std::string(*scope) : std::string();
  return ffi::Tensor::FromNDAlloc(DeviceAllocator(), shape, dtype, device, name);
}

std::string ShapeText(const DLTensor& tensor) {
  std::ostringstream os;
  os << "(";
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    os << (i == 0 ? "" : ", ") << tensor.shape[i];
  }
  os << (tensor.ndim == 1 ? ",)" : ")");
  return os.str();
}

void* CurrentStream(DLDevice device) {
  return TVMFFIEnvGetStream(device.device_type, device.device_id);
}

void CopyFromTo(const DLTensor& from, const DLTensor& to) {
  if (TensorBytes(from) != TensorBytes(to)) {
    TVM_FFI_THROW(ValueError) << "Cannot copy a tensor of shape " << ShapeText(from)
                              << " to one of shape " << ShapeText(to);
  }
  if (!IsCompact(from) || !IsCompact(to)) {
    TVM_FFI_THROW(ValueError) << "Only compact tensors can be copied; make a contiguous copy first";
  }
  if (from.device.device_type != kDLCPU && to.device.device_type != kDLCPU &&
      from.device.device_type != to.device.device_type) {
    TVM_FFI_THROW(ValueError) << "Cannot copy from " << DeviceTypeName(from.device.device_type)
                              << " to " << DeviceTypeName(to.device.device_type)
                              << " directly; copy through the CPU";
  }
  // The side that is not the host knows how to move the data.
  DLDevice device = from.device.device_type != kDLCPU ? from.device : to.device;
  DeviceAPI::Get(device.device_type)->CopyDataFromTo(from, to, CurrentStream(device));
}

DLTensor HostBytes(const DLTensor& like, void* data) {
  DLTensor host = like;
  host.data = data;
  host.byte_offset = 0;
  host.strides = nullptr;
  host.device = DLDevice{kDLCPU, 0};
  return host;
}

void CheckBytes(const DLTensor& tensor, int64_t nbytes) {
  if (static_cast<int64_t>(TensorBytes(tensor)) != nbytes) {
    TVM_FFI_THROW(ValueError) << "The tensor holds " << TensorBytes(tensor) << " bytes, got "
                              << nbytes;
  }
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def("runtime.empty", Empty)
      .def("runtime.TensorCopyFromTo",
           [](ffi::Tensor from, ffi::Tensor to) {
             CopyFromTo(*from.GetDLTensorPtr(), *to.GetDLTensorPtr());
           })
      // `data` is `nbytes` bytes of host memory, read during the call only.
      .def("runtime.TensorCopyFromBytes",
           [](ffi::Tensor to, void* data, int64_t nbytes) {
             const DLTensor& tensor = *to.GetDLTensorPtr();
             CheckBytes(tensor, nbytes);
             CopyFromTo(HostBytes(tensor, data), tensor);
           })
      // Returns when `data`, `nbytes` bytes of host memory, holds the elements.
      .def("runtime.TensorCopyToBytes", [](ffi::Tensor from, void* data, int64_t nbytes) {
        const DLTensor& tensor = *from.GetDLTensorPtr();
        CheckBytes(tensor, nbytes);
        CopyFromTo(tensor, HostBytes(tensor, data));
        DeviceAPI::Get(tensor.device.device_type)
            ->StreamSync(tensor.device, CurrentStream(tensor.device));
      });
}

}  // namespace runtime
}  // namespace tvm
