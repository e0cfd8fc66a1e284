// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_equal.h
 * \brief Equality of values by their structure, up to the names of bound variables.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
#define TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/accessor.h>

namespace tvm {
namespace ffi {

namespace type_attr {
/*!
 * \brief Custom equality of two objects of a type.
 *
 * The callback compares two parts: (lhs, rhs, TVMFFIDefRegionKind, name of the field).
 */
inline constexpr reflection::AttrKey<TypedFunction<bool(
    const Object*, const Object*, const TypedFunction<bool(AnyView, AnyView, int, AnyView)>&)>>
    kSEqual{"__s_equal__"};
}  // namespace type_attr

/*!
 * \brief Structural equality. Types opt in through `_type_s_eq_hash_kind`; others throw TypeError.
 */
class StructuralEqual {
 public:
  /*!
   * \param map_free_vars Whether variables without a definition may be paired with each other.
   * \param skip_tensor_content Whether tensors of one shape and type are equal whatever they hold.
   */
  TVM_FFI_EXTRA_CXX_API static bool Equal(const Any& lhs, const Any& rhs,
                                          bool map_free_vars = false,
                                          bool skip_tensor_content = false);
  /*! \brief Paths to the first difference; nullopt when the values are equal. */
  TVM_FFI_EXTRA_CXX_API static Optional<reflection::AccessPathPair> GetFirstMismatch(
      const Any& lhs, const Any& rhs, bool map_free_vars = false, bool skip_tensor_content = false);

  bool operator()(const Any& lhs, const Any& rhs) const { return Equal(lhs, rhs); }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
