// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/error.h
 *  Error, the one exception type of the FFI, with the macros that throw and check.
 */
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/message_detail.h>
#include <tvm/ffi/object.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#if defined(__GNUC__)
#include <cxxabi.h>
#endif

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

/*! An owned error object; NULL when there is no memory for it. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline TVMFFIObjectHandle NewErrorObject(
    std::string_view kind, std::string_view message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause = nullptr, TVMFFIObjectHandle context = nullptr) {
  TVMFFIByteArray kind_bytes = {kind.data(), kind.size()};
  TVMFFIByteArray message_bytes = {message.data(), message.size()};
  TVMFFIByteArray no_backtrace = {"", 0};
  TVMFFIObjectHandle handle = nullptr;
  if (backtrace == nullptr) backtrace = &no_backtrace;
  int code = TVMFFIErrorCreateWithCauseAndExtraContext(&kind_bytes, &message_bytes, backtrace,
                                                       cause, context, &handle);
  return code == 0 ? handle : nullptr;
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
  // A template, as the accessors below, so that the std::optional types are compiled where they are
  // used.
  template <typename E = Error, typename R = ObjectRef>
  TVM_FFI_COLD_CODE Error(std::string kind, std::string message, std::string backtrace,
                          std::optional<std::enable_if_t<true, E>> cause_chain,
                          std::optional<std::enable_if_t<true, R>> extra_context)
      : ObjectRef(UnsafeInit{}) {
    TVMFFIByteArray trace = {backtrace.data(), backtrace.size()};
    Init(kind, message, &trace,
         cause_chain ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*cause_chain) : nullptr,
         extra_context ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*extra_context)
                       : nullptr);
  }

  explicit Error(UnsafeInit tag) : ObjectRef(tag) {}
  Error(const Error& other) = default;
  Error(Error&& other) noexcept = default;
  Error& operator=(const Error& other) = default;
  Error& operator=(Error&& other) noexcept = default;

  std::string kind() const { return Text(cell()->kind); }
  std::string message() const { return Text(cell()->message); }
  /*! \brief Lines `  File "<file>", line <n>, in <function>`, most recent call first. */
  std::string backtrace() const { return Text(cell()->backtrace); }
  template <typename E = Error>
  std::optional<E> cause_chain() const {
    return Held<E>(cell()->cause_chain);
  }
  template <typename R = ObjectRef>
  std::optional<R> extra_context() const {
    return Held<R>(cell()->extra_context);
  }

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
  template <typename R>
  static std::optional<R> Held(TVMFFIObjectHandle handle) {
    if (handle == nullptr) return std::nullopt;
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<R>(
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(static_cast<TVMFFIObject*>(handle)));
  }
  void Init(const std::string& kind, const std::string& message, const TVMFFIByteArray* backtrace,
            TVMFFIObjectHandle cause, TVMFFIObjectHandle context) {
    TVMFFIObjectHandle handle = detail::NewErrorObject(kind, message, backtrace, cause, context);
    if (handle == nullptr) throw std::bad_alloc();
    data_ = detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject*>(handle));
  }
};

/*! \brief Error to throw when the environment (such as Python) already holds a pending exception.
 */
TVM_FFI_COLD_CODE inline Error EnvErrorAlreadySet() {
  return Error("EnvErrorAlreadySet", "", std::string());
}

namespace detail {

/*! Takes over an error object. */
TVM_FFI_INLINE Error ErrorFromOwned(TVMFFIObjectHandle handle) {
  return ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject*>(handle)));
}

