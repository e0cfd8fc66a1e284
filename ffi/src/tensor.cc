// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tensor.cc
 * \brief Tensors that wrap DLPack memory, and DLPack wrappers of tensors.
 */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/read_only.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <cstring>
#include <memory>
#include <utility>

#include "c_arguments.h"
#include "tensor_geometry.h"

namespace tvm {
namespace ffi {
namespace {

const DLTensor& GeometryOf(const DLManagedTensor* managed) { return managed->dl_tensor; }
const DLTensor& GeometryOf(const DLManagedTensorVersioned* managed) { return managed->dl_tensor; }

// Rows in order, without gaps.
void FillCompactStrides(const DLTensor& tensor, int64_t* strides) {
  uint64_t step = 1;  // unsigned: the product of a nonsense shape may wrap
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    strides[i] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(tensor.shape[i]);
  }
}

// A tensor whose memory belongs to something else.
// Layout: DLTensor after the header, then the private part, then room for int64 geometry.
template <typename Managed>
class DLPackTensorObj : public TensorObj {
 public:
  // Strides that the source lacks are computed into the trailing storage.
  explicit DLPackTensorObj(Managed* managed) : managed_(managed) {
    DLTensor& tensor = *static_cast<DLTensor*>(this);
    tensor = GeometryOf(managed);
    if (tensor.strides == nullptr && tensor.ndim > 0) {
      tensor.strides = reinterpret_cast<int64_t*>(this + 1);
      FillCompactStrides(tensor, tensor.strides);
    }
  }
  ~DLPackTensorObj() {
    if (managed_->deleter != nullptr) managed_->deleter(managed_);
  }

 private:
  Managed* managed_;
};

// Shape and strides of its own over the memory of another tensor.
class TensorViewObj : public TensorObj {
 public:
  TensorViewObj(ObjectPtr<Object> source, const DLTensor& prototype) : source_(std::move(source)) {
    DLTensor& tensor = *static_cast<DLTensor*>(this);
    tensor = prototype;
    tensor.shape = reinterpret_cast<int64_t*>(this + 1);
    tensor.strides = tensor.shape + tensor.ndim;
    size_t num_bytes = static_cast<size_t>(tensor.ndim) * sizeof(int64_t);
    if (num_bytes != 0) {
      std::memcpy(tensor.shape, prototype.shape, num_bytes);
      std::memcpy(tensor.strides, prototype.strides, num_bytes);
    }
  }

