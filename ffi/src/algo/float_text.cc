// SPDX-License-Identifier: Apache-2.0
#include "float_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// to_chars and not printf: the decimal point must not follow the process locale.
std::string General(double value, int digits) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

double ParseBack(const std::string& text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

/// Number of significant digits of the shortest decimal that reads back as `value`.
int ShortestDigits(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific);
  int digits = 0;
  for (const char* p = text; p != end.ptr && *p != 'e'; ++p) {
    if (*p >= '0' && *p <= '9') ++digits;
  }
  return digits;
}

std::string NonFinite(double value, const char* nan, const char* infinity) {
  if (std::isnan(value)) return nan;
  return value < 0 ? std::string("-") + infinity : std::string(infinity);
}

}  // namespace

std::string FloatReprText(double value) {
  if (!std::isfinite(value)) return NonFinite(value, "nan", "inf");
  std::string text = General(value, 6);
  if (ParseBack(text) == value) return text;
  return General(value, ShortestDigits(value));
}

std::string FloatJsonText(double value) {
  if (!std::isfinite(value)) return NonFinite(value, "NaN", "Infinity");
  if (std::trunc(value) == value && std::fabs(value) < 9007199254740992.0) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, 1);
    return std::string(text, end.ptr);
  }
  return General(value, 17);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
