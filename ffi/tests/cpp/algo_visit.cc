// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/rvalue_ref.h>

#include <string>
#include <utility>
#include <vector>

#include "algo_nodes.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::DagObj;
using algo_nodes::ErrorOf;
using algo_nodes::Fn2Obj;
using algo_nodes::FnObj;
using algo_nodes::New;
using algo_nodes::SingleObj;
using algo_nodes::Tree;
using algo_nodes::TreeObj;
using algo_nodes::Var;
using algo_nodes::VarObj;
using Callbacks = Array<Tuple<int32_t, Function>>;

Callbacks On(int32_t type_index, Function function) {
  return Callbacks{Tuple<int32_t, Function>(type_index, std::move(function))};
}

std::string Repr(const Any& value) { return ReprPrint(value); }

/// Everything a walk reports, as "value/region".
std::string Trace(const Any& root, int order) {
  std::string out;
  Function record = Function::FromTyped([&out](const Any& value, int region) {
    if (!out.empty()) out += " ";
    out += Repr(value) + "/" + std::to_string(region);
  });
  Call("ffi.StructuralWalk", root, Callbacks(), On(kTVMFFIAny, record), order);
  return out;
}

std::string VisitPath(const Error& error) {
  auto context = VisitErrorContext::TryGetFromError(error);
  return context.has_value() ? Repr(context.value()->reverse_visit_pattern) : "none";
}

TEST(StructuralWalk, OrderAndRegions) {
  EXPECT_EQ(Trace(Array<Any>{1, Any(), Map<Any, Any>{{2, 3}}}, 0),
            "(1, None, {2: 3})/0 1/0 {2: 3}/0 3/0");
  EXPECT_EQ(Trace(Array<Any>{1, Any(), Map<Any, Any>{{2, 3}}}, 1),
            "1/0 3/0 {2: 3}/0 (1, None, {2: 3})/0");
  const std::string var = "kiln.test.Var(name=\"v\", ty=5)";
  EXPECT_EQ(Trace(New<FnObj>(Var("v", 5), 6), 1),
            "5/1 " + var + "/1 6/0 kiln.test.Fn(params=" + var + ", body=6)/0");
  EXPECT_EQ(Trace(New<Fn2Obj>(Var("v", 5), 6), 1),
            "5/0 " + var + "/2 6/0 kiln.test.Fn2(params=" + var + ", body=6)/0");
}

TEST(StructuralWalk, HooksDecideAboutChildren) {
  Any graph = Call("testing.make_visit_region_graph", true);
  const std::string child = "testing.TestVisitRegions(simple=1, pattern=2, ordinary=3)";
  EXPECT_EQ(Trace(graph, 0),
            "testing.TestVisitHook(child=" + child + ")/0 " + child + "/2 1/2 2/1 3/2 4/0");
}

TEST(StructuralWalk, ResultsOfCallbacks) {
  Any root = Tree(Array<Any>{Tree(5, 6)}, 1);
  int64_t calls = 0;
  Function skip = Function::FromTyped([&calls](const Any&) -> int {
    ++calls;
    return 1;
  });
  Call("ffi.StructuralWalk", root, On(TreeObj::RuntimeTypeIndex(), skip), Callbacks(), 0);
  EXPECT_EQ(calls, 1);
  Function stop =
      Function::FromTyped([](int64_t x) -> VisitInterrupt { return VisitInterrupt(x); });
  Any interrupt = Call("ffi.StructuralWalk", root, On(kTVMFFIInt, stop), Callbacks(), 0);
  EXPECT_EQ(interrupt.cast<VisitInterrupt>()->value.cast<int>(), 5);
  Function wrong = Function::FromTyped([](int64_t) -> double { return 2.5; });
  EXPECT_EQ(
      ErrorOf([&] { Call("ffi.StructuralWalk", root, On(kTVMFFIInt, wrong), Callbacks(), 0); }),
      "TypeError: CallExpected: result type mismatch, expected WalkResult, but got float");
}

