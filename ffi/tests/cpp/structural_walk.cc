// SPDX-License-Identifier: Apache-2.0
// Walks, visits, maps and mutations written in C++, over reflected objects and containers.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

class VarObj : public Object {
 public:
  VarObj() = default;
  explicit VarObj(String text) : name(std::move(text)) {}
  String name;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.walk.Var", VarObj, Object);
};
class Var : public ObjectRef {
 public:
  explicit Var(const char* name) { data_ = make_object<VarObj>(String(name)); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Var, ObjectRef, VarObj);
};

class LambdaObj : public Object {
 public:
  LambdaObj() = default;
  LambdaObj(Array<Var> p, Any b) : params(std::move(p)), body(std::move(b)) {}
  Array<Var> params;
  Any body;
  String comment;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.walk.Lambda", LambdaObj, Object);
};
class Lambda : public ObjectRef {
 public:
  Lambda(Array<Var> params, Any body) {
    data_ = make_object<LambdaObj>(std::move(params), std::move(body));
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Lambda, ObjectRef, LambdaObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name, refl::AttachFieldFlag::SEqHashIgnore());
  refl::ObjectDef<LambdaObj>()
      .def_ro("params", &LambdaObj::params, refl::AttachFieldFlag::SEqHashDefPattern())
      .def_ro("body", &LambdaObj::body)
      .def_ro("comment", &LambdaObj::comment, refl::AttachFieldFlag::SEqHashIgnore());
}

Any Nested(const Any& leaf) {
  return List<Any>{Array<Any>{1, "two", leaf}, Map<Any, Any>{{"key", 3}}, nullptr, 4.5};
}

TEST(StructuralWalk, PreAndPostOrder) {
  std::string pre;
  StructuralWalk(
      Nested(true), [&](int64_t x) { pre += std::to_string(x) + ' '; },
      [&](const String& s) { pre += std::string(s) + ' '; },
      [&](const Array<Any>& a) { pre += "array" + std::to_string(a.size()) + ' '; },
      [&](AnyView v) { pre += v.GetTypeKey() + ' '; });
  EXPECT_EQ(pre, "ffi.List array3 1 two bool ffi.Map 3 float ");
  std::string post;
  StructuralWalk<WalkOrder::kPostOrder>(Nested(true),
                                        [&](AnyView v) { post += v.GetTypeKey() + ' '; });
  EXPECT_EQ(post, "int ffi.SmallStr bool ffi.Array int ffi.Map float ffi.List ");
}

TEST(StructuralWalk, FirstStrictMatchWins) {
  int ints = 0;
  int arrays_of_int = 0;
  int others = 0;
  StructuralWalk(
      Array<Any>{Array<int64_t>{1, 2}, Array<Any>{1, "x"}, true},
      [&](const Array<int64_t>&) { ++arrays_of_int; }, [&](int64_t) { ++ints; },
      [&](AnyView) { ++others; });
  EXPECT_EQ(arrays_of_int, 1);
  EXPECT_EQ(ints, 3);
  EXPECT_EQ(others, 4);  // the outer array, the mixed one, "x", true
}

TEST(StructuralWalk, SkipAndInterrupt) {
  int seen = 0;
  Optional<VisitInterrupt> end = StructuralWalk(
      Nested(7), [&](const Array<Any>&) { return WalkResult::Skip(); }, [&](int64_t) { ++seen; });
  EXPECT_FALSE(end.has_value());
  EXPECT_EQ(seen, 1);  // the 3 of the map
  end = StructuralWalk(Nested(7), [&](int64_t x) -> WalkResult {
    if (x == 7) return VisitInterrupt("found");
    return WalkResult::Advance();
  });
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end.value()->value.cast<String>(), "found");
}

TEST(StructuralWalk, Regions) {
  const Var x("x");
  const Var y("y");
  std::string regions;
  StructuralWalk(Lambda({x}, Array<Any>{x, y}), [&](const Var& v, TVMFFIDefRegionKind region) {
    regions += std::string(v->name) + std::to_string(static_cast<int>(region)) + ' ';
  });
  EXPECT_EQ(regions, "x1 x0 y0 ");
}

TEST(StructuralWalk, ErrorsRememberTheWay) {
  const Var bad("bad");
  const Lambda root({}, Array<Any>{Lambda({bad}, 1)});
  try {
    StructuralWalk(root, [](const Var& v) { TVM_FFI_THROW(ValueError) << "at " << v->name; });
    ADD_FAILURE() << "the error was lost";
  } catch (const Error& err) {
    EXPECT_EQ(err.kind(), "ValueError");
    EXPECT_EQ(err.message(), "at bad");
    Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(err);
    ASSERT_TRUE(context.has_value());
    EXPECT_TRUE(context.value()->reverse_visit_pattern[0].same_as(bad));
    EXPECT_TRUE(context.value()->reverse_visit_pattern.back().same_as(root));
  }
  Expected<Optional<VisitInterrupt>> result = StructuralWalkExpected(
      root,
      [](const Var&) -> Expected<WalkResult> { return TVM_FFI_UNEXPECTED(TypeError) << "x"; });
  ASSERT_TRUE(result.is_err());
  EXPECT_EQ(result.error().kind(), "TypeError");
}

