// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/layout_algebra.h"
#include "tirx/ir/analysis.h"

#include <string>
#include <vector>

#include "tirx/ir/node_text.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

const TileLayoutObj* TileOf(const Layout& layout) {
  if (const auto* tile = layout.as<TileLayoutObj>()) return tile;
  if (const auto* compose = layout.as<ComposeLayoutObj>()) return compose->tile_layout.get();
  TVM_FFI_THROW(TypeError) << "unknown layout " << layout.GetTypeKey();
  TVM_FFI_UNREACHABLE();
}

// The same layout around another tile.
Layout WithTile(const Layout& layout, TileLayout tile) {
  if (const auto* compose = layout.as<ComposeLayoutObj>()) {
    return ComposeLayout(compose->per_element, compose->swizzle_len, compose->atom_len,
                         std::move(tile), compose->swizzle_inner);
  }
  return tile;
}

Expr ProductOf(const ffi::Array<Expr>& extents) {
  Expr product = int32(1);
  for (const Expr& extent : extents) product = mul(product, extent);
  return product;
}

std::vector<Expr> Extents(const ffi::Array<Iter>& iters) {
  std::vector<Expr> extents;
  for (const Iter& iter : iters) extents.push_back(iter->extent);
  return extents;
}

// Digits of a linear position over extents, most significant first. The leading one is not
// wrapped: the position is in range.
std::vector<Expr> Split(const Expr& linear, const std::vector<Expr>& extents) {
  std::vector<Expr> digits(extents.size());
  Expr inner = int32(1);
  for (size_t i = extents.size(); i-- > 0;) {
    Expr digit = floordiv(linear, inner);
    digits[i] = i == 0 ? digit : floormod(digit, extents[i]);
    inner = mul(inner, extents[i]);
  }
  return digits;
}

Expr Linear(const ffi::Array<Expr>& coord, const ffi::Array<Expr>& shape) {
  TVM_FFI_CHECK_EQ(coord.size(), shape.size(), RuntimeError)
      << "Coordinate size must match the number of dimensions";
  Expr linear = int32(0);
  for (int64_t i = 0; i < static_cast<int64_t>(coord.size()); ++i) {
    linear = add(mul(linear, shape[i]), coord[i]);
  }
  return linear;
}

// a ^ (field of a moved onto the other one); see ComposeLayoutObj.
Expr Swizzle(const ComposeLayoutObj* layout, Expr address) {
  DLDataType dtype = address.dtype();
  auto number = [&](int64_t value) { return int_imm(dtype, value); };
  // The masks are those of the address in units of 2^per_element.
  int64_t mask = (layout->swizzle_inner ? layout->outer_mask : layout->inner_mask)
                 << layout->per_element;
  Expr field = bitwise_and(address, number(mask));
  Expr moved = layout->swizzle_inner ? shift_right(field, number(layout->atom_len))
                                     : shift_left(field, number(layout->atom_len));
  return bitwise_xor(std::move(address), std::move(moved));
}

bool SameNumber(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  auto x = as_const_int(a), y = as_const_int(b);
  return x && y ? *x == *y : DeepEqual(a, b);
}

}  // namespace

ffi::Map<ffi::String, Expr> LayoutApply(const Layout& layout, const ffi::Array<Expr>& coord,
                                        const ffi::Optional<ffi::Array<Expr>>& shape) {
  // A linear position needs no more digits than the canonical form has.
  bool is_linear = coord.size() == 1 && !shape.has_value();
  Layout used = is_linear ? LayoutCanonicalize(layout) : layout;
  const TileLayoutObj* tile = TileOf(used);
  std::vector<Expr> digits;
  bool compose = layout.as<ComposeLayoutObj>() != nullptr;
  if (shape.has_value()) {
    digits = Split(Linear(coord, shape.value()), Extents(tile->shard));
  } else if (is_linear) {
    digits = Split(coord[0], Extents(tile->shard));
  } else {
    TVM_FFI_CHECK_EQ(coord.size(), tile->shard.size(), RuntimeError)
        << "Coordinate size must match the number of shard axes";
    digits.assign(coord.begin(), coord.end());
  }
  ffi::Map<ffi::String, Expr> result;
  for (int64_t i = 0; i < static_cast<int64_t>(tile->shard.size()); ++i) {
    Iter iter = tile->shard[i];
    Expr part = mul(digits[i], iter->stride);
    auto known = result.Get(iter->axis.name());
    result.Set(iter->axis.name(), known ? add(*known, part) : part);
  }
  for (const auto& [axis, offset] : tile->offset) {
    auto known = result.Get(axis.name());
    result.Set(axis.name(), known ? add(*known, offset) : offset);
  }
  if (compose) {
    if (auto memory = result.Get("m")) {
      result.Set("m", Swizzle(layout.as<ComposeLayoutObj>(), *memory));
    }
  }
  return result;
}

