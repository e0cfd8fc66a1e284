// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/function.h
 *  Function and TypedFunction: callables of any language, and the macros that export C++ ones.
 */
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function_detail.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/*! 1 (before the first include): exported functions also export their signature and documentation.
 */
#ifndef TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 0
#endif

namespace tvm {
namespace ffi {

/*! Surround the body of an `int` function called from C: an exception becomes this thread's error
 * and -1. */
#define TVM_FFI_SAFE_CALL_BEGIN() \
  try {                           \
  (void)0
#define TVM_FFI_SAFE_CALL_END()                                 \
  return 0;                                                     \
  }                                                             \
  catch (...) {                                                 \
    return ::tvm::ffi::detail::SetRaisedFromCurrentException(); \
  }                                                             \
  TVM_FFI_UNREACHABLE()

/*! Throws this thread's error when a C function failed. */
#define TVM_FFI_CHECK_SAFE_CALL(func)            \
  do {                                           \
    if (TVM_FFI_PREDICT_FALSE((func) != 0)) {    \
      ::tvm::ffi::detail::ThrowSafeCallRaised(); \
    }                                            \
  } while (0)

/*! \brief Object behind a Function. */
class FunctionObj : public Object, public TVMFFIFunctionCell {
 public:
  /*! \brief C++ entry; may throw. */
  using FCall = void (*)(const FunctionObj*, const AnyView*, int32_t, Any*);

  /*! \brief Calls the function; a failure is thrown as Error. `result` must hold no object. */
  TVM_FFI_INLINE void CallPacked(const AnyView* args, int32_t num_args, Any* result) const {
    if (cpp_call != nullptr) {
      reinterpret_cast<FCall>(cpp_call)(this, args, num_args, result);
    } else {
      if (TVM_FFI_PREDICT_FALSE(safe_call(detail::ObjectUnsafe::GetHeader(this),
                                          reinterpret_cast<const TVMFFIAny*>(args), num_args,
                                          reinterpret_cast<TVMFFIAny*>(result)) != 0)) {
        detail::ThrowSafeCallRaised();
      }
    }
  }

  static constexpr int32_t _type_index = TypeIndex::kTVMFFIFunction;
  static constexpr bool _type_final = true;
  static constexpr uint32_t _type_child_slots = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIFunction, FunctionObj, Object);

 protected:
  FunctionObj() {
    safe_call = nullptr;
    cpp_call = nullptr;
  }
  friend class Function;
};

/*! \brief Arguments of a packed call; a view. */
class PackedArgs {
 public:
  PackedArgs(const AnyView* data, int32_t size) : data_(data), size_(size) {}
  int size() const { return size_; }
  const AnyView* data() const { return data_; }
  /*! \brief The arguments [begin, end); `end` -1 means up to the last one. */
  PackedArgs Slice(int begin, int end = -1) const {
    return PackedArgs(data_ + begin, (end == -1 ? size_ : end) - begin);
  }
  AnyView operator[](int i) const { return data_[i]; }
  /*! \brief Writes a view of each argument to `data`. */
  template <typename... Args>
  TVM_FFI_INLINE static void Fill(AnyView* data, Args&&... args) {
    [[maybe_unused]] AnyView* out = data;
    ((*out++ = AnyView(std::forward<Args>(args))), ...);
  }

