// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/serialization.h
 * \brief Values with shared and reflected objects as a JSON graph, and back.
 */
#ifndef TVM_FFI_EXTRA_SERIALIZATION_H_
#define TVM_FFI_EXTRA_SERIALIZATION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

namespace tvm {
namespace ffi {

namespace type_attr {
/*! \brief Turns an object into a value that JSON can hold. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kDataToJson{"__data_to_json__"};
/*! \brief Makes the object of such a value. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kDataFromJson{
    "__data_from_json__"};
}  // namespace type_attr

/*!
 * \brief The graph of a value: `{"root_index": i, "nodes": [...], "metadata": m}`.
 *
 * Shared objects become one node. Throws TypeError for a type that can't be created again.
 * \param metadata Kept beside the graph unless it is None.
 */
TVM_FFI_EXTRA_CXX_API Any ToJSONGraph(const Any& value, const Any& metadata = Any(nullptr));

/*! \brief The value of a graph; throws ValueError when it is malformed. */
TVM_FFI_EXTRA_CXX_API Any FromJSONGraph(const Any& value);

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_SERIALIZATION_H_