Expr LayoutSize(const Layout& layout, const ffi::Optional<ffi::String>& axis) {
  ffi::Array<Expr> extents;
  for (const Iter& iter : TileOf(layout)->shard) {
    if (!axis.has_value() || iter->axis.name() == axis.value()) extents.push_back(iter->extent);
  }
  return ProductOf(extents);
}

Expr LayoutSpan(const Layout& layout, const ffi::Optional<ffi::String>& axis) {
  ffi::String name = axis.has_value() ? axis.value() : ffi::String("m");
  Layout canonical = LayoutCanonicalize(layout);
  const TileLayoutObj* tile = TileOf(canonical);
  // The one behind the last position goes with an iterator of stride one, which then takes its
  // extent: no `x - 1 + 1` for a symbolic x.
  Expr span, one_more;
  for (const auto* iters : {&tile->shard, &tile->replica}) {
    for (const Iter& iter : *iters) {
      if (iter->axis.name() != name || is_one(iter->extent)) continue;
      bool takes_one = !one_more.defined() && is_one(iter->stride);
      if (takes_one) one_more = iter->extent;
      Expr part = takes_one ? iter->extent : mul(sub(iter->extent, int32(1)), iter->stride);
      span = span.defined() ? add(span, part) : part;
    }
  }
  if (!one_more.defined()) span = span.defined() ? add(span, int32(1)) : int32(1);
  for (const auto& [offset_axis, offset] : tile->offset) {
    if (offset_axis.name() == name) span = add(span, offset);
  }
  return span;
}

Layout LayoutCanonicalize(const Layout& layout) {
  const TileLayoutObj* tile = TileOf(layout);
  std::vector<Iter> fused;
  for (const Iter& iter : tile->shard) {
    if (is_one(iter->extent)) continue;
    if (!fused.empty()) {
      // An iterator continues the one before it when that steps over it exactly.
      const Iter& last = fused.back();
      if (last->axis.same_as(iter->axis) &&
          SameNumber(last->stride, mul(iter->extent, iter->stride))) {
        fused.back() = Iter(mul(last->extent, iter->extent), iter->stride, iter->axis);
        continue;
      }
    }
    fused.push_back(iter);
  }
  ffi::Array<Iter> replica;
  for (const Iter& iter : tile->replica) {
    if (!is_one(iter->extent)) replica.push_back(iter);
  }
  ffi::Map<Axis, Expr> offset;
  for (const auto& [axis, value] : tile->offset) {
    if (!is_zero(value)) offset.Set(axis, value);
  }
  return WithTile(layout,
                  TileLayout(ffi::Array<Iter>(fused.begin(), fused.end()), replica, offset));
}

std::pair<TileLayout, ffi::Array<int64_t>> LayoutGroup(const TileLayout& layout,
                                                       const ffi::Array<Expr>& shape) {
  auto fail = [&] {
    std::string text;
    for (const Expr& extent : shape) text += (text.empty() ? "" : ", ") + ShortText(extent);
    TVM_FFI_THROW(RuntimeError) << "layout " << ShortText(layout)
                                << " can not be grouped by shape (" << text << ")";
  };
  auto constant = [&](const Expr& e) {
    auto value = as_const_int(e);
    if (!value) fail();
    return *value;
  };
  std::vector<Iter> iters;
  ffi::Array<int64_t> separators{0};
  int64_t next = 0, count = static_cast<int64_t>(layout->shard.size());
  // What is left of the current iterator, outermost part first.
  Expr rest;
  for (const Expr& extent : shape) {
    if (!as_const_int(extent)) {
      // A symbolic extent must be an iterator as it stands.
      if (rest.defined() || next >= count || !SameNumber(layout->shard[next]->extent, extent))
        fail();
      iters.push_back(layout->shard[next++]);
      separators.push_back(static_cast<int64_t>(iters.size()));
      continue;
    }
    int64_t wanted = constant(extent);
    while (wanted != 1) {
      if (!rest.defined()) {
        if (next >= count) fail();
        rest = layout->shard[next++]->extent;
      }
      const Iter& iter = layout->shard[next - 1];
      int64_t have = constant(rest);
      if (have == 1) {
        rest = Expr();
        continue;
      }
      if (wanted % have == 0) {
        iters.push_back(Iter(int32(have), iter->stride, iter->axis));
        wanted /= have;
        rest = Expr();
      } else if (wanted != 0 && have % wanted == 0) {
        int64_t inner = have / wanted;
        iters.push_back(Iter(int32(wanted), mul(iter->stride, int32(inner)), iter->axis));
        rest = int32(inner);
        wanted = 1;
      } else {
        fail();
      }
    }
    separators.push_back(static_cast<int64_t>(iters.size()));
  }
  while (next < count && is_one(layout->shard[next]->extent)) ++next;
  if (next < count || (rest.defined() && !is_one(rest))) fail();
  return {TileLayout(ffi::Array<Iter>(iters.begin(), iters.end()), layout->replica, layout->offset),
          separators};
}