 private:
  const AnyView* data_;
  int32_t size_;
};

namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowNullCall() {
  ThrowError("RuntimeError", "a null Function was called");
}

/*! Fails a call whose result slot holds an object; that object stays the caller's. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int FailResultSlotInUse() {
  TVMFFIErrorSetRaisedFromCStr("InternalError",
                               "the result slot of a call must not hold an object");
  return -1;
}

/*! C entry of every function made in C++: calls cpp_call and turns exceptions into errors. */
inline int FunctionSafeCall(void* self, const TVMFFIAny* args, int32_t num_args,
                            TVMFFIAny* result) {
  if (TVM_FFI_PREDICT_FALSE(result->type_index >= TypeIndex::kTVMFFIStaticObjectBegin)) {
    return FailResultSlotInUse();
  }
  try {
    const FunctionObj* func = static_cast<const FunctionObj*>(static_cast<Object*>(self));
    reinterpret_cast<FunctionObj::FCall>(func->cpp_call)(
        func, reinterpret_cast<const AnyView*>(args), num_args, reinterpret_cast<Any*>(result));
    return 0;
  } catch (const Error& error) {
    // Caught by its type, because SetRaisedFromCurrentException has to throw once more to find it.
    reinterpret_cast<Any*>(result)->reset();
    return SetRaised(error);
  } catch (...) {
    // A packed callable may have written a result before it failed; the caller does not look for
    // one.
    reinterpret_cast<Any*>(result)->reset();
    return SetRaisedFromCurrentException();
  }
}

/*! Whether `F` takes `(const AnyView*, int32_t, Any*)`. */
template <typename F>
inline constexpr bool is_packed_raw_v = std::is_invocable_v<F&, const AnyView*, int32_t, Any*>;
/*! Whether `F` takes `(PackedArgs, Any*)`. */
template <typename F>
inline constexpr bool is_packed_args_v = std::is_invocable_v<F&, PackedArgs, Any*>;

/*! Function object that keeps a packed callable. */
template <typename TCallable>
class FunctionObjImpl : public FunctionObj {
 public:
  template <typename... Args>
  explicit FunctionObjImpl(Args&&... args) : callable_(std::forward<Args>(args)...) {
    safe_call = &FunctionSafeCall;
    cpp_call = reinterpret_cast<void*>(&Call);
  }
  TCallable* callable() { return &callable_; }

 private:
  static void Call(const FunctionObj* func, const AnyView* args, int32_t num_args, Any* result) {
    TCallable& callable = static_cast<const FunctionObjImpl*>(func)->callable_;
    if constexpr (is_packed_raw_v<TCallable>) {
      callable(args, num_args, result);
    } else {
      callable(PackedArgs(args, num_args), result);
    }
  }

  // Callables with state that changes are allowed.
  mutable TCallable callable_;
};

/*! Packed form of a typed callable. */
template <typename F>
class TypedCallable {
 public:
  TypedCallable(F f, std::string name) : f_(std::move(f)), name_(std::move(name)) {}
  TVM_FFI_INLINE void operator()(const AnyView* args, int32_t num_args, Any* result) {
    using Info = FunctionInfo<F>;
    UnpackCall<Info>(std::make_index_sequence<Info::num_args>(), name_.c_str(), f_, args, num_args,
                     result);
  }

 private:
  F f_;
  std::string name_;
};

/*! Registrations keep a stateless lambda as a function pointer: one piece of code then serves a
 * whole signature. */
template <typename F, typename = void>
struct StoredCallable {
  using type = F;
};
template <typename F>
struct StoredCallable<
    F, std::enable_if_t<std::is_class_v<F> && std::is_empty_v<F> &&
                        std::is_convertible_v<F, typename FunctionInfo<F>::FType*>>> {
  using type = typename FunctionInfo<F>::FType*;
};

/*! Function object of a callable of up to two words without a destructor, such as a function or
 * method pointer. No template: all of them are made and freed by the same code. The name follows.
 */
class SmallFunctionObj : public FunctionObj {
 public:
  const char* name() const { return reinterpret_cast<const char*>(this + 1); }
  void* callable() const { return const_cast<unsigned char*>(callable_); }

 private:
  SmallFunctionObj() = default;
  friend struct SmallCallable;
  template <typename>
  friend class ObjAllocatorBase;
  friend class SimpleObjAllocator;

  alignas(void*) unsigned char callable_[2 * sizeof(void*)];
};

template <typename F>
inline constexpr bool is_small_callable_v =
    std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F> &&
    sizeof(F) <= 2 * sizeof(void*) && alignof(F) <= alignof(void*);

/*! Where such a callable is, and how it is called. */
struct SmallCallable {
  FunctionObj::FCall call = nullptr;
  const void* data = nullptr;
  size_t size = 0;

