// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/type_traits.h
 *  TypeTraits<T>: how a C++ type is stored in, checked against and read from a TVMFFIAny.
 */
#ifndef TVM_FFI_TYPE_TRAITS_H_
#define TVM_FFI_TYPE_TRAITS_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

using TypeIndex = TVMFFITypeIndex;
using TypeInfo = TVMFFITypeInfo;

/*! Names of the built-in types, as they appear in messages and metadata. */
struct StaticTypeKey {
  static constexpr const char* kTVMFFIAny = "Any";
  static constexpr const char* kTVMFFINone = "None";
  static constexpr const char* kTVMFFIBool = "bool";
  static constexpr const char* kTVMFFIInt = "int";
  static constexpr const char* kTVMFFIFloat = "float";
  static constexpr const char* kTVMFFIOpaquePtr = "void*";
  static constexpr const char* kTVMFFIDataType = "DataType";
  static constexpr const char* kTVMFFIDevice = "Device";
  static constexpr const char* kTVMFFIDLTensorPtr = "DLTensor*";
  static constexpr const char* kTVMFFIRawStr = "const char*";
  static constexpr const char* kTVMFFIByteArrayPtr = "TVMFFIByteArray*";
  static constexpr const char* kTVMFFIObjectRValueRef = "ObjectRValueRef";
  static constexpr const char* kTVMFFISmallStr = "ffi.SmallStr";
  static constexpr const char* kTVMFFISmallBytes = "ffi.SmallBytes";
  static constexpr const char* kTVMFFIUnchanged = "ffi.Unchanged";
  static constexpr const char* kTVMFFIError = "ffi.Error";
  static constexpr const char* kTVMFFIBytes = "ffi.Bytes";
  static constexpr const char* kTVMFFIStr = "ffi.String";
  static constexpr const char* kTVMFFIBigInt = "ffi.BigInt";
  static constexpr const char* kTVMFFIShape = "ffi.Shape";
  static constexpr const char* kTVMFFITensor = "ffi.Tensor";
  static constexpr const char* kTVMFFIObject = "ffi.Object";
  static constexpr const char* kTVMFFIFunction = "ffi.Function";
  static constexpr const char* kTVMFFIArray = "ffi.Array";
  static constexpr const char* kTVMFFIList = "ffi.List";
  static constexpr const char* kTVMFFIMap = "ffi.Map";
  static constexpr const char* kTVMFFIModule = "ffi.Module";
  static constexpr const char* kTVMFFIDict = "ffi.Dict";
  static constexpr const char* kTVMFFIVisitInterrupt = "ffi.VisitInterrupt";
  static constexpr const char* kTVMFFIOpaquePyObject = "ffi.OpaquePyObject";
};

/*! Type key of a registered index. */
TVM_FFI_COLD_CODE inline std::string TypeIndexToTypeKey(int32_t type_index) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  return std::string(info->type_key.data, info->type_key.size);
}

/*!
 * \brief Conversion rules of `T`; specialise it to make a type usable as argument, result or
 * element.
 *
 * See TypeTraitsBase for the members. The primary template says: not convertible.
 */
template <typename T, typename Enabler = void>
struct TypeTraits {
  /*! \brief Whether `T` converts from and to values. */
  static constexpr bool convert_enabled = false;
  /*! \brief Whether `T` may be a container element. */
  static constexpr bool storage_enabled = false;
};

template <typename T>
using TypeTraitsNoCR = TypeTraits<std::remove_const_t<std::remove_reference_t<T>>>;

/*! Defaults of a specialisation. */
struct TypeTraitsBase {
  static constexpr bool convert_enabled = true;
  static constexpr bool storage_enabled = true;
  /*! \brief Index that reflection reports for a field of this type. */
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIAny;

  /*! \brief Describes a value that failed to convert; only called after the failure. */
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* source) {
    return TypeIndexToTypeKey(source->type_index);
  }
};

