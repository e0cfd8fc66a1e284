// SPDX-License-Identifier: Apache-2.0
#include "tensor_geometry.h"

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>

#include <cstdint>
#include <limits>
#include <string>

namespace tvm {
namespace ffi {
namespace {

// Far above what any framework supports; a larger number is memory that was never a tensor.
constexpr int32_t kDimsAtMost = 1024;

#define TVM_FFI_THROW_TENSOR(context) TVM_FFI_THROW(ValueError) << (context) << ": "

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE std::string ShapeText(const DLTensor& tensor) {
  std::string text = "(";
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(tensor.shape[i]);
  }
  return text + ")";
}

void CheckDType(DLDataType dtype, const char* context) {
  if (dtype.code > kDLFloat4_e2m1fn && dtype.code <= kDLExtCustomBegin - 1) {
    TVM_FFI_THROW_TENSOR(context) << "`dtype.code` " << int{dtype.code}
                                  << " stands for no data type";
  }
  if (dtype.bits == 0 || dtype.lanes == 0) {
    TVM_FFI_THROW_TENSOR(context) << "`dtype` has " << int{dtype.bits} << " bits and "
                                  << int{dtype.lanes} << " lanes; elements need at least one of "
                                  << "each";
  }
}

// Bytes before and behind the first element up to the end of the last one, both >= 0.
struct Span {
  uint64_t before = 0;
  uint64_t behind = 0;
};

// False when it does not fit. `strides` may be null: compact rows.
bool ComputeSpan(const DLTensor& tensor, int64_t num_elements, Span* span) {
  uint64_t before = 0, behind = 0;  // in elements
  if (tensor.strides == nullptr) {
    behind = static_cast<uint64_t>(num_elements) - 1;
  } else {
    for (int32_t i = 0; i < tensor.ndim; ++i) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach)) return false;
      uint64_t& side = reach < 0 ? before : behind;
      const uint64_t distance =
          reach < 0 ? 0 - static_cast<uint64_t>(reach) : static_cast<uint64_t>(reach);
      if (__builtin_add_overflow(side, distance, &side)) return false;
    }
  }
  const uint64_t bits = uint64_t{tensor.dtype.bits} * tensor.dtype.lanes;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  uint64_t num_bits = 0;
  if (__builtin_mul_overflow(before, bits, &num_bits)) return false;
  span->before = num_bits / 8 + (num_bits % 8 != 0);
  if (__builtin_add_overflow(behind, 1, &behind)) return false;
  if (__builtin_mul_overflow(behind, bits, &num_bits)) return false;
  span->behind = num_bits / 8 + (num_bits % 8 != 0);
  return span->before <= kMost && span->behind <= kMost;
}

// Number of elements, or -1 when int64 can't count them.
int64_t CountElements(const DLTensor& tensor) {
  int64_t count = 1;
  bool overflow = false;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return 0;
    overflow |= __builtin_mul_overflow(count, tensor.shape[i], &count);
  }
  return overflow ? -1 : count;
}

}  // namespace

void CheckTensorGeometry(const DLTensor& tensor, const char* context) {
  if (tensor.ndim < 0 || tensor.ndim > kDimsAtMost) {
    TVM_FFI_THROW_TENSOR(context) << "`ndim` is " << tensor.ndim << "; a tensor has 0 to "
                                  << kDimsAtMost << " dimensions";
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    TVM_FFI_THROW_TENSOR(context) << "`shape` is null, but `ndim` is " << tensor.ndim;
  }
  CheckDType(tensor.dtype, context);
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] < 0) {
      TVM_FFI_THROW_TENSOR(context)
          << "`shape[" << i << "]` is " << tensor.shape[i] << "; an extent can't be negative";
    }
  }
  const int64_t num_elements = CountElements(tensor);
  if (num_elements == 0) return;
  Span span;
  if (num_elements < 0 ||
      (tensor.strides == nullptr && !ComputeSpan(tensor, num_elements, &span))) {
    TVM_FFI_THROW_TENSOR(context) << "`shape` " << ShapeText(tensor)
                                  << " has more elements than can be addressed";
  }
  if (tensor.strides != nullptr && !ComputeSpan(tensor, num_elements, &span)) {
    TVM_FFI_THROW_TENSOR(context) << "`strides` put elements of a tensor of shape "
                                  << ShapeText(tensor) << " further apart than memory reaches";
  }
}

void CheckTensorMemory(const DLTensor& tensor, const char* context) {
  const int64_t num_elements = CountElements(tensor);
  if (num_elements == 0) return;
  const bool is_address = IsDirectAddressDevice(tensor.device);
  if (is_address && tensor.data == nullptr) {
    TVM_FFI_THROW_TENSOR(context) << "`data` is null, but a tensor of shape " << ShapeText(tensor)
                                  << " has " << num_elements
                                  << (num_elements == 1 ? " element" : " elements");
  }
  Span span;
  ComputeSpan(tensor, num_elements, &span);
  // Places in the memory of a handle begin at 0.
  const uint64_t base = is_address ? reinterpret_cast<uintptr_t>(tensor.data) : 0;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  uint64_t first = 0, end = 0;
  if (tensor.byte_offset > kMost - span.behind ||
      __builtin_add_overflow(base, tensor.byte_offset, &first) || first < span.before ||
      __builtin_add_overflow(first, span.behind, &end)) {
    TVM_FFI_THROW_TENSOR(context) << "`byte_offset` " << tensor.byte_offset
                                  << " puts elements beyond the end of memory";
  }
}

}  // namespace ffi
}  // namespace tvm
