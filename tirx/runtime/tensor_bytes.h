// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_RUNTIME_TENSOR_BYTES_H_
#define TIRX_RUNTIME_TENSOR_BYTES_H_

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>

namespace tvm {
namespace runtime {

/// Number of elements of a tensor; 1 without dimensions.
inline size_t TensorElements(const DLTensor& tensor) {
  size_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) count *= static_cast<size_t>(tensor.shape[i]);
  return count;
}

/// Bytes of the elements of a compact tensor; elements below a byte are packed.
inline size_t TensorBytes(const DLTensor& tensor) {
  size_t bits = TensorElements(tensor) * tensor.dtype.bits * tensor.dtype.lanes;
  return (bits + 7) / 8;
}

/// Whether the elements lie in row-major order without gaps. Dimensions of extent 1 don't count,
/// and a tensor without elements is always compact.
inline bool IsCompact(const DLTensor& tensor) {
  if (tensor.strides == nullptr || TensorElements(tensor) == 0) return true;
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

}  // namespace runtime
}  // namespace tvm

#endif  // TIRX_RUNTIME_TENSOR_BYTES_H_