  template <typename F>
  TVM_FFI_INLINE static SmallCallable Of(const F& f) {
    static_assert(is_small_callable_v<F>);
    return {&Call<F>, &f, sizeof(F)};
  }
  /*! \brief A function of that callable. Its name in messages is `<owner>.<name>`, or `name` when
   * `owner` is NULL. */
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE ObjectPtr<FunctionObj> Make(const char* owner,
                                                                  std::string_view name) const {
    const size_t owner_size = owner == nullptr ? 0 : std::strlen(owner);
    auto obj = make_inplace_array_object<SmallFunctionObj, char>(owner_size + name.size() + 2);
    obj->safe_call = &FunctionSafeCall;
    obj->cpp_call = reinterpret_cast<void*>(call);
    std::memcpy(obj->callable_, data, size);
    char* text = const_cast<char*>(obj->name());
    if (owner != nullptr) {
      std::memcpy(text, owner, owner_size);
      text += owner_size;
      *text++ = '.';
    }
    std::memcpy(text, name.data(), name.size());
    text[name.size()] = '\0';
    return obj;
  }

 private:
  template <typename F>
  static void Call(const FunctionObj* func, const AnyView* args, int32_t num_args, Any* result) {
    using Info = FunctionInfo<F>;
    const auto* self = static_cast<const SmallFunctionObj*>(func);
    UnpackCall<Info>(std::make_index_sequence<Info::num_args>(), self->name(),
                     *static_cast<F*>(self->callable()), args, num_args, result);
  }
};

/*! Whether `F` can be called as `R(Args...)`. */
template <typename F, typename R, typename... Args>
inline constexpr bool is_typed_callable_v =
    std::is_invocable_r_v<R, F&, Args...> && !std::is_base_of_v<ObjectRef, F>;

/*! Whether `F` has one signature of its own. */
template <typename F, typename = void>
inline constexpr bool has_signature_v = false;
template <typename F>
inline constexpr bool has_signature_v<F, std::void_t<typename FunctionInfo<F>::RetType>> = true;

/*! Whether its types all convert as well. */
template <typename F, typename = void>
inline constexpr bool has_supported_signature_v = false;
template <typename F>
inline constexpr bool has_supported_signature_v<
    F, std::void_t<std::enable_if_t<FunctionInfo<F>::unpacked_supported>>> = true;

/*! Gives a callable the signature `R(Args...)`. */
template <typename F, typename R, typename... Args>
struct SignatureAdapter {
  F f;
  R operator()(Args... args) { return f(std::forward<Args>(args)...); }
};

// Arguments whose view owns something, or can't be made: they are held as an owned value during the
// call.
template <typename T, typename = void>
inline constexpr bool argument_needs_owner_v =
    std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) == sizeof(uint64_t);
template <typename T>
inline constexpr bool argument_needs_owner_v<T, std::enable_if_t<TypeTraits<T>::view_needs_owner>> =
    true;

template <typename T>
TVM_FFI_INLINE decltype(auto) HoldArgument(const T& arg) {
  if constexpr (argument_needs_owner_v<T>) {
    return Any(arg);
  } else {
    return (arg);
  }
}

/*! Text that a C string would cut is held as a String. */
TVM_FFI_INLINE Any HoldArgument(const std::string& arg) {
  TVMFFIAny view;
  if (TVM_FFI_PREDICT_FALSE(std::memchr(arg.data(), 0, arg.size()) != nullptr)) {
    return Any(String(arg));
  }
  TypeTraits<std::string>::CopyToAnyView(arg, &view);
  // Not owned: index kTVMFFIRawStr is below the object range, so the Any releases nothing.
  return AnyUnsafe::MoveTVMFFIAnyRawToAny(view);
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowNoGlobal(std::string_view name) {
  MessageStream message;
  message << "Function " << name << " not found";
  ThrowError("ValueError", message);
}

/*! Whether `T` converts from a value; used for results. */
template <typename T>
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE Error MakeResultMismatch(const Any& value) {
  return Error("TypeError",
               JoinText({"CallExpected: result type mismatch, expected ", Type2Str<T>::v(),
                         ", but got ", value.GetTypeKey()}),
               TVMFFIBacktrace(nullptr, 0, nullptr, 0));
}

}  // namespace detail

