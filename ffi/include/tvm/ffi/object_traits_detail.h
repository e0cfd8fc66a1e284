// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/object_traits_detail.h
 *  Conversion rules of objects, their pointers and references. Part of object.h, which includes it.
 */
#ifndef TVM_FFI_OBJECT_TRAITS_DETAIL_H_
#define TVM_FFI_OBJECT_TRAITS_DETAIL_H_

#include <tvm/ffi/object.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*! Default rules of an ObjectRef subclass. */
template <typename TObjRef>
struct ObjectRefTypeTraitsBase : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIObject;
  using ContainerType = typename TObjRef::ContainerType;

  TVM_FFI_INLINE static void CopyToAnyView(const TObjRef& src, TVMFFIAny* result) {
    detail::SetObjectAny(result, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(src));
  }
  TVM_FFI_INLINE static void MoveToAny(TObjRef src, TVMFFIAny* result) {
    detail::SetObjectAny(result,
                         detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(src)));
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    if (src->type_index >= TypeIndex::kTVMFFIStaticObjectBegin) {
      return detail::IsObjectInstance<ContainerType>(src->type_index);
    }
    return TObjRef::_type_is_nullable && src->type_index == TypeIndex::kTVMFFINone;
  }
  TVM_FFI_INLINE static TObjRef CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    if constexpr (TObjRef::_type_is_nullable) {
      if (src->type_index == TypeIndex::kTVMFFINone) return FromPtr(nullptr);
    }
    return FromPtr(detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(src->v_obj));
  }
  TVM_FFI_INLINE static TObjRef MoveFromAnyAfterCheck(TVMFFIAny* src) {
    if constexpr (TObjRef::_type_is_nullable) {
      if (src->type_index == TypeIndex::kTVMFFINone) return FromPtr(nullptr);
    }
    ObjectPtr<Object> ptr = detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(src->v_obj);
    detail::SetNoneAny(src);
    return FromPtr(std::move(ptr));
  }
  TVM_FFI_INLINE static std::optional<TObjRef> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return ContainerType::_type_key; }
  TVM_FFI_INLINE static std::string TypeSchema() {
    return detail::SimpleTypeSchema(ContainerType::_type_key);
  }

 private:
  TVM_FFI_INLINE static TObjRef FromPtr(ObjectPtr<Object> ptr) {
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<TObjRef>(std::move(ptr));
  }
};

template <typename TObjRef>
struct TypeTraits<TObjRef,
                  std::enable_if_t<std::is_base_of_v<ObjectRef, TObjRef> &&
                                   !std::is_const_v<TObjRef> && use_default_type_traits_v<TObjRef>>>
    : public ObjectRefTypeTraitsBase<TObjRef> {};

/*! Default rules first, then each fallback through `TypeTraits<TObjRef>::ConvertFallbackValue`. */
template <typename TObjRef, typename... FallbackTypes>
struct ObjectRefWithFallbackTraitsBase : public ObjectRefTypeTraitsBase<TObjRef> {
  static_assert(!(std::is_same_v<FallbackTypes, bool> || ...),
                "bool as a fallback takes every integer; use StrictBool");

  TVM_FFI_INLINE static std::optional<TObjRef> TryCastFromAnyView(const TVMFFIAny* src) {
    if (auto result = ObjectRefTypeTraitsBase<TObjRef>::TryCastFromAnyView(src)) return result;
    std::optional<TObjRef> result;
    (void)(TryFallback<FallbackTypes>(src, &result) || ...);
    return result;
  }

 private:
  template <typename FallbackType>
  TVM_FFI_INLINE static bool TryFallback(const TVMFFIAny* src, std::optional<TObjRef>* result) {
    if (auto value = TypeTraits<FallbackType>::TryCastFromAnyView(src)) {
      result->emplace(TypeTraits<TObjRef>::ConvertFallbackValue(*std::move(value)));
      return true;
    }
    return false;
  }
};

namespace detail {

/*! Rules shared by ObjectPtr<T> and Arc<T>. `T` may be incomplete until a member is used. */
template <typename Pointer, typename T, bool kNullable>
struct ObjectPtrTypeTraits : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIObject;