 private:
  ObjectPtr<Object> source_;
};

// A new tensor object, marked in its header when its data may only be read.
TVMFFIObject* Marked(TVMFFIObject* tensor, bool read_only) {
  if (read_only) tensor->__padding |= TVM_FFI_TENSOR_READ_ONLY_BIT;
  return tensor;
}

bool IsReadOnly(const TVMFFIObject* tensor) {
  return (tensor->__padding & TVM_FFI_TENSOR_READ_ONLY_BIT) != 0;
}

template <typename Managed>
TVMFFIObjectHandle WrapDLPack(Managed* managed, bool read_only, int32_t require_alignment,
                              int32_t require_contiguous) {
  const DLTensor& tensor = GeometryOf(managed);
  CheckTensorGeometry(tensor, "FromDLPack");
  CheckTensorMemory(tensor, "FromDLPack");
  if (require_alignment < 0) {
    TVM_FFI_THROW(ValueError) << "FromDLPack: the required alignment is " << require_alignment
                              << " bytes; it can't be negative";
  }
  if (require_alignment != 0 && !IsAligned(tensor, static_cast<size_t>(require_alignment))) {
    TVM_FFI_THROW(RuntimeError) << "FromDLPack: Data is not aligned to " << require_alignment
                                << " bytes.";
  }
  if (require_contiguous != 0 && !IsContiguous(tensor)) {
    TVM_FFI_THROW(RuntimeError) << "FromDLPack: Tensor is not contiguous.";
  }
  size_t num_strides = tensor.strides == nullptr ? static_cast<size_t>(tensor.ndim) : 0;
  return Marked(
      detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
          make_inplace_array_object<DLPackTensorObj<Managed>, int64_t>(num_strides, managed)),
      read_only);
}

template <typename Managed>
void ReleaseWrapper(Managed* wrapper) {
  detail::ObjectUnsafe::DecRefObjectHandle(wrapper->manager_ctx);
  delete wrapper;
}

// A wrapper that retains `from`.
template <typename Managed>
std::unique_ptr<Managed> MakeWrapper(TVMFFIObjectHandle from) {
  auto wrapper = std::make_unique<Managed>();
  wrapper->dl_tensor = *TVMFFITensorGetDLTensorPtr(from);
  wrapper->manager_ctx = from;
  wrapper->deleter = ReleaseWrapper<Managed>;
  return wrapper;
}

void CheckTensorHandle(TVMFFIObjectHandle handle, const char* function) {
  int32_t type_index = handle == nullptr ? kTVMFFINone : TVMFFIObjectGetTypeIndex(handle);
  if (type_index != kTVMFFITensor) {
    TVM_FFI_THROW(TypeError) << function << ": expected `ffi.Tensor` but got `"
                             << TypeIndexToTypeKey(type_index) << "`";
  }
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

namespace ffi = tvm::ffi;

int TVMFFITensorFromDLPack(DLManagedTensor* from, int32_t require_alignment,
                           int32_t require_contiguous, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  if (from == nullptr) TVM_FFI_THROW(ValueError) << "FromDLPack: the tensor is null";
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = ffi::WrapDLPack(from, /*read_only=*/false, require_alignment, require_contiguous);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned* from, int32_t require_alignment,
                                    int32_t require_contiguous, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  if (from == nullptr) TVM_FFI_THROW(ValueError) << "FromDLPack: the tensor is null";
  TVM_FFI_REQUIRE_ARGUMENT(out);
  if (from->version.major != DLPACK_MAJOR_VERSION) {
    // Only the version, the context and the deleter keep their places across major versions.
    TVM_FFI_THROW(RuntimeError) << "FromDLPack: the tensor has DLPack version "
                                << from->version.major << "." << from->version.minor
                                << ", but only version " << DLPACK_MAJOR_VERSION
                                << ".x is supported";
  }
  if (from->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) {
    TVM_FFI_THROW(RuntimeError) << "Subbyte type padded is not yet supported";
  }
  bool read_only = (from->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  *out = ffi::WrapDLPack(from, read_only, require_alignment, require_contiguous);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor** out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::CheckTensorHandle(from, "ToDLPack");
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = ffi::MakeWrapper<DLManagedTensor>(from).release();
  ffi::detail::ObjectUnsafe::IncRefObjectHandle(from);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from, DLManagedTensorVersioned** out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::CheckTensorHandle(from, "ToDLPackVersioned");
  TVM_FFI_REQUIRE_ARGUMENT(out);
  auto wrapper = ffi::MakeWrapper<DLManagedTensorVersioned>(from);
  wrapper->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  wrapper->flags =
      ffi::IsReadOnly(static_cast<TVMFFIObject*>(from)) ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  *out = wrapper.release();
  ffi::detail::ObjectUnsafe::IncRefObjectHandle(from);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor* prototype_ptr,
                                 TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::CheckTensorHandle(source, "TVMFFITensorCreateUnsafeView");
  if (prototype_ptr == nullptr) {
    TVM_FFI_THROW(ValueError) << "TVMFFITensorCreateUnsafeView: the prototype is null";
  }
  TVM_FFI_REQUIRE_ARGUMENT(out);
  const DLTensor& prototype = *prototype_ptr;
  if (prototype.strides == nullptr) {
    TVM_FFI_THROW(InternalError) << "Check not null: prototype.strides (a view needs strides, also "
                                    "where they are those of compact rows)";
  }
  // The data is taken as it is: views of it are made before memory is there.
  ffi::CheckTensorGeometry(prototype, "TVMFFITensorCreateUnsafeView");
  TVMFFIObject* header = static_cast<TVMFFIObject*>(source);
  bool read_only = ffi::IsReadOnly(header);
  *out = ffi::Marked(
      ffi::detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
          ffi::make_inplace_array_object<ffi::TensorViewObj, int64_t>(
              2 * static_cast<size_t>(prototype.ndim),
              ffi::detail::ObjectUnsafe::ObjectPtrFromUnowned<ffi::Object>(header), prototype)),
      read_only);
  TVM_FFI_SAFE_CALL_END();
}
