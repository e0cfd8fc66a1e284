// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/registry.h
 * \brief Registration of global functions, object types and type attributes.
 *
 * The templates only fill plain records; everything that renders text or talks to the registry is
 * one ordinary cold function per kind, so a registration costs little to compile.
 */
#ifndef TVM_FFI_REFLECTION_REGISTRY_H_
#define TVM_FFI_REFLECTION_REGISTRY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/reflection/registry_detail.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {

/*! \brief Offset of a field from the object header, in bytes; what reflection records. */
template <typename T, typename Class>
inline int64_t GetFieldByteOffsetToObject(T Class::* field) {
  return detail::FieldOffset<Class>(field);
}

namespace detail {

/*! \brief Callable behind overload_cast. */
template <typename... Args>
struct OverloadCast {
  template <typename R>
  constexpr auto operator()(R (*f)(Args...)) const -> R (*)(Args...) {
    return f;
  }
  template <typename R, typename... Rest>
  constexpr auto operator()(R (*f)(Args..., Rest...)) const -> R (*)(Args..., Rest...) {
    return f;
  }
  template <typename R, typename Class>
  constexpr auto operator()(R (Class::*f)(Args...), std::false_type = {}) const
      -> R (Class::*)(Args...) {
    return f;
  }
  template <typename R, typename Class, typename... Rest>
  constexpr auto operator()(R (Class::*f)(Args..., Rest...), std::false_type = {}) const
      -> R (Class::*)(Args..., Rest...) {
    return f;
  }
  template <typename R, typename Class>
  constexpr auto operator()(R (Class::*f)(Args...) const, std::true_type) const
      -> R (Class::*)(Args...) const {
    return f;
  }
  template <typename R, typename Class, typename... Rest>
  constexpr auto operator()(R (Class::*f)(Args..., Rest...) const, std::true_type) const
      -> R (Class::*)(Args..., Rest...) const {
    return f;
  }
};

}  // namespace detail

/*!
 * \brief Picks an overload by its leading parameter types: `overload_cast<int>(&f)`.
 *
 * An overload with exactly these parameters wins; otherwise the only one that begins with them.
 * A const method is picked with `overload_cast<int>(&C::m, const_)`.
 */
template <typename... Args>
inline constexpr detail::OverloadCast<Args...> overload_cast{};
/*! \brief Second argument of overload_cast that selects a const method. */
inline constexpr std::true_type const_{};

/*! \brief Common base of the definition helpers. */
class ReflectionDefBase {
 protected:
  ReflectionDefBase() = default;
};

/*! \brief Registers global functions: `GlobalDef().def("name", f, "doc")`. */
class GlobalDef : public ReflectionDefBase {
 public:
  /*! \brief A function with typed parameters; RuntimeError when the name is taken. */
  template <typename Func, typename... Extra>
  GlobalDef& def(const char* name, Func&& func, Extra&&... extra) {
    return Register(name, detail::AsCallable<Object>(std::forward<Func>(func)), extra...);
  }
  /*! \brief A function that takes its arguments packed. */
  template <typename Func, typename... Extra>
  GlobalDef& def_packed(const char* name, Func func, Extra&&... extra) {
    detail::RecordFor<detail::MethodRecord, sizeof...(Extra)> record(name);
    (record.Take(extra), ...);
    if constexpr (std::is_base_of_v<Function, Func>) {
      detail::RegisterGlobal(record, func);
    } else {
      detail::RegisterGlobal(record, Function::FromPacked(std::move(func)));
    }
    return *this;
  }
  /*! \brief A method, or a callable that takes the object first. */
  template <typename Func, typename... Extra>
  GlobalDef& def_method(const char* name, Func&& func, Extra&&... extra) {
    return Register(name, detail::AsCallable<Object>(std::forward<Func>(func)), extra...);
  }

 private:
  template <typename Func, typename... Extra>
  GlobalDef& Register(const char* name, Func func, const Extra&... extra) {
    detail::RecordFor<detail::MethodRecord, sizeof...(Extra)> record(name);
    record.schema = detail::kSchemaOf<Func>;
    (record.Take(extra), ...);
    using Stored = detail::StoredCallable<Func>;
    if constexpr (ffi::detail::is_small_callable_v<Stored>) {
      const Stored stored(std::move(func));
      detail::RegisterGlobal(record, ffi::detail::SmallCallable::Of(stored));
    } else {
      detail::RegisterGlobal(record, Function::FromTyped(std::move(func), name));
    }
    return *this;
  }
};