/*! Index reported for a field of type `T`. */
template <typename T, typename = void>
struct TypeToFieldStaticTypeIndex {
  static constexpr int32_t value = TypeIndex::kTVMFFIAny;
};

template <typename T>
struct TypeToFieldStaticTypeIndex<T, std::enable_if_t<TypeTraits<T>::convert_enabled>> {
  static constexpr int32_t value = TypeTraits<T>::field_static_type_index;
};

/*! Run-time type index of values of type `T`. */
template <typename T, typename = void>
struct TypeToRuntimeTypeIndex {
  static int32_t v() { return TypeToFieldStaticTypeIndex<T>::value; }
};

/*! Set to false for an ObjectRef subclass that brings a full specialisation of TypeTraits of its
 * own. */
template <typename T>
inline constexpr bool use_default_type_traits_v = true;

/*! True when every `Source` value can be used as `Target` storage as it is. */
template <typename Target, typename Source, typename = void>
inline constexpr bool type_subsumes_v =
    std::is_same_v<Target, Source> || std::is_base_of_v<Target, Source>;

/*! True for enums over an integer type. The spelling is that of the published interface. */
template <typename T, typename = void>
inline constexpr bool is_integeral_enum_v = false;

template <typename T>
inline constexpr bool is_integeral_enum_v<T, std::enable_if_t<std::is_enum_v<T>>> =
    std::is_integral_v<std::underlying_type_t<T>>;

namespace detail {

/*! What an integer type holds; used to say so when a value does not fit. */
struct IntRange {
  const char* name;
  int64_t min;
  uint64_t max;
};

template <typename T, typename = void>
struct IntRangeOf {
  /*! \brief NULL: failed conversions to `T` are type errors. */
  static constexpr const IntRange* value = nullptr;
};

template <typename Int>
inline constexpr const char* kIntName = std::is_signed_v<Int> ? (sizeof(Int) == 1   ? "int8_t"
                                                                 : sizeof(Int) == 2 ? "int16_t"
                                                                 : sizeof(Int) == 4 ? "int32_t"
                                                                                    : "int64_t")
                                                              : (sizeof(Int) == 1   ? "uint8_t"
                                                                 : sizeof(Int) == 2 ? "uint16_t"
                                                                 : sizeof(Int) == 4 ? "uint32_t"
                                                                                    : "uint64_t");

template <typename Int>
inline constexpr IntRange kIntRange = {kIntName<Int>,
                                       static_cast<int64_t>(std::numeric_limits<Int>::min()),
                                       static_cast<uint64_t>(std::numeric_limits<Int>::max())};

inline constexpr IntRange kDoubleRange = {"double", 0, 0};

template <typename Int>
struct IntRangeOf<Int, std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>>> {
  static constexpr const IntRange* value = &kIntRange<Int>;
};

template <typename E>
struct IntRangeOf<E, std::enable_if_t<is_integeral_enum_v<E>>>
    : IntRangeOf<std::underlying_type_t<E>> {};

template <typename Float>
struct IntRangeOf<Float, std::enable_if_t<std::is_floating_point_v<Float>>> {
  static constexpr const IntRange* value = &kDoubleRange;
};

/*! Words of a heap BigInt value: count and two's complement words, least significant first. */
struct BigIntWords {
  const uint64_t* data;
  size_t size;
};

TVM_FFI_INLINE BigIntWords GetBigIntWords(const TVMFFIAny* value) {
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(value);
  return {reinterpret_cast<const uint64_t*>(content.data), content.size / sizeof(uint64_t)};
}

/*! Nearest double, ties to even; false when the value is beyond the finite doubles. */
TVM_FFI_COLD_CODE inline bool BigIntToDouble(BigIntWords words, double* out) {
  const bool negative = (words.data[words.size - 1] >> 63) != 0;
  // Magnitude word i, computed on the fly: ~w + carry for negative values.
  auto magnitude = [&](size_t i) {
    if (!negative) return words.data[i];
    uint64_t word = ~words.data[i];
    for (size_t k = 0; k < i; ++k) {
      if (words.data[k] != 0) return word;
    }
    return word + 1;
  };
  size_t top = words.size;
  while (top > 0 && magnitude(top - 1) == 0) --top;
  if (top > 16) return false;
  // Keep 64 leading bits, with every lower bit folded into the last one, then let the hardware
  // round.
  uint64_t lead = top > 0 ? magnitude(top - 1) : 0;
  int shift = 0;
  while (lead != 0 && (lead >> 63) == 0) {
    lead <<= 1;
    ++shift;
  }
  bool sticky = false;
  if (top > 1) {
    uint64_t next = magnitude(top - 2);
    if (shift > 0) lead |= next >> (64 - shift);
    sticky = shift > 0 ? (next << shift) != 0 : next != 0;
    for (size_t i = 0; !sticky && i + 2 < top; ++i) sticky = words.data[i] != 0;
  }
  if (sticky) lead |= 1;
  double result = static_cast<double>(lead);
  for (size_t i = 1; i < top; ++i) result *= 18446744073709551616.0;
  double scale = 1.0;
  for (int i = 0; i < shift; ++i) scale *= 0.5;
  result *= scale;
  if (!(result <= std::numeric_limits<double>::max())) return false;
  *out = negative ? -result : result;
  return true;
}

/*! Reads a heap BigInt that fits 64 unsigned bits. */
TVM_FFI_COLD_CODE inline bool BigIntToUInt64(const TVMFFIAny* value, uint64_t* out) {
  BigIntWords words = GetBigIntWords(value);
  if (words.size != 2 || words.data[1] != 0) return false;
  *out = words.data[0];
  return true;
}

// Defined in error.h, which this header includes at its end.
[[noreturn]] void ThrowUInt64TooLarge(uint64_t value);
int32_t LookupTypeIndex(const char* type_key);
void MakeBigIntFromUInt64(uint64_t value, TVMFFIAny* out);

/*! Text for a value that failed to convert to a number type. */
std::string NumberMismatchInfo(const TVMFFIAny* source, const IntRange* range);

TVM_FFI_INLINE void SetPODAny(TVMFFIAny* result, int32_t type_index, int64_t payload) {
  result->type_index = type_index;
  result->zero_padding = 0;
  result->v_int64 = payload;
}

TVM_FFI_INLINE void SetNoneAny(TVMFFIAny* result) { SetPODAny(result, kTVMFFINone, 0); }

}  // namespace detail

