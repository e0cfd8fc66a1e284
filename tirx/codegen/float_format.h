// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_CODEGEN_FLOAT_FORMAT_H_
#define TIRX_CODEGEN_FLOAT_FORMAT_H_

#include "tirx/ir/dtype.h"

namespace tvm {
namespace tirx {

/// How the bits of a float format of 8 bits or less are read. Codes are without the sign bit.
struct FloatFormat {
  int bits;
  int mantissa_bits;
  int bias;
  int max_code;                // largest finite value
  int infinity_code;           // -1 when there is none
  int nan_from;                // this code and all above are NaN; -1 when there is none
  int nan_code;                // the NaN that conversions make; -1 when there is none
  int overflow_code;           // what a value beyond the largest becomes
  bool unsigned_zero = false;  // one zero; the code of -0 is the only NaN
  bool exponent_only = false;  // powers of two without a sign
};

constexpr FloatFormat FormatOf(DLDataType dtype) {
  switch (static_cast<int>(dtype.code)) {
    case kDLFloat8_e3m4:
      return {8, 4, 3, 0x6F, 0x70, 0x71, 0x78, 0x70};
    case kDLFloat8_e4m3:
      return {8, 3, 7, 0x77, 0x78, 0x79, 0x7C, 0x78};
    case kDLFloat8_e4m3b11fnuz:
      return {8, 3, 11, 0x7F, -1, 0x80, 0x80, 0x80, true};
    case kDLFloat8_e4m3fn:
      return {8, 3, 7, 0x7E, -1, 0x7F, 0x7F, 0x7F};
    case kDLFloat8_e4m3fnuz:
      return {8, 3, 8, 0x7F, -1, 0x80, 0x80, 0x80, true};
    case kDLFloat8_e5m2:
      return {8, 2, 15, 0x7B, 0x7C, 0x7D, 0x7E, 0x7C};
    case kDLFloat8_e5m2fnuz:
      return {8, 2, 16, 0x7F, -1, 0x80, 0x80, 0x80, true};
    case kDLFloat8_e8m0fnu:
      return {8, 0, 127, 0xFE, -1, 0xFF, 0xFF, 0xFE, false, true};
    case kDLFloat6_e2m3fn:
      return {6, 3, 1, 0x1F, -1, -1, -1, 0x1F};
    case kDLFloat6_e3m2fn:
      return {6, 2, 3, 0x1F, -1, -1, -1, 0x1F};
    case kDLFloat4_e2m1fn:
      return {4, 1, 1, 0x07, -1, -1, -1, 0x07};
    default:
      return {0, 0, 0, 0, 0, 0, 0, 0};
  }
}

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_CODEGEN_FLOAT_FORMAT_H_
