// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tirx/ir/layout_algebra.h"
#include "tirx/ir/ops.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

struct Step {
  int64_t extent, stride;
  const char* axis = "m";
};

TileLayout Tile(std::initializer_list<Step> shard, std::initializer_list<Step> replica = {},
                int64_t offset = 0) {
  auto iters = [](std::initializer_list<Step> steps) {
    ffi::Array<Iter> result;
    for (const Step& step : steps) {
      result.push_back(Iter(int32(step.extent), int32(step.stride), Axis::Get(step.axis)));
    }
    return result;
  };
  ffi::Map<Axis, Expr> offsets;
  if (offset != 0) offsets.Set(Axis::Get("m"), int32(offset));
  return TileLayout(iters(shard), iters(replica), offsets);
}

int64_t At(const Layout& layout, std::initializer_list<int64_t> coord, const char* axis = "m") {
  ffi::Array<Expr> indices;
  for (int64_t c : coord) indices.push_back(int32(c));
  return *as_const_int(LayoutApply(layout, indices, std::nullopt).at(axis));
}

TEST(Layout, ApplyAndSizes) {
  TileLayout a = Tile({{4, 8}, {8, 1}});
  EXPECT_EQ(At(a, {1, 2}), 10);
  EXPECT_EQ(At(a, {10}), 10);
  EXPECT_EQ(*as_const_int(LayoutSize(a, std::nullopt)), 32);
  EXPECT_EQ(*as_const_int(LayoutSpan(a, std::nullopt)), 32);
  EXPECT_EQ(*as_const_int(LayoutSpan(Tile({{4, 16}, {8, 1}}, {}, 5), std::nullopt)), 61);
  TileLayout lanes = Tile({{8, 4, "laneid"}, {4, 1, "laneid"}}, {{2, 1, "warpid"}});
  EXPECT_EQ(At(lanes, {1, 2}, "laneid"), 6);
  EXPECT_EQ(*as_const_int(LayoutSpan(lanes, ffi::String("warpid"))), 2);
}

TEST(Layout, SwizzleMovesTheUpperFieldOntoTheLower) {
  ComposeLayout layout(3, 3, 3, Tile({{8, 64}, {64, 1}}));
  const int64_t from[] = {0, 8, 64, 65, 72, 128, 511};
  const int64_t to[] = {0, 8, 72, 73, 64, 144, 455};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(At(layout, {from[i]}), to[i]);
  // A swizzle is a permutation, in both directions.
  for (bool inner : {true, false}) {
    ComposeLayout other(2, 2, 3, Tile({{256, 1}}), inner);
    std::vector<bool> seen(256, false);
    for (int64_t i = 0; i < 256; ++i) seen[static_cast<size_t>(At(other, {i}))] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 256);
  }
}

TEST(Layout, CanonicalFormKeepsTheMapping) {
  TileLayout layout = Tile({{2, 64}, {1, 99}, {4, 8}, {8, 1}});
  Layout canonical = LayoutCanonicalize(layout);
  EXPECT_EQ(canonical.as<TileLayoutObj>()->shard.size(), 2u);
  for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(At(canonical, {i}), i / 32 * 64 + i % 32);
  EXPECT_TRUE(LayoutIsTrivial(Tile({{4, 8}, {8, 1}})));
  EXPECT_FALSE(LayoutIsTrivial(Tile({{4, 1}, {8, 4}})));
}

TEST(Layout, GroupSplitsIterators) {
  auto [grouped, starts] = LayoutGroup(Tile({{4, 8}, {8, 1}}), {int32(2), int32(2), int32(8)});
  EXPECT_EQ(Script(grouped),
            "T.TileLayout.from_iters(shard=[T.Iter(2, 16, \"m\"), T.Iter(2, 8, \"m\"), "
            "T.Iter(8, 1, \"m\")], replica=[])");
  EXPECT_EQ(starts.size(), 4u);
  EXPECT_THROW(LayoutGroup(Tile({{4, 8}, {8, 1}}), {int32(3), int32(8)}), ffi::Error);
}

TEST(Layout, TileRepeatsBlocks) {
  Layout tiled = LayoutTileTo(Tile({{4, 8}, {8, 1}}), {int32(8), int32(16)}, {int32(4), int32(8)});
  // Row r, column c of the 8x16 tensor: block (r / 4, c / 8), then its place in the block.
  for (int64_t r = 0; r < 8; ++r) {
    for (int64_t c = 0; c < 16; ++c) {
      EXPECT_EQ(At(tiled, {r * 16 + c}), (r / 4 * 2 + c / 8) * 32 + r % 4 * 8 + c % 8);
    }
  }
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