TEST(StructuralWalk, MillionLevels) {
  Any value = 1;
  for (int i = 0; i < 1000000; ++i) value = Array<Any>{value};
  int64_t arrays = 0;
  StructuralWalk(value, [&](const Array<Any>&) { ++arrays; });
  EXPECT_EQ(arrays, 1000000);
}

TEST(StructuralVisit, CallbacksDecideAboutChildren) {
  std::string order;
  StructuralVisit(
      Lambda({Var("p")}, Array<Any>{1, Array<Any>{2}}),
      [&](const Array<Any>& a, StructuralVisitorObj* visitor) -> Optional<VisitInterrupt> {
        order += "[ ";
        for (const Any& item : a) {
          if (auto end = visitor->Visit(item)) return end;
        }
        order += "] ";
        return std::nullopt;
      },
      [&](const Var& v, StructuralVisitorObj* visitor) {
        order += std::string(v->name) + std::to_string(visitor->def_region_kind()) + ' ';
      },
      [&](int64_t x, StructuralVisitorObj*) { order += std::to_string(x) + ' '; });
  // The callback takes arrays of anything, so the parameters go through it as well.
  EXPECT_EQ(order, "[ p1 ] [ 1 [ 2 ] ] ");
}

class DepthVisitorObj : public StructuralVisitorObj {
 public:
  using StateTupleType = std::tuple<int>;
  int depth = 10;

 protected:
  explicit DepthVisitorObj(const VTable* vtable) : StructuralVisitorObj(vtable) {}
  StateTupleType StateTuple() const { return {depth}; }
};

TEST(StructuralVisit, EnginesOverOwnVisitors) {
  int64_t sum = 0;
  auto add = [&](int64_t x, int depth) { sum += x * depth; };
  auto walk =
      make_object<StructuralWalkEngine<DepthVisitorObj, WalkOrder::kPreOrder, decltype(add)>>(add);
  walk->depth = 100;
  EXPECT_FALSE(walk->Visit(Nested(2)).has_value());
  EXPECT_EQ(sum, 600);  // 1 + 2 + 3

  auto stop = [](int64_t x, StructuralVisitorObj*) -> Optional<VisitInterrupt> {
    if (x == 3) return VisitInterrupt(x);
    return std::nullopt;
  };
  auto visit = make_object<StructuralVisitEngine<StructuralVisitorObj, decltype(stop)>>(stop);
  EXPECT_EQ(visit->Visit(Nested(0)).value()->value.cast<int64_t>(), 3);
}

TEST(StructuralVisit, OwnVisitorsReportDeepNesting) {
  Any value = 1;
  for (int i = 0; i < 1000000; ++i) value = Array<Any>{value};
  auto ignore = [](int64_t) {};
  auto walk = make_object<
      StructuralWalkEngine<StructuralVisitorObj, WalkOrder::kPreOrder, decltype(ignore)>>(ignore);
  const Expected<Optional<VisitInterrupt>> result = walk->VisitExpected(value);
  ASSERT_TRUE(result.is_err());
  EXPECT_EQ(result.error().kind(), "RecursionError");
}

TEST(StructuralMap, ReplacesAndShares) {
  const Array<Any> untouched{"a", "b"};
  const Any root = List<Any>{untouched, Array<Any>{1, 2}, Map<Any, Any>{{"k", 3}}};
  const Any result = StructuralMap(root, [](int64_t x) -> UnchangedOr<Any> {
    if (x == 2) return Unchanged();
    return Any(x * 10);
  });
  EXPECT_EQ(ReprPrint(result), R"([("a", "b"), (10, 2), {"k": 30}])");
  EXPECT_EQ(ReprPrint(root), R"([("a", "b"), (1, 2), {"k": 3}])");
  EXPECT_TRUE(result.cast<List<Any>>()[0].same_as(untouched));
  EXPECT_TRUE(StructuralMap(root, [](int64_t) { return Unchanged(); }).same_as(root));
}

TEST(StructuralMap, OrderMatters) {
  const Any root = Array<Any>{Array<Any>{1}};
  auto grow = [](const Array<int64_t>& a) {
    Array<int64_t> bigger = a;
    bigger.push_back(9);
    return bigger;
  };
  auto increment = [](int64_t x) { return x + 1; };
  EXPECT_EQ(ReprPrint(StructuralMap<WalkOrder::kPostOrder>(root, grow, increment)), "((2, 9),)");
  EXPECT_EQ(ReprPrint(StructuralMap<WalkOrder::kPreOrder>(root, grow, increment)), "((2, 10),)");
}

