// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/enum.h
 *  Enums as objects: each entry is one instance, found by number or by name.
 */
#ifndef TVM_FFI_ENUM_H_
#define TVM_FFI_ENUM_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Entries of one enum type; lives in the type attribute `__ffi_enum__`. */
class EnumStateObj : public Object {
 public:
  /*! \brief All entries in the order of their definition. */
  List<ObjectRef> entries;
  /*! \brief Entry by number and by name. */
  Dict<Any, ObjectRef> indexes;
  /*! \brief Values attached to entries: attribute name, then entry. */
  Dict<String, Dict<ObjectRef, Any>> attrs;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.EnumState", EnumStateObj, Object);
};

class EnumState : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(EnumState, ObjectRef, EnumStateObj);
};

namespace type_attr {
/*! \brief Entries of an enum type. */
inline constexpr reflection::AttrKey<EnumState> kEnumState{"__ffi_enum__"};
}  // namespace type_attr

class Enum;

/*! \brief One entry of an enum type. */
class EnumObj : public Object {
 public:
  /*! \brief Number of the entry. */
  int64_t _int_index = 0;
  /*! \brief Name of the entry. */
  String _str_index;

  EnumObj() = default;
  EnumObj(int64_t int_index, String str_index)
      : _int_index(int_index), _str_index(std::move(str_index)) {}

  /*! \brief The entry of an enum type with that number; ValueError when there is none. */
  static Enum _GetByIntIndex(int32_t type_index, int64_t int_index);
  template <typename ObjT>
  static Enum _GetByIntIndex(int64_t int_index);
  /*! \brief The entry of an enum type with that name; ValueError when there is none. */
  static Enum _GetByStrIndex(int32_t type_index, const String& str_index);
  template <typename ObjT>
  static Enum _GetByStrIndex(const String& str_index);

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.Enum", EnumObj, Object);
};

class Enum : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Enum, ObjectRef, EnumObj);
};

/*! \brief Entry whose number is part of its definition. */
class IntEnumObj : public EnumObj {
 public:
  using EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.IntEnum", IntEnumObj, EnumObj);
};

class IntEnum : public Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntEnum, Enum, IntEnumObj);
};

/*! \brief Entry that stands for its name. */
class StrEnumObj : public EnumObj {
 public:
  using EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StrEnum", StrEnumObj, EnumObj);
};

class StrEnum : public Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StrEnum, Enum, StrEnumObj);
};

namespace detail {

/*! Finds an entry by number or name. `text` is how the key is shown in the error. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline Enum GetEnumEntry(int32_t type_index, const Any& key,
                                                             const std::string& text) {
  const TVMFFIAny* attr = FindTypeAttr(GetTypeAttrColumn("__ffi_enum__"), type_index);
  const EnumStateObj* state =
      attr == nullptr ? nullptr : AnyView::CopyFromTVMFFIAny(*attr).as<EnumStateObj>();
  if (state != nullptr) {
    if (std::optional<ObjectRef> entry = state->indexes.Get(key)) {
      return std::move(*entry).as_or_throw<Enum>();
    }
  }
  ThrowError("ValueError",
             "Enum `" + TypeIndexToTypeKey(type_index) + "` has no instance with index " + text);
}

}  // namespace detail

inline Enum EnumObj::_GetByIntIndex(int32_t type_index, int64_t int_index) {
  return detail::GetEnumEntry(type_index, Any(int_index), std::to_string(int_index));
}
template <typename ObjT>
inline Enum EnumObj::_GetByIntIndex(int64_t int_index) {
  return _GetByIntIndex(ObjT::RuntimeTypeIndex(), int_index);
}
inline Enum EnumObj::_GetByStrIndex(int32_t type_index, const String& str_index) {
  return detail::GetEnumEntry(type_index, Any(str_index), str_index);
}
template <typename ObjT>
inline Enum EnumObj::_GetByStrIndex(const String& str_index) {
  return _GetByStrIndex(ObjT::RuntimeTypeIndex(), str_index);
}

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_ENUM_H_
