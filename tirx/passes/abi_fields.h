// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_ABI_FIELDS_H_
#define TIRX_PASSES_ABI_FIELDS_H_

#include <tvm/ffi/error.h>

#include <cstdint>

#include "tirx/ir/dtype.h"

namespace tvm {
namespace tirx {

/// Numbers of the fields that tirx.abi_field_get and tirx.abi_field_set access.
enum AbiField : int64_t {
  kTensorAddress = 0,  // of the DLTensor itself
  kTensorData = 1,
  kTensorShape = 2,
  kTensorStrides = 3,
  kTensorNdim = 4,
  kTensorTypeCode = 5,
  kTensorTypeBits = 6,
  kTensorTypeLanes = 7,
  kTensorByteOffset = 8,
  kTensorDeviceId = 9,
  kTensorDeviceType = 10,
  kValueContent = 12,
  kAnyTypeIndex = 13,
  kAnyZeroPadding = 14,
  kAnyUnion = 15,
  kInt64Element = 17,
};

/// Where a field lies: `offset` bytes inside item number `index` of an array of `item_bytes` each.
struct AbiFieldPlace {
  int item_bytes;
  int offset;
  DLDataType dtype;
  bool is_pointer = false;
  bool is_address = false;  // the place itself is the value
  bool is_union = false;    // 64 bits: int64, float64 or pointer
};

inline AbiFieldPlace FindAbiField(int64_t field) {
  constexpr int kTensorBytes = 48;
  constexpr int kAnyBytes = 16;
  switch (field) {
    case kTensorAddress:
      return {kTensorBytes, 0, Int(64), true, true};
    case kTensorData:
      return {kTensorBytes, 0, Int(64), true};
    case kTensorDeviceType:
      return {kTensorBytes, 8, Int(32)};
    case kTensorDeviceId:
      return {kTensorBytes, 12, Int(32)};
    case kTensorNdim:
      return {kTensorBytes, 16, Int(32)};
    case kTensorTypeCode:
      return {kTensorBytes, 20, UInt(8)};
    case kTensorTypeBits:
      return {kTensorBytes, 21, UInt(8)};
    case kTensorTypeLanes:
      return {kTensorBytes, 22, UInt(16)};
    case kTensorShape:
      return {kTensorBytes, 24, Int(64), true};
    case kTensorStrides:
      return {kTensorBytes, 32, Int(64), true};
    case kTensorByteOffset:
      return {kTensorBytes, 40, UInt(64)};
    case kValueContent:
      return {8, 0, Int(64), false, false, true};
    case kAnyTypeIndex:
      return {kAnyBytes, 0, Int(32)};
    case kAnyZeroPadding:
      return {kAnyBytes, 4, UInt(32)};
    case kAnyUnion:
      return {kAnyBytes, 8, Int(64), false, false, true};
    case kInt64Element:
      return {8, 0, Int(64)};
    default:
      break;
  }
  TVM_FFI_THROW(ValueError) << "There is no ABI field " << field;
  throw;
}

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_ABI_FIELDS_H_