/*! \brief A callable of any language. May be null. */
class Function : public ObjectRef {
 public:
  Function() = default;
  Function(std::nullptr_t) {}  // NOLINT(*)
  explicit Function(ObjectPtr<FunctionObj> n) : ObjectRef(ObjectPtr<Object>(std::move(n))) {}
  explicit Function(UnsafeInit tag) : ObjectRef(tag) {}
  /*! \brief From a packed callable, as FromPacked. */
  template <typename TCallable,
            typename = std::enable_if_t<(detail::is_packed_raw_v<std::decay_t<TCallable>> ||
                                         detail::is_packed_args_v<std::decay_t<TCallable>>) &&
                                        !std::is_base_of_v<ObjectRef, std::decay_t<TCallable>>>>
  explicit Function(TCallable&& packed_call)
      : Function(FromPacked(std::forward<TCallable>(packed_call))) {}
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Function);

  /*! \brief From a callable `(const AnyView* args, int32_t num_args, Any* rv)` or `(PackedArgs,
   * Any*)`. */
  template <typename TCallable>
  static Function FromPacked(TCallable&& packed_call) {
    using F = std::decay_t<TCallable>;
    static_assert(detail::is_packed_raw_v<F> || detail::is_packed_args_v<F>,
                  "a packed callable takes (const AnyView*, int32_t, Any*) or (PackedArgs, Any*)");
    return Function(ObjectPtr<FunctionObj>(
        make_object<detail::FunctionObjImpl<F>>(std::forward<TCallable>(packed_call))));
  }
  /*! \brief Makes the packed callable inside the function object; also returns its address. */
  template <typename TCallable, typename... Args>
  static std::tuple<Function, TCallable*> FromPackedInplace(Args&&... args) {
    auto obj = make_object<detail::FunctionObjImpl<TCallable>>(std::forward<Args>(args)...);
    TCallable* callable = obj->callable();
    return {Function(ObjectPtr<FunctionObj>(std::move(obj))), callable};
  }
  /*! \brief From a callable with typed parameters, which are converted and checked; `name` is for
   * messages. */
  template <typename TCallable>
  static Function FromTyped(TCallable&& callable, std::string name = std::string()) {
    static_assert(
        detail::has_signature_v<std::decay_t<TCallable>>,
        "FromTyped takes a callable with exactly one signature; generic lambdas have none");
    // Not as a function pointer, as registrations keep lambdas: the call then is direct.
    using F = std::decay_t<TCallable>;
    if constexpr (detail::is_small_callable_v<F>) {
      const F stored(std::forward<TCallable>(callable));
      return Function(detail::SmallCallable::Of(stored).Make(nullptr, name));
    } else {
      using Impl = detail::FunctionObjImpl<detail::TypedCallable<F>>;
      return Function(ObjectPtr<FunctionObj>(
          make_object<Impl>(F(std::forward<TCallable>(callable)), std::move(name))));
    }
  }
  /*! \brief From a C function; `deleter` (may be NULL) runs with `self` when the function dies. */
  static Function FromExternC(void* self, TVMFFISafeCallType safe_call,
                              void (*deleter)(void* self)) {
    TVMFFIObjectHandle handle;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(self, safe_call, deleter, &handle));
    return FromOwned(handle);
  }

  /*! \brief The global function of that name, nothing when there is none. */
  // Templates, so that std::optional<Function> is compiled where it is used.
  template <typename F = Function>
  static std::optional<F> GetGlobal(std::string_view name) {
    TVMFFIByteArray name_bytes = {name.data(), name.size()};
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionGetGlobal(&name_bytes, &handle));
    if (handle == nullptr) return std::nullopt;
    return FromOwned(handle);
  }
  template <typename F = Function>
  static std::optional<F> GetGlobal(const std::string& name) {
    return GetGlobal(std::string_view(name));
  }
  template <typename F = Function>
  static std::optional<F> GetGlobal(const String& name) {
    return GetGlobal(std::string_view(name.data(), name.size()));
  }
  template <typename F = Function>
  static std::optional<F> GetGlobal(const char* name) {
    return GetGlobal(std::string_view(name));
  }
  /*! \brief The same; a missing function is ValueError. */
  static Function GetGlobalRequired(std::string_view name) {
    TVMFFIByteArray name_bytes = {name.data(), name.size()};
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionGetGlobal(&name_bytes, &handle));
    if (handle == nullptr) detail::ThrowNoGlobal(name);
    return FromOwned(handle);
  }
  static Function GetGlobalRequired(const std::string& name) {
    return GetGlobalRequired(std::string_view(name));
  }
  static Function GetGlobalRequired(const String& name) {
    return GetGlobalRequired(std::string_view(name.data(), name.size()));
  }
  static Function GetGlobalRequired(const char* name) {
    return GetGlobalRequired(std::string_view(name));
  }
  /*! \brief Registers a global function; a taken name is RuntimeError unless `override`. */
  static void SetGlobal(std::string_view name, Function func, bool override = false) {
    TVMFFIByteArray name_bytes = {name.data(), name.size()};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobal(
        &name_bytes, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(func), override));
  }
  static std::vector<String> ListGlobalNames() {
    Function names = GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().cast<Function>();
    const int64_t count = names(-1).cast<int64_t>();
    std::vector<String> result;
    result.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) result.push_back(names(i).cast<String>());
    return result;
  }
  static void RemoveGlobal(const String& name) {
    GetGlobalRequired("ffi.FunctionRemoveGlobal")(name);
  }

  /*! \brief Calls a C function with C++ arguments; throws its error. */
  template <typename... Args>
  TVM_FFI_INLINE static Any InvokeExternC(void* handle, TVMFFISafeCallType safe_call,
                                          Args&&... args) {
    return InvokeHeld(handle, safe_call, detail::HoldArgument(args)...);
  }

  /*! \brief Calls the function; its error is thrown. */
  template <typename... Args>
  TVM_FFI_INLINE Any operator()(Args&&... args) const {
    return CallHeld(detail::HoldArgument(args)...);
  }
  TVM_FFI_INLINE void CallPacked(const AnyView* args, int32_t num_args, Any* result) const {
    NotNull()->CallPacked(args, num_args, result);
  }
  TVM_FFI_INLINE void CallPacked(PackedArgs args, Any* result) const {
    NotNull()->CallPacked(args.data(), args.size(), result);
  }
  /*! \brief Calls the function and returns its error as a value, also when it is no `T` that came
   * back. */
  template <typename T = Any, typename... Args>
  TVM_FFI_INLINE Expected<T> CallExpected(Args&&... args) const {
    return CallExpectedHeld<T>(detail::HoldArgument(args)...);
  }

  TVM_FFI_INLINE bool operator==(std::nullptr_t) const { return data_ == nullptr; }
  TVM_FFI_INLINE bool operator!=(std::nullptr_t) const { return data_ != nullptr; }

  using ContainerType = FunctionObj;
  static constexpr bool _type_is_nullable = true;
  const FunctionObj* get() const { return static_cast<const FunctionObj*>(data_.get()); }
  const FunctionObj* operator->() const { return get(); }

 private:
  static Function FromOwned(TVMFFIObjectHandle handle) {
    return Function(
        detail::ObjectUnsafe::ObjectPtrFromOwned<FunctionObj>(static_cast<TVMFFIObject*>(handle)));
  }
  TVM_FFI_INLINE const FunctionObj* NotNull() const {
    if (TVM_FFI_PREDICT_FALSE(data_ == nullptr)) detail::ThrowNullCall();
    return get();
  }
  template <typename... Held>
  TVM_FFI_INLINE Any CallHeld(const Held&... held) const {
    // One more than needed: an array can't be empty.
    const AnyView args[sizeof...(Held) + 1] = {AnyView(held)..., AnyView()};
    Any result;
    NotNull()->CallPacked(args, static_cast<int32_t>(sizeof...(Held)), &result);
    return result;
  }
  template <typename... Held>
  TVM_FFI_INLINE static Any InvokeHeld(void* handle, TVMFFISafeCallType safe_call,
                                       const Held&... held) {
    const AnyView args[sizeof...(Held) + 1] = {AnyView(held)..., AnyView()};
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(safe_call(handle, reinterpret_cast<const TVMFFIAny*>(args),
                                      static_cast<int32_t>(sizeof...(Held)),
                                      reinterpret_cast<TVMFFIAny*>(&result)));
    return result;
  }
  template <typename T, typename... Held>
  TVM_FFI_INLINE Expected<T> CallExpectedHeld(const Held&... held) const {
    const AnyView args[sizeof...(Held) + 1] = {AnyView(held)..., AnyView()};
    const FunctionObj* func = NotNull();
    Any result;
    int code = func->safe_call(
        detail::ObjectUnsafe::GetHeader(func), reinterpret_cast<const TVMFFIAny*>(args),
        static_cast<int32_t>(sizeof...(Held)), reinterpret_cast<TVMFFIAny*>(&result));
    if (TVM_FFI_PREDICT_FALSE(code != 0)) return detail::MoveFromSafeCallRaised();
    return ResultAsExpected<T>(std::move(result));
  }
  template <typename T>
  TVM_FFI_INLINE static Expected<T> ResultAsExpected(Any result) {
    if (result.type_index() == TypeIndex::kTVMFFIError) {
      return detail::AnyUnsafe::MoveFromAnyAfterCheck<Error>(std::move(result));
    }
    if constexpr (std::is_void_v<T>) {
      if (TVM_FFI_PREDICT_TRUE(result == nullptr)) return Expected<void>();
    } else if constexpr (std::is_same_v<T, Any>) {
      return detail::ExpectedUnsafe::FromAny<Any>(std::move(result));
    } else {
      if (detail::AnyUnsafe::CheckAnyStrict<T>(result)) {
        return detail::ExpectedUnsafe::FromAny<T>(std::move(result));
      }
      if (std::optional<T> value = result.template try_cast<T>()) {
        return Expected<T>(*std::move(value));
      }
    }
    return detail::MakeResultMismatch<T>(result);
  }
};

