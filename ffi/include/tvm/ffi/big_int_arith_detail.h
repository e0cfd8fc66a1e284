// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/big_int_arith_detail.h
 *  Arithmetic on integers of any size, kept as two's complement words. Ordinary functions, no
 * templates.
 */
#ifndef TVM_FFI_BIG_INT_ARITH_DETAIL_H_
#define TVM_FFI_BIG_INT_ARITH_DETAIL_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/error.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace detail {

/*! Words, least significant first; the top bit of the last one is the sign. Never empty. */
using WordVector = std::vector<uint64_t>;

/*! 32-bit digits of a magnitude, least significant first, without leading zeros; empty is zero. */
using DigitVector = std::vector<uint32_t>;

inline bool WordsNegative(const WordVector& words) { return (words.back() >> 63) != 0; }

/*! Word `i` of the value with its sign extended without end. */
inline uint64_t WordAt(const WordVector& words, size_t i) {
  return i < words.size() ? words[i] : (WordsNegative(words) ? ~uint64_t{0} : 0);
}

/*! Drops words that only repeat the sign. */
inline void TrimWords(WordVector* words) {
  while (words->size() > 1) {
    const uint64_t top = words->back();
    const bool negative = ((*words)[words->size() - 2] >> 63) != 0;
    if (top != (negative ? ~uint64_t{0} : 0)) return;
    words->pop_back();
  }
}

inline WordVector NegateWords(const WordVector& words) {
  WordVector result(words.size() + 1);
  uint64_t carry = 1;
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = ~WordAt(words, i) + carry;
    carry = (carry != 0 && result[i] == 0) ? 1 : 0;
  }
  TrimWords(&result);
  return result;
}

/*! lhs + rhs, or lhs - rhs when `subtract`. */
TVM_FFI_NO_INLINE inline WordVector AddWords(const WordVector& lhs, const WordVector& rhs,
                                             bool subtract) {
  WordVector result((lhs.size() > rhs.size() ? lhs.size() : rhs.size()) + 1);
  uint64_t carry = subtract ? 1 : 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const uint64_t a = WordAt(lhs, i);
    const uint64_t b = subtract ? ~WordAt(rhs, i) : WordAt(rhs, i);
    const uint64_t sum = a + b;
    result[i] = sum + carry;
    carry = (sum < a || result[i] < sum) ? 1 : 0;
  }
  TrimWords(&result);
  return result;
}

inline DigitVector MagnitudeDigits(const WordVector& words) {
  const WordVector magnitude = WordsNegative(words) ? NegateWords(words) : words;
  DigitVector digits;
  digits.reserve(magnitude.size() * 2);
  for (uint64_t word : magnitude) {
    digits.push_back(static_cast<uint32_t>(word & 0xffffffffU));
    digits.push_back(static_cast<uint32_t>(word >> 32));
  }
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
  return digits;
}

inline WordVector WordsFromDigits(const DigitVector& digits, bool negative) {
  WordVector words(digits.size() / 2 + 1, 0);
  for (size_t i = 0; i < digits.size(); ++i) {
    words[i / 2] |= static_cast<uint64_t>(digits[i]) << (32 * (i % 2));
  }
  // One more word keeps the sign bit of a full magnitude clear.
  words.push_back(0);
  TrimWords(&words);
  return negative ? NegateWords(words) : words;
}

TVM_FFI_NO_INLINE inline WordVector MulWords(const WordVector& lhs, const WordVector& rhs) {
  const DigitVector a = MagnitudeDigits(lhs), b = MagnitudeDigits(rhs);
  DigitVector product(a.size() + b.size(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t k = 0; k < b.size(); ++k) {
      // (2^32-1)^2 + 2 * (2^32-1) is the largest value that fits.
      const uint64_t sum = static_cast<uint64_t>(a[i]) * b[k] + product[i + k] + carry;
      product[i + k] = static_cast<uint32_t>(sum & 0xffffffffU);
      carry = sum >> 32;
    }
    product[i + b.size()] = static_cast<uint32_t>(carry);
  }
  return WordsFromDigits(product, WordsNegative(lhs) != WordsNegative(rhs));
}

/*! Quotient and remainder of two magnitudes; `b` is not zero. Schoolbook long division in base
 * 2^32. */
