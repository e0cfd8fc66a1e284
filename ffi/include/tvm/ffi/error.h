// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/error.h
 *  Error, the one exception type of the FFI, with the macros that throw and check.
 */
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/object.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

/*! 1: every TVM_FFI_THROW also prints the error to stderr before throwing. */
#ifndef TVM_FFI_ALWAYS_LOG_BEFORE_THROW
#define TVM_FFI_ALWAYS_LOG_BEFORE_THROW 0
#endif
#ifndef TVM_FFI_USE_LIBBACKTRACE
#define TVM_FFI_USE_LIBBACKTRACE 1
#endif
#ifndef TVM_FFI_BACKTRACE_ON_SEGFAULT
#define TVM_FFI_BACKTRACE_ON_SEGFAULT 1
#endif

namespace tvm {
namespace ffi {

/*! Content of an Error. */
class ErrorObj : public Object, public TVMFFIErrorCell {
 public:
  ErrorObj() {
    kind = message = backtrace = TVMFFIByteArray{nullptr, 0};
    update_backtrace = nullptr;
    cause_chain = extra_context = nullptr;
  }
  static constexpr int32_t _type_index = TypeIndex::kTVMFFIError;
  static constexpr bool _type_final = true;
  static constexpr uint32_t _type_child_slots = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIError, ErrorObj, Object);
};

namespace detail {

/*! The parts in one string. Messages are put together here, not by operator+ in every caller. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string JoinText(
    std::initializer_list<std::string_view> parts) {
  size_t size = 0;
  for (std::string_view part : parts) size += part.size();
  std::string result;
  result.reserve(size);
  for (std::string_view part : parts) result.append(part);
  return result;
}

}  // namespace detail

/*! \brief An error with a kind such as "ValueError", a message and a backtrace. */
class Error : public ObjectRef, public std::exception {
 public:
  TVM_FFI_COLD_CODE Error(std::string kind, std::string message, std::string backtrace)
      : ObjectRef(UnsafeInit{}) {
    TVMFFIByteArray trace = {backtrace.data(), backtrace.size()};
    Init(kind, message, &trace, nullptr, nullptr);
  }
  TVM_FFI_COLD_CODE Error(std::string kind, std::string message, const TVMFFIByteArray* backtrace)
      : ObjectRef(UnsafeInit{}) {
    Init(kind, message, backtrace, nullptr, nullptr);
  }
  TVM_FFI_COLD_CODE Error(std::string kind, std::string message, std::string backtrace,
                          std::optional<Error> cause_chain, std::optional<ObjectRef> extra_context);

  explicit Error(UnsafeInit tag) : ObjectRef(tag) {}
  Error(const Error& other) = default;
  Error(Error&& other) noexcept = default;
  Error& operator=(const Error& other) = default;
  Error& operator=(Error&& other) noexcept = default;

  std::string kind() const { return Text(cell()->kind); }
  std::string message() const { return Text(cell()->message); }
  /*! \brief Lines `  File "<file>", line <n>, in <function>`, most recent call first. */
  std::string backtrace() const { return Text(cell()->backtrace); }
  std::optional<Error> cause_chain() const;
  std::optional<ObjectRef> extra_context() const;

  /*! \brief The backtrace with its lines in reverse order. */
  TVM_FFI_COLD_CODE std::string TracebackMostRecentCallLast() const {
    const TVMFFIByteArray& text = cell()->backtrace;
    std::string result;
    result.reserve(text.size + 1);
    size_t end = text.size;
    while (end > 0) {
      // [begin, stop) is the last line not yet copied; its newline may be missing at the very end.
      size_t stop = text.data[end - 1] == '\n' ? end - 1 : end;
      size_t begin = stop;
      while (begin > 0 && text.data[begin - 1] != '\n') --begin;
      result.append(text.data + begin, stop - begin);
      result.push_back('\n');
      end = begin;
    }
    return result;
  }
  TVM_FFI_COLD_CODE std::string FullMessage() const {
    const std::string traceback = TracebackMostRecentCallLast();
    return detail::JoinText({"Traceback (most recent call last):\n", traceback, View(cell()->kind),
                             ": ", View(cell()->message), "\n"});
  }
  /*! \brief The message. */
  const char* what() const noexcept override {
    return data_ == nullptr ? "" : cell()->message.data;
  }
  /*! \brief Replaces or extends the backtrace; `update_mode` is a TVMFFIBacktraceUpdateMode. */
  void UpdateBacktrace(const TVMFFIByteArray* backtrace_str, int32_t update_mode) {
    cell()->update_backtrace(data_.get(), backtrace_str, update_mode);
  }

