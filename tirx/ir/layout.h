// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/expr.h"

namespace tvm {
namespace tirx {

// Maps coordinates of a tensor to positions on named axes.
struct LayoutObj : ffi::Object {
  static constexpr auto Fields() { return std::make_tuple(); }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("tirx.Layout", LayoutObj, ffi::Object);
};
struct Layout : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Layout, ffi::ObjectRef, LayoutObj);
};

// `extent` steps of `stride` on `axis`.
struct IterObj : ffi::Object {
  Expr extent, stride;
  Axis axis;

  static constexpr auto Fields() {
    return std::make_tuple(Field("extent", &IterObj::extent), Field("stride", &IterObj::stride),
                           Field("axis", &IterObj::axis));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.Iter", IterObj, ffi::Object);
};
struct Iter : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Iter, ffi::ObjectRef, IterObj);
  TIRX_API Iter(Expr extent, Expr stride, Axis axis);
};

// shard: how coordinates are spread; replica: copies; offset: added to each axis.
struct TileLayoutObj : LayoutObj {
  ffi::Array<Iter> shard, replica;
  ffi::Map<Axis, Expr> offset;

  static constexpr auto Fields() {
    return std::make_tuple(Field("shard", &TileLayoutObj::shard),
                           Field("replica", &TileLayoutObj::replica),
                           Field("offset", &TileLayoutObj::offset));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.TileLayout", TileLayoutObj, LayoutObj);
};
struct TileLayout : Layout {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TileLayout, Layout, TileLayoutObj);
  TIRX_API TileLayout(ffi::Array<Iter> shard, ffi::Array<Iter> replica,
                      ffi::Map<Axis, Expr> offset);
};

// An XOR swizzle after a tile layout; all numbers are exponents of two. With p = per_element,
// s = swizzle_len, m = atom_len an address a becomes
//   swizzle_inner:     a ^ (((a >> (p + m)) & (2^s - 1)) << p)
//   not swizzle_inner: a ^ (((a >> p) & (2^s - 1)) << (p + m))
struct ComposeLayoutObj : LayoutObj {
  int64_t per_element = 0, swizzle_len = 0, atom_len = 0;
  bool swizzle_inner = true;
  int64_t inner_mask = 0, outer_mask = 0;
  TileLayout tile_layout;

  static constexpr auto Fields() {
    return std::make_tuple(Field("per_element", &ComposeLayoutObj::per_element),
                           Field("swizzle_len", &ComposeLayoutObj::swizzle_len),
                           Field("atom_len", &ComposeLayoutObj::atom_len),
                           Field("swizzle_inner", &ComposeLayoutObj::swizzle_inner),
                           Field("inner_mask", &ComposeLayoutObj::inner_mask),
                           Field("outer_mask", &ComposeLayoutObj::outer_mask),
                           Field("tile_layout", &ComposeLayoutObj::tile_layout));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.ComposeLayout", ComposeLayoutObj, LayoutObj);
};
struct ComposeLayout : Layout {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(ComposeLayout, Layout, ComposeLayoutObj);
  TIRX_API ComposeLayout(int64_t per_element, int64_t swizzle_len, int64_t atom_len,
                         TileLayout tile_layout, bool swizzle_inner = true);
};

// A renaming of coordinates: final_indices in terms of initial_indices.
struct IndexMapObj : ffi::Object {
  ffi::Array<Var> initial_indices;
  ffi::Array<Expr> final_indices;
  ffi::ObjectRef inverse_index_map;  // may be null

  static constexpr auto Fields() {
    return std::make_tuple(
        Field("initial_indices", &IndexMapObj::initial_indices, Role::DefinePattern),
        Field("final_indices", &IndexMapObj::final_indices),
        Field("inverse_index_map", &IndexMapObj::inverse_index_map, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.IndexMap", IndexMapObj, ffi::Object);
};
struct IndexMap : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(IndexMap, ffi::ObjectRef, IndexMapObj);
  TIRX_API IndexMap(ffi::Array<Var> initial_indices, ffi::Array<Expr> final_indices,
                    ffi::ObjectRef inverse_index_map = {});
};

}  // namespace tirx
}  // namespace tvm
