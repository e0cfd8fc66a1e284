// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/native_function.h
 * \brief Hooks that are either plain function addresses or Function objects.
 *
 * The address form is `TVMFFIAny (*)(Args...) noexcept`: the result is owned by the caller and is a
 * value, or an Error object when the call failed. No argument is packed.
 */
#ifndef TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_
#define TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/type_traits.h>

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

template <typename FType>
class NativeFunctionView;
template <typename FType>
class NativeFunction;

namespace detail {

/*! \brief The exception being handled, as an Error. Call it inside a catch block only. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline Error CurrentExceptionAsError() {
  try {
    throw;
  } catch (const Error& err) {
    return err;
  } catch (const std::exception& ex) {
    return Error("InternalError", ex.what(), std::string());
  } catch (...) {
    return Error("InternalError", "unknown C++ exception", std::string());
  }
}

/*! \brief An Error as an owned raw value. */
TVM_FFI_COLD_CODE inline TVMFFIAny ErrorToRawAny(Error err) {
  return AnyUnsafe::MoveAnyToTVMFFIAny(Any(std::move(err)));
}

/*! \brief Whether a parameter is passed the same way by all code of one platform. */
template <typename Arg>
inline constexpr bool is_native_param_v =
    std::is_lvalue_reference_v<Arg> ||
    (std::is_trivially_copyable_v<Arg> && std::is_standard_layout_v<Arg>);

/*! \brief The address form of an ordinary function `fn`. */
template <auto fn, typename R, typename... Args>
struct NativeThunk {
  static TVMFFIAny Call(Args... args) noexcept {
    using Result = std::decay_t<decltype(fn(std::forward<Args>(args)...))>;
    try {
      if constexpr (is_expected_v<Result>) {
        return ExpectedUnsafe::MoveToTVMFFIAny(fn(std::forward<Args>(args)...));
      } else if constexpr (std::is_void_v<Result>) {
        fn(std::forward<Args>(args)...);
        return AnyView(nullptr).CopyToTVMFFIAny();
      } else {
        return AnyUnsafe::MoveAnyToTVMFFIAny(Any(R(fn(std::forward<Args>(args)...))));
      }
    } catch (...) {
      return ErrorToRawAny(CurrentExceptionAsError());
    }
  }
};

/*! \brief Calls a hook that is a Function object; the result is owned, or an Error. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline TVMFFIAny CallHookFunction(TVMFFIObjectHandle function,
                                                                      const AnyView* args,
                                                                      int32_t num_args) noexcept {
  TVMFFIAny result = AnyView(nullptr).CopyToTVMFFIAny();
  const int code =
      TVMFFIFunctionCall(function, const_cast<TVMFFIAny*>(reinterpret_cast<const TVMFFIAny*>(args)),
                         num_args, &result);
  if (code == 0) return result;
  return ErrorToRawAny(MoveFromSafeCallRaised());
}

/*! \brief Turns the raw result of a hook into what it promises. */
template <typename R>
Expected<R> HookResult(TVMFFIAny raw) noexcept {
  Any value = AnyUnsafe::MoveTVMFFIAnyRawToAny(raw);
  if (raw.type_index == TypeIndex::kTVMFFIError) {
    return AnyUnsafe::MoveFromAnyAfterCheck<Error>(std::move(value));
  }
  if constexpr (std::is_void_v<R>) {
    if (value == nullptr) return Expected<void>();
  } else if constexpr (std::is_same_v<R, Any>) {
    return value;
  } else {
    if (AnyUnsafe::CheckAnyStrict<R>(value)) {
      return AnyUnsafe::MoveFromAnyAfterCheck<R>(std::move(value));
    }
    try {
      if (std::optional<R> converted = value.template try_cast<R>()) return *std::move(converted);
    } catch (...) {
      return CurrentExceptionAsError();
    }
  }
  return Error("TypeError", "Packed hook result type mismatch", std::string());
}

}  // namespace detail

/*!
 * \brief A borrowed hook of signature `R(Args...)`: a function address or a Function.
 *
 * It does not keep a Function alive. There is no empty view.
 */
template <typename R, typename... Args>
class NativeFunctionView<R(Args...)> {
  static_assert((detail::is_native_param_v<Args> && ...),
                "parameters are lvalue references or trivially copyable, standard-layout values");

 public:
  /*! \brief The address form of the hook. */
  using FNative = TVMFFIAny (*)(Args...);

  /*!
   * \brief A view of the function `fn`, which is an `R(Args...)` or an `Expected<R>(Args...)`.
   *        What it throws becomes the error of the call.
   */
  template <auto fn>
  static NativeFunctionView FromNative() {
    TVMFFIAny data = AnyView(nullptr).CopyToTVMFFIAny();
    data.type_index = TypeIndex::kTVMFFIOpaquePtr;
    data.v_ptr = reinterpret_cast<void*>(&detail::NativeThunk<fn, R, Args...>::Call);
    return NativeFunctionView(data);
  }
  /*! \brief A view of a function object, which must outlive it; ValueError when it is null. */
  NativeFunctionView(  // NOLINT(google-explicit-constructor)
      const TypedFunction<R(Args...)>& function)
      : NativeFunctionView(Checked(function.packed())) {}
  template <typename E, typename = std::enable_if_t<std::is_same_v<E, Expected<R>>>>
  NativeFunctionView(  // NOLINT(google-explicit-constructor)
      const TypedFunction<E(Args...)>& function)
      : NativeFunctionView(Checked(function.packed())) {}
  NativeFunctionView(TypedFunction<R(Args...)>&&) = delete;
  template <typename E, typename = std::enable_if_t<std::is_same_v<E, Expected<R>>>>
  NativeFunctionView(TypedFunction<E(Args...)>&&) = delete;