  using ContainerType = ErrorObj;
  static constexpr bool _type_is_nullable = false;
  ErrorObj* get() const { return static_cast<ErrorObj*>(data_.get()); }
  ErrorObj* operator->() const { return get(); }

 private:
  ErrorObj* cell() const { return get(); }
  static std::string_view View(const TVMFFIByteArray& bytes) {
    return bytes.size == 0 ? std::string_view() : std::string_view(bytes.data, bytes.size);
  }
  static std::string Text(const TVMFFIByteArray& bytes) { return std::string(View(bytes)); }
  void Init(const std::string& kind, const std::string& message, const TVMFFIByteArray* backtrace,
            TVMFFIObjectHandle cause, TVMFFIObjectHandle context) {
    TVMFFIByteArray kind_bytes = {kind.data(), kind.size()};
    TVMFFIByteArray message_bytes = {message.data(), message.size()};
    TVMFFIByteArray no_backtrace = {"", 0};
    TVMFFIObjectHandle handle = nullptr;
    if (TVMFFIErrorCreateWithCauseAndExtraContext(&kind_bytes, &message_bytes,
                                                  backtrace != nullptr ? backtrace : &no_backtrace,
                                                  cause, context, &handle) != 0) {
      throw std::bad_alloc();
    }
    data_ = detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject*>(handle));
  }
};

inline Error::Error(std::string kind, std::string message, std::string backtrace,
                    std::optional<Error> cause_chain, std::optional<ObjectRef> extra_context)
    : ObjectRef(UnsafeInit{}) {
  TVMFFIByteArray trace = {backtrace.data(), backtrace.size()};
  Init(
      kind, message, &trace,
      cause_chain ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*cause_chain) : nullptr,
      extra_context ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*extra_context) : nullptr);
}

inline std::optional<Error> Error::cause_chain() const {
  if (cell()->cause_chain == nullptr) return std::nullopt;
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(
          static_cast<TVMFFIObject*>(cell()->cause_chain)));
}

inline std::optional<ObjectRef> Error::extra_context() const {
  if (cell()->extra_context == nullptr) return std::nullopt;
  return ObjectRef(detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(
      static_cast<TVMFFIObject*>(cell()->extra_context)));
}

/*! \brief Error to throw when the environment (such as Python) already holds a pending exception.
 */
TVM_FFI_COLD_CODE inline Error EnvErrorAlreadySet() {
  return Error("EnvErrorAlreadySet", "", std::string());
}

namespace detail {

/*! Takes the error of a failed safe call out of this thread's slot. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline Error MoveFromSafeCallRaised() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) {
    return Error("InternalError", "a function failed without setting an error", std::string());
  }
  return ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject*>(handle)));
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSafeCallRaised() {
  throw MoveFromSafeCallRaised();
}

/*! Puts an error in this thread's slot. */
TVM_FFI_COLD_CODE inline void SetSafeCallRaised(const Error& error) {
  TVMFFIErrorSetRaised(ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error));
}

/*! The same; returns -1, for catch blocks. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int SetRaised(const Error& error) {
  SetSafeCallRaised(error);
  return -1;
}

/*! Inside a catch block: puts the current exception, whatever it is, in this thread's slot. Returns
 * -1. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int SetRaisedFromCurrentException() {
  try {
    throw;
  } catch (const Error& err) {
    SetSafeCallRaised(err);
  } catch (const std::exception& ex) {
    SetSafeCallRaised(Error("InternalError", ex.what(), std::string()));
  } catch (...) {
    SetSafeCallRaised(Error("InternalError", "unknown C++ exception", std::string()));
  }
  return -1;
}

// Instead of std::to_string, whose overloads are compiled anew into every extension.
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string IntegerText(int64_t value) {
  char text[24];
  return std::string(text, std::snprintf(text, sizeof(text), "%" PRId64, value));
}
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string IntegerText(uint64_t value) {
  char text[24];
  return std::string(text, std::snprintf(text, sizeof(text), "%" PRIu64, value));
}

/*! Throws a `kind` error with the backtrace of the caller. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowError(const char* kind,
                                                                        std::string message) {
  throw Error(kind, std::move(message), TVMFFIBacktrace(nullptr, 0, nullptr, 0));
}

/*! Collects a message and throws at the end of the statement. */
class ErrorBuilder {
 public:
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE ErrorBuilder(const char* kind, const char* file, int line,
                                                   const char* function, bool log_before_throw)
      : kind_(kind), log_before_throw_(log_before_throw) {
    const TVMFFIByteArray* trace = TVMFFIBacktrace(file, line, function, 0);
    backtrace_.assign(trace->data, trace->size);
  }
  ErrorBuilder(const ErrorBuilder&) = delete;
  ErrorBuilder& operator=(const ErrorBuilder&) = delete;

#if defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4722)
#endif
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE ~ErrorBuilder() noexcept(false) {
    Error error(std::move(kind_), stream_.str(), std::move(backtrace_));
    if (log_before_throw_) std::fprintf(stderr, "%s", error.FullMessage().c_str());
    throw error;
  }
#if defined(_MSC_VER)
#pragma warning(pop)
#endif