/*! Takes the error of a failed safe call out of this thread's slot. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline Error MoveFromSafeCallRaised() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) {
    handle = NewErrorObject("InternalError", "a function failed without setting an error", nullptr);
    if (handle == nullptr) throw std::bad_alloc();
  }
  return ErrorFromOwned(handle);
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

/*! Puts an error without a backtrace in this thread's slot; none when there is no memory for it. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void SetRaisedText(const char* kind,
                                                              std::string_view message) {
  TVMFFIObjectHandle handle = NewErrorObject(kind, message, nullptr);
  if (handle == nullptr) return;
  TVMFFIErrorSetRaised(handle);
  ObjectUnsafe::DecRefObjectHandle(handle);
}

/*! Says of which type an exception is that tells nothing else. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void SetRaisedUnknownException() {
  MessageStream message;
  message << "unknown C++ exception";
#if defined(__GNUC__)
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr);
    message << " of type `" << (name != nullptr ? name : type->name()) << '`';
    std::free(name);
  }
#endif
  SetRaisedText("InternalError", message.view());
  message.Release();
}

/*!
 * Inside a catch block: puts the current exception, whatever it is, in this thread's slot. Returns
 * -1.
 *
 * An Error stays itself, std::bad_alloc becomes MemoryError, and everything else InternalError with
 * its what(), or with the text when a string was thrown.
 */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int SetRaisedFromCurrentException() {
  try {
    throw;
  } catch (const Error& err) {
    SetSafeCallRaised(err);
  } catch (const std::bad_alloc& ex) {
    SetRaisedText("MemoryError", ex.what());
  } catch (const std::exception& ex) {
    SetRaisedText("InternalError", ex.what());
  } catch (const std::string& text) {
    SetRaisedText("InternalError", text);
  } catch (const char* text) {
    SetRaisedText("InternalError", text != nullptr ? text : "(null)");
  } catch (...) {
    SetRaisedUnknownException();
  }
  return -1;
}

/*! Hands the error of a load-time block to who is loading the image, or prints it. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ReportStaticInitError(TVMFFIObjectHandle error) {
  // By name: an older library doesn't have the function.
  const TVMFFIByteArray name = {"ffi._StaticInitFailed", 21};
  TVMFFIObjectHandle report = nullptr;
  TVMFFIAny result = {};
  if (TVMFFIFunctionGetGlobal(&name, &report) == 0 && report != nullptr) {
    TVMFFIAny arg = {};
    arg.type_index = TypeIndex::kTVMFFIError;
    arg.v_obj = static_cast<TVMFFIObject*>(error);
    if (TVMFFIFunctionCall(report, &arg, 1, &result) != 0) result.v_int64 = 0;
    ObjectUnsafe::DecRefObjectHandle(report);
  }
  if (result.v_int64 == 0) {
    const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
    std::fprintf(stderr, "A TVM_FFI_STATIC_INIT_BLOCK failed: %.*s: %.*s\n",
                 static_cast<int>(cell->kind.size), cell->kind.data,
                 static_cast<int>(cell->message.size), cell->message.data);
  }
}

inline void RunStaticInit(void (*body)()) {
  try {
    body();
    return;
  } catch (const Error& error) {
    SetRaised(error);
  } catch (...) {
    SetRaisedFromCurrentException();
  }
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) return;
  ReportStaticInitError(error);
  ObjectUnsafe::DecRefObjectHandle(error);
}

// Instead of std::to_string, whose overloads are compiled anew into every extension.
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string IntegerText(int64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "%" PRId64, value);
  return text;
}
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string IntegerText(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "%" PRIu64, value);
  return text;
}

/*! Throws a new error object; NULL means that there was no memory for it. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_INLINE void ThrowOwned(TVMFFIObjectHandle handle) {
  if (handle == nullptr) throw std::bad_alloc();
  throw ErrorFromOwned(handle);
}

/*! Throws a `kind` error with the backtrace of the caller. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowError(const char* kind,
                                                                        std::string_view message) {
  ThrowOwned(NewErrorObject(kind, message, TVMFFIBacktrace(nullptr, 0, nullptr, 0)));
}

/*! The same with a message that was put together; it is freed. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowError(const char* kind,
                                                                        MessageStream& message) {
  const TVMFFIByteArray* backtrace = TVMFFIBacktrace(nullptr, 0, nullptr, 0);
  TVMFFIObjectHandle handle = NewErrorObject(kind, message.view(), backtrace);
  message.Release();
  ThrowOwned(handle);
}

/*! Prints an error to stderr. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void LogError(TVMFFIObjectHandle handle) {
  if (handle == nullptr) return;
  ObjectUnsafe::IncRefObjectHandle(handle);
  std::fprintf(stderr, "%s", ErrorFromOwned(handle).FullMessage().c_str());
}

/*! The place of a throw. `site &= message` throws: the operator binds weaker than `<<`, so the
 * message is complete by then, and no destructor has to throw. */