template <>
inline constexpr bool use_default_type_traits_v<Function> = false;

template <>
struct TypeTraits<Function> : public ObjectRefTypeTraitsBase<Function> {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIFunction;
};

namespace detail {

/*! The name that a binding knows of a function made in its language; None without one. */
inline constexpr const char* kFunctionNameHook = "ffi.FunctionName";

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string FunctionName(const Function& function) {
  const std::optional<Function> hook = Function::GetGlobal(kFunctionNameHook);
  if (!hook.has_value()) return {};
  const Expected<Any> name = hook->CallExpected(function);
  if (name.is_err()) return {};
  return name.value().try_cast<std::string>().value_or(std::string());
}

/*! Converts what a TypedFunction's function gave. A class template: backtraces drop it. */
template <typename T>
struct CallbackResult {
  TVM_FFI_INLINE static T Take(const Function& function, Any&& result, const TypeText* const* texts,
                               size_t num_args) {
    if constexpr (is_any_type_v<T>) {
      return std::move(result).template cast<T>();
    } else {
      // Raw object pointers are borrowed, so there is nothing to move out.
      if constexpr (TypeTraits<T>::storage_enabled && !std::is_pointer_v<T>) {
        if (TVM_FFI_PREDICT_TRUE(AnyUnsafe::CheckAnyStrict<T>(result))) {
          return AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(result));
        }
      }
      std::optional<T> converted = std::as_const(result).template try_cast<T>();
      if (TVM_FFI_PREDICT_FALSE(!converted.has_value())) Throw(function, result, texts, num_args);
      return *std::move(converted);
    }
  }

