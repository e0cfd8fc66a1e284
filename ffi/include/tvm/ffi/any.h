// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/any.h
 *  AnyView and Any: a borrowed and an owned value of any type.
 */
#ifndef TVM_FFI_ANY_H_
#define TVM_FFI_ANY_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

class Any;
class AnyView;

namespace detail {

struct AnyUnsafe;

/*! Printed name of a type in signatures and messages. */
template <typename T>
struct Type2Str {
  static std::string v() { return TypeTraitsNoCR<T>::TypeStr(); }
};
template <>
struct Type2Str<void> {
  static std::string v() { return "void"; }
};
template <>
struct Type2Str<Any> {
  static std::string v() { return StaticTypeKey::kTVMFFIAny; }
};
template <>
struct Type2Str<const Any&> : Type2Str<Any> {};
template <>
struct Type2Str<AnyView> {
  static std::string v() { return "AnyView"; }
};
template <>
struct Type2Str<const AnyView&> : Type2Str<AnyView> {};

/*! JSON schema of a type in metadata. */
template <typename T>
struct TypeSchema {
  static std::string v() { return TypeTraitsNoCR<T>::TypeSchema(); }
};
template <>
struct TypeSchema<void> {
  static std::string v() { return R"({"type":"None"})"; }
};
template <>
struct TypeSchema<Any> {
  static std::string v() { return R"({"type":"Any"})"; }
};
template <>
struct TypeSchema<const Any&> : TypeSchema<Any> {};
template <>
struct TypeSchema<AnyView> : TypeSchema<Any> {};
template <>
struct TypeSchema<const AnyView&> : TypeSchema<Any> {};

/*! Whether `T` may be an element of a container. */
template <typename T>
inline constexpr bool storage_enabled_v = std::is_same_v<T, Any> || TypeTraits<T>::storage_enabled;

/*! Takes ownership of a borrowed value that is no plain bit copy: raw strings, byte arrays, rvalue
 * references. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ViewToOwnedSlow(TVMFFIAny* value) {
  TVMFFIAny owned;
  if (TVMFFIAnyViewToOwnedAny(value, &owned) != 0) ThrowSafeCallRaised();
  *value = owned;
}

/*! Turns a borrowed value into an owned one, in place. */
TVM_FFI_INLINE void ViewToOwned(TVMFFIAny* value) {
  if (value->type_index >= TypeIndex::kTVMFFIStaticObjectBegin) {
    IncRef(value->v_obj);
  } else if (TVM_FFI_PREDICT_FALSE(value->type_index >= TypeIndex::kTVMFFIRawStr &&
                                   value->type_index <= TypeIndex::kTVMFFIObjectRValueRef)) {
    // Written as None first: the caller's destructor must see an owned value when this throws.
    TVMFFIAny view = *value;
    SetNoneAny(value);
    ViewToOwnedSlow(&view);
    *value = view;
  }
}

// A class template, not a function template: the demangled name of the latter starts with its
// result type, and backtraces would show it.
template <typename T>
struct ConversionError {
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static void ThrowConvert(
      const TVMFFIAny* source) {
    ThrowCannotConvert(source, "convert", &TypeTraits<T>::GetMismatchTypeInfo, &Type2Str<T>::v,
                       IntRangeOf<T>::value);
  }
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static void ThrowTreat(const TVMFFIAny* source) {
    ThrowCannotConvert(source, "treat", &TypeTraits<T>::GetMismatchTypeInfo, &Type2Str<T>::v,
                       IntRangeOf<T>::value);
  }
};

template <typename T>
using EnableIfObjectType = std::enable_if_t<std::is_base_of_v<Object, T>>;
template <typename T>
using EnableIfValueType = std::enable_if_t<!std::is_base_of_v<Object, T>>;

}  // namespace detail