/*!
 * \brief Registers an object type, its fields and methods.
 *
 * The type metadata is registered at once, the attributes that follow from the class when the
 * helper is destroyed, which therefore may throw.
 */
template <typename Class>
class ObjectDef : public ReflectionDefBase {
 public:
  static_assert(std::is_base_of_v<Object, Class>, "ObjectDef is for Object types");

  /*! \brief `extra`: a docstring, `init(false)`. */
  template <typename... Extra>
  explicit ObjectDef(const Extra&... extra)
      : type_index_(Class::_GetOrAllocRuntimeTypeIndex()), exceptions_(std::uncaught_exceptions()) {
    detail::RecordFor<detail::MethodRecord, sizeof...(Extra)> record(Class::_type_key);
    (record.Take(extra), ...);
    (TakeInit(extra), ...);
    TVMFFIObjectCreator creator = nullptr;
    if constexpr (detail::has_creator_v<Class>) creator = &detail::CreateObject<Class>;
    detail::RegisterType(type_index_, record, sizeof(Class), Class::_type_s_eq_hash_kind, creator);
  }
  ObjectDef(const ObjectDef&) = delete;
  ObjectDef& operator=(const ObjectDef&) = delete;

  ~ObjectDef() noexcept(false) {
    if (std::uncaught_exceptions() != exceptions_) return;
    detail::TypeEnd end = {Type(), nullptr, nullptr, wants_init_, Class::_type_final};
    if constexpr (std::is_copy_constructible_v<Class>) {
      end.shallow_copy = &detail::CopyObject<Class>;
    }
    if constexpr (detail::has_creator_v<Class>) end.new_object = &detail::NewObjectRef<Class>;
    detail::FinishType(end);
  }

  /*! \brief A field that bindings do not write. `extra`: docstring and field traits. */
  template <typename T, typename Base, typename... Extra>
  ObjectDef& def_ro(const char* name, T Base::* field, Extra&&... extra) {
    return RegisterField(name, field, 0, extra...);
  }
  /*! \brief A field that bindings may write; the class must be mutable. */
  template <typename T, typename Base, typename... Extra>
  ObjectDef& def_rw(const char* name, T Base::* field, Extra&&... extra) {
    static_assert(Class::_type_mutable, "def_rw needs _type_mutable = true in the class");
    return RegisterField(name, field, kTVMFFIFieldFlagBitMaskWritable, extra...);
  }
  /*! \brief A method, or a callable that takes the object first. */
  template <typename Func, typename... Extra>
  ObjectDef& def(const char* name, Func&& func, Extra&&... extra) {
    return RegisterMethod(name, detail::AsCallable<Class>(std::forward<Func>(func)), false, false,
                          extra...);
  }
  /*! \brief A function that belongs to the type but takes no object. */
  template <typename Func, typename... Extra>
  ObjectDef& def_static(const char* name, Func&& func, Extra&&... extra) {
    return RegisterMethod(name, detail::AsCallable<Class>(std::forward<Func>(func)), true, false,
                          extra...);
  }
  /*! \brief The constructor from `Args`, in place of the generated one. */
  template <typename... Args, typename... Extra>
  ObjectDef& def([[maybe_unused]] init<Args...> init_func, Extra&&... extra) {
    wants_init_ = false;
    return RegisterMethod(type_attr::kInit.name, &init<Args...>::template Execute<Class>, true,
                          true, extra...);
  }
  /*! \brief A type attribute: a value, or a callable, which becomes a function. */
  template <typename T>
  ObjectDef& def_type_attr(const char* name, T&& value) {
    detail::RegisterAttrValue<Class>(type_index_, name, std::forward<T>(value));
    return *this;
  }
  /*! \brief The conversion rules of `Ref` as the conversion of the type. */
  template <typename Ref>
  ObjectDef& def_convert() {
    detail::RegisterConvert<Class, Ref>(type_index_);
    return *this;
  }

