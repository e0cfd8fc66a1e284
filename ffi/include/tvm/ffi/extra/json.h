// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/json.h
 * \brief JSON text to values and back.
 */
#ifndef TVM_FFI_EXTRA_JSON_H_
#define TVM_FFI_EXTRA_JSON_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

namespace tvm {
namespace ffi {
namespace json {

/*! \brief Any JSON value: None, bool, int, float, String, Array or Object. */
using Value = Any;
/*! \brief A JSON object; its keys are strings, in the order of the text. */
using Object = ffi::Map<Any, Any>;
/*! \brief A JSON array. */
using Array = ffi::Array<Any>;

/*!
 * \brief Parses a JSON text; `NaN`, `Infinity` and `-Infinity` are accepted.
 * \param json_str The text.
 * \param error_msg When given, receives the message of a failure, or the empty string.
 * \return The value; None on failure when `error_msg` is given, else ValueError is thrown.
 */
TVM_FFI_EXTRA_CXX_API json::Value Parse(const String& json_str, String* error_msg = nullptr);

/*!
 * \brief Writes a value as JSON.
 * \param value Throws ValueError for a value or key that JSON can't hold, and for cycles.
 * \param indent Spaces per level; everything is on one line without it.
 */
TVM_FFI_EXTRA_CXX_API String Stringify(const json::Value& value,
                                       const Optional<int>& indent = std::nullopt);

}  // namespace json
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_JSON_H_