TEST(StructuralMap, ErrorsAndExpected) {
  const Any root = Array<Any>{1, 2};
  ExpectError("ValueError", "no 2", [&] {
    StructuralMap(root, [](int64_t x) -> Expected<Any> {
      if (x == 2) return TVM_FFI_UNEXPECTED(ValueError) << "no " << x;
      return Any(x);
    });
  });
  const Expected<Any> result =
      StructuralMapExpected(root, [](int64_t) { return Error("KeyError", "k", ""); });
  ASSERT_TRUE(result.is_err());
  EXPECT_EQ(result.error().kind(), "KeyError");
}

TEST(StructuralMap, RegionsReachTheCallback) {
  const Var x("x");
  const Var renamed("renamed");
  const Lambda root({x}, Array<Any>{x, 1, x});
  std::string regions;
  const Lambda result = StructuralMap(root, [&](const Var&, TVMFFIDefRegionKind region) -> Any {
                          regions += std::to_string(static_cast<int>(region));
                          return renamed;
                        }).cast<Lambda>();
  EXPECT_EQ(regions, "100");
  EXPECT_TRUE(result->params[0].same_as(renamed));
  const Array<Any> body = result->body.cast<Array<Any>>();
  EXPECT_TRUE(body[0].same_as(renamed));
  EXPECT_TRUE(body[2].same_as(renamed));
  EXPECT_TRUE(root->params[0].same_as(x));
}

TEST(StructuralMap, UniqueRootsChangeInPlace) {
  Array<Any> root;
  for (int64_t i = 0; i < 3; ++i) root.push_back(i);
  const void* object = root.get();
  Any result = StructuralMap(Any(std::move(root)), [](int64_t x) { return x + 1; });
  EXPECT_EQ(result.cast<ObjectRef>().get(), object);
  EXPECT_EQ(ReprPrint(result), "(1, 2, 3)");
  const Any holder = result;
  result = StructuralMap(std::move(result), [](int64_t x) { return x + 1; });
  EXPECT_NE(result.cast<ObjectRef>().get(), object);
  EXPECT_EQ(ReprPrint(holder), "(1, 2, 3)");
}

TEST(StructuralMap, MillionLevels) {
  Any value = 1;
  for (int i = 0; i < 1000000; ++i) value = Array<Any>{value};
  Any result = StructuralMap(value, [](int64_t) { return 2; });
  for (int i = 0; i < 1000000; ++i) result = Any(result.cast<Array<Any>>()[0]);
  EXPECT_EQ(result.cast<int64_t>(), 2);
}

TEST(StructuralMutate, CallbacksDecideAboutChildren) {
  const Any root = Array<Any>{1, Array<Any>{2, 3}, "s"};
  const Any result = StructuralMutate(
      root,
      [](const Array<int64_t>& a, StructuralMutatorObj* mutator) -> Expected<Any> {
        Array<Any> out;
        for (const Any& item : Array<Any>(a)) {
          TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, changed,
                                            mutator->MutateExpected(item));
          out.push_back(std::move(changed).ValueOrUnchanged(item));
        }
        out.push_back("end");
        return out;
      },
      [](int64_t x, StructuralMutatorObj*, InplaceMode) { return x * 2; });
  EXPECT_EQ(ReprPrint(result), R"((2, (4, 6, "end"), "s"))");
}

TEST(StructuralMutate, EnginesOverOwnMutators) {
  auto increment = [](int64_t x) { return x + 1; };
  auto map = make_object<
      StructuralMapEngine<StructuralMutatorObj, WalkOrder::kPostOrder, decltype(increment)>>(
      increment);
  const Any root = Array<Any>{1, Map<Any, Any>{{"k", 2}}};
  EXPECT_EQ(ReprPrint(map->Mutate(root).ValueOrUnchanged(root)), R"((2, {"k": 3}))");
  EXPECT_TRUE(map->Mutate(Array<Any>{"x"}).IsUnchanged());
  const Var x("x");
  EXPECT_TRUE(map->VarRemapGetExpected(x).value() == nullptr);
  map->VarRemapSetExpected(x, 5).value();
  EXPECT_EQ(map->VarRemapGetExpected(x).value().cast<int64_t>(), 5);

  auto twice = [](int64_t v, StructuralMutatorObj*, InplaceMode) { return v * 2; };
  auto mutate = make_object<StructuralMutateEngine<StructuralMutatorObj, decltype(twice)>>(twice);
  Array<Any> unique{1, 2};
  const void* object = unique.get();
  EXPECT_TRUE(mutate->Mutate(unique, InplaceMode::kAllow).IsUnchanged());
  EXPECT_EQ(unique.get(), object);
  EXPECT_EQ(ReprPrint(unique), "(2, 4)");
}

