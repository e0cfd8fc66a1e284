// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/dtype.h>

#include <string>
#include <string_view>

namespace tvm {
namespace tirx {

// A double quoted Python string, ASCII only.
void AppendQuoted(std::string* out, std::string_view text);
// A Python float literal that reads back as the same double: integral values in positional
// notation with `.0`, others with up to 17 digits; "inf", "-inf" and "nan" in quotes.
void AppendFloat(std::string* out, double value);
// Whether the script namespace has a name for the format (`T.float32x4`, but not `boolx4`).
bool HasScriptName(DLDataType dtype);

}  // namespace tirx
}  // namespace tvm
