// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/accessor.h
 * \brief Reading what has been registered: fields, methods and type attributes.
 */
#ifndef TVM_FFI_REFLECTION_ACCESSOR_H_
#define TVM_FFI_REFLECTION_ACCESSOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

template <typename FType>
class NativeFunctionView;
template <typename FType>
class NativeFunction;

namespace reflection {

namespace detail {}
/*! \brief Older extensions spell the namespace this way. */
namespace details = detail;

using ffi::NativeFunction;
using ffi::NativeFunctionView;

/*! \brief Bytes of a C string, without its terminator. */
inline constexpr TVMFFIByteArray AsByteArray(const char* str) {
  return TVMFFIByteArray{str, std::char_traits<char>::length(str)};
}

namespace detail {

/*! \brief Type info of a registered key; throws InternalError for an unknown one. */
TVM_FFI_COLD_CODE inline const TVMFFITypeInfo* GetTypeInfoOfKey(std::string_view type_key) {
  const TVMFFIByteArray key{type_key.data(), type_key.size()};
  int32_t type_index = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&key, &type_index));
  return TVMFFIGetTypeInfo(type_index);
}

inline bool SameText(const TVMFFIByteArray& a, std::string_view b) {
  return a.size == b.size() && std::memcmp(a.data, b.data(), b.size()) == 0;
}

}  // namespace detail

/*! \brief Own field `field_name` of a type; throws RuntimeError when there is none. */
TVM_FFI_COLD_CODE inline const TVMFFIFieldInfo* GetFieldInfo(std::string_view type_key,
                                                             std::string_view field_name) {
  const TVMFFITypeInfo* info = detail::GetTypeInfoOfKey(type_key);
  for (int32_t i = 0; i < info->num_fields; ++i) {
    if (detail::SameText(info->fields[i].name, field_name)) return &info->fields[i];
  }
  TVM_FFI_THROW(RuntimeError) << "Cannot find field  `" << field_name << "` in " << type_key;
  TVM_FFI_UNREACHABLE();
}

/*! \brief Own method `method_name` of a type; throws RuntimeError when there is none. */
TVM_FFI_COLD_CODE inline const TVMFFIMethodInfo* GetMethodInfo(std::string_view type_key,
                                                               std::string_view method_name) {
  const TVMFFITypeInfo* info = detail::GetTypeInfoOfKey(type_key);
  for (int32_t i = 0; i < info->num_methods; ++i) {
    if (detail::SameText(info->methods[i].name, method_name)) return &info->methods[i];
  }
  TVM_FFI_THROW(RuntimeError) << "Cannot find method " << method_name << " in " << type_key;
  TVM_FFI_UNREACHABLE();
}

/*! \brief The function of a method; instance methods take the object first. */
inline Function GetMethod(std::string_view type_key, std::string_view method_name) {
  return AnyView::CopyFromTVMFFIAny(GetMethodInfo(type_key, method_name)->method).cast<Function>();
}

/*! \brief Reads one field of objects of one type. */
class FieldGetter {
 public:
  explicit FieldGetter(const TVMFFIFieldInfo* field_info) : field_info_(field_info) {}
  explicit FieldGetter(std::string_view type_key, std::string_view field_name)
      : FieldGetter(GetFieldInfo(type_key, field_name)) {}

  /*! \brief A new owner of the field value. The object must have the field. */
  Any operator()(const Object* obj) const {
    char* base = reinterpret_cast<char*>(ffi::detail::ObjectUnsafe::GetHeader(obj));
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(
        field_info_->getter(base + field_info_->offset, reinterpret_cast<TVMFFIAny*>(&result)));
    return result;
  }
  Any operator()(const ObjectPtr<Object>& obj) const { return (*this)(obj.get()); }
  Any operator()(const ObjectRef& obj) const { return (*this)(obj.get()); }

 private:
  const TVMFFIFieldInfo* field_info_;
};

/*!
 * \brief Stores a converted value in the field at `field_addr`.
 * \return 0, or -1 with the error in the slot of this thread.
 */
inline int CallFieldSetter(const TVMFFIFieldInfo* field_info, void* field_addr,
                           const TVMFFIAny* value) {
  if (field_info->setter == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "the field has no setter");
    return -1;
  }
  if ((field_info->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) == 0) {
    return reinterpret_cast<TVMFFIFieldSetter>(field_info->setter)(field_addr, value);
  }
  TVMFFIAny args[2] = {AnyView(field_addr).CopyToTVMFFIAny(), *value};
  Any result;
  return TVMFFIFunctionCall(field_info->setter, args, 2, reinterpret_cast<TVMFFIAny*>(&result));
}

/*!
 * \brief Stores the default of a field, or what its factory makes.
 * \return 0, or -1 with the error in the slot of this thread.
 */
inline int CallFieldSetterToDefault(const TVMFFIFieldInfo* field_info, void* field_addr) {
  if ((field_info->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) == 0) {
    return CallFieldSetter(field_info, field_addr, &field_info->default_value_or_factory);
  }
  Any made;
  const int code = TVMFFIFunctionCall(field_info->default_value_or_factory.v_obj, nullptr, 0,
                                      reinterpret_cast<TVMFFIAny*>(&made));
  if (code != 0) return code;
  return CallFieldSetter(field_info, field_addr, ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(made));
}

