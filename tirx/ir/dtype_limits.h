// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "tirx/ir/dtype.h"

namespace tvm {
namespace tirx {

// Whether a signed value fits a signed type of at most 64 bits.
constexpr bool FitsInt(DLDataType dtype, int64_t value) {
  if (dtype.bits >= 64) return true;
  int64_t limit = int64_t{1} << (dtype.bits - 1);
  return value >= -limit && value < limit;
}

// Whether an exact integer fits an integer or bool scalar type.
constexpr bool FitsInteger(DLDataType dtype, __int128 value) {
  if (IsBool(dtype)) return value == 0 || value == 1;
  if (IsUInt(dtype)) return value >= 0 && (value >> dtype.bits) == 0;
  __int128 limit = static_cast<__int128>(1) << (dtype.bits - 1);
  return value >= -limit && value < limit;
}

// The largest finite value of a floating format.
inline double LargestFinite(DLDataType dtype) {
  switch (static_cast<int>(dtype.code)) {
    case kDLFloat:
      if (dtype.bits == 16) return 65504.0;
      if (dtype.bits == 32) return std::numeric_limits<float>::max();
      return std::numeric_limits<double>::max();
    case kDLBfloat:
      return 0x1.fep127;
    case kDLFloat8_e3m4:
      return 15.5;
    case kDLFloat8_e4m3:
      return 240.0;
    case kDLFloat8_e4m3b11fnuz:
      return 30.0;
    case kDLFloat8_e4m3fn:
      return 448.0;
    case kDLFloat8_e4m3fnuz:
      return 240.0;
    case kDLFloat8_e5m2:
    case kDLFloat8_e5m2fnuz:
      return 57344.0;
    case kDLFloat8_e8m0fnu:
      return 0x1p127;
    case kDLFloat6_e2m3fn:
      return 7.5;
    case kDLFloat6_e3m2fn:
      return 28.0;
    case kDLFloat4_e2m1fn:
      return 6.0;
    default:
      return std::numeric_limits<double>::max();
  }
}

}  // namespace tirx
}  // namespace tvm