/*! \brief A borrowed value; valid while whoever owns the value keeps it. Two registers wide. */
class AnyView {
 public:
  AnyView() { detail::SetNoneAny(&data_); }
  AnyView(const AnyView&) = default;
  AnyView& operator=(const AnyView&) = default;
  AnyView(AnyView&& other) = default;
  AnyView& operator=(AnyView&& other) = default;
  template <typename T, typename = std::enable_if_t<TypeTraits<T>::convert_enabled>>
  AnyView(const T& other) {  // NOLINT(*)
    TypeTraits<T>::CopyToAnyView(other, &data_);
  }
  template <typename T, typename = std::enable_if_t<TypeTraits<T>::convert_enabled>>
  AnyView& operator=(const T& other) {
    TypeTraits<T>::CopyToAnyView(other, &data_);
    return *this;
  }

  void swap(AnyView& other) noexcept { std::swap(data_, other.data_); }
  void reset() { detail::SetNoneAny(&data_); }
  int32_t type_index() const noexcept { return data_.type_index; }
  std::string GetTypeKey() const { return TypeIndexToTypeKey(data_.type_index); }

  /*! \brief The value as a `T` if that is exactly what it is. */
  template <typename T, typename = detail::EnableIfValueType<T>>
  TVM_FFI_INLINE std::optional<T> as() const {
    if constexpr (std::is_same_v<T, Any> || std::is_same_v<T, AnyView>) {
      return T(*this);
    } else {
      static_assert(TypeTraits<T>::convert_enabled, "T has no conversion rules");
      if (!TypeTraits<T>::CheckAnyStrict(&data_)) return std::nullopt;
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(&data_);
    }
  }
  /*! \brief The object as a `T`, null when it is none. */
  template <typename T, typename = detail::EnableIfObjectType<T>, int = 0>
  TVM_FFI_INLINE const T* as() const {
    return TypeTraits<const T*>::CheckAnyStrict(&data_)
               ? TypeTraits<const T*>::CopyFromAnyViewAfterCheck(&data_)
               : nullptr;
  }
  /*! \brief As `as`, but a mismatch is TypeError. */
  template <typename T>
  TVM_FFI_INLINE T as_or_throw() const {
    if constexpr (std::is_same_v<T, Any> || std::is_same_v<T, AnyView>) {
      return T(*this);
    } else {
      if (TVM_FFI_PREDICT_FALSE(!TypeTraits<T>::CheckAnyStrict(&data_))) {
        detail::ConversionError<T>::ThrowTreat(&data_);
      }
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(&data_);
    }
  }
  /*! \brief The value converted to `T`; TypeError when that is impossible, OverflowError when it
   * can't hold it. */
  template <typename T>
  TVM_FFI_INLINE T cast() const {
    if constexpr (std::is_same_v<T, Any> || std::is_same_v<T, AnyView>) {
      return T(*this);
    } else {
      static_assert(TypeTraits<T>::convert_enabled, "T has no conversion rules");
      std::optional<T> result = TypeTraits<T>::TryCastFromAnyView(&data_);
      if (TVM_FFI_PREDICT_FALSE(!result.has_value()))
        detail::ConversionError<T>::ThrowConvert(&data_);
      return *std::move(result);
    }
  }
  /*! \brief The value converted to `T`, nothing when that is impossible. */
  template <typename T>
  TVM_FFI_INLINE std::optional<T> try_cast() const {
    if constexpr (std::is_same_v<T, Any> || std::is_same_v<T, AnyView>) {
      return T(*this);
    } else {
      static_assert(TypeTraits<T>::convert_enabled, "T has no conversion rules");
      return TypeTraits<T>::TryCastFromAnyView(&data_);
    }
  }

  /*! \brief True when both hold the same bits; objects by identity. */
  bool same_as(const AnyView& other) const noexcept {
    return data_.type_index == other.data_.type_index &&
           data_.zero_padding == other.data_.zero_padding && data_.v_int64 == other.data_.v_int64;
  }
  bool operator==(std::nullptr_t) const noexcept {
    return data_.type_index == TypeIndex::kTVMFFINone;
  }
  bool operator!=(std::nullptr_t) const noexcept {
    return data_.type_index != TypeIndex::kTVMFFINone;
  }

  /*! \brief The raw value, and back; nothing changes owner. */
  TVMFFIAny CopyToTVMFFIAny() const { return data_; }
  static AnyView CopyFromTVMFFIAny(TVMFFIAny data) {
    AnyView view;
    view.data_ = data;
    return view;
  }

 private:
  TVMFFIAny data_;