// TryCastFromAnyView is a template in full specialisations, so that a file compiles the
// std::optional of those types alone that it converts to.

// None

template <>
struct TypeTraits<std::nullptr_t> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFINone;

  TVM_FFI_INLINE static void CopyToAnyView(const std::nullptr_t&, TVMFFIAny* result) {
    detail::SetNoneAny(result);
  }
  TVM_FFI_INLINE static void MoveToAny(std::nullptr_t, TVMFFIAny* result) {
    detail::SetNoneAny(result);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFINone;
  }
  TVM_FFI_INLINE static std::nullptr_t CopyFromAnyViewAfterCheck(const TVMFFIAny*) {
    return nullptr;
  }
  TVM_FFI_INLINE static std::nullptr_t MoveFromAnyAfterCheck(TVMFFIAny*) { return nullptr; }
  template <typename Out = std::nullptr_t>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return nullptr;
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFINone; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"None"})"; }
};

// Numbers

/*! `bool` that takes nothing but Bool, also where plain bool would take an Int. */
class StrictBool {
 public:
  StrictBool(bool value) : value_(value) {}  // NOLINT(*)
  operator bool() const { return value_; }   // NOLINT(*)

 private:
  bool value_;
};

template <>
struct TypeTraits<bool> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIBool;

  TVM_FFI_INLINE static void CopyToAnyView(const bool& src, TVMFFIAny* result) {
    detail::SetPODAny(result, TypeIndex::kTVMFFIBool, static_cast<int64_t>(src));
  }
  TVM_FFI_INLINE static void MoveToAny(bool src, TVMFFIAny* result) { CopyToAnyView(src, result); }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIBool;
  }
  TVM_FFI_INLINE static bool CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return src->v_int64 != 0;
  }
  TVM_FFI_INLINE static bool MoveFromAnyAfterCheck(TVMFFIAny* src) { return src->v_int64 != 0; }
  template <typename Out = bool>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIBool || src->type_index == TypeIndex::kTVMFFIInt) {
      return src->v_int64 != 0;
    }
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIBool; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"bool"})"; }
};

