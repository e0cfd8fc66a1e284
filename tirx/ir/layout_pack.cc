// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/reflection/registry.h>

#include "tirx/ir/given.h"
#include "tirx/ir/layout_algebra.h"
#include "tirx/ir/node_text.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

int Log2(int64_t num) {
  TVM_FFI_CHECK(num > 0 && (num & (num - 1)) == 0, ValueError)
      << "a swizzled layout packs by powers of two, not by " << num;
  return __builtin_ctzll(static_cast<uint64_t>(num));
}

[[noreturn]] void CannotPack(const TileLayout& layout, int64_t num) {
  TVM_FFI_THROW(ValueError) << "Layout " << ShortText(layout) << " can not be packed into " << num
                            << " elements";
  TVM_FFI_UNREACHABLE();
}

Expr Divided(const TileLayout& layout, const Expr& stride, int64_t num) {
  auto value = as_const_int(stride);
  if (value && *value % num != 0) CannotPack(layout, num);
  return floordiv(stride, int_imm(stride.dtype(), num));
}

// Positions in units of `num` neighbouring elements.
TileLayout Pack(const TileLayout& layout, int64_t num, const ffi::String& axis) {
  TVM_FFI_CHECK(num > 0, ValueError) << "a layout packs a positive number of elements, not " << num;
  int64_t count = static_cast<int64_t>(layout->shard.size());
  if (num == 1) return layout;
  if (count == 0) CannotPack(layout, num);
  Iter last = layout->shard[count - 1];
  auto extent = as_const_int(last->extent);
  if (last->axis.name() != axis || !is_one(last->stride) || !extent || *extent % num != 0) {
    CannotPack(layout, num);
  }
  auto packed = [&](const Iter& iter) {
    if (iter->axis.name() != axis) return iter;
    return Iter(iter->extent, Divided(layout, iter->stride, num), iter->axis);
  };
  ffi::Array<Iter> shard, replica;
  for (int64_t i = 0; i + 1 < count; ++i) shard.push_back(packed(layout->shard[i]));
  shard.push_back(
      Iter(floordiv(last->extent, int_imm(last->extent.dtype(), num)), last->stride, last->axis));
  for (const Iter& iter : layout->replica) replica.push_back(packed(iter));
  ffi::Map<Axis, Expr> offset;
  for (const auto& [at, value] : layout->offset) {
    if (at.name() != axis) {
      offset.Set(at, value);
      continue;
    }
    auto constant = as_const_int(value);
    TVM_FFI_CHECK(!constant || *constant % num == 0, ValueError)
        << "Layout storage offset " << *constant << " is not divisible by " << num;
    offset.Set(at, floordiv(value, int_imm(value.dtype(), num)));
  }
  return TileLayout(shard, replica, offset);
}

// Each position becomes `num` neighbouring elements, counted by a new innermost iterator.
TileLayout Unpack(const TileLayout& layout, int64_t num, const ffi::String& axis) {
  TVM_FFI_CHECK(num > 0, ValueError)
      << "a layout unpacks into a positive number of elements, not " << num;
  auto unpacked = [&](const Iter& iter) {
    if (iter->axis.name() != axis) return iter;
    return Iter(iter->extent, mul(iter->stride, int_imm(iter->stride.dtype(), num)), iter->axis);
  };
  ffi::Array<Iter> shard, replica;
  for (const Iter& iter : layout->shard) shard.push_back(unpacked(iter));
  shard.push_back(Iter(int32(num), int32(1), Axis::Get(axis)));
  for (const Iter& iter : layout->replica) replica.push_back(unpacked(iter));
  ffi::Map<Axis, Expr> offset;
  for (const auto& [at, value] : layout->offset) {
    offset.Set(at, at.name() == axis ? mul(value, int_imm(value.dtype(), num)) : value);
  }
  return TileLayout(shard, replica, offset);
}

template <typename F>
Layout Repack(const Layout& layout, int64_t num, int64_t direction, F tile) {
  if (const auto* compose = layout.as<ComposeLayoutObj>()) {
    int64_t per_element = compose->per_element + direction * Log2(num);
    TVM_FFI_CHECK(per_element >= 0, ValueError)
        << "the swizzle moves units of 2^" << compose->per_element << " elements; " << num
        << " do not fit into one";
    return ComposeLayout(per_element, compose->swizzle_len, compose->atom_len,
                         tile(compose->tile_layout), compose->swizzle_inner);
  }
  return tile(layout.as_or_throw<TileLayout>());
}

// Groups of consecutive iterators in another order. `starts` holds where each group begins, and the
// number of iterators at the end.
TileLayout PermuteByGroups(const TileLayout& layout, const ffi::Array<int64_t>& starts,
                           const ffi::Array<int64_t>& perm) {
  int64_t count = static_cast<int64_t>(layout->shard.size());
  TVM_FFI_CHECK(starts.size() == perm.size() + 1 && starts[0] == 0 && starts.back() == count,
                ValueError)
      << "group starts must begin with 0, end with " << count << " and enclose one group for each "
      << "entry of the permutation";
  ffi::Array<int64_t> order;
  for (int64_t group : perm) {
    TVM_FFI_CHECK(group >= 0 && group < static_cast<int64_t>(perm.size()), ValueError)
        << "the permutation names group " << group << " of " << perm.size();
    for (int64_t i = starts[group]; i < starts[group + 1]; ++i) order.push_back(i);
  }
  return LayoutPermuteDims(layout, order);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef()
      .def("tirx.LayoutPack",
           [](Given<Layout> layout, int64_t num, ffi::String axis) {
             return Repack(layout, num, -1,
                           [&](const TileLayout& tile) { return Pack(tile, num, axis); });
           })
      .def("tirx.LayoutUnpack",
           [](Given<Layout> layout, int64_t num, ffi::String axis) {
             return Repack(layout, num, 1,
                           [&](const TileLayout& tile) { return Unpack(tile, num, axis); });
           })
      .def("tirx.LayoutPermuteByGroups",
           [](Given<TileLayout> layout, ffi::Array<int64_t> starts, ffi::Array<int64_t> perm) {
             return PermuteByGroups(layout, starts, perm);
           });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
