// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/stmt.h"

namespace tvm {
namespace tirx {

// Indices as they come from the script: an expression (or number) is a point, an array of three
// (begin, end, step, each possibly None) is a slice.
using ScriptIndices = ffi::Array<ffi::Any>;

// `source[indices]` as a value. A tensor with one point per dimension gives a TensorLoad, with
// slices or fewer indices a TensorRegion; a tuple gives its element. Throws IndexError for too many
// indices or an element that is out of range, ValueError for a slice with a step, TypeError when
// `source` can't be indexed.
Expr IndexValue(const Expr& source, const ScriptIndices& indices, const Location& loc = {});

// `dest[indices] = value` with the value cast to the element type; a slice stores a vector.
// Throws RuntimeError for a wrong number of indices or a slice without a constant length,
// ValueError for a constant that does not keep its value, TypeError when `dest` is no tensor.
Stmt StoreValue(const Expr& dest, const ScriptIndices& indices, const Expr& value,
                const Location& loc = {});

// `value` in the element format `element`, for a store. Constants must keep their value.
Expr ConvertStored(const Expr& value, DLDataType element, const Location& loc);

}  // namespace tirx
}  // namespace tvm