template <>
struct TypeTraits<StrictBool> : public TypeTraits<bool> {
  TVM_FFI_INLINE static void CopyToAnyView(const StrictBool& src, TVMFFIAny* result) {
    TypeTraits<bool>::CopyToAnyView(src, result);
  }
  TVM_FFI_INLINE static void MoveToAny(StrictBool src, TVMFFIAny* result) {
    TypeTraits<bool>::CopyToAnyView(src, result);
  }
  TVM_FFI_INLINE static StrictBool CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return src->v_int64 != 0;
  }
  TVM_FFI_INLINE static StrictBool MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return src->v_int64 != 0;
  }
  template <typename Out = StrictBool>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return StrictBool(src->v_int64 != 0);
    return std::nullopt;
  }
};

/*!
 * \brief Integers. A value that `Int` can't hold is no match: nothing is ever cut.
 *
 * Unsigned 64-bit values above the range of int64 are stored as ffi.BigInt.
 */
template <typename Int>
struct TypeTraitsIntBase : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIInt;
  static constexpr bool is_uint64 = std::is_unsigned_v<Int> && sizeof(Int) == sizeof(int64_t);

  TVM_FFI_INLINE static bool InRange(int64_t value) {
    if constexpr (is_uint64) {
      return value >= 0;
    } else if constexpr (sizeof(Int) == sizeof(int64_t)) {
      return true;
    } else {
      return value >= static_cast<int64_t>(std::numeric_limits<Int>::min()) &&
             value <= static_cast<int64_t>(std::numeric_limits<Int>::max());
    }
  }
  TVM_FFI_INLINE static void CopyToAnyView(const Int& src, TVMFFIAny* result) {
    if constexpr (is_uint64) {
      if (TVM_FFI_PREDICT_FALSE(static_cast<int64_t>(src) < 0)) detail::ThrowUInt64TooLarge(src);
    }
    detail::SetPODAny(result, TypeIndex::kTVMFFIInt, static_cast<int64_t>(src));
  }
  TVM_FFI_INLINE static void MoveToAny(Int src, TVMFFIAny* result) {
    if constexpr (is_uint64) {
      if (TVM_FFI_PREDICT_FALSE(static_cast<int64_t>(src) < 0)) {
        detail::MakeBigIntFromUInt64(src, result);
        return;
      }
    }
    detail::SetPODAny(result, TypeIndex::kTVMFFIInt, static_cast<int64_t>(src));
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    if constexpr (is_uint64) {
      uint64_t unused;
      if (src->type_index == TypeIndex::kTVMFFIBigInt) return detail::BigIntToUInt64(src, &unused);
    }
    return src->type_index == TypeIndex::kTVMFFIInt && InRange(src->v_int64);
  }
  TVM_FFI_INLINE static Int CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    if constexpr (is_uint64) {
      uint64_t value = 0;
      if (src->type_index == TypeIndex::kTVMFFIBigInt && detail::BigIntToUInt64(src, &value)) {
        return static_cast<Int>(value);
      }
    }
    return static_cast<Int>(src->v_int64);
  }
  TVM_FFI_INLINE static Int MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return CopyFromAnyViewAfterCheck(src);
  }
  TVM_FFI_INLINE static std::optional<Int> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIInt || src->type_index == TypeIndex::kTVMFFIBool) {
      if (TVM_FFI_PREDICT_TRUE(InRange(src->v_int64))) return static_cast<Int>(src->v_int64);
      return std::nullopt;
    }
    if constexpr (is_uint64) {
      uint64_t value = 0;
      if (src->type_index == TypeIndex::kTVMFFIBigInt && detail::BigIntToUInt64(src, &value)) {
        return static_cast<Int>(value);
      }
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* source) {
    return detail::NumberMismatchInfo(source, detail::IntRangeOf<Int>::value);
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIInt; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"int"})"; }
};

