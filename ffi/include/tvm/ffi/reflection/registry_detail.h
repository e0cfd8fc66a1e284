// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/registry_detail.h
 * \brief Extra arguments of registration calls, and the records that the calls fill.
 */
#ifndef TVM_FFI_REFLECTION_REGISTRY_DETAIL_H_
#define TVM_FFI_REFLECTION_REGISTRY_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {

/*! \brief Base of everything that may follow the mandatory arguments of a registration call. */
struct InfoTrait {};

/*!
 * \brief Extra entries for the JSON metadata of a field, method or function.
 *
 * Values are int, bool or String; anything else is TypeError.
 */
class Metadata : public InfoTrait {
 public:
  Metadata(std::initializer_list<std::pair<String, Any>> entries) : entries_(entries) {}

  /*! \brief Appends `,"key":value` for each entry. */
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void AppendJSON(std::string* out) const {
    for (const std::pair<String, Any>& entry : entries_) {
      *out += ',';
      ffi::detail::AppendJSONString(out, ffi::detail::AsView(entry.first));
      *out += ':';
      const Any& value = entry.second;
      const TVMFFIAny* raw = ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value);
      switch (value.type_index()) {
        case TypeIndex::kTVMFFIInt:
          *out += ffi::detail::IntegerText(raw->v_int64);
          break;
        case TypeIndex::kTVMFFIBool:
          *out += raw->v_int64 != 0 ? "true" : "false";
          break;
        case TypeIndex::kTVMFFISmallStr:
        case TypeIndex::kTVMFFIStr:
          ffi::detail::AppendJSONString(
              out, ffi::detail::AsView(
                       ffi::detail::AnyUnsafe::CopyFromAnyViewAfterCheck<String>(value)));
          break;
        default:
          ThrowUnsupported(std::string_view(entry.first.data(), entry.first.size()),
                           value.GetTypeKey());
      }
    }
  }

 private:
  [[noreturn]] static void ThrowUnsupported(std::string_view key, std::string_view type_key) {
    ffi::detail::ThrowError(
        "TypeError",
        ffi::detail::JoinText({"Metadata can be only int, bool or string, but on key `", key,
                               "`, the type is ", type_key}));
  }

  std::vector<std::pair<String, Any>> entries_;
};

/*!
 * \brief `param_names("x, y")`: the names of the parameters of a function or method, in order and
 * separated by commas.
 *
 * Python shows them in signatures and accepts the arguments by name. The object of a method counts.
 */
class param_names : public Metadata {
 public:
  explicit param_names(const String& names) : Metadata{{"param_names", names}} {}
};
/*! \brief `param_defaults("{\"y\": 1}")`: default values of parameters, as JSON. Bindings fill them
 * in: the function itself is called with all of its arguments. */
class param_defaults : public Metadata {
 public:
  explicit param_defaults(const String& json) : Metadata{{"param_defaults", json}} {}
};
/*! \brief The function never waits and never calls back, so that a binding may keep its interpreter
 * lock during the call. */
class never_blocks : public Metadata {
 public:
  explicit never_blocks(bool value = true) : Metadata{{"never_blocks", value}} {}
};

/*! \brief Default value of a field. */
class DefaultValue : public InfoTrait {
 public:
  explicit DefaultValue(Any value) : value_(std::move(value)) {}
  void Apply(TVMFFIFieldInfo* info) const {
    info->default_value_or_factory = AnyView(value_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault;
    info->flags &= ~static_cast<int64_t>(kTVMFFIFieldFlagBitMaskDefaultFromFactory);
  }

 private:
  Any value_;
};
using default_value = DefaultValue;

/*! \brief Function without arguments that makes the default of a field anew for each object. */
class DefaultFactory : public InfoTrait {
 public:
  explicit DefaultFactory(Function factory) : factory_(std::move(factory)) {}
  void Apply(TVMFFIFieldInfo* info) const {
    TVM_FFI_CHECK(factory_ != nullptr, ValueError) << "the default factory is null";
    info->default_value_or_factory = AnyView(factory_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  }

 private:
  Function factory_;
};
using default_factory = DefaultFactory;

/*! \brief Sets flags of a field (TVMFFIFieldFlagBitMask). */
class AttachFieldFlag : public InfoTrait {
 public:
  explicit constexpr AttachFieldFlag(int32_t flag) : flag_(flag) {}
  /*! \brief Structural comparison: the field defines variables, also deep inside it. */
  static constexpr AttachFieldFlag SEqHashDefPattern() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
  }
  /*! \brief Structural comparison: the field defines the variables it holds directly. */
  static constexpr AttachFieldFlag SEqHashDefSimple() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashDefSimple);
  }
  /*! \brief The names of both before 0.1.16. */
  static constexpr AttachFieldFlag SEqHashDefRecursive() { return SEqHashDefPattern(); }
  static constexpr AttachFieldFlag SEqHashDefNonRecursive() { return SEqHashDefSimple(); }
  /*! \brief Structural comparison skips the field. */
  static constexpr AttachFieldFlag SEqHashIgnore() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  }
  void Apply(TVMFFIFieldInfo* info) const { info->flags |= flag_; }

 private:
  int32_t flag_;
};