 private:
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static void Throw(const Function& function,
                                                                     const Any& result,
                                                                     const TypeText* const* texts,
                                                                     size_t num_args) {
    const std::string name = FunctionName(function);
    ValueConverter<T>::Throw({name.c_str(), texts, num_args}, kResultIndex,
                             AnyUnsafe::TVMFFIAnyPtrFromAny(result));
  }
};

}  // namespace detail

template <typename FType>
class TypedFunction;

/*! \brief A Function with a C++ signature. Its arguments and result are checked when it is called.
 */
template <typename R, typename... Args>
class TypedFunction<R(Args...)> {
 public:
  using TSelf = TypedFunction<R(Args...)>;
  template <typename F>
  using EnableIfCallable = std::enable_if_t<detail::is_typed_callable_v<F, R, Args...>>;

  TypedFunction() = default;
  TypedFunction(std::nullptr_t) {}                                // NOLINT(*)
  TypedFunction(Function packed) : packed_(std::move(packed)) {}  // NOLINT(*)
  /*! \brief From a callable that can be called with `Args` and gives something that converts to
   * `R`. */
  template <typename FLambda, typename = EnableIfCallable<FLambda>>
  TypedFunction(FLambda callable)
      : TypedFunction(std::move(callable), std::string()) {}  // NOLINT(*)
  template <typename FLambda, typename = EnableIfCallable<FLambda>>
  TypedFunction(FLambda callable, std::string name) {
    if constexpr (detail::has_supported_signature_v<FLambda>) {
      packed_ = Function::FromTyped(std::move(callable), std::move(name));
    } else {
      packed_ = Function::FromTyped(
          detail::SignatureAdapter<FLambda, R, Args...>{std::move(callable)}, std::move(name));
    }
  }
  template <typename FLambda, typename = EnableIfCallable<FLambda>>
  TSelf& operator=(FLambda callable) {
    return *this = TSelf(std::move(callable));
  }
  TSelf& operator=(Function packed) {
    packed_ = std::move(packed);
    return *this;
  }
  TSelf& operator=(std::nullptr_t) {
    packed_ = nullptr;
    return *this;
  }

