// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/object.h
 *  Reference counted objects: Object, its smart pointers, ObjectRef and the declaration macros.
 */
#ifndef TVM_FFI_OBJECT_H_
#define TVM_FFI_OBJECT_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/ref_count_detail.h>
#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

class Object;
class ObjectRef;
template <typename T>
class ObjectPtr;
template <typename T>
class Arc;
template <typename T>
class WeakObjectPtr;

/*! Tag of constructors that leave a reference null for the caller to fill at once. */
struct UnsafeInit {};

namespace detail {

struct ObjectUnsafe;

/*! Registers a type key, or finds the index it already has. Contradictions end the process. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline int32_t GetOrAllocTypeIndex(
    const char* type_key, int32_t static_type_index, int32_t type_depth, uint32_t num_child_slots,
    bool child_slots_can_overflow, int32_t parent_type_index) {
  TVMFFIByteArray key = {type_key, std::strlen(type_key)};
  return TVMFFITypeGetOrAllocIndex(&key, static_type_index, type_depth,
                                   static_cast<int32_t>(num_child_slots), child_slots_can_overflow,
                                   parent_type_index);
}

/*! True when the dynamic type `type_index` (not a POD) has `ancestor` at `depth` of its ancestors.
 */
inline bool HasAncestor(int32_t type_index, int32_t ancestor, int32_t depth) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  return info->type_depth > depth && info->type_ancestors[depth]->type_index == ancestor;
}

/*! True when an object of dynamic type `object_type_index` is a `TargetType`. */
template <typename TargetType>
TVM_FFI_INLINE bool IsObjectInstance(int32_t object_type_index);

/*! The same for a target known at run time only; also covers values that are no objects. */
inline bool RuntimeTypeIndexMatch(int32_t actual, int32_t target) {
  if (actual == target || target == TypeIndex::kTVMFFIAny) return true;
  if (target == TypeIndex::kTVMFFIStr) return actual == TypeIndex::kTVMFFISmallStr;
  if (target == TypeIndex::kTVMFFIBytes) return actual == TypeIndex::kTVMFFISmallBytes;
  if (target == TypeIndex::kTVMFFIObject) return actual >= TypeIndex::kTVMFFIStaticObjectBegin;
  if (target < TypeIndex::kTVMFFIStaticObjectBegin || actual < target) return false;
  return HasAncestor(actual, target, TVMFFIGetTypeInfo(target)->type_depth);
}

}  // namespace detail

/*!
 * \brief Base of every reference counted type. No virtual functions; made by make_object only.
 */
class Object {
 protected:
  TVMFFIObject header_;

 public:
  Object() {
    header_.combined_ref_count = 0;
    header_.type_index = 0;
    header_.__padding = 0;
    header_.__ensure_align = 0;
    header_.deleter = nullptr;
  }
  // A copied object is a new object: it takes the fields, never the count.
  Object(const Object&) : Object() {}
  Object& operator=(const Object&) { return *this; }

  /*! \brief Whether this is a `TargetType`. */
  template <typename TargetType>
  TVM_FFI_INLINE bool IsInstance() const {
    return detail::IsObjectInstance<TargetType>(header_.type_index);
  }

  int32_t type_index() const { return header_.type_index; }
  std::string GetTypeKey() const { return TypeIndexToTypeKey(header_.type_index); }
  uint64_t GetTypeKeyHash() const { return TVMFFIGetTypeInfo(header_.type_index)->type_key_hash; }
  static std::string TypeIndex2Key(int32_t tindex) { return TypeIndexToTypeKey(tindex); }

  /*! \brief True when the caller's strong reference is the only reference, weak ones included. */
  bool unique() const { return detail::RefCountLoad(&header_) == detail::kSingleRef; }
  /*! \brief Number of strong references. */
  uint64_t use_count() const { return detail::RefCountLoad(&header_) & detail::kStrongRefMask; }