struct ThrowSite {
  // Not an aggregate: a brace list would fall apart where the macros are arguments of macros.
  constexpr ThrowSite(const char* error_kind, const char* file_name, int line_number,
                      const char* function_name, void (*log_error)(TVMFFIObjectHandle))
      : kind(error_kind),
        file(file_name),
        line(line_number),
        function(function_name),
        log(log_error) {}

  const char* kind;
  const char* file;
  int line;
  const char* function;
  void (*log)(TVMFFIObjectHandle);  // NULL: the error isn't printed

  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void Throw(MessageStream& message) const {
    const TVMFFIByteArray* backtrace = TVMFFIBacktrace(file, line, function, 0);
    TVMFFIObjectHandle handle = NewErrorObject(kind, message.view(), backtrace);
    message.Release();
    if (log != nullptr) log(handle);
    ThrowOwned(handle);
  }
  template <typename Stream>
  [[noreturn]] TVM_FFI_INLINE void operator&=(Stream& message) const {
    Throw(MessageOf(message));
  }
};

/*! The same as a temporary that throws when it is destroyed, for code that names it. */
class ErrorBuilder {
 public:
  TVM_FFI_COLD_CODE ErrorBuilder(const char* kind, const char* file, int line, const char* function,
                                 bool log_before_throw)
      : site_(kind, file, line, function, log_before_throw ? &LogError : nullptr) {}
  ErrorBuilder(const ErrorBuilder&) = delete;
  ErrorBuilder& operator=(const ErrorBuilder&) = delete;

#if defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4722)
#endif
  [[noreturn]] TVM_FFI_COLD_CODE ~ErrorBuilder() noexcept(false) { site_.Throw(stream_); }
#if defined(_MSC_VER)
#pragma warning(pop)
#endif

  /*! \brief Takes what a std::ostream takes, and converts to one. */
  MessageStream& stream() { return stream_; }

 private:
  ThrowSite site_;
  MessageStream stream_;
};

}  // namespace detail

#define TVM_FFI_THROW_IMPL_(ErrorKind, Log)                                         \
  ::tvm::ffi::detail::ThrowSite(ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG,    \
                                (Log) ? &::tvm::ffi::detail::LogError : nullptr) &= \
      ::tvm::ffi::detail::MessageStream().stream()

/*! Throws an error of the given kind at the end of the statement: `TVM_FFI_THROW(ValueError) <<
 * "text";`. */
