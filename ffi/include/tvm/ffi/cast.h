// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/cast.h
 *  From a raw object pointer back to a reference.
 */
#ifndef TVM_FFI_CAST_H_
#define TVM_FFI_CAST_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>

#include <utility>

namespace tvm {
namespace ffi {

/*!
 * \brief Makes a reference to the object at `ptr`, adding to its count.
 *
 * A null pointer gives a null reference, an empty Optional, or InternalError when `RefType` is not
 * nullable.
 */
template <typename RefType, typename ObjectType>
inline RefType GetRef(const ObjectType* ptr) {
  using RefNoOptional = typename detail::RemoveOptional<RefType>::type;
  static_assert(object_ref_contains_v<RefNoOptional, ObjectType>,
                "the reference type can't hold this object type");
  if constexpr (is_optional_type_v<RefType>) {
    if (ptr == nullptr) return std::nullopt;
    return GetRef<RefNoOptional>(ptr);
  } else {
    if constexpr (!RefType::_type_is_nullable) {
      TVM_FFI_ICHECK_NOTNULL(ptr);
    }
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(
            const_cast<Object*>(static_cast<const Object*>(ptr))));
  }
}

/*! \brief Makes a pointer to the object at `ptr`, adding to its count. */
template <typename BaseType, typename ObjectType>
inline ObjectPtr<BaseType> GetObjectPtr(ObjectType* ptr) {
  static_assert(std::is_base_of_v<BaseType, ObjectType>, "the object is no BaseType");
  return detail::ObjectUnsafe::ObjectPtrFromUnowned<BaseType>(
      const_cast<Object*>(static_cast<const Object*>(ptr)));
}

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CAST_H_