  static constexpr const char* _type_key = StaticTypeKey::kTVMFFIObject;
  static constexpr bool _type_final = false;
  static constexpr bool _type_mutable = false;
  static constexpr uint32_t _type_child_slots = 0;
  static constexpr bool _type_child_slots_can_overflow = true;
  static constexpr int32_t _type_index = TypeIndex::kTVMFFIObject;
  static constexpr int32_t _type_depth = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUnsupported;
  static constexpr bool _type_s_eq_hash_subclass_kind_fixed = false;

  static int32_t RuntimeTypeIndex() { return TypeIndex::kTVMFFIObject; }
  static int32_t _GetOrAllocRuntimeTypeIndex() { return TypeIndex::kTVMFFIObject; }

  friend struct detail::ObjectUnsafe;
};

template <typename T>
inline constexpr bool is_object_subclass_v = std::is_base_of_v<Object, T>;

namespace detail {

template <typename TargetType>
TVM_FFI_INLINE bool IsObjectInstance(int32_t object_type_index) {
  static_assert(is_object_subclass_v<TargetType>, "the target must be an Object type");
  if constexpr (std::is_same_v<TargetType, Object>) {
    return true;
  } else {
    const int32_t target = TargetType::RuntimeTypeIndex();
    if constexpr (TargetType::_type_final) {
      return object_type_index == target;
    } else {
      if (object_type_index == target) return true;
      if constexpr (TargetType::_type_child_slots != 0) {
        if (object_type_index >= target &&
            object_type_index <= target + static_cast<int32_t>(TargetType::_type_child_slots)) {
          return true;
        }
      }
      if constexpr (!TargetType::_type_child_slots_can_overflow) return false;
      if (object_type_index < target) return false;
      return HasAncestor(object_type_index, target, TargetType::_type_depth);
    }
  }
}

}  // namespace detail

/*! \brief Shared pointer to an object; one pointer wide. May be null. */
template <typename T>
class ObjectPtr {
 public:
  ObjectPtr() = default;
  ObjectPtr(std::nullptr_t) {}  // NOLINT(*)
  ObjectPtr(const ObjectPtr<T>& other) : ObjectPtr(other.data_) {}
  template <typename U>
  ObjectPtr(const ObjectPtr<U>& other) : ObjectPtr(other.data_) {  // NOLINT(*)
    static_assert(std::is_base_of_v<T, U>, "an ObjectPtr converts to one of a base class only");
  }
  ObjectPtr(ObjectPtr<T>&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  template <typename U>
  ObjectPtr(ObjectPtr<U>&& other) noexcept : data_(other.data_) {  // NOLINT(*)
    static_assert(std::is_base_of_v<T, U>, "an ObjectPtr converts to one of a base class only");
    other.data_ = nullptr;
  }
  ~ObjectPtr() { reset(); }

  ObjectPtr<T>& operator=(const ObjectPtr<T>& other) {  // NOLINT(*): by swap
    ObjectPtr(other).swap(*this);
    return *this;
  }
  ObjectPtr<T>& operator=(ObjectPtr<T>&& other) noexcept {
    ObjectPtr(std::move(other)).swap(*this);
    return *this;
  }
  ObjectPtr<T>& operator=(std::nullptr_t) {
    reset();
    return *this;
  }

  void swap(ObjectPtr<T>& other) noexcept { std::swap(data_, other.data_); }
  T* get() const { return static_cast<T*>(data_); }
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  explicit operator bool() const { return data_ != nullptr; }
  bool operator==(const ObjectPtr<T>& other) const { return data_ == other.data_; }
  bool operator!=(const ObjectPtr<T>& other) const { return data_ != other.data_; }
  bool operator==(std::nullptr_t) const { return data_ == nullptr; }
  bool operator!=(std::nullptr_t) const { return data_ != nullptr; }

  /*! \brief Gives up the reference. */
  void reset() {
    if (data_ != nullptr) {
      Object* old = data_;
      data_ = nullptr;
      detail::DecRef(reinterpret_cast<TVMFFIObject*>(old));
    }
  }
  /*! \brief Number of strong references; 0 when null. */
  int use_count() const {
    return data_ == nullptr ? 0
                            : static_cast<int>(detail::RefCountLoad(
                                                   reinterpret_cast<const TVMFFIObject*>(data_)) &
                                               detail::kStrongRefMask);
  }
  bool unique() const {
    return data_ != nullptr &&
           detail::RefCountLoad(reinterpret_cast<const TVMFFIObject*>(data_)) == detail::kSingleRef;
  }

 private:
  explicit ObjectPtr(Object* data) : data_(data) {
    if (data_ != nullptr) detail::IncRef(reinterpret_cast<TVMFFIObject*>(data_));
  }

  Object* data_{nullptr};  // the header, also for polymorphic T

  template <typename>
  friend class ObjectPtr;
  template <typename>
  friend class WeakObjectPtr;
  friend struct detail::ObjectUnsafe;
};

/*! \brief ObjectPtr that is not null unless it was moved from. Made by make_arc only. */
template <typename T>
class Arc : public ObjectPtr<T> {
 public:
  Arc(const Arc<T>& other) = default;
  Arc(Arc<T>&& other) noexcept = default;
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  Arc(const Arc<U>& other) : ObjectPtr<T>(static_cast<const ObjectPtr<U>&>(other)) {}  // NOLINT(*)
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  Arc(Arc<U>&& other) noexcept  // NOLINT(*)
      : ObjectPtr<T>(static_cast<ObjectPtr<U>&&>(other)) {}
  explicit Arc(UnsafeInit) {}
  Arc<T>& operator=(const Arc<T>& other) = default;
  Arc<T>& operator=(Arc<T>&& other) noexcept = default;