TEST(UnchangedOr, States) {
  const Array<int64_t> original{1};
  UnchangedOr<Array<int64_t>> same = Unchanged();
  EXPECT_TRUE(same.IsUnchanged());
  EXPECT_TRUE(same.UnchangedOrSameAs(original));
  EXPECT_TRUE(std::move(same).ValueOrUnchanged(original).same_as(original));
  UnchangedOr<Array<int64_t>> given_back = original;
  EXPECT_FALSE(given_back.IsUnchanged());
  EXPECT_TRUE(given_back.UnchangedOrSameAs(original));
  UnchangedOr<Any> other = UnchangedOr<Array<int64_t>>(Array<int64_t>{2});
  EXPECT_FALSE(other.UnchangedOrSameAs(Any(original)));
  EXPECT_FALSE(UnchangedOr<Any>(other).as<String>().has_value());
  EXPECT_EQ(std::move(other).as_or_throw<Array<int64_t>>().ValueOrUnchanged(original)[0], 2);
  EXPECT_EQ(Any(Unchanged()).type_index(), kTVMFFIUnchanged);
  EXPECT_EQ(TypeTraits<UnchangedOr<int>>::TypeSchema(),
            R"({"type":"UnchangedOr","args":[{"type":"int"}]})");
}

TEST(StructuralKey, HashesAndComparesByStructure) {
  auto make = [](const char* name, int64_t value) {
    const Var v(name);
    return StructuralKey(Lambda({v}, Array<Any>{v, value}));
  };
  EXPECT_TRUE(make("x", 1) == make("y", 1));
  EXPECT_TRUE(make("x", 1) != make("x", 2));
  std::unordered_map<StructuralKey, int> table;
  table.emplace(make("x", 1), 5);
  EXPECT_EQ(table.at(make("z", 1)), 5);
  Map<StructuralKey, int64_t> map;
  map.Set(make("x", 1), 1);
  map.Set(make("y", 1), 2);
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(map.at(make("w", 1)), 2);
}

TEST(StructuralEqual, MismatchPaths) {
  const Any left = Array<Any>{1, Map<Any, Any>{{"a", Array<Any>{1, 2}}}};
  const Any right = Array<Any>{1, Map<Any, Any>{{"a", Array<Any>{1, 3}}}};
  EXPECT_FALSE(StructuralEqual::Equal(left, right));
  const Optional<refl::AccessPathPair> mismatch = StructuralEqual::GetFirstMismatch(left, right);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(ReprPrint(mismatch.value().get<0>()), "<root>[1][\"a\"][1]");
  EXPECT_FALSE(StructuralEqual::GetFirstMismatch(left, left).has_value());
  EXPECT_EQ(static_cast<int64_t>(StructuralHash::Hash(Array<Any>{1, 2})), 2823322240268045181);
}

TEST(VisitErrorContext, Macros) {
  const Var node("n");
  const Var outer("o");
  try {
    TVM_FFI_VISIT_BEGIN();
    TVM_FFI_VISIT_THROW(ValueError, node) << "deep";
    TVM_FFI_VISIT_END(outer);
  } catch (const Error& err) {
    Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(err);
    ASSERT_TRUE(context.has_value());
    ASSERT_EQ(context.value()->reverse_visit_pattern.size(), 2u);
    EXPECT_TRUE(context.value()->reverse_visit_pattern[0].same_as(node));
    EXPECT_TRUE(context.value()->reverse_visit_pattern[1].same_as(outer));
  }
  auto returned = [&]() -> Expected<int> {
    TVM_FFI_VISIT_BEGIN();
    throw Error("KeyError", "k", "", std::nullopt, ObjectRef(node));
    TVM_FFI_VISIT_END_RETURN_EXPECTED(outer);
  };
  const Expected<int> result = returned();
  ASSERT_TRUE(result.is_err());
  Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(result.error());
  ASSERT_TRUE(context.has_value());
  // A context of another kind stays reachable.
  EXPECT_TRUE(context.value()->prev_error_context.same_as(node));
}

TEST(VisitErrorContext, FindAccessPaths) {
  const Var target("t");
  const Lambda inner({}, target);
  const Lambda root({}, Array<Any>{1, inner});
  const VisitErrorContext context = detail::MakeVisitErrorContext(target);
  const Array<refl::AccessPath> paths = VisitErrorContext::FindAccessPaths(root, context);
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(ReprPrint(paths[0]), "<root>.body[1].body");
}

}  // namespace
