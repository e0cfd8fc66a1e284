// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/dataclass.h
 * \brief What every reflected type can do: copy, print, hash, compare.
 *
 * None of these functions is limited by the stack: values may be nested as deep as memory allows.
 */
#ifndef TVM_FFI_EXTRA_DATACLASS_H_
#define TVM_FFI_EXTRA_DATACLASS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <ostream>

namespace tvm {
namespace ffi {

namespace type_attr {
/*! \brief Text of an object: (object, function that prints a part). */
inline constexpr reflection::AttrKey<
    TypedFunction<String(const Object*, const TypedFunction<String(AnyView)>&)>>
    kRepr{"__ffi_repr__"};
/*! \brief Recursive hash of an object: (object, function that hashes a part). */
inline constexpr reflection::AttrKey<
    TypedFunction<int64_t(const Object*, const TypedFunction<int64_t(AnyView)>&)>>
    kHash{"__ffi_hash__"};
/*! \brief Recursive equality: (object, object, function that compares two parts). */
inline constexpr reflection::AttrKey<
    TypedFunction<bool(const Object*, const Object*, const TypedFunction<bool(AnyView, AnyView)>&)>>
    kEq{"__ffi_eq__"};
/*! \brief Recursive order, negative, zero or positive: as kEq. */
inline constexpr reflection::AttrKey<TypedFunction<int32_t(
    const Object*, const Object*, const TypedFunction<int32_t(AnyView, AnyView)>&)>>
    kCompare{"__ffi_compare__"};
}  // namespace type_attr

/*!
 * \brief A copy that shares no mutable object with `value`; sharing and cycles inside are kept.
 *
 * Throws InternalError for an object that can't be copied.
 */
TVM_FFI_EXTRA_CXX_API Any DeepCopy(const Any& value);

/*! \brief Text of a value: `key(field=value, ...)`, `[1, 2]`, `{"a": 1}`; cycles print as `...`. */
TVM_FFI_EXTRA_CXX_API String ReprPrint(const Any& value);

/*! \brief Hash by content, which agrees with RecursiveEq. */
TVM_FFI_EXTRA_CXX_API int64_t RecursiveHash(const Any& value);

/*! \brief Equality by content. */
TVM_FFI_EXTRA_CXX_API bool RecursiveEq(const Any& lhs, const Any& rhs);
/*! \brief Order by content; throws TypeError for values that have none. */
TVM_FFI_EXTRA_CXX_API bool RecursiveLt(const Any& lhs, const Any& rhs);
TVM_FFI_EXTRA_CXX_API bool RecursiveLe(const Any& lhs, const Any& rhs);
TVM_FFI_EXTRA_CXX_API bool RecursiveGt(const Any& lhs, const Any& rhs);
TVM_FFI_EXTRA_CXX_API bool RecursiveGe(const Any& lhs, const Any& rhs);

/*! \brief Prints ReprPrint of the value. */
inline std::ostream& operator<<(std::ostream& os, const Any& value) {
  return os << ReprPrint(value);
}
inline std::ostream& operator<<(std::ostream& os, const ObjectRef& value) {
  return os << ReprPrint(Any(value));
}
template <typename... V>
inline std::ostream& operator<<(std::ostream& os, const Variant<V...>& value) {
  return os << ReprPrint(Any(value));
}
template <typename T>
inline std::ostream& operator<<(std::ostream& os, const Optional<T>& value) {
  return os << ReprPrint(Any(value));
}

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_DATACLASS_H_