// Wider integers, which some compilers have, would be cut: they have no rules.
template <typename Int>
struct TypeTraits<Int, std::enable_if_t<std::is_integral_v<Int> && sizeof(Int) <= sizeof(int64_t) &&
                                        !std::is_same_v<Int, bool> && !std::is_const_v<Int> &&
                                        !std::is_volatile_v<Int>>> : public TypeTraitsIntBase<Int> {
};

template <typename E>
struct TypeTraits<E, std::enable_if_t<is_integeral_enum_v<E>>> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIInt;
  using Int = std::conditional_t<std::is_same_v<std::underlying_type_t<E>, bool>, uint8_t,
                                 std::underlying_type_t<E>>;
  using IntTraits = TypeTraits<Int>;

  TVM_FFI_INLINE static void CopyToAnyView(const E& src, TVMFFIAny* result) {
    IntTraits::CopyToAnyView(static_cast<Int>(src), result);
  }
  TVM_FFI_INLINE static void MoveToAny(E src, TVMFFIAny* result) {
    IntTraits::MoveToAny(static_cast<Int>(src), result);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return IntTraits::CheckAnyStrict(src);
  }
  TVM_FFI_INLINE static E CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return static_cast<E>(IntTraits::CopyFromAnyViewAfterCheck(src));
  }
  TVM_FFI_INLINE static E MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return static_cast<E>(IntTraits::CopyFromAnyViewAfterCheck(src));
  }
  TVM_FFI_INLINE static std::optional<E> TryCastFromAnyView(const TVMFFIAny* src) {
    if (std::optional<Int> value = IntTraits::TryCastFromAnyView(src)) {
      return static_cast<E>(*value);
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* source) {
    return IntTraits::GetMismatchTypeInfo(source);
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIInt; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"int"})"; }
};

/*! Floating point numbers; integers of any size convert to the nearest value. */
template <typename Float>
struct TypeTraits<Float, std::enable_if_t<std::is_floating_point_v<Float> &&
                                          !std::is_const_v<Float> && !std::is_volatile_v<Float>>>
    : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIFloat;

  TVM_FFI_INLINE static void CopyToAnyView(const Float& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIFloat;
    result->zero_padding = 0;
    result->v_float64 = static_cast<double>(src);
  }
  TVM_FFI_INLINE static void MoveToAny(Float src, TVMFFIAny* result) { CopyToAnyView(src, result); }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIFloat;
  }
  TVM_FFI_INLINE static Float CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return static_cast<Float>(src->v_float64);
  }
  TVM_FFI_INLINE static Float MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return static_cast<Float>(src->v_float64);
  }
  TVM_FFI_INLINE static std::optional<Float> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIFloat) return static_cast<Float>(src->v_float64);
    if (src->type_index == TypeIndex::kTVMFFIInt || src->type_index == TypeIndex::kTVMFFIBool) {
      return static_cast<Float>(src->v_int64);
    }
    double value;
    if (src->type_index == TypeIndex::kTVMFFIBigInt &&
        detail::BigIntToDouble(detail::GetBigIntWords(src), &value)) {
      return static_cast<Float>(value);
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* source) {
    return detail::NumberMismatchInfo(source, &detail::kDoubleRange);
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIFloat; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"float"})"; }
};

// Pointers

