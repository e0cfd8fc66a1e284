// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/literal.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include <tvm/ffi/string.h>

#include "tirx/ir/dtype.h"

namespace tvm {
namespace tirx {

void AppendQuoted(std::string* out, std::string_view text) {
  bool plain = true;
  for (char c : text) plain = plain && c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  if (plain) {
    out->push_back('"');
    out->append(text);
    out->push_back('"');
    return;
  }
  ffi::String quoted = ffi::EscapedStringPy(ffi::String(text.data(), text.size()));
  out->append(quoted.data(), quoted.size());
}

void AppendFloat(std::string* out, double value) {
  if (std::isnan(value)) {
    out->append("\"nan\"");
    return;
  }
  if (std::isinf(value)) {
    out->append(value < 0 ? "\"-inf\"" : "\"inf\"");
    return;
  }
  char buffer[400];
  if (value == std::trunc(value)) {
    auto [end, error] =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed, 1);
    out->append(buffer, end);
    return;
  }
  int length = std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  // %g drops trailing zeros only with digits to spare, so strip them; the shortest digits that
  // hold all 17 places are wanted, not the shortest that read back.
  out->append(buffer, static_cast<size_t>(length));
}

bool HasScriptName(DLDataType t) {
  int lanes = Lanes(t);
  if (IsScalable(t)) return false;
  if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 16 && lanes != 32 &&
      lanes != 64) {
    return false;
  }
  if (IsBool(t) || IsBFloat16(t)) return lanes == 1;
  if (IsInteger(t)) return t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
  if (t.code == kDLFloat) return t.bits == 16 || t.bits == 32 || t.bits == 64;
  return IsSmallFloat(t);
}

}  // namespace tirx
}  // namespace tvm
