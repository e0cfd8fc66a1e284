// SPDX-License-Identifier: Apache-2.0
/// \file float_text.h
/// \brief Text of floats in printed values.
#ifndef TVM_FFI_SRC_ALGO_FLOAT_TEXT_H_
#define TVM_FFI_SRC_ALGO_FLOAT_TEXT_H_

#include <string>

namespace tvm {
namespace ffi {
namespace algo {

/// Text of a float in ReprPrint: `%g` with 6 digits where that text reads back as the same number
/// (`1`, `0.5`, `1e+20`), otherwise with as many digits as it takes (`0.3333333333333333`). The
/// published library always cuts at 6 digits.
std::string FloatReprText(double value);

/// Text of a float in JSON: `NaN`, `Infinity`, `-Infinity`; whole numbers below 2^53 as `%.1f`;
/// otherwise `%.17g`.
std::string FloatJsonText(double value);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_FLOAT_TEXT_H_
