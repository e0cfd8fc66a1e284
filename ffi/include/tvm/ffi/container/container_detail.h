// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/container_detail.h
 * \brief What all containers share: element rules, iterator adapters and cold text functions.
 */
#ifndef TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
#define TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

// Instead of <algorithm> and <iterator>, which take longer to compile than the containers. What
// the containers use of the latter (iterator tags, std::reverse_iterator, std::distance) every
// library declares with std::string and std::vector.

template <typename T>
constexpr T Larger(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
constexpr T Smaller(T a, T b) {
  return b < a ? b : a;
}

/*! Reverses the order of values in [first, last). */
inline void ReverseCells(TVMFFIAny* first, TVMFFIAny* last) {
  while (first < last && first < --last) {
    const TVMFFIAny value = *first;
    *first++ = *last;
    *last = value;
  }
}

/*! Brings [middle, last) before [first, middle). */
inline void RotateCells(TVMFFIAny* first, TVMFFIAny* middle, TVMFFIAny* last) {
  if (first == middle || middle == last) return;
  ReverseCells(first, middle);
  ReverseCells(middle, last);
  ReverseCells(first, last);
}

/*! \brief True when every `T` may be an element of a container. */
template <typename... T>
inline constexpr bool all_storage_enabled_v = (storage_enabled_v<T> && ...);

/*! \brief True when every `T` is an object reference. */
template <typename... T>
inline constexpr bool all_object_ref_v = (std::is_base_of_v<ObjectRef, T> && ...);

/*! \brief True when the values of `Iter` can initialise elements of type `T` unchanged. */
template <typename T, typename Iter>
inline constexpr bool is_valid_iterator_v =
    std::is_same_v<T, Any> ||
    std::is_same_v<T, std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Iter>())>>> ||
    std::is_base_of_v<T,
                      std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Iter>())>>>;

/*! \brief Spelling as a type of the condition above. */
template <typename T, typename Iter>
struct is_valid_iterator : std::bool_constant<is_valid_iterator_v<T, Iter>> {};

/*! \brief Whether a range of `Iter` can be read twice, so that it can be counted first. */
template <typename Iter>
inline constexpr bool is_multi_pass_v =
    std::is_base_of_v<std::forward_iterator_tag,
                      typename std::iterator_traits<Iter>::iterator_category>;

/*! \brief The number of elements of a range; 0 when it can be read only once. */
template <typename Iter>
int64_t CountRange(Iter first, Iter last) {
  if constexpr (is_multi_pass_v<Iter>) {
    return Larger<int64_t>(static_cast<int64_t>(std::distance(first, last)), 0);
  } else {
    return 0;
  }
}

/*!
 * \brief The element of type `T` held by `value`, which is known to hold one.
 * \return A new owner of the element.
 */
template <typename T>
TVM_FFI_INLINE T ElementFromAny(const Any& value) {
  if constexpr (std::is_same_v<T, Any>) {
    return value;
  } else {
    return AnyUnsafe::CopyFromAnyViewAfterCheck<T>(value);
  }
}

/*! \brief As ElementFromAny, and `value` gives its reference away. */
template <typename T>
TVM_FFI_INLINE T ElementMoveFromAny(Any&& value) {
  if constexpr (std::is_same_v<T, Any>) {
    return std::move(value);
  } else {
    return AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(value));
  }
}

// Lazily named: the object traits exist for references only.
template <typename T>
struct ShallowTraits {
  using type = ObjectRefTypeTraitsBase<T>;
};
template <typename T>
struct DeepTraits {
  using type = TypeTraits<T>;
};

/*!
 * \brief As ElementFromAny, for containers that others may change in the meantime.
 *
 * Throws TypeError when the value is of another kind. The elements of a container inside are looked
 * at when they are read, not here.
 */
template <typename T>
TVM_FFI_INLINE T SharedElementFromAny(const Any& value) {
  if constexpr (std::is_same_v<T, Any>) {
    return value;
  } else {
    using Traits = typename std::conditional_t<std::is_base_of_v<ObjectRef, T>, ShallowTraits<T>,
                                               DeepTraits<T>>::type;
    const TVMFFIAny* raw = AnyUnsafe::TVMFFIAnyPtrFromAny(value);
    if (TVM_FFI_PREDICT_FALSE(!Traits::CheckAnyStrict(raw))) ConversionError<T>::ThrowTreat(raw);
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(raw);
  }
}

/*! \brief The raw form of an element: a view that shares its bytes. */
TVM_FFI_INLINE const TVMFFIAny* RawAny(const Any& value) {
  return AnyUnsafe::TVMFFIAnyPtrFromAny(value);
}

/*!
 * \brief The questions a container asks about its declared element type.
 *
 * Containers of different element types share the loops over this table.
 */
