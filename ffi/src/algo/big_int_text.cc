// SPDX-License-Identifier: Apache-2.0
#include "big_int_text.h"

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Decimal digits move in groups: the largest power of ten below 2^64 per step over the words.
constexpr uint64_t kGroup = 10000000000000000000ULL;
constexpr int kGroupDigits = 19;
__extension__ typedef unsigned __int128 Wide;  // an extension that -Wpedantic reports

std::vector<uint64_t> Words(std::string_view bytes) {
  std::vector<uint64_t> words(bytes.size() / 8);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 8);
  return words;
}

bool IsNegative(const std::vector<uint64_t>& words) {
  return !words.empty() && (words.back() >> 63) != 0;
}

void Negate(std::vector<uint64_t>* words) {
  uint64_t carry = 1;
  for (uint64_t& word : *words) {
    word = ~word + carry;
    carry = (carry != 0 && word == 0) ? 1 : 0;
  }
}

[[noreturn]] void ThrowInvalid() {
  TVM_FFI_THROW(ValueError) << "Invalid decimal string for ffi.BigInt";
}

}  // namespace

std::string BigIntText(std::string_view bytes) {
  std::vector<uint64_t> words = Words(bytes);
  const bool negative = IsNegative(words);
  if (negative) Negate(&words);
  std::vector<uint64_t> groups;
  while (!words.empty()) {
    uint64_t remainder = 0;
    for (size_t i = words.size(); i-- > 0;) {
      const Wide part = (static_cast<Wide>(remainder) << 64) | words[i];
      words[i] = static_cast<uint64_t>(part / kGroup);
      remainder = static_cast<uint64_t>(part % kGroup);
    }
    groups.push_back(remainder);
    while (!words.empty() && words.back() == 0) words.pop_back();
  }
  if (groups.empty()) return "0";
  std::string text = negative ? "-" : "";
  text += std::to_string(groups.back());
  for (size_t i = groups.size() - 1; i-- > 0;) {
    const std::string digits = std::to_string(groups[i]);
    text.append(static_cast<size_t>(kGroupDigits) - digits.size(), '0');
    text += digits;
  }
  return text;
}

Any BigIntFromText(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) ThrowInvalid();
  std::vector<uint64_t> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t count = std::min<size_t>(kGroupDigits, text.size() - begin);
    uint64_t group = 0;
    uint64_t scale = 1;
    for (size_t i = begin; i < begin + count; ++i) {
      if (text[i] < '0' || text[i] > '9') ThrowInvalid();
      group = group * 10 + static_cast<uint64_t>(text[i] - '0');
      scale *= 10;
    }
    uint64_t carry = group;
    for (uint64_t& word : words) {
      const Wide product = static_cast<Wide>(word) * scale + carry;
      word = static_cast<uint64_t>(product);
      carry = static_cast<uint64_t>(product >> 64);
    }
    if (carry != 0) words.push_back(carry);
    begin += count;
  }
  words.push_back(0);  // room for the sign; the constructor drops what is redundant
  if (negative) Negate(&words);
  TVMFFIByteArray content{reinterpret_cast<const char*>(words.data()), words.size() * 8};
  Any out;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIBigIntFromByteArray(&content, reinterpret_cast<TVMFFIAny*>(&out)));
  return out;
}

int CompareBigIntWords(std::string_view a_bytes, std::string_view b_bytes) {
  std::vector<uint64_t> a = Words(a_bytes);
  std::vector<uint64_t> b = Words(b_bytes);
  const bool a_negative = IsNegative(a);
  if (a_negative != IsNegative(b)) return a_negative ? -1 : 1;
  const size_t size = std::max(a.size(), b.size());
  a.resize(size, a_negative ? ~uint64_t{0} : 0);
  b.resize(size, a_negative ? ~uint64_t{0} : 0);
  for (size_t i = size; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