 private:
  explicit Arc(ObjectPtr<T>&& ptr) : ObjectPtr<T>(std::move(ptr)) {}
  using ObjectPtr<T>::reset;
  using ObjectPtr<T>::swap;

  friend struct detail::ObjectUnsafe;
};

/*! \brief Pointer that does not keep its object alive. */
template <typename T>
class WeakObjectPtr {
 public:
  WeakObjectPtr() = default;
  WeakObjectPtr(std::nullptr_t) {}  // NOLINT(*)
  WeakObjectPtr(const WeakObjectPtr<T>& other) : WeakObjectPtr(other.data_) {}
  WeakObjectPtr(WeakObjectPtr<T>&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  WeakObjectPtr(const WeakObjectPtr<U>& other) : WeakObjectPtr(other.data_) {}  // NOLINT(*)
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  WeakObjectPtr(WeakObjectPtr<U>&& other) noexcept : data_(other.data_) {  // NOLINT(*)
    other.data_ = nullptr;
  }
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  WeakObjectPtr(const ObjectPtr<U>& other) : WeakObjectPtr(other.data_) {}  // NOLINT(*)
  ~WeakObjectPtr() { reset(); }

  WeakObjectPtr<T>& operator=(const WeakObjectPtr<T>& other) {
    WeakObjectPtr(other).swap(*this);
    return *this;
  }
  WeakObjectPtr<T>& operator=(WeakObjectPtr<T>&& other) noexcept {
    WeakObjectPtr(std::move(other)).swap(*this);
    return *this;
  }

  /*! \brief The object while it is alive, else null. */
  ObjectPtr<T> lock() const {
    ObjectPtr<T> result;
    if (data_ != nullptr && detail::TryPromoteWeakRef(reinterpret_cast<TVMFFIObject*>(data_))) {
      result.data_ = data_;
    }
    return result;
  }
  void reset() {
    if (data_ != nullptr) {
      Object* old = data_;
      data_ = nullptr;
      detail::DecWeakRef(reinterpret_cast<TVMFFIObject*>(old));
    }
  }
  void swap(WeakObjectPtr<T>& other) noexcept { std::swap(data_, other.data_); }
  int use_count() const {
    return data_ == nullptr ? 0
                            : static_cast<int>(detail::RefCountLoad(
                                                   reinterpret_cast<const TVMFFIObject*>(data_)) &
                                               detail::kStrongRefMask);
  }
  bool expired() const { return use_count() == 0; }

 private:
  explicit WeakObjectPtr(Object* data) : data_(data) {
    if (data_ != nullptr) detail::IncWeakRef(reinterpret_cast<TVMFFIObject*>(data_));
  }

  Object* data_{nullptr};

  template <typename>
  friend class WeakObjectPtr;
};

/*! \brief Base of the value classes that refer to an object. */
class ObjectRef {
 public:
  using ContainerType = Object;
  static constexpr bool _type_container_is_exact = true;
  static constexpr bool _type_is_nullable = true;