  TVM_FFI_INLINE R operator()(Args... args) const {
    if constexpr (std::is_void_v<R>) {
      packed_(std::forward<Args>(args)...);
    } else {
      return detail::CallbackResult<detail::RemoveCVRef<R>>::Take(
          packed_, packed_(std::forward<Args>(args)...), detail::FuncFunctorImpl<R, Args...>::texts,
          sizeof...(Args));
    }
  }
  operator Function() const { return packed_; }  // NOLINT(*)
  const Function& packed() const& { return packed_; }
  Function&& packed() && { return std::move(packed_); }
  bool operator==(std::nullptr_t) const { return packed_ == nullptr; }
  bool operator!=(std::nullptr_t) const { return packed_ != nullptr; }
  static std::string TypeSchema() { return detail::FuncFunctorImpl<R, Args...>::TypeSchema(); }

 private:
  Function packed_;
};

template <typename FType>
inline constexpr bool use_default_type_traits_v<TypedFunction<FType>> = false;

/*! A TypedFunction travels as a Function; the signature is not compared. */
template <typename FType>
struct TypeTraits<TypedFunction<FType>> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIFunction;

  TVM_FFI_INLINE static void CopyToAnyView(const TypedFunction<FType>& src, TVMFFIAny* result) {
    TypeTraits<Function>::CopyToAnyView(src.packed(), result);
  }
  TVM_FFI_INLINE static void MoveToAny(TypedFunction<FType> src, TVMFFIAny* result) {
    TypeTraits<Function>::MoveToAny(std::move(src).packed(), result);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIFunction;
  }
  TVM_FFI_INLINE static TypedFunction<FType> CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return TypedFunction<FType>(TypeTraits<Function>::CopyFromAnyViewAfterCheck(src));
  }
  TVM_FFI_INLINE static TypedFunction<FType> MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return TypedFunction<FType>(TypeTraits<Function>::MoveFromAnyAfterCheck(src));
  }
  TVM_FFI_INLINE static std::optional<TypedFunction<FType>> TryCastFromAnyView(
      const TVMFFIAny* src) {
    if (std::optional<Function> func = TypeTraits<Function>::TryCastFromAnyView(src)) {
      return TypedFunction<FType>(*std::move(func));
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string TypeStr() { return detail::FunctionInfo<FType>::Sig(); }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    return detail::FunctionInfo<FType>::TypeSchema();
  }
};

