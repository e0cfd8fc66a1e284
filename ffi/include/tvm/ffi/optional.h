// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/optional.h
 *  Optional<T>: a value or nothing, stored as compactly as `T` allows.
 */
#ifndef TVM_FFI_OPTIONAL_H_
#define TVM_FFI_OPTIONAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

template <typename T, typename = void>
class Optional;

template <typename T>
inline constexpr bool is_optional_type_v = false;
template <typename T>
inline constexpr bool is_optional_type_v<Optional<T>> = true;

/*! References use one nullable pointer. */
template <typename T>
inline constexpr bool use_object_ref_optional_v = std::is_base_of_v<ObjectRef, T>;

template <typename T>
inline constexpr bool is_object_ptr_type_v = false;
template <typename T>
inline constexpr bool is_object_ptr_type_v<ObjectPtr<T>> = true;
template <typename T>
inline constexpr bool is_arc_type_v = false;
template <typename T>
inline constexpr bool is_arc_type_v<Arc<T>> = true;
template <typename T>
inline constexpr bool use_object_ptr_optional_v = is_object_ptr_type_v<T> || is_arc_type_v<T>;

namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowEmptyOptional(const char* text) {
  ThrowError("RuntimeError", text);
}

inline constexpr const char* kEmptyOptionalText = "Back optional access";
inline constexpr const char* kEmptyOptionalPtrText = "Bad optional access";

template <typename T>
struct RemoveOptional {
  using type = T;
};
template <typename T>
struct RemoveOptional<Optional<T>> {
  using type = T;
};

// An optional number is out of range where the number is.
template <typename T>
struct IntRangeOf<Optional<T>, void> : IntRangeOf<T> {};

template <typename T>
struct OptionalPointee;
template <typename T>
struct OptionalPointee<ObjectPtr<T>> {
  using type = T;
};
template <typename T>
struct OptionalPointee<Arc<T>> {
  using type = T;
};

}  // namespace detail

/*! \brief Types that can't be stored in a value, such as views: backed by std::optional. */
template <typename T>
class Optional<T, std::enable_if_t<!detail::storage_enabled_v<T> || std::is_same_v<T, Any>>> {
 public:
  Optional() = default;
  Optional(const Optional&) = default;
  Optional(Optional&&) = default;
  Optional& operator=(const Optional&) = default;
  Optional& operator=(Optional&&) = default;
  Optional(std::optional<T> other) : data_(std::move(other)) {}  // NOLINT(*)
  Optional(std::nullopt_t) {}                                    // NOLINT(*)
  Optional(T other) : data_(std::move(other)) {}                 // NOLINT(*)
  /*! \brief Whatever converts to `T` without a cast, such as a C string to a std::string. */
  template <typename U,
            typename = std::enable_if_t<
                std::is_class_v<T> && std::is_convertible_v<U, T> && !std::is_same_v<T, Any> &&
                !is_optional_type_v<std::decay_t<U>> && !std::is_same_v<std::decay_t<U>, T> &&
                !std::is_same_v<std::decay_t<U>, std::optional<T>> &&
                !std::is_same_v<std::decay_t<U>, std::nullopt_t>>>
  Optional(U&& other) : data_(T(std::forward<U>(other))) {}  // NOLINT(*)
  Optional& operator=(std::nullopt_t) {
    data_.reset();
    return *this;
  }

  bool has_value() const noexcept { return data_.has_value(); }
  explicit operator bool() const noexcept { return data_.has_value(); }
  const T& value() const& {
    Check();
    return *data_;
  }
  T&& value() && {
    Check();
    return *std::move(data_);
  }
  template <typename U = std::remove_cv_t<T>>
  T value_or(U&& default_value) const {
    return data_.value_or(std::forward<U>(default_value));
  }
  const T& operator*() const& noexcept { return *data_; }
  T&& operator*() && noexcept { return *std::move(data_); }

  bool operator==(const Optional& other) const { return data_ == other.data_; }
  bool operator!=(const Optional& other) const { return !(*this == other); }
  bool operator==(std::nullopt_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullopt_t) const noexcept { return has_value(); }
  template <typename U, typename = std::enable_if_t<!is_optional_type_v<U>>>
  bool operator==(const U& other) const {
    return data_ == other;
  }
  template <typename U, typename = std::enable_if_t<!is_optional_type_v<U>>>
  bool operator!=(const U& other) const {
    return !(*this == other);
  }

 private:
  void Check() const {
    if (TVM_FFI_PREDICT_FALSE(!data_.has_value())) {
      detail::ThrowEmptyOptional(detail::kEmptyOptionalText);
    }
  }
  std::optional<T> data_;
};

/*! \brief Storable types that are no pointers, such as int and String: backed by one Any, None is
 * empty. */
