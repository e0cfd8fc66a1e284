// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/big_int.h
 *  BigInt: an integer of any size in one value; int64 numbers are stored inline.
 */
#ifndef TVM_FFI_BIG_INT_H_
#define TVM_FFI_BIG_INT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/big_int_arith_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

/*! Heap form: a count and that many two's complement words, least significant first, at least two.
 */
class BigIntObj : public Object {
 public:
  size_t size;
  static constexpr int32_t _type_index = TypeIndex::kTVMFFIBigInt;
  static constexpr bool _type_final = true;
  static constexpr uint32_t _type_child_slots = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIBigInt, BigIntObj, Object);
};

}  // namespace detail

/*! \brief Immutable integer of any size. Division by zero is ZeroDivisionError; nothing overflows.
 */
class BigInt {
 public:
  /*! \brief Two's complement words of a value, least significant first; borrowed from it. */
  class ArrayView {
   public:
    ArrayView(const uint64_t* data, size_t size) : data_(data), size_(size) {}
    const uint64_t* data() const { return data_; }
    size_t size() const { return size_; }
    uint64_t operator[](size_t i) const { return data_[i]; }
    const uint64_t* begin() const { return data_; }
    const uint64_t* end() const { return data_ + size_; }

   private:
    const uint64_t* data_;
    size_t size_;
  };

  BigInt() : BigInt(int64_t{0}) {}
  template <typename Int,
            typename = std::enable_if_t<std::is_integral_v<Int> && sizeof(Int) <= sizeof(int64_t)>>
  BigInt(Int value) {  // NOLINT(*)
    if constexpr (std::is_unsigned_v<Int> && sizeof(Int) == sizeof(uint64_t)) {
      TypeTraits<Int>::MoveToAny(value, &value_);
    } else {
      detail::SetPODAny(&value_, TypeIndex::kTVMFFIInt, static_cast<int64_t>(value));
    }
  }
  /*! \brief Drops the fraction. NaN is ValueError, infinity OverflowError. */
  explicit BigInt(double value) : BigInt(FromWords(detail::WordsFromDouble(value))) {}
  BigInt(const BigInt& other) noexcept : value_(other.value_) {
    if (IsHeap()) detail::IncRef(value_.v_obj);
  }
  BigInt(BigInt&& other) noexcept : value_(other.value_) {
    detail::SetPODAny(&other.value_, TypeIndex::kTVMFFIInt, 0);
  }
  BigInt& operator=(BigInt other) noexcept {
    swap(other);
    return *this;
  }
  ~BigInt() {
    if (IsHeap()) detail::DecRef(value_.v_obj);
  }
  void swap(BigInt& other) noexcept { std::swap(value_, other.value_); }