namespace detail {

/*! \brief A trait that sets `kFlag` when its argument is `kWhen`. */
template <int32_t kFlag, bool kWhen>
class FieldFlagIf : public InfoTrait {
 public:
  explicit constexpr FieldFlagIf(bool value) : value_(value) {}
  void Apply(TVMFFIFieldInfo* info) const {
    if (value_ == kWhen) info->flags |= kFlag;
  }

 private:
  bool value_;
};

}  // namespace detail

/*! \brief `repr(false)`: the field is not printed. */
class repr : public detail::FieldFlagIf<kTVMFFIFieldFlagBitMaskReprOff, false> {
 public:
  using FieldFlagIf::FieldFlagIf;
};
/*! \brief `compare(false)`: recursive comparison (and hash) skips the field. */
class compare : public detail::FieldFlagIf<kTVMFFIFieldFlagBitMaskCompareOff, false> {
 public:
  using FieldFlagIf::FieldFlagIf;
};
/*! \brief `hash(false)`: the recursive hash skips the field. */
class hash : public detail::FieldFlagIf<kTVMFFIFieldFlagBitMaskHashOff, false> {
 public:
  using FieldFlagIf::FieldFlagIf;
};
/*! \brief `kw_only(true)`: the generated constructor takes the field by keyword only. */
class kw_only : public detail::FieldFlagIf<kTVMFFIFieldFlagBitMaskKwOnly, true> {
 public:
  using FieldFlagIf::FieldFlagIf;
};

/*!
 * \brief `init<Args...>()`: a constructor from `Args`, as argument of `def`.
 *
 * `init(false)` (deduced as `init<>`) keeps a field out of the generated constructor, or, given to
 * ObjectDef, suppresses that constructor.
 */
template <typename... Args>
struct init : public InfoTrait {
  constexpr init() = default;
  explicit constexpr init(bool value) : enabled(value) {}
  void Apply(TVMFFIFieldInfo* info) const {
    if (!enabled) info->flags |= kTVMFFIFieldFlagBitMaskInitOff;
  }
  /*! \brief The constructor as a function. */
  template <typename Class>
  static ObjectRef Execute(Args... args) {
    return ObjectRef(ObjectPtr<Object>(make_object<Class>(std::forward<Args>(args)...)));
  }
  bool enabled = true;
};
init(bool) -> init<>;

namespace detail {

/*! \brief Function that returns the schema text of a type or a signature. */
using FSchemaText = std::string (*)();

inline constexpr const char kPackedSchema[] = "{\"type\":\"ffi.Function\"}";

/*! \brief What one registration call says; filled by templates, consumed by cold functions. */
struct Record {
  const char* name = nullptr;
  const char* doc = nullptr;
  /*! \brief Null for packed functions. */
  FSchemaText schema = nullptr;
  const Metadata* const* metadata = nullptr;
  size_t num_metadata = 0;
  /*! \brief Appends the metadata; set with the first one, so that others do not compile it. */
  void (*append_metadata)(const Record& record, std::string* out) = nullptr;
};

TVM_FFI_COLD_CODE inline void AppendMetadata(const Record& record, std::string* out) {
  for (size_t i = 0; i < record.num_metadata; ++i) record.metadata[i]->AppendJSON(out);
}

/*! \brief Record with room for the metadata of a call with `N` extra arguments. */
template <typename Base, size_t N>
struct RecordFor : public Base {
  explicit RecordFor(const char* record_name) {
    this->name = record_name;
    this->metadata = entries;
  }
  RecordFor(const RecordFor&) = delete;
  RecordFor& operator=(const RecordFor&) = delete;
  const Metadata* entries[N + 1];

