// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tirx/ir/layout.h"

namespace tvm {
namespace tirx {

// Positions by axis name of a coordinate. `shape` says what the coordinates count over; null means
// one coordinate for each shard iterator, or a single linear one.
TIRX_API ffi::Map<ffi::String, Expr> LayoutApply(const Layout& layout,
                                                 const ffi::Array<Expr>& coord,
                                                 const ffi::Optional<ffi::Array<Expr>>& shape);
// Number of positions, of all axes or of one.
TIRX_API Expr LayoutSize(const Layout& layout, const ffi::Optional<ffi::String>& axis);
// Distance from position 0 to behind the last one, on one axis (memory by default); replicas and
// the offset count.
TIRX_API Expr LayoutSpan(const Layout& layout, const ffi::Optional<ffi::String>& axis);
// The same mapping with the fewest iterators.
TIRX_API Layout LayoutCanonicalize(const Layout& layout);
// Splits iterators so that consecutive ones make up each extent of `shape`; also the positions
// where groups begin, with the total at the end. RuntimeError when they can't.
TIRX_API std::pair<TileLayout, ffi::Array<int64_t>> LayoutGroup(const TileLayout& layout,
                                                                const ffi::Array<Expr>& shape);
// `outer` blocks of the layout: dimension by dimension, outer before inner.
TIRX_API Layout LayoutTile(const Layout& layout, const TileLayout& outer,
                           const ffi::Array<Expr>& outer_shape,
                           const ffi::Array<Expr>& inner_shape);
// Row-major blocks of the layout up to `to_shape`, which `current_shape` must divide.
TIRX_API Layout LayoutTileTo(const Layout& layout, const ffi::Array<Expr>& to_shape,
                             const ffi::Array<Expr>& current_shape);
TIRX_API TileLayout LayoutPermuteDims(const TileLayout& layout, const ffi::Array<int64_t>& perm);
// Whether it is the identity on memory.
TIRX_API bool LayoutIsTrivial(const Layout& layout);

}  // namespace tirx
}  // namespace tvm
