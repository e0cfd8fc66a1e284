// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tirx/ir/given.h"
#include "tirx/ir/layout_algebra.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

struct ScopeRow {
  const char* name;
  int rank;
};
struct AxisRow {
  const char* name;
  bool thread;
  const char* scope;
  const char* subscope;
};
const ScopeRow kScopes[] = {
#define TIRX_THREAD_SCOPE(name, backend, rank) {name, rank},
#include "tirx/defs/scopes.def"
};
const AxisRow kAxes[] = {
#define TIRX_AXIS(name, backend, memory, thread, scope, subscope) \
  {name, thread != 0, scope, subscope},
#include "tirx/defs/scopes.def"
};

int Rank(const std::string& scope) {
  for (const ScopeRow& row : kScopes) {
    if (scope == row.name) return row.rank;
  }
  return 0;
}

// The scope of the parts and the scope that they make up, over the thread axes in use; None
// without one.
ffi::Any GetScope(const Given<TileLayout>& layout) {
  std::string inner, outer;
  for (const auto* iters : {&layout->shard, &layout->replica}) {
    for (const Iter& iter : *iters) {
      for (const AxisRow& row : kAxes) {
        if (!row.thread || iter->axis.name() != row.name) continue;
        if (inner.empty() || Rank(row.subscope) > Rank(inner)) inner = row.subscope;
        if (outer.empty() || Rank(row.scope) < Rank(outer)) outer = row.scope;
      }
    }
  }
  if (inner.empty()) return ffi::Any();
  return ffi::Array<ThreadScope>{ThreadScope::Get(inner), ThreadScope::Get(outer)};
}

void CheckLayout(const Given<Layout>& layout) {
  auto check = [](const TileLayout& tile) {
    for (const auto* iters : {&tile->shard, &tile->replica}) {
      for (const Iter& iter : *iters) {
        auto extent = as_const_int(iter->extent);
        TVM_FFI_CHECK(!extent || *extent >= 0, ValueError)
            << "an iterator has the negative extent " << *extent;
      }
    }
  };
  if (layout.as<ComposeLayoutObj>()) return check(layout.as<ComposeLayoutObj>()->tile_layout);
  check(layout.as_or_throw<TileLayout>());
}

ffi::Array<Expr> MapIndices(const IndexMap& map, const ffi::Array<Expr>& indices) {
  TVM_FFI_CHECK_EQ(indices.size(), map->initial_indices.size(), ValueError)
      << "the index map takes " << map->initial_indices.size() << " indices";
  ffi::Map<Var, Expr> values;
  for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
    values.Set(map->initial_indices[i], indices[i]);
  }
  // Operators are applied anew, so constants fold and types meet.
  struct Evaluate final : ExprMutator {
    const ffi::Map<Var, Expr>& values;
    explicit Evaluate(const ffi::Map<Var, Expr>& values) : values(values) {}
    Expr VisitVar(Var op) final {
      auto value = values.Get(op);
      return value ? *value : Expr(op);
    }
#define TIRX_BINARY(Name, key)                                              \
  Expr Visit##Name(Name op) final {                                         \
    return fold_binary(ExprKind::Name, VisitExpr(op->a), VisitExpr(op->b)); \
  }
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"
  } evaluate(values);
  ffi::Array<Expr> result;
  for (const Expr& index : map->final_indices) result.push_back(evaluate.VisitExpr(index));
  return result;
}

// The extent of an index with extent n each is one more than its largest value; both ends of a
// monotone map are mapped.
ffi::Array<Expr> MapShape(const IndexMap& map, const ffi::Array<Expr>& shape) {
  if (shape.empty()) return {};
  ffi::Array<Expr> last;
  for (const Expr& extent : shape) last.push_back(sub(extent, int32(1)));
  ffi::Array<Expr> first;
  for (size_t i = 0; i < shape.size(); ++i) first.push_back(int32(0));
  ffi::Array<Expr> low = MapIndices(map, first), high = MapIndices(map, last), result;
  for (int64_t i = 0; i < static_cast<int64_t>(low.size()); ++i) {
    const Expr& index = map->final_indices[i];
    // x % c takes every value below c once x does.
    Expr extent = index.is(ExprKind::FloorMod) && as_const_int(Rhs(index.get()))
                      ? Rhs(index.get())
                      : add(sub(high[i], low[i]), int32(1));
    result.push_back(cast(extent, shape[0].dtype()));
  }
  return result;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef()
      .def("tirx.LayoutApply",
           [](Given<Layout> layout, ffi::Array<Given<Expr>> coord,
              ffi::Optional<ffi::Array<Expr>> shape) { return LayoutApply(layout, coord, shape); })
      .def("tirx.LayoutGetSize",
           [](Given<Layout> layout, ffi::Optional<ffi::String> axis) {
             return LayoutSize(layout, axis);
           })
      .def("tirx.LayoutGetSpan",
           [](Given<Layout> layout, ffi::Optional<ffi::String> axis) {
             return LayoutSpan(layout, axis);
           })
      .def("tirx.LayoutCanonicalize",
           [](Given<Layout> layout) { return LayoutCanonicalize(layout); })
      .def("tirx.LayoutGroup",
           [](Given<TileLayout> layout, ffi::Array<Given<Expr>> shape) {
             auto [grouped, starts] = LayoutGroup(layout, shape);
             return ffi::Array<ffi::Any>{grouped, starts};
           })
      .def("tirx.LayoutTile",
           [](Given<Layout> layout, Given<TileLayout> outer, ffi::Array<Given<Expr>> outer_shape,
              ffi::Array<Given<Expr>> inner_shape) {
             return LayoutTile(layout, outer, outer_shape, inner_shape);
           })
      .def("tirx.LayoutTileTo",
           [](Given<Layout> layout, ffi::Array<Given<Expr>> to_shape,
              ffi::Array<Given<Expr>> current_shape) {
             return LayoutTileTo(layout, to_shape, current_shape);
           })
      .def("tirx.LayoutPermuteDims",
           [](Given<TileLayout> layout, ffi::Array<int64_t> perm) {
             return LayoutPermuteDims(layout, perm);
           })
      .def("tirx.LayoutIsTrivial", [](Given<Layout> layout) { return LayoutIsTrivial(layout); })
      .def("tirx.LayoutIsContiguous",
           [](Given<TileLayout> layout) { return LayoutIsTrivial(layout); })
      .def("tirx.LayoutGetScope", GetScope)
      .def("tirx.LayoutCheckWellFormed", CheckLayout)
      .def("tirx.IndexMapMapIndices", [](Given<IndexMap> map, ffi::Array<Given<Expr>> indices,
                                         ffi::Any) { return MapIndices(map, indices); })
      .def("tirx.IndexMapMapShape", [](Given<IndexMap> map, ffi::Array<Given<Expr>> shape,
                                       ffi::Any) { return MapShape(map, shape); });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