  /*! \brief Takes one extra argument of the registration call. */
  template <typename Extra>
  TVM_FFI_INLINE void Take(const Extra& extra) {
    if constexpr (std::is_base_of_v<Metadata, Extra>) {
      entries[this->num_metadata++] = &extra;
      this->append_metadata = &AppendMetadata;
    } else if constexpr (std::is_base_of_v<InfoTrait, Extra>) {
      if constexpr (Base::template kApplies<Extra>) extra.Apply(&this->info);
    } else if constexpr (std::is_convertible_v<const Extra&, const char*>) {
      this->doc = extra;
    }
  }
};

template <typename T, typename Info, typename = void>
inline constexpr bool applies_to_v = false;
template <typename T, typename Info>
inline constexpr bool applies_to_v<
    T, Info, std::void_t<decltype(std::declval<const T&>().Apply(std::declval<Info*>()))>> = true;

/*! \brief Record of a function or method. */
struct MethodRecord : public Record {
  template <typename Extra>
  static constexpr bool kApplies = false;
};

/*! \brief Record of a field. */
struct FieldRecord : public Record {
  template <typename Extra>
  static constexpr bool kApplies = applies_to_v<Extra, TVMFFIFieldInfo>;
  TVMFFIFieldInfo info{};
};

/*! \brief `{"type_schema":"...",...}` */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string RenderMetadata(const Record& record) {
  std::string text = "{\"type_schema\":";
  if (record.schema == nullptr) {
    ffi::detail::AppendJSONString(&text, kPackedSchema);
  } else {
    ffi::detail::AppendJSONString(&text, record.schema());
  }
  if (record.append_metadata != nullptr) record.append_metadata(record, &text);
  text += '}';
  return text;
}

inline TVMFFIByteArray BytesOrNull(const char* text) {
  return text == nullptr ? TVMFFIByteArray{nullptr, 0} : AsByteArray(text);
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void FillMethodInfo(const Record& record, AnyView method,
                                                               int64_t flags,
                                                               const std::string& metadata,
                                                               TVMFFIMethodInfo* info) {
  info->name = AsByteArray(record.name);
  info->doc = BytesOrNull(record.doc);
  info->metadata = TVMFFIByteArray{metadata.data(), metadata.size()};
  info->flags = flags;
  info->method = method.CopyToTVMFFIAny();
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterGlobal(const Record& record,
                                                               const Function& function) {
  const std::string metadata = RenderMetadata(record);
  TVMFFIMethodInfo info;
  FillMethodInfo(record, function, kTVMFFIFieldFlagBitMaskIsStaticMethod, metadata, &info);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0));
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterGlobal(
    const Record& record, const ffi::detail::SmallCallable& callable) {
  RegisterGlobal(record, Function(callable.Make(nullptr, record.name)));
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterMethod(int32_t type_index,
                                                               const Record& record, AnyView method,
                                                               bool is_static) {
  const std::string metadata = RenderMetadata(record);
  TVMFFIMethodInfo info;
  FillMethodInfo(record, method, is_static ? kTVMFFIFieldFlagBitMaskIsStaticMethod : 0, metadata,
                 &info);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMethod(type_index, &info));
}

/*! \brief The type that a registration call is about. */
struct TypeRef {
  int32_t index;
  const char* key;
};

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterField(int32_t type_index,
                                                              FieldRecord* record) {
  const std::string metadata = RenderMetadata(*record);
  TVMFFIFieldInfo& info = record->info;
  info.name = AsByteArray(record->name);
  info.doc = BytesOrNull(record->doc);
  info.metadata = TVMFFIByteArray{metadata.data(), metadata.size()};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(type_index, &info));
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterAttr(int32_t type_index, const char* name,
                                                             AnyView value) {
  const TVMFFIByteArray attr_name = AsByteArray(name);
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &attr_name, &raw));
}

