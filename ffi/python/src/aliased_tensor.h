// SPDX-License-Identifier: Apache-2.0
// Tensors over the memory of a Python array that they keep alive: what numpy and torch arrays
// become.
#ifndef TVM_FFI_PYTHON_ALIASED_TENSOR_H_
#define TVM_FFI_PYTHON_ALIASED_TENSOR_H_

#include <new>

#include "runtime.h"

namespace tvm::ffi::detail::python {

// The header and DLTensor that the ABI fixes, then what is ours.
struct AliasedTensor {
  TVMFFIObject header;
  DLTensor tensor;
  PyObject* array;     // owned
  int64_t extents[1];  // ndim shape values, then ndim strides
};

// Memory of tensors of few dimensions. Most live for one call, so the blocks of a few are kept.
class AliasedTensorBlocks {
 public:
  static size_t SizeFor(int32_t ndim) {
    return sizeof(AliasedTensor) + 2 * static_cast<size_t>(ndim) * sizeof(int64_t);
  }
#ifdef Py_GIL_DISABLED
  static void* Take(int32_t ndim) { return ::operator new(SizeFor(ndim), std::nothrow); }
  static void Give(AliasedTensor* block) { ::operator delete(block); }
#else
  // Both under the GIL.
  static void* Take(int32_t ndim) {
    if (ndim > kMaxDims) return ::operator new(SizeFor(ndim), std::nothrow);
    return count_ != 0 ? blocks_[--count_] : ::operator new(SizeFor(kMaxDims), std::nothrow);
  }
  static void Give(AliasedTensor* block) {
    if (block->tensor.ndim <= kMaxDims && count_ < kKept) {
      blocks_[count_++] = block;
    } else {
      ::operator delete(block);
    }
  }

 private:
  static constexpr int32_t kMaxDims = 5;
  static constexpr size_t kKept = 16;
  static inline void* blocks_[kKept];
  static inline size_t count_ = 0;
#endif
};

inline void DeleteAliasedTensor(void* self, int flags) {
  auto* tensor = static_cast<AliasedTensor*>(self);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    GilScope gil;
    if (gil.ok()) Py_DECREF(tensor->array);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ::operator delete(self);
}

// A tensor with one reference, whose shape and strides the caller has yet to fill in. NULL with an
// exception.
inline AliasedTensor* NewAliasedTensor(PyObject* array, void* data, DLDevice device,
                                       DLDataType dtype, int32_t ndim) {
  void* memory = AliasedTensorBlocks::Take(ndim);
  if (memory == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  auto* made = static_cast<AliasedTensor*>(memory);
  made->header.combined_ref_count = (uint64_t{1} << 32) + 1;
  made->header.type_index = kTVMFFITensor;
  made->header.__padding = 0;
  made->header.deleter = DeleteAliasedTensor;
  made->tensor = {data, device, ndim, dtype, made->extents, made->extents + ndim, 0};
  made->array = Py_NewRef(array);
  return made;
}

// Gives up a reference while Python may be used. The callee of most calls has kept none.
inline void ReleaseAliasedTensor(AliasedTensor* tensor) {
  constexpr uint64_t kUnique = (uint64_t{1} << 32) + 1;
  if (__atomic_load_n(&tensor->header.combined_ref_count, __ATOMIC_ACQUIRE) != kUnique) {
    DecRefNative(&tensor->header);
    return;
  }
  PyObject* array = tensor->array;
  AliasedTensorBlocks::Give(tensor);
  Py_DECREF(array);
}

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_ALIASED_TENSOR_H_