  std::ostream& stream() { return stream_; }

 private:
  std::string kind_;
  std::string backtrace_;
  std::ostringstream stream_;
  bool log_before_throw_;
};

}  // namespace detail

/*! Throws an error of the given kind at the end of the statement: `TVM_FFI_THROW(ValueError) <<
 * "text";`. */
#define TVM_FFI_THROW(ErrorKind)                                                     \
  ::tvm::ffi::detail::ErrorBuilder(#ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG, \
                                   (TVM_FFI_ALWAYS_LOG_BEFORE_THROW) != 0)           \
      .stream()

/*! The same, and prints the error to stderr first: for code whose caller can't show it. */
#define TVM_FFI_LOG_AND_THROW(ErrorKind) \
  ::tvm::ffi::detail::ErrorBuilder(#ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG, true).stream()

namespace detail {

/*! ` (x vs. y) ` of a failed comparison; empty when it held. */
class CheckText {
 public:
  CheckText() = default;
  explicit CheckText(std::string text) : text_(new std::string(std::move(text))) {}
  explicit operator bool() const { return text_ != nullptr; }
  const std::string& operator*() const { return *text_; }

 private:
  std::unique_ptr<std::string> text_;
};

template <typename X, typename Y>
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE CheckText FormatCheckText(const X& x, const Y& y) {
  std::ostringstream os;
  os << " (" << x << " vs. " << y << ") ";
  return CheckText(os.str());
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#define TVM_FFI_DEFINE_CHECK_FUNC_(Name, Op)                         \
  template <typename X, typename Y>                                  \
  TVM_FFI_INLINE CheckText CheckText##Name(const X& x, const Y& y) { \
    if (TVM_FFI_PREDICT_TRUE(x Op y)) return CheckText();            \
    return FormatCheckText(x, y);                                    \
  }
TVM_FFI_DEFINE_CHECK_FUNC_(LT, <)
TVM_FFI_DEFINE_CHECK_FUNC_(GT, >)
TVM_FFI_DEFINE_CHECK_FUNC_(LE, <=)
TVM_FFI_DEFINE_CHECK_FUNC_(GE, >=)
TVM_FFI_DEFINE_CHECK_FUNC_(EQ, ==)
TVM_FFI_DEFINE_CHECK_FUNC_(NE, !=)
#undef TVM_FFI_DEFINE_CHECK_FUNC_
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// A callable, so that the location given to the macro survives; T is whatever compares with
// nullptr.
template <typename T>
TVM_FFI_INLINE T&& CheckNotNull(const char* expr, const char* kind, const char* file, int line,
                                const char* function, T&& value) {
  if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
    ErrorBuilder(kind, file, line, function, (TVM_FFI_ALWAYS_LOG_BEFORE_THROW) != 0).stream()
        << "Check not null: " << expr << ' ';
  }
  return std::forward<T>(value);
}

}  // namespace detail

// A loop that never runs twice, because its body throws: unlike an `if` it leaves a following
// `else` of the user alone.
/*! Throws `ErrorKind` unless the condition holds. Text can be streamed in; the forms below are
 * alike. */
#define TVM_FFI_CHECK(cond, ErrorKind)   \
  while (TVM_FFI_PREDICT_FALSE(!(cond))) \
  TVM_FFI_THROW(ErrorKind) << "Check failed: (" #cond ") is false: "