/*! \brief `<type key>.<name>`, the name of a method in messages. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string MethodFullName(const char* type_key,
                                                                      const char* name) {
  std::string text(type_key);
  text += '.';
  text += name;
  return text;
}

/*! \brief Registers a function as a type attribute. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterAttr(
    const TypeRef& type, const char* name, const ffi::detail::SmallCallable& callable) {
  RegisterAttr(type.index, name, Function(callable.Make(type.key, name)));
}

/*! \brief Registers a method; as an attribute as well when it is the constructor. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterMethod(
    const TypeRef& type, const Record& record, const ffi::detail::SmallCallable& callable,
    bool is_static, bool is_init) {
  const Function method(callable.Make(type.key, record.name));
  RegisterMethod(type.index, record, method, is_static);
  if (is_init) RegisterAttr(type.index, record.name, method);
}

/*! \brief Asks the library for the generated constructor of a type. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterInit(int32_t type_index) {
  const TVMFFIByteArray name = AsByteArray("ffi._RegisterFFIInit");
  TVMFFIObjectHandle handle = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionGetGlobal(&name, &handle));
  if (handle == nullptr) return;  // while the library registers its own first types
  const Function owner = Function(ffi::detail::ObjectUnsafe::ObjectPtrFromOwned<FunctionObj>(
      static_cast<TVMFFIObject*>(handle)));
  TVMFFIAny arg = AnyView(type_index).CopyToTVMFFIAny();
  Any result;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIFunctionCall(handle, &arg, 1, reinterpret_cast<TVMFFIAny*>(&result)));
}

/*! \brief What ObjectDef does when it is done with a type. */
struct TypeEnd {
  TypeRef type;
  ObjectRef (*shallow_copy)(const Object*);  // NULL when it can't be copied
  ObjectRef (*new_object)();                 // NULL when it has no creator
  bool wants_init;
  bool is_final;
};
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void FinishType(const TypeEnd& end) {
  using ffi::detail::SmallCallable;
  if (end.shallow_copy != nullptr) {
    RegisterAttr(end.type, type_attr::kShallowCopy.name, SmallCallable::Of(end.shallow_copy));
  }
  if (end.new_object != nullptr) {
    RegisterAttr(end.type, type_attr::kNew.name, SmallCallable::Of(end.new_object));
  }
  if (end.wants_init) RegisterInit(end.type.index);
  RegisterAttr(end.type.index, type_attr::kTypeFinal.name, end.is_final);
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void RegisterType(int32_t type_index,
                                                             const Record& record,
                                                             int32_t total_size,
                                                             TVMFFISEqHashKind kind,
                                                             TVMFFIObjectCreator creator) {
  TVMFFITypeMetadata metadata{};
  metadata.total_size = total_size;
  metadata.structural_eq_hash_kind = kind;
  metadata.creator = creator;
  metadata.doc = BytesOrNull(record.doc);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(type_index, &metadata));
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowCannotCast(AnyView value,
                                                                             FSchemaText type_str) {
  TVM_FFI_THROW(TypeError) << "Cannot cast from `" << value.GetTypeKey() << "` to `" << type_str()
                           << "`";
  TVM_FFI_UNREACHABLE();
}

// ---- C callbacks of one type ----

template <typename T>
int ReadField(void* field, TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *result = ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(*static_cast<const T*>(field)));
  TVM_FFI_SAFE_CALL_END();
}

template <typename T>
int WriteField(void* field, const TVMFFIAny* value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const AnyView view = AnyView::CopyFromTVMFFIAny(*value);
  if constexpr (std::is_same_v<T, Any>) {
    *static_cast<Any*>(field) = view;
  } else {
    *static_cast<T*>(field) = view.template cast<T>();
  }
  TVM_FFI_SAFE_CALL_END();
}

/*! \brief How objects of a class come to be when no arguments are given. */
template <typename Class>
ObjectPtr<Object> NewObject() {
  if constexpr (std::is_default_constructible_v<Class>) {
    return make_object<Class>();
  } else {
    return make_object<Class>(UnsafeInit{});
  }
}
template <typename Class>
inline constexpr bool has_creator_v =
    std::is_default_constructible_v<Class> || std::is_constructible_v<Class, UnsafeInit>;

template <typename Class>
ObjectRef NewObjectRef() {
  return ObjectRef(NewObject<Class>());
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowNotInstance(
    const Object* object, const char* type_key) {
  TVM_FFI_THROW(TypeError) << "Expected `" << type_key << "` but got `" << object->GetTypeKey()
                           << "`";
  TVM_FFI_UNREACHABLE();
}

/*! \brief Copies an object as a `Class`; the field values are shared. */
template <typename Class>
ObjectRef CopyObject(const Object* object) {
  if (!object->IsInstance<Class>()) ThrowNotInstance(object, Class::_type_key);
  return ObjectRef(ObjectPtr<Object>(make_object<Class>(*static_cast<const Class*>(object))));
}

template <typename Class>
int CreateObject(TVMFFIObjectHandle* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *result = ffi::detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(NewObject<Class>());
  TVM_FFI_SAFE_CALL_END();
}

/*! \brief First parameter of a method of `Self` registered for `Class`. */
template <typename Class, typename Self>
using SelfParam = std::conditional_t<
    std::is_base_of_v<ObjectRef, Self>, Self,
    std::conditional_t<std::is_base_of_v<Object, std::remove_const_t<Self>>, Self*,
                       std::conditional_t<std::is_const_v<Self>, const Class*, Class*>>>;

/*! \brief A method pointer as a callable that takes the object first. */
template <typename Class, typename Self, typename R, typename... Args>
TVM_FFI_INLINE auto WrapMethod(R (Self::*method)(Args...)) {
  return [method](SelfParam<Class, Self> self, Args... args) -> R {
    if constexpr (std::is_base_of_v<ObjectRef, Self>) {
      return (self.*method)(std::forward<Args>(args)...);
    } else {
      return (self->*method)(std::forward<Args>(args)...);
    }
  };
}
template <typename Class, typename Self, typename R, typename... Args>
TVM_FFI_INLINE auto WrapMethod(R (Self::*method)(Args...) const) {
  using Param = std::conditional_t<std::is_base_of_v<ObjectRef, Self>, const Self&,
                                   SelfParam<Class, const Self>>;
  return [method](Param self, Args... args) -> R {
    if constexpr (std::is_base_of_v<ObjectRef, Self>) {
      return (self.*method)(std::forward<Args>(args)...);
    } else {
      return (self->*method)(std::forward<Args>(args)...);
    }
  };
}

/*! \brief A method pointer as above; other callables as they are. */
template <typename Class, typename F>
TVM_FFI_INLINE auto AsCallable(F f) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    return WrapMethod<Class>(f);
  } else {
    return f;
  }
}