/*! \brief As CallFieldSetterToDefault, and an error is thrown. */
inline void SetFieldToDefault(const TVMFFIFieldInfo* field_info, void* field_addr) {
  TVM_FFI_CHECK_SAFE_CALL(CallFieldSetterToDefault(field_info, field_addr));
}

/*! \brief Writes one field of objects of one type. */
class FieldSetter {
 public:
  explicit FieldSetter(const TVMFFIFieldInfo* field_info) : field_info_(field_info) {}
  explicit FieldSetter(std::string_view type_key, std::string_view field_name)
      : FieldSetter(GetFieldInfo(type_key, field_name)) {}

  /*! \brief Converts `value` to the type of the field and stores it. */
  void operator()(const Object* obj, AnyView value) const {
    char* base = reinterpret_cast<char*>(ffi::detail::ObjectUnsafe::GetHeader(obj));
    const TVMFFIAny raw = value.CopyToTVMFFIAny();
    TVM_FFI_CHECK_SAFE_CALL(CallFieldSetter(field_info_, base + field_info_->offset, &raw));
  }
  void operator()(const ObjectPtr<Object>& obj, AnyView value) const { (*this)(obj.get(), value); }
  void operator()(const ObjectRef& obj, AnyView value) const { (*this)(obj.get(), value); }

 private:
  const TVMFFIFieldInfo* field_info_;
};

/*!
 * \brief Calls `callback(const TVMFFIFieldInfo*)` for the fields of the ancestors, then the own
 * ones, until it returns true.
 * \return Whether it did.
 */
template <typename Callback>
inline bool ForEachFieldInfoWithEarlyStop(const TypeInfo* type_info, Callback callback) {
  // Depth 0 is ffi.Object, which has no fields.
  for (int32_t depth = 1; depth <= type_info->type_depth; ++depth) {
    const TypeInfo* level =
        depth == type_info->type_depth ? type_info : type_info->type_ancestors[depth];
    for (int32_t i = 0; i < level->num_fields; ++i) {
      if (callback(level->fields + i)) return true;
    }
  }
  return false;
}

/*! \brief As ForEachFieldInfoWithEarlyStop, for all fields. */
template <typename Callback>
inline void ForEachFieldInfo(const TypeInfo* type_info, Callback callback) {
  ForEachFieldInfoWithEarlyStop(type_info, [&](const TVMFFIFieldInfo* field) {
    callback(field);
    return false;
  });
}

/*!
 * \brief Name of a type attribute and the C++ type of its values.
 */
template <typename T>
struct AttrKey {
  using ValueType = T;
  const char* name;

  /*! \brief The name, where code for older versions expects one. */
  constexpr operator const char*() const { return name; }  // NOLINT(*)
  /*! \brief The attribute value; nullopt for None, TypeError when it has another type. */
  std::optional<T> ValueFrom(AnyView value) const {
    if (value == nullptr) return std::nullopt;
    return value.template as_or_throw<T>();
  }
};

/*! \brief The values of one type attribute, by type index. */
class TypeAttrColumn {
 public:
  /*! \brief Throws RuntimeError when no type has ever had the attribute. */
  explicit TypeAttrColumn(std::string_view attr_name) {
    const TVMFFIByteArray name{attr_name.data(), attr_name.size()};
    column_ = TVMFFIGetTypeAttrColumn(&name);
    if (column_ == nullptr) {
      TVM_FFI_THROW(RuntimeError) << "Cannot find type attribute " << attr_name;
    }
  }
  template <typename T>
  explicit TypeAttrColumn(const AttrKey<T>& key) : TypeAttrColumn(std::string_view(key.name)) {}

  /*! \brief The value for a type, None when it has none; it is not inherited. */
  AnyView operator[](int32_t type_index) const {
    const TVMFFIAny* value = ffi::detail::FindTypeAttr(column_, type_index);
    return value == nullptr ? AnyView() : AnyView::CopyFromTVMFFIAny(*value);
  }

 private:
  const TVMFFITypeAttrColumn* column_;
};

}  // namespace reflection

/*! \brief Type attributes that the library or its bindings look at. */
namespace type_attr {

/*! \brief Makes an object without arguments. */
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef()>> kNew{"__ffi_new__"};
/*! \brief Constructor. */
inline constexpr reflection::AttrKey<Function> kInit{"__ffi_init__"};
/*! \brief Conversion of any value to the type. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kConvert{"__ffi_convert__"};
/*! \brief Schema of what the conversion accepts; for bindings. */
inline constexpr reflection::AttrKey<Any> kConvertTypeSchema{"__ffi_convert_type_schema__"};
/*! \brief Copy of an object that shares the field values. */
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef(const Object*)>> kShallowCopy{
    "__ffi_shallow_copy__"};
/*! \brief Whether the type can have subtypes. */
inline constexpr reflection::AttrKey<bool> kTypeFinal{"__ffi_type_final__"};
/*! \brief Hash used by AnyHash. */
inline constexpr reflection::AttrKey<NativeFunctionView<int64_t(const Any&)>> kAnyHash{
    "__any_hash__"};
/*! \brief Equality used by AnyEqual. */
inline constexpr reflection::AttrKey<NativeFunctionView<bool(const Any&, const Any&)>> kAnyEqual{
    "__any_equal__"};

}  // namespace type_attr

namespace reflection {
/*! \brief Where the constants were before 0.1.16. */
namespace type_attr = ::tvm::ffi::type_attr;
}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_ACCESSOR_H_
