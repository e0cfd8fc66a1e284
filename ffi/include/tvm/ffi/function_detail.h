// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/function_detail.h
 *  What a callable takes and returns, and how packed arguments are handed to it.
 *
 *  Templates here hold no text code: a signature is a constant table of per-type text functions,
 * and the ordinary functions of this file render it when an error or metadata asks for it.
 */
#ifndef TVM_FFI_FUNCTION_DETAIL_H_
#define TVM_FFI_FUNCTION_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/error.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

/*! Renders a signature such as `(0: int, 1: str) -> float`. */
using FGetFuncSignature = std::string (*)();

template <typename T>
using RemoveCVRef = std::remove_cv_t<std::remove_reference_t<T>>;

template <typename T>
inline constexpr bool is_any_type_v = std::is_same_v<T, Any> || std::is_same_v<T, AnyView>;

/*! Parameters are taken by value, const reference or rvalue reference. */
template <typename T>
inline constexpr bool ArgSupported =
    (is_any_type_v<RemoveCVRef<T>> || TypeTraitsNoCR<T>::convert_enabled) &&
    !(std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>);

template <typename T>
inline constexpr bool RetSupported =
    std::is_void_v<T> || is_any_type_v<RemoveCVRef<T>> || TypeTraitsNoCR<T>::convert_enabled;

/*! Texts of one type in a signature. */
struct TypeText {
  FTypeText name;
  FTypeText schema;
};

template <typename T>
inline constexpr TypeText kTypeText = {&Type2Str<RemoveCVRef<T>>::v,
                                       &TypeSchema<RemoveCVRef<T>>::v};

/*! `texts[0]` is the result, `num_args` parameters follow. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void PutSignature(MessageStream& message,
                                                             const TypeText* const* texts,
                                                             size_t num_args) {
  message << '(';
  for (size_t i = 0; i < num_args; ++i) {
    if (i != 0) message << ", ";
    message << i << ": ";
    message.PutResult(texts[i + 1]->name);
  }
  message << ") -> ";
  message.PutResult(texts[0]->name);
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string RenderSignature(const TypeText* const* texts,
                                                                       size_t num_args) {
  MessageStream message;
  PutSignature(message, texts, num_args);
  return message.Take();
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string RenderFunctionSchema(
    const TypeText* const* texts, size_t num_args) {
  std::string result = R"({"type":"ffi.Function","named_args":{"return":[)";
  result += texts[0]->schema();
  result += R"(],"params":[)";
  for (size_t i = 0; i < num_args; ++i) {
    if (i != 0) result += ',';
    result += texts[i + 1]->schema();
  }
  result += "]}}";
  return result;
}

/*! Everything about the signature `R(Args...)`. */
template <typename R, typename... Args>
struct FuncFunctorImpl {
  using FType = R(Args...);
  using ArgType = std::tuple<Args...>;
  using RetType = R;
  static constexpr size_t num_args = sizeof...(Args);
  static constexpr bool unpacked_supported = (ArgSupported<Args> && ...) && RetSupported<R>;
  static constexpr const TypeText* texts[sizeof...(Args) + 1] = {&kTypeText<R>,
                                                                 &kTypeText<Args>...};

  TVM_FFI_COLD_CODE static std::string Sig() { return RenderSignature(texts, num_args); }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    return RenderFunctionSchema(texts, num_args);
  }
};

template <typename R, typename... Args>
constexpr const TypeText* FuncFunctorImpl<R, Args...>::texts[sizeof...(Args) + 1];

/*! Drops the class of `operator()`. */
template <typename F>
struct FunctionInfoHelper;
template <typename T, typename R, typename... Args>
struct FunctionInfoHelper<R (T::*)(Args...)> : FuncFunctorImpl<R, Args...> {};
template <typename T, typename R, typename... Args>
struct FunctionInfoHelper<R (T::*)(Args...) const> : FuncFunctorImpl<R, Args...> {};
template <typename T, typename R, typename... Args>
struct FunctionInfoHelper<R (T::*)(Args...) noexcept> : FuncFunctorImpl<R, Args...> {};
template <typename T, typename R, typename... Args>
struct FunctionInfoHelper<R (T::*)(Args...) const noexcept> : FuncFunctorImpl<R, Args...> {};