  TVM_FFI_INLINE static void CopyToAnyView(const Pointer& src, TVMFFIAny* result) {
    SetObjectAny(result, ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr<T>(src));
  }
  TVM_FFI_INLINE static void MoveToAny(Pointer src, TVMFFIAny* result) {
    ObjectPtr<T>& ptr = src;
    SetObjectAny(result, ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(ptr)));
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    if (src->type_index >= TypeIndex::kTVMFFIStaticObjectBegin) {
      return IsObjectInstance<T>(src->type_index);
    }
    return kNullable && src->type_index == TypeIndex::kTVMFFINone;
  }
  TVM_FFI_INLINE static Pointer CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    if (kNullable && src->type_index == TypeIndex::kTVMFFINone) return Wrap(ObjectPtr<T>());
    return Wrap(ObjectUnsafe::ObjectPtrFromUnowned<T>(src->v_obj));
  }
  TVM_FFI_INLINE static Pointer MoveFromAnyAfterCheck(TVMFFIAny* src) {
    if (kNullable && src->type_index == TypeIndex::kTVMFFINone) return Wrap(ObjectPtr<T>());
    ObjectPtr<T> ptr = ObjectUnsafe::ObjectPtrFromOwned<T>(src->v_obj);
    SetNoneAny(src);
    return Wrap(std::move(ptr));
  }
  TVM_FFI_INLINE static std::optional<Pointer> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return T::_type_key; }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    if (!kNullable) return SimpleTypeSchema(T::_type_key);
    return R"({"type":"Optional","args":[)" + SimpleTypeSchema(T::_type_key) + "]}";
  }

 private:
  TVM_FFI_INLINE static Pointer Wrap(ObjectPtr<T>&& ptr) {
    if constexpr (kNullable) {
      return std::move(ptr);
    } else {
      return ObjectUnsafe::ArcFromObjectPtr<T>(std::move(ptr));
    }
  }
};

// Asks no more than "is it a class": mutually referring object types hold pointers to incomplete
// ones.
template <typename T>
inline constexpr bool is_pointee_v =
    std::is_class_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>;

}  // namespace detail

template <typename T>
struct TypeTraits<ObjectPtr<T>, std::enable_if_t<detail::is_pointee_v<T>>>
    : public detail::ObjectPtrTypeTraits<ObjectPtr<T>, T, true> {};

template <typename T>
struct TypeTraits<Arc<T>, std::enable_if_t<detail::is_pointee_v<T>>>
    : public detail::ObjectPtrTypeTraits<Arc<T>, T, false> {};

/*! Borrowed pointer to an object. A non-const one needs `T::_type_mutable`. */
template <typename T>
struct TypeTraits<T*, std::enable_if_t<std::is_base_of_v<Object, std::remove_cv_t<T>>>>
    : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIObject;
  using ObjectType = std::remove_cv_t<T>;
  static_assert(std::is_const_v<T> || ObjectType::_type_mutable,
                "a pointer to an immutable object type must be const");

  TVM_FFI_INLINE static void CopyToAnyView(T* const& src, TVMFFIAny* result) {
    detail::SetObjectAny(result, Header(src));
  }
  TVM_FFI_INLINE static void MoveToAny(T* src, TVMFFIAny* result) {
    TVMFFIObject* header = Header(src);
    if (header != nullptr) detail::IncRef(header);
    detail::SetObjectAny(result, header);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index >= TypeIndex::kTVMFFIStaticObjectBegin &&
           detail::IsObjectInstance<ObjectType>(src->type_index);
  }
  TVM_FFI_INLINE static T* CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return detail::ObjectUnsafe::RawObjectPtrFromUnowned<ObjectType>(src->v_obj);
  }
  TVM_FFI_INLINE static std::optional<T*> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return ObjectType::_type_key; }
  TVM_FFI_INLINE static std::string TypeSchema() {
    return detail::SimpleTypeSchema(ObjectType::_type_key);
  }

 private:
  TVM_FFI_INLINE static TVMFFIObject* Header(T* src) {
    return src == nullptr ? nullptr
                          : detail::ObjectUnsafe::GetHeader(static_cast<const Object*>(src));
  }
};

template <typename TObjRef>
struct TypeToRuntimeTypeIndex<TObjRef, std::enable_if_t<std::is_base_of_v<ObjectRef, TObjRef>>> {
  static int32_t v() { return TObjRef::ContainerType::RuntimeTypeIndex(); }
};
template <typename T>
struct TypeToRuntimeTypeIndex<ObjectPtr<T>, void> {
  static int32_t v() { return T::RuntimeTypeIndex(); }
};
template <typename T>
struct TypeToRuntimeTypeIndex<Arc<T>, void> {
  static int32_t v() { return T::RuntimeTypeIndex(); }
};

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<ObjectPtr<Base>, ObjectPtr<Derived>> =
    std::is_base_of_v<Base, Derived>;
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<ObjectPtr<Base>, Arc<Derived>> =
    std::is_base_of_v<Base, Derived>;
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Arc<Base>, Arc<Derived>> = std::is_base_of_v<Base, Derived>;

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_OBJECT_TRAITS_DETAIL_H_
