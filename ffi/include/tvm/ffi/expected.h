// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/expected.h
 *  Expected<T>: a value or an Error, for code that does not throw.
 */
#ifndef TVM_FFI_EXPECTED_H_
#define TVM_FFI_EXPECTED_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief An error on its way into an Expected. */
template <typename E = Error>
class Unexpected {
  static_assert(std::is_base_of_v<Error, E>, "Unexpected holds an Error");

 public:
  explicit Unexpected(E error) : error_(std::move(error)) {}
  const E& error() const& noexcept { return error_; }
  E& error() & noexcept { return error_; }
  E&& error() && noexcept { return std::move(error_); }
  const E&& error() const&& noexcept { return std::move(error_); }

 private:
  E error_;
};

template <typename E>
Unexpected(E) -> Unexpected<E>;

template <typename T>
class Expected;

namespace detail {

struct ExpectedUnsafe;

template <typename T>
inline constexpr bool is_expected_v = false;
template <typename T>
inline constexpr bool is_expected_v<Expected<T>> = true;
template <typename T>
inline constexpr bool is_unexpected_v = false;
template <typename E>
inline constexpr bool is_unexpected_v<Unexpected<E>> = true;

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowBadExpectedAccess() {
  ThrowError("RuntimeError", "Bad expected access: contains value, not error");
}

/*! Throws the error that a value holds. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowHeldError(const Any& value) {
  throw AnyUnsafe::CopyFromAnyViewAfterCheck<Error>(value);
}

/*! The error that `as_or_throw` would throw, as a value. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline Error MakeTreatError(const TVMFFIAny* source,
                                                                FMismatchText mismatch,
                                                                FTypeText type_str) {
  return Error("TypeError",
               JoinText({"Cannot treat type `", mismatch(source), "` as type `", type_str(), "`"}),
               TVMFFIBacktrace(nullptr, 0, nullptr, 0));
}

/*! What Expected<T> and Expected<void> share. An Error value means failure. */
class ExpectedBase {
 public:
  int32_t type_index() const noexcept { return data_.type_index(); }
  bool is_err() const noexcept { return data_.type_index() == TypeIndex::kTVMFFIError; }
  bool is_ok() const noexcept { return !is_err(); }
  bool has_value() const noexcept { return is_ok(); }

  Error error() const& {
    CheckErr();
    return AnyUnsafe::CopyFromAnyViewAfterCheck<Error>(data_);
  }
  Error error() && {
    CheckErr();
    return AnyUnsafe::MoveFromAnyAfterCheck<Error>(std::move(data_));
  }

 protected:
  ExpectedBase() = default;
  explicit ExpectedBase(Any data) : data_(std::move(data)) {}
  void CheckOk() const {
    if (TVM_FFI_PREDICT_FALSE(is_err())) ThrowHeldError(data_);
  }
  void CheckErr() const {
    if (TVM_FFI_PREDICT_FALSE(is_ok())) ThrowBadExpectedAccess();
  }

  Any data_;

  friend struct ExpectedUnsafe;
};

}  // namespace detail