template <>
struct TypeTraits<void*> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIOpaquePtr;

  TVM_FFI_INLINE static void CopyToAnyView(void* const& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIOpaquePtr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_ptr = src;
  }
  TVM_FFI_INLINE static void MoveToAny(void* src, TVMFFIAny* result) { CopyToAnyView(src, result); }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIOpaquePtr;
  }
  TVM_FFI_INLINE static void* CopyFromAnyViewAfterCheck(const TVMFFIAny* src) { return src->v_ptr; }
  TVM_FFI_INLINE static void* MoveFromAnyAfterCheck(TVMFFIAny* src) { return src->v_ptr; }
  template <typename Out = void*>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIOpaquePtr) return src->v_ptr;
    if (src->type_index == TypeIndex::kTVMFFINone) return static_cast<void*>(nullptr);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIOpaquePtr; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"void*"})"; }
};

namespace detail {
// The owning form of DLTensor* does not exist; defined in error.h.
[[noreturn]] void ThrowDLTensorNotOwning();
}  // namespace detail

/*! A borrowed DLTensor; a Tensor converts to a pointer into itself. */
template <>
struct TypeTraits<DLTensor*> : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIDLTensorPtr;

  TVM_FFI_INLINE static void CopyToAnyView(DLTensor* const& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIDLTensorPtr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_ptr = src;
  }
  TVM_FFI_INLINE static void MoveToAny(DLTensor*, TVMFFIAny*) { detail::ThrowDLTensorNotOwning(); }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIDLTensorPtr;
  }
  TVM_FFI_INLINE static DLTensor* CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return static_cast<DLTensor*>(src->v_ptr);
  }
  template <typename Out = DLTensor*>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(src->v_ptr);
    if (src->type_index == TypeIndex::kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(src->v_obj);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIDLTensorPtr; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"DLTensor*"})"; }
};

// Fallbacks

/*!
 * \brief Base of traits that only convert from other types: each `FallbackTypes` is tried in order
 * and its value handed to `TypeTraits<T>::ConvertFallbackValue`.
 */
template <typename T, typename... FallbackTypes>
struct FallbackOnlyTraitsBase : public TypeTraitsBase {
  static_assert(!(std::is_same_v<FallbackTypes, bool> || ...),
                "bool as a fallback takes every integer; use StrictBool");
  static constexpr bool storage_enabled = false;

  TVM_FFI_INLINE static std::optional<T> TryCastFromAnyView(const TVMFFIAny* src) {
    std::optional<T> result;
    (void)(TryFallback<FallbackTypes>(src, &result) || ...);
    return result;
  }

 private:
  template <typename FallbackType>
  TVM_FFI_INLINE static bool TryFallback(const TVMFFIAny* src, std::optional<T>* result) {
    if (auto value = TypeTraits<FallbackType>::TryCastFromAnyView(src)) {
      result->emplace(TypeTraits<T>::ConvertFallbackValue(*std::move(value)));
      return true;
    }
    return false;
  }
};

// Object types that are looked up, not registered

/*! Inside an Object subclass: the type belongs to somebody else and is found by its key on first
 * use. */
#define TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP(RegisteredKey, TypeDepth)                  \
  static constexpr const char* _type_key = RegisteredKey;                             \
  static constexpr int32_t _type_depth = TypeDepth;                                   \
  static constexpr bool _type_mutable = true;                                         \
  static constexpr bool _type_final = false;                                          \
  static constexpr uint32_t _type_child_slots = 0;                                    \
  static constexpr bool _type_child_slots_can_overflow = true;                        \
  static int32_t RuntimeTypeIndex() {                                                 \
    static const int32_t tindex = ::tvm::ffi::detail::LookupTypeIndex(RegisteredKey); \
    return tindex;                                                                    \
  }                                                                                   \
  static int32_t _GetOrAllocRuntimeTypeIndex() { return RuntimeTypeIndex(); }

}  // namespace ffi
}  // namespace tvm

// The cold functions declared above are defined in error.h. It needs object.h, which brings it in
// itself.
#ifndef TVM_FFI_OBJECT_H_
#include <tvm/ffi/error.h>
#endif

#endif  // TVM_FFI_TYPE_TRAITS_H_