inline void DivideDigits(const DigitVector& a, const DigitVector& b, DigitVector* quotient,
                         DigitVector* remainder) {
  quotient->assign(a.size() < b.size() ? 0 : a.size() - b.size() + 1, 0);
  if (b.size() == 1) {
    uint64_t rest = 0;
    for (size_t i = a.size(); i-- > 0;) {
      rest = rest << 32 | a[i];
      (*quotient)[i] = static_cast<uint32_t>(rest / b[0]);
      rest %= b[0];
    }
    remainder->assign(1, static_cast<uint32_t>(rest));
    return;
  }
  if (a.size() < b.size()) {
    *remainder = a;
    return;
  }
  // With the divisor's top bit set, a digit guessed from the top two is at most two too large.
  int shift = 0;
  while (((b.back() << shift) >> 31) == 0) ++shift;
  auto shifted = [shift](const DigitVector& digits, size_t i) {
    const uint64_t high = i < digits.size() ? digits[i] : 0;
    const uint64_t low = i > 0 ? digits[i - 1] : 0;
    return static_cast<uint32_t>(((high << 32 | low) << shift) >> 32);
  };
  const size_t n = b.size();
  DigitVector u(a.size() + 1), v(n);
  for (size_t i = 0; i < u.size(); ++i) u[i] = shifted(a, i);
  for (size_t i = 0; i < n; ++i) v[i] = shifted(b, i);
  for (size_t j = quotient->size(); j-- > 0;) {
    const uint64_t top = static_cast<uint64_t>(u[j + n]) << 32 | u[j + n - 1];
    uint64_t digit = top / v[n - 1];
    uint64_t rest = top % v[n - 1];
    while (digit > 0xffffffffU || digit * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      --digit;
      rest += v[n - 1];
      if (rest > 0xffffffffU) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t part = digit * v[i] + carry;
      carry = part >> 32;
      const int64_t difference =
          static_cast<int64_t>(u[i + j]) - borrow - static_cast<int64_t>(part & 0xffffffffU);
      u[i + j] = static_cast<uint32_t>(static_cast<uint64_t>(difference) & 0xffffffffU);
      borrow = difference < 0 ? 1 : 0;
    }
    const int64_t last = static_cast<int64_t>(u[j + n]) - borrow - static_cast<int64_t>(carry);
    u[j + n] = static_cast<uint32_t>(static_cast<uint64_t>(last) & 0xffffffffU);
    if (last < 0) {
      --digit;
      uint64_t add_carry = 0;
      for (size_t i = 0; i < n; ++i) {
        const uint64_t sum = static_cast<uint64_t>(u[i + j]) + v[i] + add_carry;
        u[i + j] = static_cast<uint32_t>(sum & 0xffffffffU);
        add_carry = sum >> 32;
      }
      u[j + n] += static_cast<uint32_t>(add_carry);
    }
    (*quotient)[j] = static_cast<uint32_t>(digit & 0xffffffffU);
  }
  remainder->resize(n);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t pair = static_cast<uint64_t>(i + 1 < u.size() ? u[i + 1] : 0) << 32 | u[i];
    (*remainder)[i] = static_cast<uint32_t>((pair >> shift) & 0xffffffffU);
  }
}

/*! Quotient rounded towards zero, and the remainder with the sign of the dividend. */
TVM_FFI_NO_INLINE inline std::pair<WordVector, WordVector> TruncDivModWords(const WordVector& lhs,
                                                                            const WordVector& rhs) {
  const DigitVector divisor = MagnitudeDigits(rhs);
  if (divisor.empty()) ThrowError("ZeroDivisionError", "Division by zero");
  DigitVector quotient, remainder;
  DivideDigits(MagnitudeDigits(lhs), divisor, &quotient, &remainder);
  return {WordsFromDigits(quotient, WordsNegative(lhs) != WordsNegative(rhs)),
          WordsFromDigits(remainder, WordsNegative(lhs))};
}

inline bool WordsAreZero(const WordVector& words) { return words.size() == 1 && words[0] == 0; }

/*! Quotient rounded down, and the remainder with the sign of the divisor. */
inline std::pair<WordVector, WordVector> FloorDivModWords(const WordVector& lhs,
                                                          const WordVector& rhs) {
  std::pair<WordVector, WordVector> result = TruncDivModWords(lhs, rhs);
  if (!WordsAreZero(result.second) && WordsNegative(lhs) != WordsNegative(rhs)) {
    result.first = AddWords(result.first, WordVector{1}, /*subtract=*/true);
    result.second = AddWords(result.second, rhs, /*subtract=*/false);
  }
  return result;
}