/*! Signature of a callable type. */
template <typename F, typename = void>
struct FunctionInfo;

template <typename F>
struct FunctionInfo<F, std::void_t<decltype(&F::operator())>>
    : FunctionInfoHelper<decltype(&F::operator())> {};
template <typename R, typename... Args>
struct FunctionInfo<R(Args...), void> : FuncFunctorImpl<R, Args...> {};
template <typename R, typename... Args>
struct FunctionInfo<R(Args...) noexcept, void> : FuncFunctorImpl<R, Args...> {};
template <typename R, typename... Args>
struct FunctionInfo<R (*)(Args...), void> : FuncFunctorImpl<R, Args...> {};
template <typename R, typename... Args>
struct FunctionInfo<R (*)(Args...) noexcept, void> : FuncFunctorImpl<R, Args...> {};
template <typename F>
struct FunctionInfo<F&, std::enable_if_t<!std::is_lvalue_reference_v<F>>>
    : FunctionInfo<std::remove_cv_t<F>> {};

// Methods: the object is the first parameter, a pointer for Object types and the reference itself
// else.
template <typename Class, typename SelfPtr, typename R, typename... Args>
using MethodInfo =
    std::conditional_t<std::is_base_of_v<ObjectRef, RemoveCVRef<Class>>,
                       FuncFunctorImpl<R, Class, Args...>, FuncFunctorImpl<R, SelfPtr, Args...>>;
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...), std::enable_if_t<std::is_base_of_v<Object, C>>>
    : FuncFunctorImpl<R, C*, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...) const, std::enable_if_t<std::is_base_of_v<Object, C>>>
    : FuncFunctorImpl<R, const C*, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...) noexcept, std::enable_if_t<std::is_base_of_v<Object, C>>>
    : FuncFunctorImpl<R, C*, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...) const noexcept,
                    std::enable_if_t<std::is_base_of_v<Object, C>>>
    : FuncFunctorImpl<R, const C*, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...), std::enable_if_t<std::is_base_of_v<ObjectRef, C>>>
    : FuncFunctorImpl<R, C, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...) const, std::enable_if_t<std::is_base_of_v<ObjectRef, C>>>
    : FuncFunctorImpl<R, const C, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...) noexcept, std::enable_if_t<std::is_base_of_v<ObjectRef, C>>>
    : FuncFunctorImpl<R, C, Args...> {};
template <typename C, typename R, typename... Args>
struct FunctionInfo<R (C::*)(Args...) const noexcept,
                    std::enable_if_t<std::is_base_of_v<ObjectRef, C>>>
    : FuncFunctorImpl<R, const C, Args...> {};

// Failed calls

/*! Which call is being unpacked; used in messages only. */
struct CallSite {
  const char* name;  // NULL for unnamed functions
  const TypeText* const* texts;
  size_t num_args;

  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void Put(MessageStream& message) const {
    message << " `";
    if (name != nullptr) message << name;
    PutSignature(message, texts, num_args);
    message << "`. Expected ";
  }
};

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowArityMismatch(
    const CallSite& site, int32_t num_args) {
  MessageStream message;
  message << "Mismatched number of arguments when calling:";
  site.Put(message);
  message << site.num_args << " but got " << num_args << " arguments";
  ThrowError("TypeError", message);
}

/*! Index of the result, where those of arguments are told. */
inline constexpr size_t kResultIndex = static_cast<size_t>(-1);