template <typename T>
class Optional<T,
               std::enable_if_t<detail::storage_enabled_v<T> && !std::is_same_v<T, Any> &&
                                !use_object_ref_optional_v<T> && !use_object_ptr_optional_v<T>>> {
 public:
  Optional() = default;
  Optional(const Optional&) = default;
  Optional(Optional&&) noexcept = default;
  Optional& operator=(const Optional&) = default;
  Optional& operator=(Optional&&) noexcept = default;
  Optional(std::optional<T> other) {  // NOLINT(*)
    if (other.has_value()) data_ = *std::move(other);
  }
  Optional(std::nullopt_t) {}                     // NOLINT(*)
  Optional(T other) : data_(std::move(other)) {}  // NOLINT(*)
  /*! \brief Whatever converts to `T` without a cast, such as a C string to a String. Numbers take
   * the constructor above, where the compiler warns of a narrowing conversion. */
  template <typename U,
            typename = std::enable_if_t<std::is_class_v<T> && std::is_convertible_v<U, T> &&
                                        !is_optional_type_v<std::decay_t<U>> &&
                                        !std::is_same_v<std::decay_t<U>, T> &&
                                        !std::is_same_v<std::decay_t<U>, std::optional<T>> &&
                                        !std::is_same_v<std::decay_t<U>, std::nullopt_t>>>
  Optional(U&& other) : data_(T(std::forward<U>(other))) {}  // NOLINT(*)
  Optional& operator=(std::nullopt_t) {
    data_.reset();
    return *this;
  }
  Optional& operator=(std::nullptr_t) {
    data_.reset();
    return *this;
  }

  bool has_value() const noexcept { return data_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  T value() const& {
    Check();
    return **this;
  }
  T value() && {
    Check();
    return *std::move(*this);
  }
  template <typename U = std::remove_cv_t<T>>
  T value_or(U&& default_value) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(default_value));
  }
  template <typename U = std::remove_cv_t<T>>
  T value_or(U&& default_value) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(default_value));
  }
  T operator*() const& noexcept { return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(data_); }
  T operator*() && noexcept {
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_));
  }

  /*! \brief The value seen as another type; nothing when empty. */
  template <typename U>
  auto as() const {
    return data_.template as<U>();
  }
  template <typename U>
  U as_or_throw() const& {
    return data_.template as_or_throw<U>();
  }
  template <typename U>
  U as_or_throw() && {
    return std::move(data_).template as_or_throw<U>();
  }
  bool same_as(const Optional& other) const { return data_.same_as(other.data_); }

  bool operator==(const Optional& other) const {
    return has_value() == other.has_value() && (!has_value() || **this == *other);
  }
  bool operator!=(const Optional& other) const { return !(*this == other); }
  bool operator==(const std::optional<T>& other) const { return *this == Optional(other); }
  bool operator!=(const std::optional<T>& other) const { return !(*this == other); }
  bool operator==(std::nullopt_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullopt_t) const noexcept { return has_value(); }
  bool operator==(std::nullptr_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullptr_t) const noexcept { return has_value(); }
  template <typename U, typename = std::enable_if_t<!is_optional_type_v<U>>>
  bool operator==(const U& other) const {
    return has_value() && **this == other;
  }
  template <typename U, typename = std::enable_if_t<!is_optional_type_v<U>>>
  bool operator!=(const U& other) const {
    return !(*this == other);
  }

 private:
  void Check() const {
    if (TVM_FFI_PREDICT_FALSE(!has_value())) detail::ThrowEmptyOptional(detail::kEmptyOptionalText);
  }
  Any data_;

  template <typename, typename>
  friend struct TypeTraits;
};

/*! \brief References: one pointer, null is empty. */
template <typename T>
class Optional<T, std::enable_if_t<use_object_ref_optional_v<T>>> {
 public:
  using value_type = T;
  using ContainerType = typename T::ContainerType;

  Optional() = default;
  Optional(const Optional&) = default;
  Optional(Optional&&) noexcept = default;
  Optional& operator=(const Optional&) = default;
  Optional& operator=(Optional&&) noexcept = default;
  explicit Optional(UnsafeInit) {}
  Optional(std::nullopt_t) {}         // NOLINT(*)
  Optional(std::nullptr_t) {}         // NOLINT(*)
  Optional(std::optional<T> other) {  // NOLINT(*)
    if (other.has_value()) Take(*std::move(other));
  }
  Optional(T other) { Take(std::move(other)); }  // NOLINT(*)
  /*! \brief Whatever converts to `T` without a cast. */
  template <typename U, typename = std::enable_if_t<
                            std::is_convertible_v<U, T> && !is_optional_type_v<std::decay_t<U>> &&
                            !std::is_same_v<std::decay_t<U>, T> &&
                            !std::is_same_v<std::decay_t<U>, std::nullptr_t> &&
                            !std::is_same_v<std::decay_t<U>, std::optional<T>> &&
                            !std::is_same_v<std::decay_t<U>, std::nullopt_t>>>
  Optional(U&& other) {  // NOLINT(*)
    Take(T(std::forward<U>(other)));
  }
  Optional& operator=(std::nullopt_t) {
    data_.reset();
    return *this;
  }
  Optional& operator=(std::nullptr_t) {
    data_.reset();
    return *this;
  }