Layout LayoutTile(const Layout& layout, const TileLayout& outer,
                  const ffi::Array<Expr>& outer_shape, const ffi::Array<Expr>& inner_shape) {
  TVM_FFI_CHECK_EQ(outer_shape.size(), inner_shape.size(), RuntimeError)
      << "the outer and the inner shape need as many dimensions";
  TileLayout inner(ffi::GetObjectPtr<TileLayoutObj>(const_cast<TileLayoutObj*>(TileOf(layout))));
  auto [blocks, block_starts] = LayoutGroup(outer, outer_shape);
  auto [parts, part_starts] = LayoutGroup(inner, inner_shape);
  auto scaled = [&](const Iter& iter) {
    return Iter(iter->extent, mul(iter->stride, LayoutSpan(inner, iter->axis.name())), iter->axis);
  };
  ffi::Array<Iter> shard, replica = inner->replica;
  for (int64_t d = 0; d < static_cast<int64_t>(outer_shape.size()); ++d) {
    for (int64_t i = block_starts[d]; i < block_starts[d + 1]; ++i) {
      shard.push_back(scaled(blocks->shard[i]));
    }
    for (int64_t i = part_starts[d]; i < part_starts[d + 1]; ++i) shard.push_back(parts->shard[i]);
  }
  for (const Iter& iter : outer->replica) replica.push_back(scaled(iter));
  ffi::Map<Axis, Expr> offset = inner->offset;
  for (const auto& [axis, value] : outer->offset) {
    Expr moved = mul(value, LayoutSpan(inner, axis.name()));
    auto known = offset.Get(axis);
    offset.Set(axis, known ? add(*known, moved) : moved);
  }
  return LayoutCanonicalize(WithTile(layout, TileLayout(shard, replica, offset)));
}

Layout LayoutTileTo(const Layout& layout, const ffi::Array<Expr>& to_shape,
                    const ffi::Array<Expr>& current_shape) {
  TVM_FFI_CHECK_EQ(to_shape.size(), current_shape.size(), RuntimeError)
      << "both shapes need as many dimensions";
  ffi::Array<Expr> outer_shape;
  for (int64_t i = 0; i < static_cast<int64_t>(to_shape.size()); ++i) {
    auto to = as_const_int(to_shape[i]), from = as_const_int(current_shape[i]);
    TVM_FFI_CHECK(!to || !from || (*from != 0 && *to % *from == 0), RuntimeError)
        << "extent " << ShortText(to_shape[i]) << " is no multiple of "
        << ShortText(current_shape[i]);
    outer_shape.push_back(floordiv(to_shape[i], current_shape[i]));
  }
  std::vector<Iter> iters(outer_shape.size(), Iter());
  Expr stride = int32(1);
  for (size_t i = outer_shape.size(); i-- > 0;) {
    iters[i] = Iter(outer_shape[i], stride, Axis::Get("m"));
    stride = mul(stride, outer_shape[i]);
  }
  TileLayout outer(ffi::Array<Iter>(iters.begin(), iters.end()), {}, {});
  return LayoutTile(layout, outer, outer_shape, current_shape);
}

TileLayout LayoutPermuteDims(const TileLayout& layout, const ffi::Array<int64_t>& perm) {
  TVM_FFI_CHECK_EQ(perm.size(), layout->shard.size(), RuntimeError)
      << "a permutation names each iterator once";
  std::vector<bool> used(perm.size(), false);
  ffi::Array<Iter> shard;
  for (int64_t dim : perm) {
    TVM_FFI_CHECK(dim >= 0 && dim < static_cast<int64_t>(used.size()) && !used[dim], RuntimeError)
        << "a permutation names each iterator once";
    used[dim] = true;
    shard.push_back(layout->shard[dim]);
  }
  return TileLayout(shard, layout->replica, layout->offset);
}

bool LayoutIsTrivial(const Layout& layout) {
  if (layout.as<ComposeLayoutObj>()) return false;
  Layout canonical = LayoutCanonicalize(layout);
  const TileLayoutObj* tile = TileOf(canonical);
  if (!tile->replica.empty() || !tile->offset.empty() || tile->shard.size() > 1) return false;
  return tile->shard.empty() ||
         (is_one(tile->shard[0]->stride) && tile->shard[0]->axis.name() == "m");
}

}  // namespace tirx
}  // namespace tvm
