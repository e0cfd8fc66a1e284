// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/layout.h"

namespace tvm {
namespace tirx {

Iter::Iter(Expr extent, Expr stride, Axis axis) {
  auto node = ffi::make_object<IterObj>();
  node->extent = std::move(extent);
  node->stride = std::move(stride);
  node->axis = std::move(axis);
  data_ = std::move(node);
}

TileLayout::TileLayout(ffi::Array<Iter> shard, ffi::Array<Iter> replica,
                       ffi::Map<Axis, Expr> offset) {
  auto node = ffi::make_object<TileLayoutObj>();
  node->shard = std::move(shard);
  node->replica = std::move(replica);
  node->offset = std::move(offset);
  data_ = std::move(node);
}

ComposeLayout::ComposeLayout(int64_t per_element, int64_t swizzle_len, int64_t atom_len,
                             TileLayout tile_layout, bool swizzle_inner) {
  TVM_FFI_CHECK(per_element >= 0 && swizzle_len >= 0 && atom_len >= 0, ValueError)
      << "swizzle parameters must not be negative";
  TVM_FFI_CHECK(atom_len >= swizzle_len, ValueError)
      << "atom_len (" << atom_len << ") must be at least swizzle_len (" << swizzle_len << ")";
  TVM_FFI_CHECK(per_element + atom_len + swizzle_len < 63, ValueError)
      << "swizzle parameters exceed 62 bits";
  auto node = ffi::make_object<ComposeLayoutObj>();
  node->per_element = per_element;
  node->swizzle_len = swizzle_len;
  node->atom_len = atom_len;
  node->swizzle_inner = swizzle_inner;
  node->inner_mask = (int64_t{1} << swizzle_len) - 1;
  node->outer_mask = node->inner_mask << atom_len;
  node->tile_layout = std::move(tile_layout);
  data_ = std::move(node);
}

IndexMap::IndexMap(ffi::Array<Var> initial_indices, ffi::Array<Expr> final_indices,
                   ffi::ObjectRef inverse_index_map) {
  auto node = ffi::make_object<IndexMapObj>();
  node->initial_indices = std::move(initial_indices);
  node->final_indices = std::move(final_indices);
  node->inverse_index_map = std::move(inverse_index_map);
  data_ = std::move(node);
}

}  // namespace tirx
}  // namespace tvm