  bool has_value() const noexcept { return data_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  T value() const& {
    Check();
    return **this;
  }
  T value() && {
    Check();
    return *std::move(*this);
  }
  template <typename U = std::remove_cv_t<T>>
  T value_or(U&& default_value) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(default_value));
  }
  template <typename U = std::remove_cv_t<T>>
  T value_or(U&& default_value) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(default_value));
  }
  T operator*() const& noexcept { return detail::ObjectUnsafe::ObjectRefFromObjectPtr<T>(data_); }
  T operator*() && noexcept {
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<T>(std::move(data_));
  }
  const ContainerType* get() const { return static_cast<const ContainerType*>(data_.get()); }
  const ContainerType* operator->() const { return get(); }

  template <typename U, typename = detail::EnableIfObjectType<U>>
  const U* as() const {
    return ObjectRef(data_).template as<U>();
  }
  template <typename U, typename = detail::EnableIfValueType<U>, int = 0>
  std::optional<U> as() const {
    return ObjectRef(data_).template as<U>();
  }
  template <typename U>
  U as_or_throw() const& {
    return ObjectRef(data_).template as_or_throw<U>();
  }
  template <typename U>
  U as_or_throw() && {
    return ObjectRef(std::move(data_)).template as_or_throw<U>();
  }
  bool same_as(const Optional& other) const { return data_ == other.data_; }
  bool same_as(const ObjectRef& other) const { return data_.get() == other.get(); }
  bool unique() const { return data_.unique(); }
  int use_count() const { return data_.use_count(); }

  bool operator==(const Optional& other) const { return Equal(other); }
  bool operator!=(const Optional& other) const { return !(*this == other); }
  bool operator==(const std::optional<T>& other) const { return Equal(Optional(other)); }
  bool operator!=(const std::optional<T>& other) const { return !(*this == other); }
  bool operator==(std::nullopt_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullopt_t) const noexcept { return has_value(); }
  bool operator==(std::nullptr_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullptr_t) const noexcept { return has_value(); }
  template <typename U, typename = std::enable_if_t<!is_optional_type_v<U>>>
  bool operator==(const U& other) const {
    return has_value() && **this == other;
  }
  template <typename U, typename = std::enable_if_t<!is_optional_type_v<U>>>
  bool operator!=(const U& other) const {
    return !(*this == other);
  }

 private:
  void Take(T&& other) {
    data_ = detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(other));
  }
  bool Equal(const Optional& other) const {
    if (data_ == other.data_) return true;
    return has_value() && other.has_value() && **this == *other;
  }
  void Check() const {
    if (TVM_FFI_PREDICT_FALSE(!has_value())) detail::ThrowEmptyOptional(detail::kEmptyOptionalText);
  }
  ObjectPtr<Object> data_;

  template <typename, typename>
  friend struct TypeTraits;
};