 protected:
  template <typename Extra>
  void TakeInit([[maybe_unused]] const Extra& extra) {
    if constexpr (std::is_same_v<Extra, init<>>) wants_init_ = extra.enabled;
  }
  template <typename T, typename Base, typename... Extra>
  ObjectDef& RegisterField(const char* name, T Base::* field, int64_t flags,
                           const Extra&... extra) {
    detail::RecordFor<detail::FieldRecord, sizeof...(Extra)> record(name);
    record.info.flags = flags;
    detail::FillFieldInfo<T>(&record, detail::FieldOffset<Class>(field));
    (record.Take(extra), ...);
    detail::RegisterField(type_index_, &record);
    return *this;
  }
  template <typename Func, typename... Extra>
  ObjectDef& RegisterMethod(const char* name, Func func, bool is_static,
                            [[maybe_unused]] bool is_init, const Extra&... extra) {
    detail::RecordFor<detail::MethodRecord, sizeof...(Extra)> record(name);
    record.schema = detail::kSchemaOf<Func>;
    (record.Take(extra), ...);
    using Stored = detail::StoredCallable<Func>;
    if constexpr (ffi::detail::is_small_callable_v<Stored>) {
      const Stored stored(std::move(func));
      detail::RegisterMethod(Type(), record, ffi::detail::SmallCallable::Of(stored), is_static,
                             is_init);
    } else {
      const Function method =
          Function::FromTyped(std::move(func), detail::MethodFullName(Class::_type_key, name));
      detail::RegisterMethod(type_index_, record, method, is_static);
    }
    return *this;
  }
  detail::TypeRef Type() const { return {type_index_, Class::_type_key}; }

  int32_t type_index_;
  int exceptions_;
  bool wants_init_ = true;
};

/*! \brief Registers type attributes of a type that may be registered elsewhere. */
template <typename Class, typename = std::enable_if_t<std::is_base_of_v<Object, Class>>>
class TypeAttrDef : public ReflectionDefBase {
 public:
  TypeAttrDef() : type_index_(Class::_GetOrAllocRuntimeTypeIndex()) {}

  /*! \brief A value, or a callable, which becomes a function. */
  template <typename T>
  TypeAttrDef& def(const char* name, T&& value) {
    detail::RegisterAttrValue<Class>(type_index_, name, std::forward<T>(value));
    return *this;
  }
  /*! \brief A value, converted to the type of the key first. */
  template <typename T, typename V, typename = std::enable_if_t<std::is_constructible_v<T, V&&>>>
  TypeAttrDef& attr(const reflection::AttrKey<T>& key, V&& value) {
    const T typed(std::forward<V>(value));
    detail::RegisterAttr(type_index_, key.name, AnyView(typed));
    return *this;
  }
  /*! \brief A value as it is. */
  template <typename T>
  TypeAttrDef& attr(const char* name, T value) {
    detail::RegisterAttr(type_index_, name, AnyView(value));
    return *this;
  }
  /*! \brief The address of an ordinary function, which is called without packing its arguments. */
  template <auto fn, typename S>
  TypeAttrDef& native_fn_attr(const reflection::AttrKey<NativeFunctionView<S>>& key) {
    detail::RegisterAttr(type_index_, key.name,
                         AnyView(NativeFunctionView<S>::template FromNative<fn>()));
    return *this;
  }
  /*! \brief The conversion rules of `Ref` as the conversion of the type. */
  template <typename Ref>
  TypeAttrDef& def_convert() {
    detail::RegisterConvert<Class, Ref>(type_index_);
    return *this;
  }

 private:
  int32_t type_index_;
};

/*! \brief Makes sure that the column of a type attribute exists, so that it can be looked up. */
inline void EnsureTypeAttrColumn(std::string_view name) {
  const TVMFFIByteArray attr_name{name.data(), name.size()};
  const TVMFFIAny none = AnyView(nullptr).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(TypeIndex::kTVMFFINone, &attr_name, &none));
}
template <typename T>
inline void EnsureTypeAttrColumn(const AttrKey<T>& key) {
  EnsureTypeAttrColumn(std::string_view(key.name));
}

}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_REGISTRY_H_