struct ElementOps {
  /*! \brief Whether the value is an element as it is; null when every value is. */
  bool (*check_strict)(const TVMFFIAny* value);
  /*! \brief Stores the converted value in `out`; false when there is no conversion. */
  bool (*convert)(const TVMFFIAny* value, Any* out);
  /*! \brief Describes a value that could not be converted. */
  std::string (*mismatch)(const TVMFFIAny* value);
  /*! \brief Printed name of the element type. */
  std::string (*type_str)();
  /*! \brief JSON schema of the element type. */
  std::string (*type_schema)();
};

template <typename T>
struct ElementOpsOf {
  static bool CheckStrict(const TVMFFIAny* value) { return TypeTraits<T>::CheckAnyStrict(value); }
  static bool Convert(const TVMFFIAny* value, Any* out) {
    if constexpr (std::is_same_v<T, Any>) {
      *out = AnyView::CopyFromTVMFFIAny(*value);
    } else {
      std::optional<T> converted = TypeTraits<T>::TryCastFromAnyView(value);
      if (!converted.has_value()) return false;
      *out = Any(*std::move(converted));
    }
    return true;
  }
  static std::string Mismatch(const TVMFFIAny* value) {
    return TypeTraits<T>::GetMismatchTypeInfo(value);
  }
  static constexpr ElementOps Table() {
    if constexpr (std::is_same_v<T, Any>) {
      return {nullptr, &Convert, nullptr, &Type2Str<T>::v, &TypeSchema<T>::v};
    } else {
      return {&CheckStrict, &Convert, &Mismatch, &Type2Str<T>::v, &TypeSchema<T>::v};
    }
  }
};

/*! \brief The table of element type `T`. */
template <typename T>
inline constexpr ElementOps kElementOps = ElementOpsOf<T>::Table();

/*! \brief `Name<A, B>` from the printed names of the arguments. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string ComposeTypeStr(
    const char* name, std::initializer_list<std::string (*)()> args) {
  std::string text(name);
  const char* separator = "<";
  for (std::string (*arg)() : args) {
    text += separator;
    text += arg();
    separator = ", ";
  }
  if (args.size() == 0) text += '<';
  text += '>';
  return text;
}

/*! \brief `{"type":"key","args":[A,B]}` from the schemas of the arguments. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string ComposeTypeSchema(
    const char* key, std::initializer_list<std::string (*)()> args) {
  std::string text("{\"type\":\"");
  text += key;
  text += "\",\"args\":[";
  bool first = true;
  for (std::string (*arg)() : args) {
    if (!first) text += ',';
    first = false;
    text += arg();
  }
  text += "]}";
  return text;
}

/*! \brief `Kind[index I: INFO]`, where an element of a sequence does not fit. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string ElementMismatchText(const char* kind,
                                                                           int64_t index,
                                                                           std::string info) {
  std::string text(kind);
  text += "[index ";
  text += std::to_string(index);
  text += ": ";
  text += info;
  text += ']';
  return text;
}

/*!
 * \brief Random access iterator over stored elements that yields values made by `Converter`.
 *
 * `Converter` supplies `ResultType` and `static ResultType convert(const StoredType&)`.
 */
template <typename Converter, typename TIter>
class IterAdapter {
 public:
  using difference_type = typename std::iterator_traits<TIter>::difference_type;
  using value_type = typename Converter::ResultType;
  using pointer = typename Converter::ResultType*;
  using reference = typename Converter::ResultType;
  using iterator_category = typename std::iterator_traits<TIter>::iterator_category;

  IterAdapter() = default;
  explicit IterAdapter(TIter iter) : iter_(iter) {}

  IterAdapter& operator++() {
    ++iter_;
    return *this;
  }
  IterAdapter& operator--() {
    --iter_;
    return *this;
  }
  IterAdapter operator++(int) {
    IterAdapter copy = *this;
    ++iter_;
    return copy;
  }
  IterAdapter operator--(int) {
    IterAdapter copy = *this;
    --iter_;
    return copy;
  }
  IterAdapter operator+(difference_type offset) const { return IterAdapter(iter_ + offset); }
  IterAdapter operator-(difference_type offset) const { return IterAdapter(iter_ - offset); }
  friend IterAdapter operator+(difference_type offset, const IterAdapter& self) {
    return self + offset;
  }
  IterAdapter& operator+=(difference_type offset) {
    iter_ += offset;
    return *this;
  }
  IterAdapter& operator-=(difference_type offset) {
    iter_ -= offset;
    return *this;
  }
  difference_type operator-(const IterAdapter& other) const { return iter_ - other.iter_; }

  bool operator==(const IterAdapter& other) const { return iter_ == other.iter_; }
  bool operator!=(const IterAdapter& other) const { return iter_ != other.iter_; }
  bool operator<(const IterAdapter& other) const { return iter_ < other.iter_; }
  bool operator>(const IterAdapter& other) const { return iter_ > other.iter_; }
  bool operator<=(const IterAdapter& other) const { return iter_ <= other.iter_; }
  bool operator>=(const IterAdapter& other) const { return iter_ >= other.iter_; }

  value_type operator*() const { return Converter::convert(*iter_); }

 private:
  TIter iter_{};
};

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