TEST(StructuralWalk, ErrorsNoteThePath) {
  Any root = Tree(Array<Any>{Tree(5, String("a longer text"))}, 1);
  Function fail = Function::FromTyped([](const Any&) { TVM_FFI_THROW(ValueError) << "boom"; });
  for (int order : {0, 1}) {
    try {
      Call("ffi.StructuralWalk", root, On(kTVMFFIStr, fail), Callbacks(), order);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(VisitPath(error),
                "[\"a longer text\", kiln.test.Tree(a=5, b=\"a longer text\"), "
                "(kiln.test.Tree(a=5, b=\"a longer "
                "text\"),), kiln.test.Tree(a=(kiln.test.Tree(a=5, b=\"a longer text\"),), b=1)]");
    }
  }
}

TEST(StructuralVisit, CallbacksOwnTheDescent) {
  std::vector<std::string> met;
  Function on_tree = Function::FromTyped([&met](const Any& value, const ObjectRef& visitor) -> Any {
    met.push_back(Repr(value));
    return Call("ffi.StructuralVisitorVisit", visitor, value.cast<ObjectRef>().as<TreeObj>()->a);
  });
  Function on_int = Function::FromTyped(
      [&met](const Any& value, const ObjectRef&) { met.push_back(Repr(value)); });
  Callbacks callbacks{Tuple<int32_t, Function>(TreeObj::RuntimeTypeIndex(), on_tree),
                      Tuple<int32_t, Function>(static_cast<int32_t>(kTVMFFIInt), on_int)};
  Call("ffi.StructuralVisit", Array<Any>{Tree(7, 8), 9}, callbacks);
  EXPECT_EQ(met, (std::vector<std::string>{"kiln.test.Tree(a=7, b=8)", "7", "9"}));
}

TEST(StructuralVisit, RegionsSwitchAndPatternStays) {
  std::string out;
  Function probe = Function::FromTyped([&out](const Any&, const ObjectRef& visitor) {
    for (int outer : {0, 1, 2}) {
      Call("ffi.StructuralVisitorWithDefRegionKind", visitor, outer, Function::FromTyped([&] {
             for (int inner : {0, 1, 2}) {
               Call("ffi.StructuralVisitorWithDefRegionKind", visitor, inner,
                    Function::FromTyped([&] {
                      out += std::to_string(
                          Call("ffi.StructuralVisitorDefRegionKind", visitor).cast<int>());
                    }));
             }
           }));
    }
  });
  Call("ffi.StructuralVisit", Array<Any>{1}, On(kTVMFFIInt, probe));
  EXPECT_EQ(out, "012111012");
}

TEST(StructuralMap, ChangesAndKeeps) {
  Function add = Function::FromTyped([](int64_t x) { return x + 1; });
  for (int order : {0, 1}) {
    Any root = Array<Any>{Tree(1, Any()), Map<Any, Any>{{1, 2}}, List<Any>{3}, String("s")};
    Any mapped = Call("ffi.StructuralMap", root, On(kTVMFFIInt, add), Callbacks(), order);
    EXPECT_EQ(Repr(mapped), "(kiln.test.Tree(a=2, b=None), {1: 3}, [4], \"s\")");
    EXPECT_EQ(Repr(root), "(kiln.test.Tree(a=1, b=None), {1: 2}, [3], \"s\")");
    Function same = Function::FromTyped([](int64_t x) { return x; });
    EXPECT_TRUE(
        Call("ffi.StructuralMap", root, On(kTVMFFIInt, same), Callbacks(), order).same_as(root));
  }
}

TEST(StructuralMap, VariablesFollowTheirDefinition) {
  Function add = Function::FromTyped([](int64_t x) { return x + 1; });
  Any w = Var("w", 5);
  Any mapped = Call("ffi.StructuralMap", New<FnObj>(Array<Any>{w}, Array<Any>{w, w}),
                    On(kTVMFFIInt, add), Callbacks(), 1);
  const auto* fn = mapped.cast<ObjectRef>().as<FnObj>();
  Any param = fn->params.cast<Array<Any>>()[0];
  EXPECT_EQ(Repr(param), "kiln.test.Var(name=\"w\", ty=6)");
  EXPECT_TRUE(fn->body.cast<Array<Any>>()[1].same_as(param));
  // Outside of a definition a variable stays as it is.
  Any free = Array<Any>{w};
  EXPECT_TRUE(Call("ffi.StructuralMap", free, On(kTVMFFIInt, add), Callbacks(), 1).same_as(free));
}