  ObjectRef() = default;
  ObjectRef(const ObjectRef& other) = default;
  ObjectRef(ObjectRef&& other) noexcept = default;
  ObjectRef& operator=(const ObjectRef& other) = default;
  ObjectRef& operator=(ObjectRef&& other) noexcept = default;
  explicit ObjectRef(ObjectPtr<Object> data) : data_(std::move(data)) {}
  explicit ObjectRef(UnsafeInit) {}

  /*! \brief Comparisons are by identity. */
  bool same_as(const ObjectRef& other) const { return data_ == other.data_; }
  bool operator==(const ObjectRef& other) const { return data_ == other.data_; }
  bool operator!=(const ObjectRef& other) const { return data_ != other.data_; }
  bool operator<(const ObjectRef& other) const { return data_.get() < other.data_.get(); }

  bool defined() const { return data_ != nullptr; }
  const Object* get() const { return data_.get(); }
  const Object* operator->() const { return get(); }
  bool unique() const { return data_.unique(); }
  int use_count() const { return data_.use_count(); }
  int32_t type_index() const {
    return data_ == nullptr ? static_cast<int32_t>(TypeIndex::kTVMFFINone) : data_->type_index();
  }
  std::string GetTypeKey() const { return TypeIndexToTypeKey(type_index()); }

  /*! \brief The object as an `ObjectType`, null when it is none. */
  template <typename ObjectType, typename = std::enable_if_t<is_object_subclass_v<ObjectType>>>
  TVM_FFI_INLINE const ObjectType* as() const {
    if (data_ != nullptr && data_->template IsInstance<ObjectType>()) {
      return static_cast<const ObjectType*>(data_.get());
    }
    return nullptr;
  }
  /*! \brief The reference as a `RefType`, nothing when it is none. */
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>>
  TVM_FFI_INLINE std::optional<RefType> as() const&;
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>>
  TVM_FFI_INLINE std::optional<RefType> as() &&;

  /*! \brief As `as`, but a mismatch is TypeError. Defined in any.h. */
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>>
  TVM_FFI_INLINE RefType as_or_throw() const&;
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>>
  TVM_FFI_INLINE RefType as_or_throw() &&;

 protected:
  ObjectPtr<Object> data_;
  Object* get_mutable() const { return data_.get(); }