enum class BitOp { kAnd, kOr, kXor };

TVM_FFI_NO_INLINE inline WordVector BitwiseWords(BitOp op, const WordVector& lhs,
                                                 const WordVector& rhs) {
  WordVector result(lhs.size() > rhs.size() ? lhs.size() : rhs.size());
  for (size_t i = 0; i < result.size(); ++i) {
    const uint64_t a = WordAt(lhs, i), b = WordAt(rhs, i);
    result[i] = op == BitOp::kAnd ? a & b : op == BitOp::kOr ? a | b : a ^ b;
  }
  TrimWords(&result);
  return result;
}

TVM_FFI_NO_INLINE inline WordVector ShiftLeftWords(const WordVector& words, uint64_t count) {
  // A larger result would not fit any memory; refuse before trying to allocate it.
  if (count >= uint64_t{1} << 36) {
    if (WordsAreZero(words)) return words;
    ThrowError("OverflowError", "BigInt shift count is too large");
  }
  const size_t skip = static_cast<size_t>(count / 64);
  const unsigned bits = static_cast<unsigned>(count % 64);
  WordVector result(words.size() + skip + 1, 0);
  for (size_t i = skip; i < result.size(); ++i) {
    const uint64_t high = WordAt(words, i - skip);
    const uint64_t low = i > skip ? WordAt(words, i - skip - 1) : 0;
    result[i] = bits == 0 ? high : (high << bits | low >> (64 - bits));
  }
  TrimWords(&result);
  return result;
}

/*! Rounds down, as a shift of two's complement does. */
TVM_FFI_NO_INLINE inline WordVector ShiftRightWords(const WordVector& words, uint64_t count) {
  if (count / 64 >= words.size()) return WordVector{WordAt(words, words.size())};
  const size_t skip = static_cast<size_t>(count / 64);
  const unsigned bits = static_cast<unsigned>(count % 64);
  WordVector result(words.size() - skip);
  for (size_t i = 0; i < result.size(); ++i) {
    const uint64_t low = words[i + skip];
    const uint64_t high = WordAt(words, i + skip + 1);
    result[i] = bits == 0 ? low : (low >> bits | high << (64 - bits));
  }
  TrimWords(&result);
  return result;
}

/*! Negative, zero or positive; both sides trimmed. */
inline int CompareWords(const WordVector& lhs, const WordVector& rhs) {
  if (WordsNegative(lhs) != WordsNegative(rhs)) return WordsNegative(lhs) ? -1 : 1;
  const size_t size = lhs.size() > rhs.size() ? lhs.size() : rhs.size();
  for (size_t i = size; i-- > 0;) {
    const uint64_t a = WordAt(lhs, i), b = WordAt(rhs, i);
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}

/*! Drops the fraction. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline WordVector WordsFromDouble(double value) {
  if (std::isnan(value)) ThrowError("ValueError", "Cannot convert NaN to BigInt");
  if (std::isinf(value)) ThrowError("OverflowError", "Cannot convert infinity to BigInt");
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  if (exponent <= 0) return WordVector{0};
  const WordVector mantissa{static_cast<uint64_t>(std::ldexp(fraction, 53))};
  const WordVector magnitude =
      exponent >= 53 ? ShiftLeftWords(mantissa, static_cast<uint64_t>(exponent - 53))
                     : ShiftRightWords(mantissa, static_cast<uint64_t>(53 - exponent));
  return value < 0 ? NegateWords(magnitude) : magnitude;
}

/*! Reads `[+-]?[0-9]+`; the caller has checked the characters. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline WordVector WordsFromDecimal(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  DigitVector digits;
  while (!text.empty()) {
    const size_t count = text.size() % 9 == 0 ? 9 : text.size() % 9;
    uint64_t carry = 0, scale = 1;
    for (size_t i = 0; i < count; ++i) {
      carry = carry * 10 + static_cast<uint64_t>(text[i] - '0');
      scale *= 10;
    }
    for (uint32_t& digit : digits) {
      const uint64_t sum = digit * scale + carry;
      digit = static_cast<uint32_t>(sum & 0xffffffffU);
      carry = sum >> 32;
    }
    if (carry != 0) digits.push_back(static_cast<uint32_t>(carry));
    text.remove_prefix(count);
  }
  return WordsFromDigits(digits, negative);
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_BIG_INT_ARITH_DETAIL_H_
