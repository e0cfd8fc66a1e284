// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_hash.h
 * \brief Hash of values that agrees with structural equality.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
#define TVM_FFI_EXTRA_STRUCTURAL_HASH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

#include <cstdint>

namespace tvm {
namespace ffi {

namespace type_attr {
/*!
 * \brief Custom hash of an object of a type: (object, start value, callback).
 *
 * The callback folds a part into a hash: (part, hash so far, TVMFFIDefRegionKind).
 */
inline constexpr reflection::AttrKey<TypedFunction<int64_t(
    const Object*, int64_t, const TypedFunction<int64_t(AnyView, int64_t, int)>&)>>
    kSHash{"__s_hash__"};
}  // namespace type_attr

/*! \brief Structural hash. Types opt in through `_type_s_eq_hash_kind`; others throw TypeError. */
class StructuralHash {
 public:
  /*! \brief The parameters are those of StructuralEqual::Equal. */
  TVM_FFI_EXTRA_CXX_API static uint64_t Hash(const Any& value, bool map_free_vars = false,
                                             bool skip_tensor_content = false);

  uint64_t operator()(const Any& value) const { return Hash(value); }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