  /*! \brief Calls the hook; an error is returned. */
  Expected<R> CallExpected(Args... args) const noexcept {
    return detail::HookResult<R>(CallRaw(std::forward<Args>(args)...));
  }
  /*! \brief Calls the hook; an error is thrown. */
  R operator()(Args... args) const { return CallExpected(std::forward<Args>(args)...).value(); }
  /*! \brief Calls the hook; the result is owned by the caller, an Error object when it failed. */
  TVMFFIAny CallRaw(Args... args) const noexcept {
    if (TVM_FFI_PREDICT_TRUE(data_.type_index == TypeIndex::kTVMFFIOpaquePtr)) {
      return reinterpret_cast<FNative>(data_.v_ptr)(std::forward<Args>(args)...);
    }
    try {
      const AnyView packed[sizeof...(Args) + 1] = {AnyView(args)..., AnyView()};
      return detail::CallHookFunction(data_.v_obj, packed, static_cast<int32_t>(sizeof...(Args)));
    } catch (...) {
      return detail::ErrorToRawAny(detail::CurrentExceptionAsError());
    }
  }

 private:
  friend struct TypeTraits<NativeFunctionView<R(Args...)>>;
  friend class NativeFunction<R(Args...)>;

  explicit NativeFunctionView(TVMFFIAny data) : data_(data) {}
  static TVMFFIAny Checked(const Function& function) {
    TVM_FFI_CHECK(function != nullptr, ValueError) << "a hook can't be a null function";
    return AnyView(function).CopyToTVMFFIAny();
  }

  TVMFFIAny data_;
};

/*! \brief A hook that keeps its Function alive. */
template <typename R, typename... Args>
class NativeFunction<R(Args...)> {
 public:
  using View = NativeFunctionView<R(Args...)>;

  /*! \brief The hook of a view. */
  static NativeFunction From(View view) {
    return NativeFunction(Any(AnyView::CopyFromTVMFFIAny(view.data_)));
  }
  template <auto fn>
  static NativeFunction FromNative() {
    return From(View::template FromNative<fn>());
  }
  /*! \brief Takes a function object over; ValueError when it is null. */
  NativeFunction(const TypedFunction<R(Args...)>& function)  // NOLINT(google-explicit-constructor)
      : NativeFunction(From(View(function))) {}

  View view() const { return View(*detail::AnyUnsafe::TVMFFIAnyPtrFromAny(data_)); }
  operator View() const { return view(); }  // NOLINT(google-explicit-constructor)
  Expected<R> CallExpected(Args... args) const noexcept {
    return view().CallExpected(std::forward<Args>(args)...);
  }
  R operator()(Args... args) const { return view()(std::forward<Args>(args)...); }

 private:
  friend struct TypeTraits<NativeFunction<R(Args...)>>;
  explicit NativeFunction(Any data) : data_(std::move(data)) {}
  Any data_;
};

/// \cond Doxygen_Suppress
namespace detail {

inline bool IsHook(const TVMFFIAny* src) {
  return (src->type_index == TypeIndex::kTVMFFIOpaquePtr && src->v_ptr != nullptr) ||
         src->type_index == TypeIndex::kTVMFFIFunction;
}

template <typename FType>
struct HookTypeTraits : public TypeTraitsBase {
  static bool CheckAnyStrict(const TVMFFIAny* src) { return IsHook(src); }
  static std::string TypeStr() {
    return "Variant<" + TypeTraits<void*>::TypeStr() + ", " + FunctionInfo<FType>::Sig() + ">";
  }
  static std::string TypeSchema() {
    return "{\"type\":\"Variant\",\"args\":[" + TypeTraits<void*>::TypeSchema() + "," +
           FunctionInfo<FType>::TypeSchema() + "]}";
  }
};

}  // namespace detail

template <typename R, typename... Args>
struct TypeTraits<NativeFunctionView<R(Args...)>> : public detail::HookTypeTraits<R(Args...)> {
  using Self = NativeFunctionView<R(Args...)>;

  static void CopyToAnyView(const Self& src, TVMFFIAny* result) { *result = src.data_; }
  static void MoveToAny(Self src, TVMFFIAny* result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(AnyView::CopyFromTVMFFIAny(src.data_)));
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny* src) { return Self(*src); }
  // The view borrows, so the value keeps its reference.
  static Self MoveFromAnyAfterCheck(TVMFFIAny* src) { return Self(*src); }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* src) {
    if (!detail::IsHook(src)) return std::nullopt;
    return Self(*src);
  }
};

template <typename R, typename... Args>
struct TypeTraits<NativeFunction<R(Args...)>> : public detail::HookTypeTraits<R(Args...)> {
  using Self = NativeFunction<R(Args...)>;

  static void CopyToAnyView(const Self& src, TVMFFIAny* result) {
    *result = *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(src.data_);
  }
  static void MoveToAny(Self src, TVMFFIAny* result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return Self(Any(AnyView::CopyFromTVMFFIAny(*src)));
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return Self(detail::AnyUnsafe::MoveTVMFFIAnyToAny(src));
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* src) {
    if (!detail::IsHook(src)) return std::nullopt;
    return CopyFromAnyViewAfterCheck(src);
  }
};
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_
