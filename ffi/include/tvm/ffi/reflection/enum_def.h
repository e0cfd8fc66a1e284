// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/enum_def.h
 * \brief Registration of the entries of an enum type.
 */
#ifndef TVM_FFI_REFLECTION_ENUM_DEF_H_
#define TVM_FFI_REFLECTION_ENUM_DEF_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/enum.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace reflection {
namespace detail {

/*! \brief State of an enum type, or null; TypeError when the column holds something else. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline EnumStateObj* FindEnumState(int32_t type_index) {
  const TVMFFIAny* value = ffi::detail::FindTypeAttr(
      ffi::detail::GetTypeAttrColumn(type_attr::kEnumState.name), type_index);
  if (value == nullptr) return nullptr;
  const EnumStateObj* state = AnyView::CopyFromTVMFFIAny(*value).as<EnumStateObj>();
  if (state == nullptr) {
    TVM_FFI_THROW(TypeError) << "Expected `" << EnumStateObj::_type_key
                             << "` in enum state column, but got `"
                             << TypeIndexToTypeKey(value->type_index) << "`";
  }
  return const_cast<EnumStateObj*>(state);
}

/*! \brief State of an enum type, registered when it is new. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline EnumStateObj* GetEnumState(int32_t type_index) {
  if (EnumStateObj* state = FindEnumState(type_index)) return state;
  const ObjectRef fresh(ObjectPtr<Object>(make_object<EnumStateObj>()));
  RegisterAttr(type_index, type_attr::kEnumState.name, fresh);
  return FindEnumState(type_index);
}

/*! \brief Adds an entry under its number and its name; ValueError when either is taken. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void AddEnumEntry(EnumStateObj* state,
                                                             const char* type_key,
                                                             const ObjectRef& entry,
                                                             int64_t ordinal, const String& name) {
  const Any number(ordinal);
  const Any text(name);
  if (state->indexes.count(number) != 0 || state->indexes.count(text) != 0) {
    TVM_FFI_THROW(ValueError) << "Duplicate enum index for type `" << type_key << "`";
  }
  state->entries.push_back(entry);
  state->indexes.Set(number, entry);
  state->indexes.Set(text, entry);
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void SetEnumAttr(EnumStateObj* state,
                                                            const ObjectRef& entry,
                                                            const char* name, Any value) {
  const String attr(name);
  std::optional<Dict<ObjectRef, Any>> column = state->attrs.Get(attr);
  if (!column.has_value()) {
    column = Dict<ObjectRef, Any>();
    state->attrs.Set(attr, *column);
  }
  column->Set(entry, value);
}

}  // namespace detail

/*!
 * \brief Adds one entry to the enum type `ObjT`: `EnumDef<ColorObj>("red").set_attr("code", 1)`.
 *
 * Entries of an IntEnum type are given their integer; those of other types are numbered from 0.
 */
template <typename ObjT>
class EnumDef : public ReflectionDefBase {
  static_assert(std::is_base_of_v<EnumObj, ObjT>, "EnumDef is for types derived from EnumObj");
  static constexpr bool kIsIntEnum = std::is_base_of_v<IntEnumObj, ObjT>;

 public:
  /*! \brief Entry `name`, numbered next. */
  explicit EnumDef(const char* name) : EnumDef(name, NextOrdinal(), 0) {
    static_assert(!kIsIntEnum, "entries of an IntEnum type need an integer: EnumDef(name, value)");
  }
  /*! \brief Entry `name` of an IntEnum type. */
  EnumDef(const char* name, int64_t value) : EnumDef(name, value, 0) {
    static_assert(kIsIntEnum, "only entries of an IntEnum type are given an integer");
  }

  /*! \brief Attaches a value to the entry. */
  template <typename T>
  EnumDef& set_attr(const char* attr_name, T value) {
    detail::SetEnumAttr(state_, entry_, attr_name, Any(std::move(value)));
    return *this;
  }
  /*! \brief Attaches a value, converted to the type of the key first. */
  template <typename T, typename V>
  EnumDef& set_attr(const AttrKey<T>& key, V&& value) {
    T typed(std::forward<V>(value));
    detail::SetEnumAttr(state_, entry_, key.name, Any(std::move(typed)));
    return *this;
  }
  /*! \brief Attaches the address of an ordinary function. */
  template <auto fn, typename T>
  EnumDef& set_native_fn_attr(const AttrKey<T>& key) {
    detail::SetEnumAttr(state_, entry_, key.name, Any(T::template FromNative<fn>()));
    return *this;
  }

  /*! \brief Whether the type has an entry of that name. */
  static bool IsDefined(const String& name) {
    const EnumStateObj* state = detail::FindEnumState(ObjT::_GetOrAllocRuntimeTypeIndex());
    return state != nullptr && state->indexes.count(Any(name)) != 0;
  }

 private:
  EnumDef(const char* name, int64_t ordinal, int)
      : state_(detail::GetEnumState(ObjT::_GetOrAllocRuntimeTypeIndex())),
        entry_(MakeEntry(ordinal, String(name))) {
    detail::AddEnumEntry(state_, ObjT::_type_key, entry_, ordinal, String(name));
  }
  static int64_t NextOrdinal() {
    const EnumStateObj* state = detail::FindEnumState(ObjT::_GetOrAllocRuntimeTypeIndex());
    return state == nullptr ? 0 : static_cast<int64_t>(state->entries.size());
  }
  static ObjectRef MakeEntry(int64_t ordinal, String name) {
    if constexpr (std::is_constructible_v<ObjT, int64_t, String>) {
      return ObjectRef(ObjectPtr<Object>(make_object<ObjT>(ordinal, std::move(name))));
    } else {
      ObjectPtr<ObjT> entry = make_object<ObjT>();
      entry->_int_index = ordinal;
      entry->_str_index = std::move(name);
      return ObjectRef(ObjectPtr<Object>(std::move(entry)));
    }
  }

  EnumStateObj* state_;
  ObjectRef entry_;
};

}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_ENUM_DEF_H_