/*! \brief A `T` or the Error that kept it from being made. One value wide. */
template <typename T>
class Expected : public detail::ExpectedBase {
  static_assert(!std::is_same_v<T, Error>, "an Expected<Error> could not tell value from failure");
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_reference_v<T>);

 public:
  Expected(T value) : ExpectedBase(Any(std::move(value))) {}  // NOLINT(*)
  template <
      typename U,
      typename = std::enable_if_t<
          std::is_class_v<T> && std::is_convertible_v<U&&, T> &&
          !std::is_same_v<std::decay_t<U>, T> && !std::is_base_of_v<Error, std::decay_t<U>> &&
          !detail::is_unexpected_v<std::decay_t<U>> && !detail::is_expected_v<std::decay_t<U>>>>
  Expected(U&& value) : ExpectedBase(Any(T(std::forward<U>(value)))) {}  // NOLINT(*)
  Expected(Error error) : ExpectedBase(Any(std::move(error))) {}         // NOLINT(*)
  template <typename E>
  Expected(Unexpected<E> error)  // NOLINT(*)
      : ExpectedBase(Any(Error(std::move(error).error()))) {}
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> &&
                                        (type_subsumes_v<T, U> || std::is_convertible_v<U, T>)>>
  Expected(Expected<U> other);  // NOLINT(*)

  /*! \brief The value; throws the error instead when there is one. */
  T value() const& {
    CheckOk();
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(data_);
  }
  T value() && {
    CheckOk();
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_));
  }
  template <typename U = T>
  T value_or(U&& default_value) const& {
    if (is_ok()) return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(data_);
    return static_cast<T>(std::forward<U>(default_value));
  }
  template <typename U = T>
  T value_or(U&& default_value) && {
    if (is_ok()) return detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_));
    return static_cast<T>(std::forward<U>(default_value));
  }

  /*! \brief The value as a `U`; an error stays, a value of another type becomes TypeError. */
  template <typename U>
  Expected<U> as_or_error() const&;
  template <typename U>
  Expected<U> as_or_error() &&;

 private:
  struct RawTag {};
  Expected(RawTag, Any data) : ExpectedBase(std::move(data)) {}

  template <typename>
  friend class Expected;
  friend struct detail::ExpectedUnsafe;
};

/*! \brief Success or an Error. */
template <>
class Expected<void> : public detail::ExpectedBase {
 public:
  Expected() = default;
  Expected(Error error) : ExpectedBase(Any(std::move(error))) {}  // NOLINT(*)
  template <typename E>
  Expected(Unexpected<E> error)  // NOLINT(*)
      : ExpectedBase(Any(Error(std::move(error).error()))) {}

  /*! \brief Throws the error when there is one. */
  void value() const { CheckOk(); }
  template <typename U>
  Expected<U> as_or_error() const;

 private:
  struct RawTag {};
  Expected(RawTag, Any data) : ExpectedBase(std::move(data)) {}
  friend struct detail::ExpectedUnsafe;
};

namespace detail {

/*! Raw access to Expected. */
struct ExpectedUnsafe {
  /*! \brief Takes over an owned raw value that is a `T` or an Error. */
  template <typename T>
  TVM_FFI_INLINE static Expected<T> MoveFromTVMFFIAny(TVMFFIAny data) {
    return FromAny<T>(AnyUnsafe::MoveTVMFFIAnyRawToAny(data));
  }
  template <typename T>
  TVM_FFI_INLINE static TVMFFIAny MoveToTVMFFIAny(Expected<T>&& expected) {
    return AnyUnsafe::MoveAnyToTVMFFIAny(std::move(expected.data_));
  }
  template <typename T>
  TVM_FFI_INLINE static Expected<T> FromAny(Any data) {
    return Expected<T>(typename Expected<T>::RawTag{}, std::move(data));
  }
  template <typename T>
  TVM_FFI_INLINE static const Any& GetData(const Expected<T>& expected) {
    return expected.data_;
  }
  template <typename T>
  TVM_FFI_INLINE static Any&& GetData(Expected<T>&& expected) {
    return std::move(expected.data_);
  }
  /*! \brief The held value as a `U`, without a check. */
  template <typename U, typename T>
  TVM_FFI_INLINE static U ValueAs(const Expected<T>& expected) {
    return AnyUnsafe::CopyFromAnyViewAfterCheck<U>(expected.data_);
  }
  template <typename U, typename T>
  TVM_FFI_INLINE static U ValueAs(Expected<T>&& expected) {
    return AnyUnsafe::MoveFromAnyAfterCheck<U>(std::move(expected.data_));
  }
  /*! \brief `data` as a `U`, or the error that it holds, or TypeError. */
  template <typename U>
  TVM_FFI_INLINE static Expected<U> Treat(Any data) {
    const TVMFFIAny* raw = AnyUnsafe::TVMFFIAnyPtrFromAny(data);
    if (raw->type_index != TypeIndex::kTVMFFIError) {
      if constexpr (std::is_void_v<U>) {
        if (raw->type_index != TypeIndex::kTVMFFINone) {
          return MakeTreatError(raw, &TypeTraitsBase::GetMismatchTypeInfo, &Type2Str<U>::v);
        }
      } else if constexpr (!std::is_same_v<U, Any>) {
        if (TVM_FFI_PREDICT_FALSE(!TypeTraits<U>::CheckAnyStrict(raw))) {
          return MakeTreatError(raw, &TypeTraits<U>::GetMismatchTypeInfo, &Type2Str<U>::v);
        }
      }
    }
    return FromAny<U>(std::move(data));
  }
};

/*! Collects the text of TVM_FFI_UNEXPECTED. */
class UnexpectedBuilder {
 public:
  TVM_FFI_COLD_CODE UnexpectedBuilder(const char* kind, const char* file, int line,
                                      const char* function)
      : kind_(kind),
        backtrace_(JoinText({"  File \"", file, "\", line ",
                             IntegerText(static_cast<int64_t>(line)), ", in ", function, "\n"})) {}
  UnexpectedBuilder(UnexpectedBuilder&& other)  // NOLINT(performance-noexcept-move-constructor)
      : kind_(other.kind_), backtrace_(std::move(other.backtrace_)) {
    stream_ << other.stream_.view();
  }
  TVM_FFI_COLD_CODE ~UnexpectedBuilder() { stream_.Release(); }

