// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/creator.h
 * \brief Making objects from their type info and field values.
 */
#ifndef TVM_FFI_REFLECTION_CREATOR_H_
#define TVM_FFI_REFLECTION_CREATOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <string>
#include <string_view>
#include <utility>

namespace tvm {
namespace ffi {

namespace detail {

/*! \brief Entry of a type in the column `__ffi_new__`, or null. */
inline const TVMFFIAny* FindNewAttr(int32_t type_index) {
  return FindTypeAttr(GetTypeAttrColumn(type_attr::kNew.name), type_index);
}

}  // namespace detail

/*! \brief Whether CreateEmptyObject can make objects of the type. */
inline bool HasCreator(const TVMFFITypeInfo* type_info) {
  if (type_info->metadata != nullptr && type_info->metadata->creator != nullptr) return true;
  return detail::FindNewAttr(type_info->type_index) != nullptr;
}

/*!
 * \brief Makes an object whose fields hold what the creator of the type leaves in them.
 *
 * Throws RuntimeError when the type has no creator.
 */
inline ObjectPtr<Object> CreateEmptyObject(const TVMFFITypeInfo* type_info) {
  if (type_info->metadata != nullptr && type_info->metadata->creator != nullptr) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(type_info->metadata->creator(&handle));
    return detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject*>(handle));
  }
  if (const TVMFFIAny* maker = detail::FindNewAttr(type_info->type_index)) {
    const Function new_object = AnyView::CopyFromTVMFFIAny(*maker).cast<Function>();
    return detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(new_object().cast<ObjectRef>());
  }
  TVM_FFI_THROW(RuntimeError) << "Type `" << ToStringView(type_info->type_key)
                              << "` does not support reflection creation "
                                 "(no native creator or __ffi_new__ type attr)";
  TVM_FFI_UNREACHABLE();
}

namespace reflection {

/*! \brief Makes objects of one type from a map of field values. */
class ObjectCreator {
 public:
  explicit ObjectCreator(std::string_view type_key)
      : ObjectCreator(detail::GetTypeInfoOfKey(type_key)) {}
  /*! \brief Throws RuntimeError when objects of the type can't be made without arguments. */
  explicit ObjectCreator(const TVMFFITypeInfo* type_info) : type_info_(type_info) {
    if (!HasCreator(type_info)) {
      TVM_FFI_THROW(RuntimeError)
          << "Type `" << ToStringView(type_info->type_key)
          << "` does not support default constructor, as a result cannot be created via reflection";
    }
  }

  /*!
   * \brief A new object with the given field values; absent fields take their defaults.
   *
   * Throws TypeError for a field without value and default, and for a name that is no field.
   */
  Any operator()(const Map<String, Any>& fields) const {
    ObjectPtr<Object> object = CreateEmptyObject(type_info_);
    char* base = reinterpret_cast<char*>(object.get());
    size_t matched = 0;
    ForEachFieldInfo(type_info_, [&](const TVMFFIFieldInfo* field) {
      const String name(field->name);
      void* address = base + field->offset;
      if (std::optional<Any> value = fields.Get(name)) {
        TVM_FFI_CHECK_SAFE_CALL(
            CallFieldSetter(field, address, ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(*value)));
        ++matched;
      } else if ((field->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0) {
        SetFieldToDefault(field, address);
      } else {
        TVM_FFI_THROW(TypeError) << "Required field `" << ToStringView(field->name)
                                 << "` not set in type `" << ToStringView(type_info_->type_key)
                                 << "`";
      }
    });
    if (matched != fields.size()) CheckFieldNames(fields);
    return Any(ObjectRef(std::move(object)));
  }

 private:
  // A name may fit two fields: a type may redeclare a field of an ancestor.
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void CheckFieldNames(const Map<String, Any>& fields) const {
    for (const std::pair<String, Any>& entry : fields) {
      const std::string_view name(entry.first.data(), entry.first.size());
      const bool known = ForEachFieldInfoWithEarlyStop(
          type_info_,
          [&](const TVMFFIFieldInfo* field) { return detail::SameText(field->name, name); });
      if (known) continue;
      TVM_FFI_THROW(TypeError) << "Type `" << ToStringView(type_info_->type_key)
                               << "` does not have field `" << name << "`";
    }
  }

  const TVMFFITypeInfo* type_info_;
};

}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_CREATOR_H_