/*! \brief Index of a registered type key; an unknown one is InternalError. */
inline int32_t TypeKeyToIndex(std::string_view type_key) {
  TVMFFIByteArray key = {type_key.data(), type_key.size()};
  int32_t type_index;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&key, &type_index));
  return type_index;
}

namespace detail {

/*! Body of an exported function. */
template <typename F>
struct ExportedCall {
  TVM_FFI_INLINE static int Invoke(const char* name, F& f, const TVMFFIAny* args, int32_t num_args,
                                   TVMFFIAny* result) {
    using Info = FunctionInfo<std::remove_cv_t<F>>;
    try {
      UnpackCall<Info>(std::make_index_sequence<Info::num_args>(), name, f,
                       reinterpret_cast<const AnyView*>(args), num_args,
                       reinterpret_cast<Any*>(result));
      return 0;
    } catch (const Error& error) {
      return SetRaised(error);
    } catch (...) {
      return SetRaisedFromCurrentException();
    }
  }
};

/*! Writes an owned string as the result of an exported function. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int ReturnText(std::string_view text,
                                                          TVMFFIAny* result) {
  TVMFFIByteArray bytes = {text.data(), text.size()};
  return TVMFFIStringFromByteArray(&bytes, result);
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int ReturnSchemaMetadata(FTypeText schema,
                                                                    TVMFFIAny* result) {
  try {
    std::string text = R"({"type_schema":)";
    AppendJSONString(&text, schema());
    text += '}';
    return ReturnText(text, result);
  } catch (...) {
    return SetRaisedFromCurrentException();
  }
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm

/*! Exports a callable as the C symbol `__tvm_ffi_<ExportName>`, which a loaded module finds by
 * name. The callable is a function, an object or a lambda; its text may hold commas. */
#if TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...)         \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_IMPL_(ExportName, __VA_ARGS__) \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_METADATA_IMPL_(ExportName, __VA_ARGS__)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)                                  \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__doc_##ExportName(void*, const TVMFFIAny*, int32_t, \
                                                                TVMFFIAny* result) {              \
    return ::tvm::ffi::detail::ReturnText(DocString, result);                                     \
  }                                                                                               \
  static_assert(true, "")
#else
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...) \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_IMPL_(ExportName, __VA_ARGS__)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)
#endif

#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_IMPL_(ExportName, ...)                                      \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args,          \
                                                           int32_t num_args, TVMFFIAny* result) { \
    auto&& tvm_ffi_callable = __VA_ARGS__;                                                        \
    return ::tvm::ffi::detail::ExportedCall<                                                      \
        std::remove_reference_t<decltype(tvm_ffi_callable)>>::Invoke(#ExportName,                 \
                                                                     tvm_ffi_callable, args,      \
                                                                     num_args, result);           \
  }

#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_METADATA_IMPL_(ExportName, ...)                              \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_##ExportName(void*, const TVMFFIAny*,      \
                                                                     int32_t, TVMFFIAny* result) { \
    auto&& tvm_ffi_callable = __VA_ARGS__;                                                         \
    return ::tvm::ffi::detail::ReturnSchemaMetadata(                                               \
        &::tvm::ffi::detail::FunctionInfo<                                                         \
            std::remove_cv_t<std::remove_reference_t<decltype(tvm_ffi_callable)>>>::TypeSchema,    \
        result);                                                                                   \
  }

#endif  // TVM_FFI_FUNCTION_H_