  friend struct detail::AnyUnsafe;
  friend class Any;
};

/*! \brief An owned value. */
class Any {
 public:
  Any() { detail::SetNoneAny(&data_); }
  ~Any() { Release(); }
  Any(const Any& other) : data_((other.Retain(), other.data_)) {}
  Any(Any&& other) noexcept : data_(other.data_) { detail::SetNoneAny(&other.data_); }
  // Plain copies of the 16 bytes instead of swaps: through a temporary, compilers store the bytes
  // in parts and load them as a whole, which stalls.
  Any& operator=(const Any& other) {
    other.Retain();
    const TVMFFIAny old = data_;
    data_ = other.data_;
    ReleaseRaw(old);
    return *this;
  }
  Any& operator=(Any&& other) noexcept {
    const TVMFFIAny value = other.data_;
    detail::SetNoneAny(&other.data_);
    const TVMFFIAny old = data_;
    data_ = value;
    ReleaseRaw(old);
    return *this;
  }
  /*! \brief Takes ownership: raw strings and byte arrays are copied, rvalue references emptied. */
  Any(const AnyView& other) : data_(other.data_) { detail::ViewToOwned(&data_); }  // NOLINT(*)
  Any& operator=(const AnyView& other) {
    Any(other).swap(*this);
    return *this;
  }
  template <typename T, typename = std::enable_if_t<TypeTraits<T>::convert_enabled>>
  Any(T other) {  // NOLINT(*)
    TypeTraits<T>::MoveToAny(std::move(other), &data_);
  }
  template <typename T, typename = std::enable_if_t<TypeTraits<T>::convert_enabled>>
  Any& operator=(T other) {
    Any(std::move(other)).swap(*this);
    return *this;
  }
  operator AnyView() const { return AnyView::CopyFromTVMFFIAny(data_); }  // NOLINT(*)

  void reset() {
    Release();
    detail::SetNoneAny(&data_);
  }
  void swap(Any& other) noexcept { std::swap(data_, other.data_); }
  int32_t type_index() const noexcept { return data_.type_index; }
  std::string GetTypeKey() const { return TypeIndexToTypeKey(data_.type_index); }

  template <typename T, typename = detail::EnableIfValueType<T>>
  TVM_FFI_INLINE std::optional<T> as() const& {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      return view().template as<T>();
    }
  }
  template <typename T, typename = detail::EnableIfValueType<T>>
  TVM_FFI_INLINE std::optional<T> as() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else if constexpr (kMoves<T>) {
      if (!TypeTraits<T>::CheckAnyStrict(&data_)) return std::nullopt;
      return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
    } else {
      return view().template as<T>();
    }
  }
  template <typename T, typename = detail::EnableIfObjectType<T>, int = 0>
  TVM_FFI_INLINE const T* as() const& {
    return view().template as<T>();
  }
  template <typename T>
  TVM_FFI_INLINE T as_or_throw() const& {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      return view().template as_or_throw<T>();
    }
  }
  template <typename T>
  TVM_FFI_INLINE T as_or_throw() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else if constexpr (kMoves<T>) {
      if (TVM_FFI_PREDICT_FALSE(!TypeTraits<T>::CheckAnyStrict(&data_))) {
        detail::ConversionError<T>::ThrowTreat(&data_);
      }
      return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
    } else {
      return view().template as_or_throw<T>();
    }
  }
  template <typename T>
  TVM_FFI_INLINE T cast() const& {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      return view().template cast<T>();
    }
  }
  template <typename T>
  TVM_FFI_INLINE T cast() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else {
      if constexpr (kMoves<T>) {
        if (TVM_FFI_PREDICT_TRUE(TypeTraits<T>::CheckAnyStrict(&data_))) {
          return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
        }
      }
      return view().template cast<T>();
    }
  }
  template <typename T>
  TVM_FFI_INLINE std::optional<T> try_cast() const {
    if constexpr (std::is_same_v<T, Any>) {
      return *this;
    } else {
      return view().template try_cast<T>();
    }
  }

  bool same_as(const Any& other) const noexcept { return view().same_as(other.view()); }
  /*! \brief A null reference equals None. */
  bool same_as(const ObjectRef& other) const noexcept {
    if (!other.defined()) return data_.type_index == TypeIndex::kTVMFFINone;
    return IsObject() && data_.v_obj == detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(other);
  }
  bool operator==(std::nullptr_t) const noexcept {
    return data_.type_index == TypeIndex::kTVMFFINone;
  }
  bool operator!=(std::nullptr_t) const noexcept {
    return data_.type_index != TypeIndex::kTVMFFINone;
  }

 private:
  // Raw object pointers are borrowed, so there is nothing to move out.
  template <typename T>
  static constexpr bool kMoves = TypeTraits<T>::storage_enabled && !std::is_pointer_v<T>;

  bool IsObject() const noexcept { return data_.type_index >= TypeIndex::kTVMFFIStaticObjectBegin; }
  void Retain() const noexcept {
    if (IsObject()) detail::IncRef(data_.v_obj);
  }
  void Release() { ReleaseRaw(data_); }
  static void ReleaseRaw(const TVMFFIAny& data) {
    if (data.type_index >= TypeIndex::kTVMFFIStaticObjectBegin) detail::DecRef(data.v_obj);
  }
  AnyView view() const noexcept { return AnyView::CopyFromTVMFFIAny(data_); }

  TVMFFIAny data_;

  friend struct detail::AnyUnsafe;
};