  template <typename T>
  UnexpectedBuilder& operator<<(const T& value) & {
    stream_ << value;
    return *this;
  }
  template <typename T>
  UnexpectedBuilder&& operator<<(const T& value) && {
    stream_ << value;
    return std::move(*this);
  }
  template <typename Char = char>
  UnexpectedBuilder& operator<<(
      std::basic_ostream<Char>& (*manipulator)(std::basic_ostream<Char>&)) & {
    stream_ << manipulator;
    return *this;
  }
  template <typename Char = char>
  UnexpectedBuilder&& operator<<(
      std::basic_ostream<Char>& (*manipulator)(std::basic_ostream<Char>&)) && {
    stream_ << manipulator;
    return std::move(*this);
  }

  operator Unexpected<Error>() const {  // NOLINT(*)
    return Unexpected<Error>(MakeError());
  }
  template <typename T>
  operator Expected<T>() const {  // NOLINT(*)
    return Expected<T>(MakeError());
  }

 private:
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE Error MakeError() const {
    return Error(kind_, std::string(stream_.view()), backtrace_);
  }

  const char* kind_;
  std::string backtrace_;
  MessageStream stream_;
};

}  // namespace detail

template <typename T>
template <typename U, typename>
inline Expected<T>::Expected(Expected<U> other) {
  if constexpr (type_subsumes_v<T, U>) {
    data_ = detail::ExpectedUnsafe::GetData(std::move(other));
  } else {
    if (other.is_ok()) {
      data_ = Any(T(std::move(other).value()));
    } else {
      data_ = detail::ExpectedUnsafe::GetData(std::move(other));
    }
  }
}

template <typename T>
template <typename U>
inline Expected<U> Expected<T>::as_or_error() const& {
  return detail::ExpectedUnsafe::Treat<U>(data_);
}

template <typename T>
template <typename U>
inline Expected<U> Expected<T>::as_or_error() && {
  return detail::ExpectedUnsafe::Treat<U>(std::move(data_));
}

template <typename U>
inline Expected<U> Expected<void>::as_or_error() const {
  return detail::ExpectedUnsafe::Treat<U>(data_);
}

template <typename Target, typename Source>
inline constexpr bool type_subsumes_v<Expected<Target>, Expected<Source>> =
    type_subsumes_v<Target, Source>;