TEST(StructuralMap, SharedDagNodesAreMappedOnce) {
  int64_t calls = 0;
  Function add = Function::FromTyped([&calls](int64_t x) {
    ++calls;
    return x + 1;
  });
  Any dag = New<DagObj>(1);
  auto mapped = Call("ffi.StructuralMap", Array<Any>{dag, dag}, On(kTVMFFIInt, add), Callbacks(), 1)
                    .cast<Array<Any>>();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(Any(mapped[0]).same_as(mapped[1]));
}

TEST(StructuralMap, UniqueContainersChangeInPlace) {
  Function add = Function::FromTyped([](int64_t x) { return x + 1; });
  Array<Any> array{3, List<Any>{4}, Map<Any, Any>{{5, 6}}};
  const Object* address = array.get();
  Any mapped = Call("ffi.StructuralMap", RValueRef<Array<Any>>(std::move(array)),
                    On(kTVMFFIInt, add), Callbacks(), 1);
  EXPECT_EQ(mapped.as<Object>(), address);
  EXPECT_EQ(Repr(mapped), "(4, [5], {5: 7})");
  Array<Any> shared{3};
  Array<Any> second = shared;
  mapped = Call("ffi.StructuralMap", RValueRef<Array<Any>>(std::move(shared)), On(kTVMFFIInt, add),
                Callbacks(), 1);
  EXPECT_EQ(Repr(mapped), "(4,)");
  EXPECT_EQ(Repr(second), "(3,)");
}

TEST(StructuralMap, ValuesWithoutCopyAreRefused) {
  Any root = Array<Any>{1, Function::GetGlobalRequired("ffi.ReprPrint")};
  EXPECT_EQ(ErrorOf([&] { Call("ffi.StructuralMap", root, Callbacks(), Callbacks(), 0); }),
            "TypeError: __ffi_shallow_copy__ must be an ffi.Function");
}

TEST(StructuralMutate, CallbacksSeeTheMutator) {
  Function on_var = Function::FromTyped([](const Any& var, const ObjectRef& mutator) -> Any {
    Any known = Call("ffi.StructuralMutatorVarRemapGet", mutator, var);
    if (known != nullptr) return known;
    Any fresh = Var("fresh");
    Call("ffi.StructuralMutatorVarRemapSet", mutator, var, fresh);
    return fresh;
  });
  Any x = Var("x");
  Array<Tuple<int32_t, Function, bool>> callbacks{
      Tuple<int32_t, Function, bool>(VarObj::RuntimeTypeIndex(), on_var, false)};
  auto out = Call("ffi.StructuralMutate", Array<Any>{x, x}, callbacks).cast<Array<Any>>();
  EXPECT_TRUE(Any(out[0]).same_as(out[1]));
  EXPECT_EQ(Repr(out[0]), "kiln.test.Var(name=\"fresh\", ty=None)");
}

TEST(VisitErrorContext, FindsThePlace) {
  Any inner = Tree(5, 6);
  Any root = Tree(Array<Any>{0, inner}, Map<Any, Any>{{String("k"), inner}});
  VisitErrorContext context = detail::MakeVisitErrorContext(inner.cast<ObjectRef>());
  Any paths = Call("ffi.VisitErrorContext.FindAccessPaths", root, context, false);
  EXPECT_EQ(Repr(paths), "(<root>.a[1], <root>.b[\"k\"])");
  // The container that was noted on the way never matches, so only the deepest partial match is
  // left.
  context->reverse_visit_pattern.push_back(Array<Any>{});
  context->reverse_visit_pattern.push_back(root.cast<ObjectRef>());
  EXPECT_EQ(Repr(Call("ffi.VisitErrorContext.FindAccessPaths", root, context, false)), "()");
  EXPECT_EQ(Repr(Call("ffi.VisitErrorContext.FindAccessPaths", root, context, true)),
            "(<root>.a[1], <root>.b[\"k\"])");
}

}  // namespace