  explicit operator bool() const noexcept { return IsHeap() || value_.v_int64 != 0; }
  /*! \brief OverflowError when it does not fit. */
  explicit operator int64_t() const {
    if (IsHeap()) detail::ThrowError("OverflowError", "BigInt does not fit int64_t");
    return value_.v_int64;
  }
  /*! \brief Nearest double, ties to even; OverflowError when that is not finite. */
  explicit operator double() const {
    if (!IsHeap()) return static_cast<double>(value_.v_int64);
    double result = 0;
    if (!detail::BigIntToDouble(detail::GetBigIntWords(&value_), &result)) {
      detail::ThrowError("OverflowError", "BigInt does not fit finite double");
    }
    return result;
  }
  /*! \brief The value as `Int`, nothing when it does not fit. */
  template <typename Int, typename = std::enable_if_t<std::is_integral_v<Int>>>
  std::optional<Int> as() const {
    if constexpr (std::is_same_v<Int, bool>) {
      if (IsHeap() || (value_.v_int64 != 0 && value_.v_int64 != 1)) return std::nullopt;
      return value_.v_int64 != 0;
    } else {
      return TypeTraits<Int>::TryCastFromAnyView(&value_);
    }
  }
  uint64_t hash() const noexcept {
    if (!IsHeap()) return value_.v_uint64;
    const TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&value_);
    return detail::StableHashBytes(bytes.data, bytes.size);
  }
  /*! \brief The words; valid while this value is neither changed nor destroyed. */
  ArrayView words() const noexcept {
    const detail::BigIntWords view = detail::GetBigIntWords(&value_);
    return ArrayView(view.data, view.size);
  }
  /*! \brief Decimal text. */
  std::string ToDecimal() const {
    return IsHeap() ? detail::BigIntWordsToDecimal(detail::GetBigIntWords(&value_))
                    : std::to_string(value_.v_int64);
  }
  /*! \brief Reads `[+-]?[0-9]+`, nothing else. */
  static std::optional<BigInt> FromDecimal(std::string_view text) {
    const std::string_view digits =
        !text.empty() && (text[0] == '-' || text[0] == '+') ? text.substr(1) : text;
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
    return FromWords(detail::WordsFromDecimal(text));
  }

  BigInt operator+() const { return *this; }
  BigInt operator-() const { return BigInt(int64_t{0}) - *this; }
  BigInt operator~() const { return BigInt(int64_t{-1}) - *this; }
  BigInt& operator++() { return *this = *this + BigInt(1); }
  BigInt& operator--() { return *this = *this - BigInt(1); }
  BigInt operator++(int) {
    BigInt old = *this;
    ++*this;
    return old;
  }
  BigInt operator--(int) {
    BigInt old = *this;
    --*this;
    return old;
  }

  friend BigInt operator+(const BigInt& lhs, const BigInt& rhs) {
#if defined(__GNUC__)
    int64_t result;
    if (Small(lhs, rhs) && !__builtin_add_overflow(lhs.Int(), rhs.Int(), &result)) return result;
#endif
    return FromWords(detail::AddWords(lhs.Words(), rhs.Words(), false));
  }
  friend BigInt operator-(const BigInt& lhs, const BigInt& rhs) {
#if defined(__GNUC__)
    int64_t result;
    if (Small(lhs, rhs) && !__builtin_sub_overflow(lhs.Int(), rhs.Int(), &result)) return result;
#endif
    return FromWords(detail::AddWords(lhs.Words(), rhs.Words(), true));
  }
  friend BigInt operator*(const BigInt& lhs, const BigInt& rhs) {
#if defined(__GNUC__)
    int64_t result;
    if (Small(lhs, rhs) && !__builtin_mul_overflow(lhs.Int(), rhs.Int(), &result)) return result;
#endif
    return FromWords(detail::MulWords(lhs.Words(), rhs.Words()));
  }
  /*! \brief Quotient rounded towards zero. */
  friend BigInt truncdiv(const BigInt& lhs, const BigInt& rhs) {
    if (SmallDivision(lhs, rhs)) return lhs.Int() / rhs.Int();
    return FromWords(detail::TruncDivModWords(lhs.Words(), rhs.Words()).first);
  }
  /*! \brief Remainder with the sign of the dividend. */
  friend BigInt truncmod(const BigInt& lhs, const BigInt& rhs) {
    if (SmallDivision(lhs, rhs)) return lhs.Int() % rhs.Int();
    return FromWords(detail::TruncDivModWords(lhs.Words(), rhs.Words()).second);
  }
  /*! \brief Quotient rounded down. */
  friend BigInt floordiv(const BigInt& lhs, const BigInt& rhs) {
    return FromWords(detail::FloorDivModWords(lhs.Words(), rhs.Words()).first);
  }
  /*! \brief Remainder with the sign of the divisor. */
  friend BigInt floormod(const BigInt& lhs, const BigInt& rhs) {
    return FromWords(detail::FloorDivModWords(lhs.Words(), rhs.Words()).second);
  }
  friend BigInt operator/(const BigInt& lhs, const BigInt& rhs) { return truncdiv(lhs, rhs); }
  friend BigInt operator%(const BigInt& lhs, const BigInt& rhs) { return truncmod(lhs, rhs); }
  friend BigInt operator&(const BigInt& lhs, const BigInt& rhs) {
    if (Small(lhs, rhs)) return lhs.Int() & rhs.Int();
    return FromWords(detail::BitwiseWords(detail::BitOp::kAnd, lhs.Words(), rhs.Words()));
  }
  friend BigInt operator|(const BigInt& lhs, const BigInt& rhs) {
    if (Small(lhs, rhs)) return lhs.Int() | rhs.Int();
    return FromWords(detail::BitwiseWords(detail::BitOp::kOr, lhs.Words(), rhs.Words()));
  }
  friend BigInt operator^(const BigInt& lhs, const BigInt& rhs) {
    if (Small(lhs, rhs)) return lhs.Int() ^ rhs.Int();
    return FromWords(detail::BitwiseWords(detail::BitOp::kXor, lhs.Words(), rhs.Words()));
  }
  /*! \brief A negative count is ValueError. */
  friend BigInt operator<<(const BigInt& lhs, const BigInt& rhs) {
    if (!lhs) return lhs;
    return FromWords(detail::ShiftLeftWords(lhs.Words(), ShiftCount(rhs)));
  }
  /*! \brief Rounds down. A negative count is ValueError. */
  friend BigInt operator>>(const BigInt& lhs, const BigInt& rhs) {
    return FromWords(detail::ShiftRightWords(lhs.Words(), ShiftCount(rhs)));
  }
  friend bool operator==(const BigInt& lhs, const BigInt& rhs) { return Compare(lhs, rhs) == 0; }
  friend bool operator!=(const BigInt& lhs, const BigInt& rhs) { return Compare(lhs, rhs) != 0; }
  friend bool operator<(const BigInt& lhs, const BigInt& rhs) { return Compare(lhs, rhs) < 0; }
  friend bool operator<=(const BigInt& lhs, const BigInt& rhs) { return Compare(lhs, rhs) <= 0; }
  friend bool operator>(const BigInt& lhs, const BigInt& rhs) { return Compare(lhs, rhs) > 0; }
  friend bool operator>=(const BigInt& lhs, const BigInt& rhs) { return Compare(lhs, rhs) >= 0; }
  friend BigInt min(const BigInt& lhs, const BigInt& rhs) { return rhs < lhs ? rhs : lhs; }
  friend BigInt max(const BigInt& lhs, const BigInt& rhs) { return lhs < rhs ? rhs : lhs; }

  BigInt& operator+=(const BigInt& other) { return *this = *this + other; }
  BigInt& operator-=(const BigInt& other) { return *this = *this - other; }
  BigInt& operator*=(const BigInt& other) { return *this = *this * other; }
  BigInt& operator/=(const BigInt& other) { return *this = *this / other; }
  BigInt& operator%=(const BigInt& other) { return *this = *this % other; }
  BigInt& operator&=(const BigInt& other) { return *this = *this & other; }
  BigInt& operator|=(const BigInt& other) { return *this = *this | other; }
  BigInt& operator^=(const BigInt& other) { return *this = *this ^ other; }
  BigInt& operator<<=(const BigInt& other) { return *this = *this << other; }
  BigInt& operator>>=(const BigInt& other) { return *this = *this >> other; }

  friend std::ostream& operator<<(std::ostream& os, const BigInt& value) {
    return os << value.ToDecimal();
  }
  /*! \brief Reads an optional sign and digits; failbit when there are none. */
  friend std::istream& operator>>(std::istream& is, BigInt& value) {
    std::istream::sentry ready(is);
    if (!ready) return is;
    std::string text;
    if (is.peek() == '-' || is.peek() == '+') text.push_back(static_cast<char>(is.get()));
    while (is.peek() >= '0' && is.peek() <= '9') text.push_back(static_cast<char>(is.get()));
    // Reaching the end while looking for one more digit is no failure.
    if (is.eof()) is.clear(is.rdstate() & ~std::ios::failbit);
    if (std::optional<BigInt> parsed = FromDecimal(text)) {
      value = *std::move(parsed);
    } else {
      is.setstate(std::ios::failbit);
    }
    return is;
  }

 private:
  bool IsHeap() const noexcept { return value_.type_index != TypeIndex::kTVMFFIInt; }
  int64_t Int() const noexcept { return value_.v_int64; }
  static bool Small(const BigInt& lhs, const BigInt& rhs) noexcept {
    return !lhs.IsHeap() && !rhs.IsHeap();
  }
  // INT64_MIN / -1 is the one quotient that does not fit.
  static bool SmallDivision(const BigInt& lhs, const BigInt& rhs) noexcept {
    return Small(lhs, rhs) && rhs.Int() != 0 && rhs.Int() != -1;
  }
  static int Compare(const BigInt& lhs, const BigInt& rhs) {
    if (Small(lhs, rhs)) return lhs.Int() < rhs.Int() ? -1 : lhs.Int() > rhs.Int() ? 1 : 0;
    return detail::CompareWords(lhs.Words(), rhs.Words());
  }
  static uint64_t ShiftCount(const BigInt& count) {
    if (count < BigInt(0)) detail::ThrowError("ValueError", "BigInt shift count is negative");
    return count.IsHeap() ? std::numeric_limits<uint64_t>::max()
                          : static_cast<uint64_t>(count.Int());
  }
  detail::WordVector Words() const {
    const ArrayView view = words();
    return detail::WordVector(view.begin(), view.end());
  }
  static BigInt FromWords(const detail::WordVector& words) {
    BigInt result;
    const TVMFFIByteArray bytes = {reinterpret_cast<const char*>(words.data()),
                                   words.size() * sizeof(uint64_t)};
    // The value held so far is an inline 0: nothing is lost by overwriting it.
    if (TVMFFIBigIntFromByteArray(&bytes, &result.value_) != 0) detail::ThrowSafeCallRaised();
    return result;
  }

  TVMFFIAny value_;

  template <typename, typename>
  friend struct TypeTraits;
};

