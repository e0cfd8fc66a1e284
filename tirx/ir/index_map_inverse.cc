// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tirx/ir/given.h"
#include "tirx/ir/layout.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

// (variable // lower) % extent, taken `scale` times.
struct Digit {
  const VarObj* var;
  int64_t lower, extent, scale;
};

[[noreturn]] void Fail() {
  TVM_FFI_THROW(RuntimeError)
      << "Could not parse mapping as sum of iterators.  Error: Index mapping "
         "does not form a bijective transform.";
  TVM_FFI_UNREACHABLE();
}

struct Extents {
  const IndexMapObj* map;
  std::vector<int64_t> extents;

  int64_t Of(const VarObj* var) const {
    for (size_t i = 0; i < extents.size(); ++i) {
      if (map->initial_indices[static_cast<int64_t>(i)].get() == var) return extents[i];
    }
    Fail();
  }
};

// The expression as a sum of digits. A quotient or remainder is taken of one digit only.
std::vector<Digit> Decompose(const Expr& e, const Extents& extents) {
  if (e.is(ExprKind::Var)) {
    const auto* var = static_cast<const VarObj*>(e.get());
    return {{var, 1, extents.Of(var), 1}};
  }
  if (e.is(ExprKind::Cast)) {
    return Decompose(static_cast<const CastObj*>(e.get())->value, extents);
  }
  if (is_const_int(e, 0)) return {};
  if (!IsBinary(e->kind)) Fail();
  const Expr& a = Lhs(e.get());
  const Expr& b = Rhs(e.get());
  if (e.is(ExprKind::Add)) {
    std::vector<Digit> digits = Decompose(a, extents), more = Decompose(b, extents);
    digits.insert(digits.end(), more.begin(), more.end());
    return digits;
  }
  auto constant = as_const_int(b);
  if (!constant && e.is(ExprKind::Mul) && as_const_int(a)) {
    constant = as_const_int(a);
    std::vector<Digit> digits = Decompose(b, extents);
    for (Digit& digit : digits) digit.scale *= *constant;
    return digits;
  }
  if (!constant || *constant <= 0) Fail();
  std::vector<Digit> digits = Decompose(a, extents);
  if (e.is(ExprKind::Mul)) {
    for (Digit& digit : digits) digit.scale *= *constant;
    return digits;
  }
  if (digits.size() != 1 || digits[0].scale != 1) Fail();
  Digit& digit = digits[0];
  if (e.is(ExprKind::FloorDiv)) {
    if (digit.extent % *constant != 0) Fail();
    digit.lower *= *constant;
    digit.extent /= *constant;
    return digits;
  }
  if (e.is(ExprKind::FloorMod)) {
    if (digit.extent % *constant != 0 && *constant < digit.extent) Fail();
    digit.extent = std::min(digit.extent, *constant);
    return digits;
  }
  Fail();
}

IndexMap Inverse(const IndexMap& map, const ffi::Array<Range>& ranges) {
  TVM_FFI_CHECK_EQ(ranges.size(), map->initial_indices.size(), ValueError)
      << "the index map has " << map->initial_indices.size() << " dimensions";
  Extents extents{map.get(), {}};
  for (const Range& range : ranges) {
    auto extent = as_const_int(range->extent);
    TVM_FFI_CHECK(extent && is_zero(range->begin), ValueError)
        << "the shape of an inverse index map must be constant";
    extents.extents.push_back(*extent);
  }
  // Where the digits of each initial index went.
  struct Place {
    Digit digit;
    Expr value;
  };
  std::vector<Place> places;
  ffi::Array<Var> inputs;
  for (int64_t i = 0; i < static_cast<int64_t>(map->final_indices.size()); ++i) {
    const Expr& index = map->final_indices[i];
    Var input = index.is(ExprKind::Var)
                    ? Var(static_cast<const VarObj*>(index.get())->name, index->ty)
                    : Var("axis" + std::to_string(i), index->ty);
    inputs.push_back(input);
    std::vector<Digit> digits = Decompose(index, extents);
    std::sort(digits.begin(), digits.end(),
              [](const Digit& a, const Digit& b) { return a.scale < b.scale; });
    // The digits of one final index must be those of a mixed radix number.
    int64_t scale = 1;
    for (size_t d = 0; d < digits.size(); ++d) {
      if (digits[d].extent == 1) continue;
      if (digits[d].scale != scale) Fail();
      auto number = [&](int64_t value) { return int_imm(input.dtype(), value); };
      Expr value = floordiv(input, number(scale));
      scale *= digits[d].extent;
      if (d + 1 < digits.size()) value = floormod(value, number(digits[d].extent));
      places.push_back({digits[d], value});
    }
  }
  ffi::Array<Expr> outputs;
  for (int64_t i = 0; i < static_cast<int64_t>(map->initial_indices.size()); ++i) {
    Var var = map->initial_indices[i];
    std::vector<Place> mine;
    for (const Place& place : places) {
      if (place.digit.var == var.get()) mine.push_back(place);
    }
    std::sort(mine.begin(), mine.end(),
              [](const Place& a, const Place& b) { return a.digit.lower > b.digit.lower; });
    // Together they must hold the index exactly once.
    int64_t above = extents.extents[static_cast<size_t>(i)];
    Expr value = zero(var.dtype());
    for (const Place& place : mine) {
      if (place.digit.lower * place.digit.extent != above) Fail();
      above = place.digit.lower;
      Expr digit = cast(place.value, var.dtype());
      value = add(value, mul(digit, int_imm(var.dtype(), place.digit.lower)));
    }
    if (above != 1) Fail();
    outputs.push_back(value);
  }
  return IndexMap(inputs, outputs);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef().def(
      "tirx.IndexMapInverse",
      [](Given<IndexMap> map, ffi::Array<ffi::Variant<Given<Range>, Given<Expr>>> shape, ffi::Any) {
        ffi::Array<Range> ranges;
        for (const auto& item : shape) {
          if (auto range = item.as<Given<Range>>()) {
            ranges.push_back(*range);
          } else {
            Expr extent = item.get<Given<Expr>>();
            ranges.push_back(Range::FromMinExtent(zero(extent.dtype()), extent));
          }
        }
        return Inverse(map, ranges);
      });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