/*! `index` says which argument, or that it is the result, of the call did not convert. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowValueMismatch(
    const CallSite& site, size_t index, const TVMFFIAny* source, FMismatchText mismatch,
    FTypeText type_str, const IntRange* range) {
  const bool overflow = IsOutOfRange(source, range);
  MessageStream message;
  message << (overflow ? "Integer out of range on " : "Mismatched type on ");
  if (index == kResultIndex) {
    message << "the result of the callback";
  } else {
    message << "argument #" << index << " when calling:";
  }
  site.Put(message);
  message << '`';
  if (overflow) {
    message << range->name << "` in ";
    PutIntRange(message, range);
    message << " but got `";
    PutInteger(message, source);
  } else {
    message.PutResult(type_str) << "` but got `";
    message.PutResult(mismatch, source);
  }
  message << '`';
  ThrowError(overflow ? "OverflowError" : "TypeError", message);
}

// The conversions live in class templates, so that backtraces drop them (see error.h).
template <typename T>
struct ValueConverter {
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static void Throw(const CallSite& site,
                                                                     size_t index,
                                                                     const TVMFFIAny* source) {
    ThrowValueMismatch(site, index, source, &TypeTraits<T>::GetMismatchTypeInfo, &Type2Str<T>::v,
                       IntRangeOf<T>::value);
  }
};

/*! \brief Argument `index` of a call, converted when the callee asks for it. */
template <typename Type>
class ArgValueWithContext {
 public:
  using TypeWithoutCR = RemoveCVRef<Type>;

  TVM_FFI_INLINE ArgValueWithContext(const AnyView* args, size_t index, const CallSite& site)
      : args_(args), index_(index), site_(site) {}

  TVM_FFI_INLINE operator TypeWithoutCR() {  // NOLINT(*)
    if constexpr (std::is_same_v<TypeWithoutCR, AnyView>) {
      return args_[index_];
    } else if constexpr (std::is_same_v<TypeWithoutCR, Any>) {
      return Any(args_[index_]);
    } else {
      const TVMFFIAny* source = AnyUnsafe::TVMFFIAnyPtrFromAnyView(args_[index_]);
      std::optional<TypeWithoutCR> value = TypeTraits<TypeWithoutCR>::TryCastFromAnyView(source);
      if (TVM_FFI_PREDICT_FALSE(!value.has_value())) {
        ValueConverter<TypeWithoutCR>::Throw(site_, index_, source);
      }
      return *std::move(value);
    }
  }

 private:
  const AnyView* args_;
  size_t index_;
  const CallSite& site_;
};

/*!
 * A call that is made when it is constructed. Braces evaluate their operands from left to right,
 * so the first wrong argument is the one reported; the order of a call's own is the compiler's.
 */
template <typename FType>
struct OrderedCall;
template <typename R, typename... Args>
struct OrderedCall<R(Args...)> {
  template <typename F>
  TVM_FFI_INLINE OrderedCall(F& f, [[maybe_unused]] Any* rv, RemoveCVRef<Args>&&... args) {
    if constexpr (std::is_void_v<R>) {
      f(static_cast<Args&&>(args)...);
    } else {
      *rv = R(f(static_cast<Args&&>(args)...));
    }
  }
};

/*! Calls `f` with converted arguments and stores its result. */
template <typename Info, typename F, std::size_t... Is>
TVM_FFI_INLINE void UnpackCall(std::index_sequence<Is...>, const char* name, F&& f,
                               [[maybe_unused]] const AnyView* args, int32_t num_args,
                               [[maybe_unused]] Any* rv) {
  using ArgTuple = typename Info::ArgType;
  static_assert(Info::unpacked_supported,
                "parameters must be values, const T& or T&&, and all types convertible");
  const CallSite site = {name, Info::texts, Info::num_args};
  if (TVM_FFI_PREDICT_FALSE(num_args != static_cast<int32_t>(Info::num_args))) {
    ThrowArityMismatch(site, num_args);
  }
  OrderedCall<typename Info::FType>{
      f, rv, ArgValueWithContext<std::tuple_element_t<Is, ArgTuple>>(args, Is, site)...};
}

/*! The same with the name as a string, NULL when unnamed. */
template <typename R, std::size_t... Is, typename F>
TVM_FFI_INLINE void unpack_call(std::index_sequence<Is...> indices,
                                const std::string* optional_name, const F& f, const AnyView* args,
                                int32_t num_args, Any* rv) {
  static_assert(std::is_same_v<R, typename FunctionInfo<F>::RetType>);
  UnpackCall<FunctionInfo<F>>(indices, optional_name == nullptr ? nullptr : optional_name->c_str(),
                              f, args, num_args, rv);
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_FUNCTION_DETAIL_H_
