// SPDX-License-Identifier: Apache-2.0
#include "tirx/codegen/layout_index.h"

#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace {

Expr RowMajor(const ffi::Array<Expr>& shape, const ffi::Array<Expr>& indices) {
  Expr flat = int32(0);
  for (size_t i = 0; i < indices.size(); ++i) flat = add(mul(flat, shape[i]), indices[i]);
  return flat;
}

void CheckMemoryAxis(const Axis& axis) {
  if (axis.name() == "m") return;
  TVM_FFI_THROW(ValueError) << "A layout over the axis `" << axis.name()
                            << "` has no place in the memory of one thread";
}

Expr Offset(const TileLayoutObj* layout) {
  Expr sum = int32(0);
  for (const auto& [axis, value] : layout->offset) {
    CheckMemoryAxis(axis);
    sum = add(sum, value);
  }
  return sum;
}

Expr TileIndex(const TileLayoutObj* layout, Expr flat) {
  Expr address = Offset(layout);
  // The iterators split the row-major position, the last one varying fastest.
  for (size_t i = layout->shard.size(); i-- > 0;) {
    const Iter& iter = layout->shard[i];
    CheckMemoryAxis(iter->axis);
    Expr digit = i == 0 ? flat : floormod(flat, iter->extent);
    address = add(address, mul(digit, iter->stride));
    flat = floordiv(flat, iter->extent);
  }
  return address;
}

Expr Swizzle(const ComposeLayoutObj* layout, Expr address) {
  int64_t p = layout->per_element, s = layout->swizzle_len, m = layout->atom_len;
  int64_t mask = (int64_t{1} << s) - 1;
  int64_t from = layout->swizzle_inner ? p + m : p;
  int64_t to = layout->swizzle_inner ? p : p + m;
  DLDataType dtype = address->dtype();
  Expr bits = bitwise_and(shift_right(address, int_imm(Element(dtype), from)),
                          int_imm(Element(dtype), mask));
  return bitwise_xor(address, shift_left(bits, int_imm(Element(dtype), to)));
}

}  // namespace

Expr LayoutIndex(const TensorTypeObj* type, const ffi::Array<Expr>& indices) {
  Expr flat = RowMajor(type->shape, indices);
  if (!type->layout.defined()) return flat;
  if (auto* tile = type->layout.as<TileLayoutObj>()) return TileIndex(tile, flat);
  if (auto* compose = type->layout.as<ComposeLayoutObj>()) {
    return Swizzle(compose, TileIndex(compose->tile_layout.get(), flat));
  }
  TVM_FFI_THROW(ValueError) << "No rule for a layout of type " << type->layout->GetTypeKey();
  throw;
}

Expr LayoutSpan(const TensorTypeObj* type) {
  const TileLayoutObj* tile = nullptr;
  if (type->layout.defined()) {
    tile = type->layout.as<TileLayoutObj>();
    if (auto* compose = type->layout.as<ComposeLayoutObj>()) tile = compose->tile_layout.get();
  }
  if (tile == nullptr) {
    Expr count = int32(1);
    for (const Expr& extent : type->shape) count = mul(count, extent);
    return count;
  }
  Expr span = add(Offset(tile), int32(1));
  auto reach = [&](const ffi::Array<Iter>& iters) {
    for (const Iter& iter : iters) {
      CheckMemoryAxis(iter->axis);
      span = add(span, mul(sub(iter->extent, int32(1)), iter->stride));
    }
  };
  reach(tile->shard);
  reach(tile->replica);
  if (auto* compose = type->layout.as<ComposeLayoutObj>()) {
    // A swizzle permutes whole blocks of this many elements.
    int64_t block = int64_t{1} << (compose->per_element + compose->atom_len + compose->swizzle_len);
    span = mul(ceildiv(span, int_imm(span->dtype(), block)), int_imm(span->dtype(), block));
  }
  return span;
}

}  // namespace tirx
}  // namespace tvm