  friend struct detail::ObjectUnsafe;
};

/*! Whether every `RefType` may hold an `ObjType`; users may specialise it. */
template <typename RefType, typename ObjType>
inline constexpr bool object_ref_contains_v =
    RefType::_type_container_is_exact &&
    std::is_base_of_v<typename RefType::ContainerType, ObjType>;

namespace detail {

/*! Raw access for generated and low-level code. Callers keep the counts right. */
struct ObjectUnsafe {
  TVM_FFI_INLINE static TVMFFIObject* GetHeader(const Object* src) {
    return const_cast<TVMFFIObject*>(&src->header_);
  }
  TVM_FFI_INLINE static TVMFFIObjectAllocHeader* GetObjectAllocHeaderFromPtr(void* ptr) {
    return reinterpret_cast<TVMFFIObjectAllocHeader*>(static_cast<char*>(ptr) -
                                                      sizeof(TVMFFIObjectAllocHeader));
  }
  /*! \brief Bytes from the start of `Class` to its object header. */
  template <typename Class>
  TVM_FFI_INLINE static int64_t GetObjectOffsetToSubclass() {
    // Any non-null address works: only the difference is used.
    const Class* probe = reinterpret_cast<const Class*>(uintptr_t{1} << 12);
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(static_cast<const Object*>(probe)) -
                                reinterpret_cast<uintptr_t>(probe));
  }
  template <typename RefType>
  TVM_FFI_INLINE static RefType ObjectRefFromObjectPtr(ObjectPtr<Object> ptr) {
    if constexpr (std::is_same_v<RefType, ObjectRef>) {
      return ObjectRef(std::move(ptr));
    } else if constexpr (std::is_constructible_v<RefType, UnsafeInit>) {
      RefType ref{UnsafeInit{}};
      static_cast<ObjectRef&>(ref).data_ = std::move(ptr);
      return ref;
    } else if constexpr (std::is_default_constructible_v<RefType>) {
      RefType ref;
      static_cast<ObjectRef&>(ref).data_ = std::move(ptr);
      return ref;
    } else {
      return RefType(std::move(ptr));
    }
  }
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> ObjectPtrFromObjectRef(const ObjectRef& ref) {
    ObjectPtr<T> ptr;
    ptr.data_ = ref.data_.data_;
    if (ptr.data_ != nullptr) IncRef(GetHeader(ptr.data_));
    return ptr;
  }
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> ObjectPtrFromObjectRef(ObjectRef&& ref) {
    ObjectPtr<T> ptr;
    std::swap(ptr.data_, ref.data_.data_);
    return ptr;
  }
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> ObjectPtrFromOwned(Object* raw) {
    ObjectPtr<T> ptr;
    ptr.data_ = raw;
    return ptr;
  }
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> ObjectPtrFromOwned(TVMFFIObject* raw) {
    return ObjectPtrFromOwned<T>(reinterpret_cast<Object*>(raw));
  }
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> ObjectPtrFromUnowned(Object* raw) {
    ObjectPtr<T> ptr;
    ptr.data_ = raw;
    if (raw != nullptr) IncRef(GetHeader(raw));
    return ptr;
  }
  template <typename T>
  TVM_FFI_INLINE static ObjectPtr<T> ObjectPtrFromUnowned(TVMFFIObject* raw) {
    return ObjectPtrFromUnowned<T>(reinterpret_cast<Object*>(raw));
  }
  template <typename T>
  TVM_FFI_INLINE static Arc<T> ArcFromObjectPtr(ObjectPtr<T>&& ptr) {
    return Arc<T>(std::move(ptr));
  }
  template <typename T>
  TVM_FFI_INLINE static T* RawObjectPtrFromUnowned(TVMFFIObject* raw) {
    return static_cast<T*>(reinterpret_cast<Object*>(raw));
  }
  TVM_FFI_INLINE static Object* RawObjectPtrFromObjectRef(const ObjectRef& ref) {
    return ref.data_.data_;
  }
  /*! \brief Where a reference keeps its pointer, for rvalue references that empty it. */
  TVM_FFI_INLINE static TVMFFIObject** ObjectSlotOf(const ObjectRef& ref) {
    return reinterpret_cast<TVMFFIObject**>(const_cast<Object**>(&ref.data_.data_));
  }
  TVM_FFI_INLINE static void IncRefObjectHandle(TVMFFIObjectHandle handle) {
    if (handle != nullptr) IncRef(static_cast<TVMFFIObject*>(handle));
  }
  TVM_FFI_INLINE static void DecRefObjectHandle(TVMFFIObjectHandle handle) {
    if (handle != nullptr) DecRef(static_cast<TVMFFIObject*>(handle));
  }
  TVM_FFI_INLINE static TVMFFIObject* TVMFFIObjectPtrFromObjectRef(const ObjectRef& ref) {
    return reinterpret_cast<TVMFFIObject*>(ref.data_.data_);
  }
  template <typename T>
  TVM_FFI_INLINE static TVMFFIObject* TVMFFIObjectPtrFromObjectPtr(const ObjectPtr<T>& ptr) {
    return reinterpret_cast<TVMFFIObject*>(ptr.data_);
  }
  template <typename T>
  TVM_FFI_INLINE static TVMFFIObject* MoveObjectPtrToTVMFFIObjectPtr(ObjectPtr<T>&& ptr) {
    Object* raw = ptr.data_;
    ptr.data_ = nullptr;
    return reinterpret_cast<TVMFFIObject*>(raw);
  }
  TVM_FFI_INLINE static TVMFFIObject* MoveObjectRefToTVMFFIObjectPtr(ObjectRef&& ref) {
    return MoveObjectPtrToTVMFFIObjectPtr(std::move(ref.data_));
  }
};

/*! Writes an object reference into a value; null becomes None. Counts are the caller's business. */
TVM_FFI_INLINE void SetObjectAny(TVMFFIAny* result, TVMFFIObject* obj) {
  if (obj != nullptr) {
    result->type_index = obj->type_index;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_obj = obj;
  } else {
    SetNoneAny(result);
  }
}

TVM_FFI_COLD_CODE inline std::string SimpleTypeSchema(const char* type_key) {
  return std::string(R"({"type":")") + type_key + R"("})";
}

}  // namespace detail

// Declaration macros

#define TVM_FFI_REGISTER_TYPE_IMPL_(TypeName, ParentType, StaticIndex)                        \
  static constexpr int32_t _type_depth = ParentType::_type_depth + 1;                         \
  static int32_t _GetOrAllocRuntimeTypeIndex() {                                              \
    static_assert(TypeName::_type_mutable || !TypeName::_type_mutable, "");                   \
    static_assert(!ParentType::_type_final, "the parent type is final");                      \
    static_assert(TypeName::_type_child_slots == 0 || ParentType::_type_child_slots == 0 ||   \
                      TypeName::_type_child_slots < ParentType::_type_child_slots,            \
                  "_type_child_slots must be declared, and smaller than that of the parent"); \
    static_assert(!ParentType::_type_s_eq_hash_subclass_kind_fixed ||                         \
                      TypeName::_type_s_eq_hash_kind == ParentType::_type_s_eq_hash_kind,     \
                  "the parent type fixes _type_s_eq_hash_kind");                              \
    static int32_t tindex = ::tvm::ffi::detail::GetOrAllocTypeIndex(                          \
        TypeName::_type_key, StaticIndex, TypeName::_type_depth, TypeName::_type_child_slots, \
        TypeName::_type_child_slots_can_overflow, ParentType::_GetOrAllocRuntimeTypeIndex()); \
    return tindex;                                                                            \
  }

/*! Inside an Object subclass that sets `_type_key` itself: registers the type when the image is
 * loaded. */
#define TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(TypeName, ParentType)          \
  TVM_FFI_REGISTER_TYPE_IMPL_(TypeName, ParentType, -1)                                \
  static int32_t RuntimeTypeIndex() noexcept { return _GetOrAllocRuntimeTypeIndex(); } \
  static inline const int32_t _type_index = _GetOrAllocRuntimeTypeIndex()

/*! Inside an Object subclass: names the type and registers it when the image is loaded. */
#define TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType) \
  static constexpr const char* _type_key = TypeKey;                \
  TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(TypeName, ParentType)

/*! The same for a type without subtypes. */
#define TVM_FFI_DECLARE_OBJECT_INFO_FINAL(TypeKey, TypeName, ParentType) \
  static constexpr uint32_t _type_child_slots [[maybe_unused]] = 0;      \
  static constexpr bool _type_final [[maybe_unused]] = true;             \
  TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)

/*! The same for a type whose `_type_index` the class fixes; registered on first use, not at load.
 */
#define TVM_FFI_DECLARE_OBJECT_INFO_STATIC(TypeKey, TypeName, ParentType)      \
  static constexpr const char* _type_key = TypeKey;                            \
  static int32_t RuntimeTypeIndex() noexcept { return TypeName::_type_index; } \
  TVM_FFI_REGISTER_TYPE_IMPL_(TypeName, ParentType, TypeName::_type_index)     \
  static_assert(true, "")

/*! Inside an ObjectRef subclass that may be null. */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TypeName, ParentType, ObjectName)              \
  TypeName() = default;                                                                           \
  explicit TypeName(::tvm::ffi::ObjectPtr<ObjectName> n) : ParentType(::tvm::ffi::UnsafeInit{}) { \
    data_ = std::move(n);                                                                         \
  }                                                                                               \
  explicit TypeName(::tvm::ffi::UnsafeInit tag) : ParentType(tag) {}                              \
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName);                                          \
  TVM_FFI_OBJECT_REF_ACCESS_IMPL_(ObjectName)                                                     \
  static constexpr bool _type_is_nullable [[maybe_unused]] = true;                                \
  using ContainerType = ObjectName

