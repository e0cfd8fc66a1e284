// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_key.h
 * \brief A value that is hashed and compared by its structure when it is a key.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
#define TVM_FFI_EXTRA_STRUCTURAL_KEY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Object behind StructuralKey. */
class StructuralKeyObj : public Object {
 public:
  /*! \brief The value; its structure must not change while it is a key. */
  Any key;
  /*! \brief Structural hash of the value. */
  int64_t hash_i64;

  /*! \brief The key None; deserialisation fills the fields. */
  StructuralKeyObj() : StructuralKeyObj(Any()) {}
  explicit StructuralKeyObj(Any value)
      : key(std::move(value)), hash_i64(static_cast<int64_t>(StructuralHash::Hash(key))) {}

  /// \cond Doxygen_Suppress
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.StructuralKey", StructuralKeyObj, Object);
  /// \endcond
};

/*! \brief Reference to a structural key; usable in Map, Dict and std::unordered_map. */
class StructuralKey : public ObjectRef {
 public:
  /*! \brief Throws TypeError when the value can't be hashed by its structure. */
  explicit StructuralKey(Any key)
      : ObjectRef(ObjectPtr<Object>(make_object<StructuralKeyObj>(std::move(key)))) {}

  bool operator==(const StructuralKey& other) const {
    if (same_as(other)) return true;
    return get()->hash_i64 == other->hash_i64 && StructuralEqual::Equal(get()->key, other->key);
  }
  bool operator!=(const StructuralKey& other) const { return !(*this == other); }

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralKey, ObjectRef, StructuralKeyObj);
  /// \endcond
};

}  // namespace ffi
}  // namespace tvm

namespace std {
template <>
struct hash<::tvm::ffi::StructuralKey> {
  size_t operator()(const ::tvm::ffi::StructuralKey& key) const {
    return static_cast<size_t>(key->hash_i64);
  }
};
}  // namespace std
#endif  // TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