/*! An Expected is its value or an Error value. */
template <typename T>
struct TypeTraits<Expected<T>, std::enable_if_t<std::is_void_v<T> || std::is_same_v<T, Any> ||
                                                TypeTraits<T>::convert_enabled>>
    : public TypeTraitsBase {
  TVM_FFI_INLINE static void CopyToAnyView(const Expected<T>& src, TVMFFIAny* result) {
    *result = *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(detail::ExpectedUnsafe::GetData(src));
  }
  TVM_FFI_INLINE static void MoveToAny(Expected<T> src, TVMFFIAny* result) {
    *result = detail::ExpectedUnsafe::MoveToTVMFFIAny(std::move(src));
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIError) return true;
    if constexpr (std::is_void_v<T>) {
      return src->type_index == TypeIndex::kTVMFFINone;
    } else if constexpr (std::is_same_v<T, Any>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(src);
    }
  }
  TVM_FFI_INLINE static Expected<T> CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return detail::ExpectedUnsafe::FromAny<T>(Any(AnyView::CopyFromTVMFFIAny(*src)));
  }
  TVM_FFI_INLINE static Expected<T> MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return detail::ExpectedUnsafe::FromAny<T>(detail::AnyUnsafe::MoveTVMFFIAnyToAny(src));
  }
  TVM_FFI_INLINE static std::optional<Expected<T>> TryCastFromAnyView(const TVMFFIAny* src) {
    if constexpr (std::is_void_v<T> || std::is_same_v<T, Any>) {
      if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    } else {
      if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src)) {
        return Expected<T>(*std::move(value));
      }
      if (src->type_index == TypeIndex::kTVMFFIError) return CopyFromAnyViewAfterCheck(src);
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    if constexpr (std::is_void_v<T> || std::is_same_v<T, Any>) {
      return TypeTraitsBase::GetMismatchTypeInfo(src);
    } else {
      return TypeTraits<T>::GetMismatchTypeInfo(src);
    }
  }
  TVM_FFI_COLD_CODE static std::string TypeStr() {
    return detail::JoinText({"Expected<", detail::Type2Str<T>::v(), ">"});
  }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    return detail::JoinText({R"({"type":"Expected","args":[)", detail::TypeSchema<T>::v(),
                             R"(,{"type":"ffi.Error"}]})"});
  }
};

/*! An error of the given kind as a value: `return TVM_FFI_UNEXPECTED(ValueError) << "text";`. */
#define TVM_FFI_UNEXPECTED(ErrorKind) \
  ::tvm::ffi::detail::UnexpectedBuilder(#ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG)

/*! Returns an error of the given kind from the function unless the condition holds. */
#define TVM_FFI_RET_CHECK(cond, ErrorKind) \
  while (TVM_FFI_PREDICT_FALSE(!(cond)))   \
  return TVM_FFI_UNEXPECTED(ErrorKind) << "Check failed: (" #cond ") is false: "

#define TVM_FFI_RET_CHECK_BINARY_(Name, Op, x, y, ErrorKind)                               \
  while (::tvm::ffi::detail::CheckText TVM_FFI_STR_CONCAT(tvm_ffi_check_text_, __LINE__) = \
             ::tvm::ffi::detail::CheckText##Name(x, y))                                    \
  return TVM_FFI_UNEXPECTED(ErrorKind)                                                     \
         << "Check failed: " #x " " #Op " " #y                                             \
         << TVM_FFI_STR_CONCAT(tvm_ffi_check_text_, __LINE__) << ": "

#define TVM_FFI_RET_CHECK_LT(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_(LT, <, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_GT(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_(GT, >, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_LE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_(LE, <=, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_GE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_(GE, >=, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_EQ(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_(EQ, ==, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_NE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_(NE, !=, x, y, ErrorKind)

/*! The same with kind InternalError. */
#define TVM_FFI_RET_ICHECK(cond) TVM_FFI_RET_CHECK(cond, InternalError)
#define TVM_FFI_RET_ICHECK_LT(x, y) TVM_FFI_RET_CHECK_BINARY_(LT, <, x, y, InternalError)
#define TVM_FFI_RET_ICHECK_GT(x, y) TVM_FFI_RET_CHECK_BINARY_(GT, >, x, y, InternalError)
#define TVM_FFI_RET_ICHECK_LE(x, y) TVM_FFI_RET_CHECK_BINARY_(LE, <=, x, y, InternalError)
#define TVM_FFI_RET_ICHECK_GE(x, y) TVM_FFI_RET_CHECK_BINARY_(GE, >=, x, y, InternalError)
#define TVM_FFI_RET_ICHECK_EQ(x, y) TVM_FFI_RET_CHECK_BINARY_(EQ, ==, x, y, InternalError)
#define TVM_FFI_RET_ICHECK_NE(x, y) TVM_FFI_RET_CHECK_BINARY_(NE, !=, x, y, InternalError)

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXPECTED_H_