#define TVM_FFI_THROW(ErrorKind) \
  TVM_FFI_THROW_IMPL_(#ErrorKind, (TVM_FFI_ALWAYS_LOG_BEFORE_THROW) != 0)

/*! The same, and prints the error to stderr first: for code whose caller can't show it. */
#define TVM_FFI_LOG_AND_THROW(ErrorKind) TVM_FFI_THROW_IMPL_(#ErrorKind, true)

namespace detail {

/*! ` (x vs. y) ` of a failed comparison, owned by whoever streams it; empty when it held. */
class CheckText {
 public:
  CheckText() = default;
  explicit CheckText(std::string* text) : text_(text) {}
  explicit operator bool() const { return text_ != nullptr; }
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE friend MessageStream& operator<<(MessageStream& message,
                                                                       const CheckText& text) {
    message << *text.text_;
    delete text.text_;
    return message;
  }

 private:
  std::string* text_ = nullptr;
};

template <typename X, typename Y>
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE CheckText FormatCheckText(const X& x, const Y& y) {
  MessageStream text;
  text << " (" << x << " vs. " << y << ") ";
  return CheckText(new std::string(text.Take()));
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

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowNull(const ThrowSite& site,
                                                                       const char* expr) {
  site &= MessageStream() << "Check not null: " << expr << ' ';
}

// A callable, so that the location given to the macro survives; T is whatever compares with
// nullptr.
template <typename T>
TVM_FFI_INLINE T&& CheckNotNull(const char* expr, const ThrowSite& site, T&& value) {
  if (TVM_FFI_PREDICT_FALSE(value == nullptr)) ThrowNull(site, expr);
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
                           << TVM_FFI_STR_CONCAT(tvm_ffi_check_text_, __LINE__) << ": "

#define TVM_FFI_CHECK_LT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(LT, <, x, y, ErrorKind)
#define TVM_FFI_CHECK_GT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(GT, >, x, y, ErrorKind)
#define TVM_FFI_CHECK_LE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(LE, <=, x, y, ErrorKind)
#define TVM_FFI_CHECK_GE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(GE, >=, x, y, ErrorKind)
#define TVM_FFI_CHECK_EQ(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(EQ, ==, x, y, ErrorKind)
#define TVM_FFI_CHECK_NE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_(NE, !=, x, y, ErrorKind)
/*! Expression that yields `x`, or throws when it is null. */
#define TVM_FFI_CHECK_NOTNULL(x, ErrorKind) TVM_FFI_CHECK_NOTNULL_IMPL_(x, #ErrorKind)
#define TVM_FFI_CHECK_NOTNULL_IMPL_(x, ErrorKind)                                            \
  ::tvm::ffi::detail::CheckNotNull(                                                          \
      #x,                                                                                    \
      ::tvm::ffi::detail::ThrowSite(                                                         \
          ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG,                                   \
          (TVM_FFI_ALWAYS_LOG_BEFORE_THROW) != 0 ? &::tvm::ffi::detail::LogError : nullptr), \
      (x))

/*! Checks of what the program itself promises; kind InternalError. */
#define TVM_FFI_ICHECK(x) TVM_FFI_CHECK(x, InternalError)
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_BINARY_(LT, <, x, y, InternalError)
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_BINARY_(GT, >, x, y, InternalError)
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_BINARY_(LE, <=, x, y, InternalError)
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_BINARY_(GE, >=, x, y, InternalError)
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_BINARY_(EQ, ==, x, y, InternalError)
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_BINARY_(NE, !=, x, y, InternalError)
#define TVM_FFI_ICHECK_NOTNULL(x) TVM_FFI_CHECK_NOTNULL_IMPL_(x, "InternalError")

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
  MessageStream message;
  message << "Integer value " << value
          << " is too large to fit in int64_t. Consider explicitly casting to int64_t first if "
             "this is intentional.";
  ThrowError("OverflowError", message);
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
  struct Owned {
    uint32_t* limbs;
    ~Owned() { delete[] limbs; }
  } owned = {new uint32_t[size]};
  uint32_t* limbs = owned.limbs;
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

/*! Appends the decimal text of an Int, Bool or BigInt value. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void PutInteger(MessageStream& message,
                                                           const TVMFFIAny* value) {
  if (value->type_index != TypeIndex::kTVMFFIBigInt) {
    message << value->v_int64;
    return;
  }
  BigIntWords words = GetBigIntWords(value);
  // Very long ones are named by size: the text grows with the square of the length.
  if (words.size > 16) {
    message << "an integer of " << words.size * 64 << " bits";
  } else {
    message.PutResult(&BigIntWordsToDecimal, words);
  }
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void PutIntRange(MessageStream& message,
                                                            const IntRange* range) {
  if (range == &kDoubleRange) {
    message << "[-1.797e308, 1.797e308]";
  } else {
    message << '[' << range->min << ", " << range->max << ']';
  }
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
  MessageStream message;
  message << "int ";
  PutInteger(message, source);
  message << " outside ";
  PutIntRange(message, range);
  return message.Take();
}

using FTypeText = std::string (*)();
using FMismatchText = std::string (*)(const TVMFFIAny*);

/*! Throws for a value that `convert` says can't become the expected type. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowCannotConvert(
    const TVMFFIAny* source, const char* verb, FMismatchText mismatch, FTypeText type_str,
    const IntRange* range) {
  const bool treat = verb[0] == 't';
  const bool overflow = IsOutOfRange(source, range) && !(treat && range == &kDoubleRange);
  MessageStream message;
  message << "Cannot " << verb;
  if (overflow) {
    message << " integer ";
    PutInteger(message, source);
    message << " to `" << range->name << "`, expected a value in ";  // NOLINT(*): overflow needs it
    PutIntRange(message, range);
  } else {
    message << (treat ? " type `" : " from type `");
    message.PutResult(mismatch, source) << (treat ? "` as type `" : "` to `");
    message.PutResult(type_str) << '`';
  }
  ThrowError(overflow ? "OverflowError" : "TypeError", message);
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_ERROR_H_