static_assert(sizeof(AnyView) == sizeof(TVMFFIAny) && std::is_trivially_copyable_v<AnyView> &&
              std::is_standard_layout_v<AnyView>);
static_assert(sizeof(Any) == sizeof(TVMFFIAny));

template <>
inline constexpr bool type_subsumes_v<Any, Any> = true;
template <typename Source>
inline constexpr bool type_subsumes_v<Any, Source> = true;

namespace detail {

/*! Raw access to Any and AnyView. Callers keep the counts right. */
struct AnyUnsafe : public ObjectUnsafe {
  TVM_FFI_INLINE static TVMFFIAny MoveAnyToTVMFFIAny(Any&& any) {
    TVMFFIAny raw = any.data_;
    SetNoneAny(&any.data_);
    return raw;
  }
  /*! \brief Takes over an owned raw value, leaving None. */
  TVM_FFI_INLINE static Any MoveTVMFFIAnyToAny(TVMFFIAny* data) {
    Any any;
    any.data_ = *data;
    SetNoneAny(data);
    return any;
  }
  TVM_FFI_INLINE static Any MoveTVMFFIAnyRawToAny(TVMFFIAny data) {
    Any any;
    any.data_ = data;
    return any;
  }
  template <typename T>
  TVM_FFI_INLINE static bool CheckAnyStrict(const Any& any) {
    if constexpr (std::is_same_v<T, Any>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_INLINE static bool CheckAnyViewStrict(const AnyView& any) {
    if constexpr (std::is_same_v<T, Any> || std::is_same_v<T, AnyView>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_INLINE static T CopyFromAnyViewAfterCheck(const Any& any) {
    if constexpr (std::is_same_v<T, Any>) {
      return any;
    } else {
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_INLINE static T CopyFromAnyViewAfterCheck(const AnyView& any) {
    if constexpr (std::is_same_v<T, Any> || std::is_same_v<T, AnyView>) {
      return any;
    } else {
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_INLINE static T MoveFromAnyAfterCheck(Any&& any) {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(any);
    } else {
      return TypeTraits<T>::MoveFromAnyAfterCheck(&any.data_);
    }
  }
  template <typename T>
  TVM_FFI_INLINE static T* RawObjectPtrFromAnyAfterCheck(const Any& any) {
    return RawObjectPtrFromUnowned<T>(any.data_.v_obj);
  }
  template <typename T>
  TVM_FFI_INLINE static T* RawObjectPtrFromAnyViewAfterCheck(const AnyView& any) {
    return RawObjectPtrFromUnowned<T>(any.data_.v_obj);
  }
  TVM_FFI_INLINE static Object* ObjectPtrFromAnyAfterCheck(const Any& any) {
    return reinterpret_cast<Object*>(any.data_.v_obj);
  }
  TVM_FFI_INLINE static const TVMFFIAny* TVMFFIAnyPtrFromAny(const Any& any) { return &any.data_; }
  TVM_FFI_INLINE static const TVMFFIAny* TVMFFIAnyPtrFromAnyView(const AnyView& any) {
    return &any.data_;
  }
  template <typename T>
  static std::string GetMismatchTypeInfo(const Any& any) {
    return TypeTraits<T>::GetMismatchTypeInfo(&any.data_);
  }
};

/*! Content of a String or Bytes value, small or heap. */
TVM_FFI_INLINE TVMFFIByteArray GetBytesContent(const TVMFFIAny* value) {
  return value->type_index < TypeIndex::kTVMFFIStaticObjectBegin
             ? TVMFFISmallBytesGetContentByteArray(value)
             : *TVMFFIBytesGetByteArrayPtr(value->v_obj);
}

/*! Entry of a type in an attribute column, NULL when it has none. */
TVM_FFI_INLINE const TVMFFIAny* FindTypeAttr(const TVMFFITypeAttrColumn* column,
                                             int32_t type_index) {
  if (column == nullptr) return nullptr;
  const int32_t offset = type_index - column->begin_index;
  if (offset < 0 || offset >= column->size) return nullptr;
  const TVMFFIAny* entry = column->data + offset;
  return entry->type_index == TypeIndex::kTVMFFINone ? nullptr : entry;
}

TVM_FFI_COLD_CODE inline const TVMFFITypeAttrColumn* GetTypeAttrColumn(const char* name) {
  TVMFFIByteArray bytes = {name, std::strlen(name)};
  return TVMFFIGetTypeAttrColumn(&bytes);
}

/*! Takes the Int or Bool result of a hash or equality hook; throws the error it returned instead.
 */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int64_t TakeHookResult(TVMFFIAny raw) {
  Any result = AnyUnsafe::MoveTVMFFIAnyRawToAny(raw);
  if (raw.type_index == TypeIndex::kTVMFFIError) throw *std::move(result).as<Error>();
  return result.cast<int64_t>();
}

/*! Calls a hook that is a Function object. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline TVMFFIAny CallFunctionHook(const TVMFFIAny* hook,
                                                                      const TVMFFIAny* args,
                                                                      int32_t num_args) {
  if (hook->type_index != TypeIndex::kTVMFFIFunction) {
    ThrowError("TypeError", "a hash or equality hook must be void* or ffi.Function, but is " +
                                TypeIndexToTypeKey(hook->type_index));
  }
  TVMFFIAny result;
  SetNoneAny(&result);
  if (TVMFFIFunctionCall(hook->v_obj, const_cast<TVMFFIAny*>(args), num_args, &result) != 0) {
    ThrowSafeCallRaised();
  }
  return result;
}

TVM_FFI_NO_INLINE inline uint64_t HashObjectAny(const Any& value) {
  static const TVMFFITypeAttrColumn* column = GetTypeAttrColumn("__any_hash__");
  const TVMFFIAny* raw = AnyUnsafe::TVMFFIAnyPtrFromAny(value);
  const TVMFFIAny* hook = FindTypeAttr(column, raw->type_index);
  if (hook == nullptr) return raw->v_uint64;
  TVMFFIAny result;
  if (hook->type_index == TypeIndex::kTVMFFIOpaquePtr) {
    result = reinterpret_cast<TVMFFIAny (*)(const Any&)>(hook->v_ptr)(value);
  } else {
    result = CallFunctionHook(hook, raw, 1);
  }
  return static_cast<uint64_t>(TakeHookResult(result));
}

TVM_FFI_NO_INLINE inline bool EqualObjectAny(const Any& lhs, const Any& rhs) {
  static const TVMFFITypeAttrColumn* column = GetTypeAttrColumn("__any_equal__");
  const TVMFFIAny* raw = AnyUnsafe::TVMFFIAnyPtrFromAny(lhs);
  const TVMFFIAny* hook = FindTypeAttr(column, raw->type_index);
  if (hook == nullptr) return false;
  TVMFFIAny result;
  if (hook->type_index == TypeIndex::kTVMFFIOpaquePtr) {
    result = reinterpret_cast<TVMFFIAny (*)(const Any&, const Any&)>(hook->v_ptr)(lhs, rhs);
  } else {
    const TVMFFIAny args[2] = {*raw, *AnyUnsafe::TVMFFIAnyPtrFromAny(rhs)};
    result = CallFunctionHook(hook, args, 2);
  }
  return TakeHookResult(result) != 0;
}

}  // namespace detail

/*! \brief Hash of a value: text and bytes by content, types with `__any_hash__` by it, the rest by
 * bits. */
struct AnyHash {
  uint64_t operator()(const Any& src) const {
    const TVMFFIAny* raw = detail::AnyUnsafe::TVMFFIAnyPtrFromAny(src);
    const int32_t index = raw->type_index;
    if (index == TypeIndex::kTVMFFIStr || index == TypeIndex::kTVMFFIBytes) {
      const TVMFFIByteArray* bytes = TVMFFIBytesGetByteArrayPtr(raw->v_obj);
      return Combine(index, detail::StableHashBytes(bytes->data, bytes->size));
    }
    if (index >= TypeIndex::kTVMFFIStaticObjectBegin) {
      return Combine(index, detail::HashObjectAny(src));
    }
    if (index == TypeIndex::kTVMFFISmallStr) {
      return Combine(TypeIndex::kTVMFFIStr, detail::StableHashSmallStrBytes(raw));
    }
    if (index == TypeIndex::kTVMFFISmallBytes) {
      return Combine(TypeIndex::kTVMFFIBytes, detail::StableHashSmallStrBytes(raw));
    }
    return Combine(index, raw->v_uint64);
  }

 private:
  static uint64_t Combine(int32_t index, uint64_t value) {
    return detail::StableHashCombine(static_cast<uint64_t>(static_cast<int64_t>(index)), value);
  }
};

/*! \brief Equality that goes with AnyHash. */
struct AnyEqual {
  bool operator()(const Any& lhs, const Any& rhs) const {
    const TVMFFIAny* a = detail::AnyUnsafe::TVMFFIAnyPtrFromAny(lhs);
    const TVMFFIAny* b = detail::AnyUnsafe::TVMFFIAnyPtrFromAny(rhs);
    if (a->type_index == b->type_index) {
      if (a->zero_padding == b->zero_padding && a->v_int64 == b->v_int64) return true;
      if (a->type_index < TypeIndex::kTVMFFIStaticObjectBegin) return false;
      if (a->type_index == TypeIndex::kTVMFFIStr || a->type_index == TypeIndex::kTVMFFIBytes) {
        return SameContent(a, b);
      }
      return detail::EqualObjectAny(lhs, rhs);
    }
    // A small and a heap form of the same kind.
    return IsPair(a->type_index, b->type_index) && SameContent(a, b);
  }

 private:
  static bool IsPair(int32_t a, int32_t b) {
    const int32_t low = a < b ? a : b;
    const int32_t high = a < b ? b : a;
    return (low == TypeIndex::kTVMFFISmallStr && high == TypeIndex::kTVMFFIStr) ||
           (low == TypeIndex::kTVMFFISmallBytes && high == TypeIndex::kTVMFFIBytes);
  }
  static bool SameContent(const TVMFFIAny* a, const TVMFFIAny* b) {
    TVMFFIByteArray x = detail::GetBytesContent(a), y = detail::GetBytesContent(b);
    return Bytes::memequal(x.data, y.data, x.size, y.size);
  }
};

template <typename RefType, typename>
TVM_FFI_INLINE RefType ObjectRef::as_or_throw() const& {
  TVMFFIAny view;
  detail::SetObjectAny(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  return AnyView::CopyFromTVMFFIAny(view).template as_or_throw<RefType>();
}

template <typename RefType, typename>
TVM_FFI_INLINE RefType ObjectRef::as_or_throw() && {
  TVMFFIAny view;
  detail::SetObjectAny(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (TVM_FFI_PREDICT_FALSE(!TypeTraits<RefType>::CheckAnyStrict(&view))) {
    detail::ConversionError<RefType>::ThrowTreat(&view);
  }
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(std::move(data_));
}

}  // namespace ffi

using ffi::Any;
using ffi::AnyView;

}  // namespace tvm
#endif  // TVM_FFI_ANY_H_