#define TVM_FFI_CHECK_BINARY_(Name, Op, x, y, ErrorKind)                                   \
  while (::tvm::ffi::detail::CheckText TVM_FFI_STR_CONCAT(tvm_ffi_check_text_, __LINE__) = \
             ::tvm::ffi::detail::CheckText##Name(x, y))                                    \
  TVM_FFI_THROW(ErrorKind) << "Check failed: " #x " " #Op " " #y                           \
                           << *TVM_FFI_STR_CONCAT(tvm_ffi_check_text_, __LINE__) << ": "

#define TVM_FFI_CHECK_LT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(LT, <, x, y, ErrorKind)
#define TVM_FFI_CHECK_GT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(GT, >, x, y, ErrorKind)
#define TVM_FFI_CHECK_LE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(LE, <=, x, y, ErrorKind)
#define TVM_FFI_CHECK_GE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(GE, >=, x, y, ErrorKind)
#define TVM_FFI_CHECK_EQ(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(EQ, ==, x, y, ErrorKind)
#define TVM_FFI_CHECK_NE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(NE, !=, x, y, ErrorKind)
/*! Expression that yields `x`, or throws when it is null. */
#define TVM_FFI_CHECK_NOTNULL(x, ErrorKind) \
  ::tvm::ffi::detail::CheckNotNull(#x, #ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG, (x))

/*! Checks of what the program itself promises; kind InternalError. */
#define TVM_FFI_ICHECK(x) TVM_FFI_CHECK(x, InternalError)
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_BINARY_(LT, <, x, y, InternalError)
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_BINARY_(GT, >, x, y, InternalError)
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_BINARY_(LE, <=, x, y, InternalError)
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_BINARY_(GE, >=, x, y, InternalError)
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_BINARY_(EQ, ==, x, y, InternalError)
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_BINARY_(NE, !=, x, y, InternalError)
#define TVM_FFI_ICHECK_NOTNULL(x) \
  ::tvm::ffi::detail::CheckNotNull(#x, "InternalError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, (x))

/*! Checks that release builds compile but never run. */
#ifdef NDEBUG
#define TVM_FFI_DCHECK(x) \
  while (false) TVM_FFI_ICHECK(x)
#define TVM_FFI_DCHECK_LT(x, y) \
  while (false) TVM_FFI_ICHECK_LT(x, y)
#define TVM_FFI_DCHECK_GT(x, y) \
  while (false) TVM_FFI_ICHECK_GT(x, y)
#define TVM_FFI_DCHECK_LE(x, y) \
  while (false) TVM_FFI_ICHECK_LE(x, y)
#define TVM_FFI_DCHECK_GE(x, y) \
  while (false) TVM_FFI_ICHECK_GE(x, y)
#define TVM_FFI_DCHECK_EQ(x, y) \
  while (false) TVM_FFI_ICHECK_EQ(x, y)
#define TVM_FFI_DCHECK_NE(x, y) \
  while (false) TVM_FFI_ICHECK_NE(x, y)
#define TVM_FFI_DCHECK_NOTNULL(x) (x)
#else
#define TVM_FFI_DCHECK(x) TVM_FFI_ICHECK(x)
#define TVM_FFI_DCHECK_LT(x, y) TVM_FFI_ICHECK_LT(x, y)
#define TVM_FFI_DCHECK_GT(x, y) TVM_FFI_ICHECK_GT(x, y)
#define TVM_FFI_DCHECK_LE(x, y) TVM_FFI_ICHECK_LE(x, y)
#define TVM_FFI_DCHECK_GE(x, y) TVM_FFI_ICHECK_GE(x, y)
#define TVM_FFI_DCHECK_EQ(x, y) TVM_FFI_ICHECK_EQ(x, y)
#define TVM_FFI_DCHECK_NE(x, y) TVM_FFI_ICHECK_NE(x, y)
#define TVM_FFI_DCHECK_NOTNULL(x) TVM_FFI_ICHECK_NOTNULL(x)
#endif

// Cold functions of type_traits.h

namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowUInt64TooLarge(uint64_t value) {
  ThrowError("OverflowError", JoinText({"Integer value ", IntegerText(value),
                                        " is too large to fit in int64_t. Consider explicitly "
                                        "casting to int64_t first if this is intentional."}));
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowDLTensorNotOwning() {
  ThrowError("RuntimeError",
             "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead");
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int32_t LookupTypeIndex(const char* type_key) {
  TVMFFIByteArray key = {type_key, std::strlen(type_key)};
  int32_t type_index = 0;
  if (TVMFFITypeKeyToIndex(&key, &type_index) != 0) ThrowSafeCallRaised();
  return type_index;
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void MakeBigIntFromUInt64(uint64_t value,
                                                                     TVMFFIAny* out) {
  const uint64_t words[2] = {value, 0};
  TVMFFIByteArray bytes = {reinterpret_cast<const char*>(words), sizeof(words)};
  if (TVMFFIBigIntFromByteArray(&bytes, out) != 0) ThrowSafeCallRaised();
}

/*! Decimal text of two's complement words. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string BigIntWordsToDecimal(BigIntWords words) {
  const bool negative = (words.data[words.size - 1] >> 63) != 0;
  // Magnitude as 32-bit limbs, least significant first.
  size_t size = words.size * 2;
  const std::unique_ptr<uint32_t[]> limbs(new uint32_t[size]);
  uint64_t carry = 1;
  for (size_t i = 0; i < size; ++i) {
    uint64_t limb = (words.data[i / 2] >> (32 * (i % 2))) & 0xffffffffU;
    if (negative) {
      limb = (~limb & 0xffffffffU) + carry;
      carry = limb >> 32;
    }
    limbs[i] = static_cast<uint32_t>(limb);
  }
  std::string reversed;
  while (size > 0) {
    uint64_t rest = 0;
    for (size_t i = size; i-- > 0;) {
      rest = (rest << 32) | limbs[i];
      limbs[i] = static_cast<uint32_t>(rest / 1000000000U);
      rest %= 1000000000U;
    }
    while (size > 0 && limbs[size - 1] == 0) --size;
    for (int digit = 0; digit < 9; ++digit) {
      reversed.push_back(static_cast<char>('0' + rest % 10));
      rest /= 10;
    }
  }
  while (reversed.size() > 1 && reversed.back() == '0') reversed.pop_back();
  if (negative) reversed.push_back('-');
  return std::string(reversed.rbegin(), reversed.rend());
}

/*! Decimal text of an Int, Bool or BigInt value. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string IntegerText(const TVMFFIAny* value) {
  if (value->type_index != TypeIndex::kTVMFFIBigInt) return IntegerText(value->v_int64);
  BigIntWords words = GetBigIntWords(value);
  // Very long ones are named by size: the text grows with the square of the length.
  if (words.size > 16) {
    return JoinText(
        {"an integer of ", IntegerText(static_cast<uint64_t>(words.size * 64)), " bits"});
  }
  return BigIntWordsToDecimal(words);
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string IntRangeText(const IntRange* range) {
  if (range == &kDoubleRange) return "[-1.797e308, 1.797e308]";
  return JoinText({"[", IntegerText(range->min), ", ", IntegerText(range->max), "]"});
}

TVM_FFI_INLINE bool IsOutOfRange(const TVMFFIAny* source, const IntRange* range) {
  if (range == nullptr) return false;
  if (source->type_index == TypeIndex::kTVMFFIBigInt) return true;
  // Every Int converts to a double; where an Int is refused, its type is what is wrong.
  return source->type_index == TypeIndex::kTVMFFIInt && range != &kDoubleRange;
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string NumberMismatchInfo(const TVMFFIAny* source,
                                                                          const IntRange* range) {
  if (!IsOutOfRange(source, range)) return TypeIndexToTypeKey(source->type_index);
  return JoinText({"int ", IntegerText(source), " outside ", IntRangeText(range)});
}

using FTypeText = std::string (*)();
using FMismatchText = std::string (*)(const TVMFFIAny*);

/*! Throws for a value that `convert` says can't become the expected type. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowCannotConvert(
    const TVMFFIAny* source, const char* verb, FMismatchText mismatch, FTypeText type_str,
    const IntRange* range) {
  const bool treat = verb[0] == 't';
  if (IsOutOfRange(source, range) && !(treat && range == &kDoubleRange)) {
    ThrowError("OverflowError",
               JoinText({"Cannot ", verb, " integer ", IntegerText(source), " to `", range->name,
                         "`, expected a value in ", IntRangeText(range)}));
  }
  ThrowError("TypeError",
             JoinText({"Cannot ", verb, treat ? " type `" : " from type `", mismatch(source),
                       treat ? "` as type `" : "` to `", type_str(), "`"}));
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_ERROR_H_