/*! \brief Schema text of the signature of a callable. */
template <typename F>
inline constexpr FSchemaText kSchemaOf = &ffi::detail::FunctionInfo<F>::TypeSchema;

/*! \brief Whether a value goes into a type attribute as it is; callables become functions. */
template <typename T>
inline constexpr bool is_attr_value_v = std::is_convertible_v<const T&, AnyView>;

/*! \brief How a callable is kept in a function. */
template <typename F>
using StoredCallable = typename ffi::detail::StoredCallable<F>::type;

/*! \brief Registers a type attribute from a value or a callable. */
template <typename Class, typename T>
void RegisterAttrValue(int32_t type_index, const char* name, T&& value) {
  using Value = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (is_attr_value_v<Value>) {
    RegisterAttr(type_index, name, AnyView(value));
  } else {
    auto callable = AsCallable<Class, std::decay_t<T>>(std::forward<T>(value));
    using Stored = StoredCallable<decltype(callable)>;
    if constexpr (ffi::detail::is_small_callable_v<Stored>) {
      const Stored stored(std::move(callable));
      RegisterAttr(TypeRef{type_index, Class::_type_key}, name,
                   ffi::detail::SmallCallable::Of(stored));
    } else {
      RegisterAttr(
          type_index, name,
          Function::FromTyped(std::move(callable), MethodFullName(Class::_type_key, name)));
    }
  }
}

/*! \brief Registers the conversion to `Ref` as `__ffi_convert__`. */
template <typename Class, typename Ref>
void RegisterConvert(int32_t type_index) {
  static_assert(std::is_same_v<typename Ref::ContainerType, Class>,
                "the reference type belongs to another object type");
  RegisterAttr(type_index, type_attr::kConvert.name,
               Function::FromTyped(
                   [](AnyView value) -> Any {
                     if (std::optional<Ref> converted = value.template try_cast<Ref>()) {
                       return Any(*std::move(converted));
                     }
                     ThrowCannotCast(value, &TypeTraits<Ref>::TypeStr);
                   },
                   MethodFullName(Class::_type_key, type_attr::kConvert.name)));
}

/*! \brief Bytes from the object header of a `Class` to the field. */
template <typename Class, typename T, typename Base>
int64_t FieldOffset(T Base::* field) {
  static_assert(std::is_base_of_v<Base, Class>, "the field is not one of the class");
  // Any non-null address works: only the difference is used.
  const Class* probe = reinterpret_cast<const Class*>(uintptr_t{1} << 12);
  const auto header = reinterpret_cast<uintptr_t>(static_cast<const Object*>(probe));
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(&(probe->*field)) - header);
}

/*! \brief Fills the part of a field record that follows from the type of the field. */
template <typename T>
void FillFieldInfo(FieldRecord* record, int64_t offset) {
  using Value = std::remove_const_t<T>;
  record->schema = &ffi::detail::TypeSchema<Value>::v;
  TVMFFIFieldInfo& info = record->info;
  info.size = sizeof(Value);
  info.alignment = alignof(Value);
  info.offset = offset;
  info.getter = &ReadField<Value>;
  if constexpr (!std::is_const_v<T>) info.setter = reinterpret_cast<void*>(&WriteField<Value>);
  info.field_static_type_index = TypeToFieldStaticTypeIndex<Value>::value;
}

}  // namespace detail

}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_REGISTRY_DETAIL_H_
