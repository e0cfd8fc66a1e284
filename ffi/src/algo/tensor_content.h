// SPDX-License-Identifier: Apache-2.0
/// \file tensor_content.h
/// \brief Bytes of a CPU tensor for structural comparison and hashing.
#ifndef TVM_FFI_SRC_ALGO_TENSOR_CONTENT_H_
#define TVM_FFI_SRC_ALGO_TENSOR_CONTENT_H_

#include <tvm/ffi/container/tensor.h>

#include <string_view>

#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {

/// Content of a contiguous CPU tensor, from `data` on; InternalError for any other tensor.
inline std::string_view TensorBytes(const DLTensor& tensor) {
  TVM_FFI_CHECK(tensor.device.device_type == kDLCPU, InternalError)
      << "can only compare CPU tensor";
  TVM_FFI_CHECK(IsContiguous(tensor), InternalError) << "can only compare contiguous tensor";
  return std::string_view(static_cast<const char*>(tensor.data), GetDataSize(tensor));
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_TENSOR_CONTENT_H_