// The friends above are found by their arguments; these declarations make the qualified names work
// too.
BigInt truncdiv(const BigInt& lhs, const BigInt& rhs);
BigInt truncmod(const BigInt& lhs, const BigInt& rhs);
BigInt floordiv(const BigInt& lhs, const BigInt& rhs);
BigInt floormod(const BigInt& lhs, const BigInt& rhs);
BigInt min(const BigInt& lhs, const BigInt& rhs);
BigInt max(const BigInt& lhs, const BigInt& rhs);

template <>
struct TypeTraits<BigInt> : public TypeTraitsBase {
  TVM_FFI_INLINE static void CopyToAnyView(const BigInt& src, TVMFFIAny* result) {
    *result = src.value_;
  }
  TVM_FFI_INLINE static void MoveToAny(BigInt src, TVMFFIAny* result) {
    *result = src.value_;
    detail::SetPODAny(&src.value_, TypeIndex::kTVMFFIInt, 0);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIInt || src->type_index == TypeIndex::kTVMFFIBigInt;
  }
  TVM_FFI_INLINE static BigInt CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    BigInt result;
    result.value_ = *src;
    if (result.IsHeap()) detail::IncRef(src->v_obj);
    return result;
  }
  TVM_FFI_INLINE static BigInt MoveFromAnyAfterCheck(TVMFFIAny* src) {
    BigInt result;
    result.value_ = *src;
    detail::SetNoneAny(src);
    return result;
  }
  TVM_FFI_INLINE static std::optional<BigInt> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    if (src->type_index == TypeIndex::kTVMFFIBool) return BigInt(src->v_int64);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return "BigInt"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"ffi.BigInt"})"; }
};

}  // namespace ffi
}  // namespace tvm

namespace std {
template <>
struct hash<::tvm::ffi::BigInt> {
  size_t operator()(const ::tvm::ffi::BigInt& value) const noexcept {
    return static_cast<size_t>(value.hash());
  }
};
template <>
inline void swap<::tvm::ffi::BigInt>(::tvm::ffi::BigInt& a, ::tvm::ffi::BigInt& b) noexcept {
  a.swap(b);
}
}  // namespace std
#endif  // TVM_FFI_BIG_INT_H_