/*! Inside an ObjectRef subclass that is null only after a move. */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TypeName, ParentType, ObjectName) \
  explicit TypeName(::tvm::ffi::UnsafeInit tag) : ParentType(tag) {}                    \
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName);                                \
  TVM_FFI_OBJECT_REF_ACCESS_IMPL_(ObjectName)                                           \
  static constexpr bool _type_is_nullable [[maybe_unused]] = false;                     \
  using ContainerType = ObjectName

#define TVM_FFI_OBJECT_REF_ACCESS_IMPL_(ObjectName)                                                \
  using __PtrType = std::conditional_t<ObjectName::_type_mutable, ObjectName*, const ObjectName*>; \
  __PtrType operator->() const { return static_cast<__PtrType>(data_.get()); }                     \
  __PtrType get() const { return static_cast<__PtrType>(data_.get()); }

}  // namespace ffi
}  // namespace tvm

#include <tvm/ffi/object_traits_detail.h>

namespace tvm {
namespace ffi {

template <typename RefType, typename>
TVM_FFI_INLINE std::optional<RefType> ObjectRef::as() const& {
  TVMFFIAny view;
  detail::SetObjectAny(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (!TypeTraits<RefType>::CheckAnyStrict(&view)) return std::nullopt;
  return TypeTraits<RefType>::CopyFromAnyViewAfterCheck(&view);
}

template <typename RefType, typename>
TVM_FFI_INLINE std::optional<RefType> ObjectRef::as() && {
  TVMFFIAny view;
  detail::SetObjectAny(&view, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  if (!TypeTraits<RefType>::CheckAnyStrict(&view)) return std::nullopt;
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(std::move(data_));
}

/*! Identity functors for hash tables keyed by references. */
struct ObjectPtrHash {
  size_t operator()(const ObjectRef& ref) const { return Hash(ref.get()); }
  template <typename T>
  size_t operator()(const ObjectPtr<T>& ptr) const {
    return Hash(ptr.get());
  }
  template <typename T, typename = decltype(std::declval<const T&>().data_for_identity())>
  size_t operator()(const T& variant) const {
    return Hash(variant.data_for_identity());
  }

 private:
  static size_t Hash(const void* address) { return reinterpret_cast<size_t>(address); }
};

struct ObjectPtrEqual {
  bool operator()(const ObjectRef& a, const ObjectRef& b) const { return a.same_as(b); }
  template <typename T>
  bool operator()(const ObjectPtr<T>& a, const ObjectPtr<T>& b) const {
    return a == b;
  }
  template <typename T, typename = decltype(std::declval<const T&>().data_for_identity())>
  bool operator()(const T& a, const T& b) const {
    return a.data_for_identity() == b.data_for_identity();
  }
};

}  // namespace ffi
}  // namespace tvm

#include <tvm/ffi/error.h>

#endif  // TVM_FFI_OBJECT_H_