/*! \brief Object pointers: the pointer itself, null is empty. */
template <typename T>
class Optional<T, std::enable_if_t<use_object_ptr_optional_v<T>>>
    : public ObjectPtr<typename detail::OptionalPointee<T>::type> {
 public:
  using ContainerType = typename detail::OptionalPointee<T>::type;
  using Base = ObjectPtr<ContainerType>;

  Optional() = default;
  Optional(const Optional&) = default;
  Optional(Optional&&) noexcept = default;
  Optional& operator=(const Optional&) = default;
  Optional& operator=(Optional&&) noexcept = default;
  Optional(std::nullopt_t) {}                              // NOLINT(*)
  Optional(std::nullptr_t) {}                              // NOLINT(*)
  Optional(T other) : Base(static_cast<Base&&>(other)) {}  // NOLINT(*)
  Optional(std::optional<T> other) {                       // NOLINT(*)
    if (other.has_value()) Base::operator=(static_cast<Base&&>(*other));
  }
  /*! \brief A pointer to a derived type. */
  template <
      typename U,
      typename = std::enable_if_t<
          std::is_convertible_v<U, T> && !is_optional_type_v<std::decay_t<U>> &&
          !std::is_same_v<std::decay_t<U>, T> && !std::is_same_v<std::decay_t<U>, std::nullptr_t> &&
          !std::is_same_v<std::decay_t<U>, std::optional<T>> &&
          !std::is_same_v<std::decay_t<U>, std::nullopt_t>>,
      int = 0>
  Optional(U&& other) : Optional(T(std::forward<U>(other))) {}  // NOLINT(*)
  Optional& operator=(std::nullopt_t) {
    Base::reset();
    return *this;
  }
  Optional& operator=(std::nullptr_t) {
    Base::reset();
    return *this;
  }

  bool has_value() const noexcept { return Base::get() != nullptr; }
  T value() const& {
    Check();
    return **this;
  }
  T value() && {
    Check();
    return *std::move(*this);
  }
  template <typename U = T>
  T value_or(U&& default_value) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(default_value));
  }
  template <typename U = T>
  T value_or(U&& default_value) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(default_value));
  }
  T operator*() const& noexcept { return Wrap(Base(*this)); }
  T operator*() && noexcept { return Wrap(Base(static_cast<Base&&>(*this))); }

  bool operator==(const Optional& other) const noexcept { return Base::get() == other.get(); }
  bool operator!=(const Optional& other) const noexcept { return Base::get() != other.get(); }
  bool operator==(const Base& other) const noexcept { return Base::get() == other.get(); }
  bool operator!=(const Base& other) const noexcept { return Base::get() != other.get(); }
  bool operator==(const std::optional<T>& other) const noexcept { return *this == Optional(other); }
  bool operator!=(const std::optional<T>& other) const noexcept { return !(*this == other); }
  bool operator==(std::nullopt_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullopt_t) const noexcept { return has_value(); }
  bool operator==(std::nullptr_t) const noexcept { return !has_value(); }
  bool operator!=(std::nullptr_t) const noexcept { return has_value(); }

 private:
  static T Wrap(Base&& ptr) {
    if constexpr (is_arc_type_v<T>) {
      return detail::ObjectUnsafe::ArcFromObjectPtr<ContainerType>(std::move(ptr));
    } else {
      return std::move(ptr);
    }
  }
  void Check() const {
    if (TVM_FFI_PREDICT_FALSE(!has_value())) {
      detail::ThrowEmptyOptional(detail::kEmptyOptionalPtrText);
    }
  }
};

/*! Nothing is None; anything else follows the rules of `T`. */
template <typename T>
struct TypeTraits<Optional<T>, std::enable_if_t<TypeTraits<T>::convert_enabled>>
    : public TypeTraitsBase {
  static constexpr bool storage_enabled = TypeTraits<T>::storage_enabled;

  TVM_FFI_INLINE static void CopyToAnyView(const Optional<T>& src, TVMFFIAny* result) {
    if constexpr (use_object_ref_optional_v<T>) {
      detail::SetObjectAny(result,
                           detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr<Object>(src.data_));
    } else if constexpr (use_object_ptr_optional_v<T>) {
      using Base = typename Optional<T>::Base;
      TypeTraits<Base>::CopyToAnyView(static_cast<const Base&>(src), result);
    } else if constexpr (storage_enabled) {
      *result = *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(src.data_);
    } else {
      if (src.has_value()) {
        TypeTraits<T>::CopyToAnyView(*src, result);
      } else {
        detail::SetNoneAny(result);
      }
    }
  }
  TVM_FFI_INLINE static void MoveToAny(Optional<T> src, TVMFFIAny* result) {
    if constexpr (use_object_ref_optional_v<T>) {
      detail::SetObjectAny(result, detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr<Object>(
                                       std::move(src.data_)));
    } else if constexpr (storage_enabled && !use_object_ptr_optional_v<T>) {
      *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
    } else {
      if (src.has_value()) {
        TypeTraits<T>::MoveToAny(*std::move(src), result);
      } else {
        detail::SetNoneAny(result);
      }
    }
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFINone || TypeTraits<T>::CheckAnyStrict(src);
  }
  TVM_FFI_INLINE static Optional<T> CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFINone) return Optional<T>(std::nullopt);
    return Optional<T>(TypeTraits<T>::CopyFromAnyViewAfterCheck(src));
  }
  TVM_FFI_INLINE static Optional<T> MoveFromAnyAfterCheck(TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFINone) return Optional<T>(std::nullopt);
    return Optional<T>(TypeTraits<T>::MoveFromAnyAfterCheck(src));
  }
  TVM_FFI_INLINE static std::optional<Optional<T>> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFINone) return Optional<T>(std::nullopt);
    if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src)) {
      return Optional<T>(*std::move(value));
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return TypeTraits<T>::GetMismatchTypeInfo(src);
  }
  TVM_FFI_COLD_CODE static std::string TypeStr() {
    return detail::JoinText({"Optional<", detail::Type2Str<T>::v(), ">"});
  }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    return detail::JoinText({R"({"type":"Optional","args":[)", detail::TypeSchema<T>::v(), "]}"});
  }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_OPTIONAL_H_
