// SPDX-License-Identifier: Apache-2.0
// Callbacks and hooks that throw, at each of their calls in turn: the error arrives unchanged, and
// every reference count is what it was.
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/reflection/registry.h>

#include <functional>
#include <string>
#include <vector>

#include "algo_nodes.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::New;
using algo_nodes::Tree;
using Callbacks = Array<Tuple<int32_t, Function>>;
using MutateCallbacks = Array<Tuple<int32_t, Function, bool>>;

// Every callback counts down; the one that reaches zero throws.
int64_t until_throw = -1;

void Tick() {
  if (until_throw < 0 || until_throw-- != 0) return;
  throw Error("KeyError", "from the callback", "");
}

// Its hooks tick, and so do its default and its copy.
class HookedObj : public Object {
 public:
  Any child;
  int64_t made = 0;
  HookedObj() = default;
  explicit HookedObj(Any c) : child(std::move(c)) {}
  HookedObj(const HookedObj& other) : Object(other), child(other.child), made(other.made) {
    Tick();
  }
  static constexpr bool _type_mutable = true;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("throwing.Hooked", HookedObj, Object);
};

const HookedObj* AsHooked(const ObjectRef& object) { return object.as<HookedObj>(); }

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<HookedObj>()
      .def_rw("child", &HookedObj::child)
      .def_ro("made", &HookedObj::made, refl::default_factory(Function::FromTyped([]() -> int64_t {
                Tick();
                return 1;
              })))
      .def_type_attr("__ffi_repr__",
                     [](const ObjectRef& self, const Function& show) -> String {
                       Tick();
                       return "H(" + show(AsHooked(self)->child).cast<std::string>() + ")";
                     })
      .def_type_attr("__ffi_hash__",
                     [](const ObjectRef& self, const Function& hash) -> int64_t {
                       Tick();
                       return hash(AsHooked(self)->child).cast<int64_t>();
                     })
      .def_type_attr("__ffi_eq__",
                     [](const ObjectRef& a, const ObjectRef& b, const Function& equal) -> bool {
                       Tick();
                       return equal(AsHooked(a)->child, AsHooked(b)->child).cast<bool>();
                     })
      .def_type_attr(
          "__s_equal__",
          [](const ObjectRef& a, const ObjectRef& b, const Function& equal) -> bool {
            Tick();
            return equal(AsHooked(a)->child, AsHooked(b)->child, 0, "child").cast<bool>();
          })
      .def_type_attr("__s_hash__",
                     [](const ObjectRef& self, int64_t seed, const Function& hash) -> int64_t {
                       Tick();
                       return hash(AsHooked(self)->child, seed, 0).cast<int64_t>();
                     })
      .def_type_attr("__data_to_json__",
                     [](const ObjectRef&) -> Any {
                       Tick();
                       return Array<Any>{1, "data"};
                     })
      .def_type_attr("__data_from_json__", [](const Any& data) -> ObjectRef {
        Tick();
        return ObjectRef(make_object<HookedObj>(data));
      });
}

Any Hooked(Any child) { return New<HookedObj>(std::move(child)); }

class ThrowingCallbacks : public ::testing::Test {
 protected:
  const Any leaf = Tree(1, "a text that is not small");
  const Any graph = Array<Any>{Hooked(Hooked(leaf)),
                               Map<Any, Any>{{"key", Hooked(leaf)}, {2, List<Any>{leaf, 3}}},
                               Dict<Any, Any>{{"another key", leaf}}, Tree(Hooked(4), leaf)};

  uint32_t LeafCount() const { return leaf.cast<ObjectRef>().use_count(); }
  uint32_t GraphCount() const { return graph.cast<ObjectRef>().use_count(); }

  // Lets each tick of the operation throw in turn. Returns how many there are.
  int64_t ThrowEverywhere(const std::function<void()>& operation) {
    operation();
    const uint32_t leaf_count = LeafCount(), graph_count = GraphCount();
    const String shown = ReprPrint(graph);
    for (int64_t n = 0;; ++n) {
      until_throw = n;
      std::string error = algo_nodes::ErrorOf(operation);
      const bool thrown = until_throw < 0;
      until_throw = -1;
      EXPECT_EQ(LeafCount(), leaf_count) << "throw " << n;
      EXPECT_EQ(GraphCount(), graph_count) << "throw " << n;
      EXPECT_EQ(ReprPrint(graph), shown) << "throw " << n;
      if (!thrown) {
        EXPECT_EQ(error, "");
        return n;
      }
      EXPECT_EQ(error, "KeyError: from the callback") << "throw " << n;
      if (HasFailure() || n == 1000) return -1;
    }
  }
};

TEST_F(ThrowingCallbacks, HooksOfTypes) {
  const Any copy = DeepCopy(graph);
  EXPECT_EQ(ThrowEverywhere([&] { ReprPrint(graph); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { RecursiveHash(graph); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { RecursiveEq(graph, copy); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { StructuralHash::Hash(graph); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { StructuralEqual::Equal(graph, copy); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { StructuralEqual::GetFirstMismatch(graph, copy); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { DeepCopy(graph); }), 4);
  EXPECT_EQ(ThrowEverywhere([&] { ToJSONGraph(graph); }), 3);  // data hides what is inside
  const Any saved = ToJSONGraph(graph);
  EXPECT_EQ(ThrowEverywhere([&] { FromJSONGraph(saved); }), 3);
}

TEST_F(ThrowingCallbacks, DefaultsOfFields) {
  EXPECT_EQ(ThrowEverywhere(
                [&] { Call("ffi.MakeObjectFromPackedArgs", "throwing.Hooked", "child", leaf); }),
            1);
}

TEST_F(ThrowingCallbacks, WalksAndVisits) {
  const Callbacks none;
  Function count = Function::FromTyped([](const Any&) -> int64_t {
    Tick();
    return 0;
  });
  const Callbacks all{Tuple<int32_t, Function>(-1, count)};
  const int64_t pre = ThrowEverywhere([&] { Call("ffi.StructuralWalk", graph, all, none, 0); });
  EXPECT_GT(pre, 15);
  EXPECT_EQ(ThrowEverywhere([&] { Call("ffi.StructuralWalk", graph, all, none, 1); }), pre);
  Function descend = Function::FromTyped([](const Any& value, const ObjectRef& visitor) -> Any {
    Tick();
    return Call("ffi.StructuralVisitorDefaultVisit", visitor, value);
  });
  const Callbacks visits{Tuple<int32_t, Function>(-1, descend)};
  EXPECT_EQ(ThrowEverywhere([&] { Call("ffi.StructuralVisit", graph, visits); }), pre);
}

TEST_F(ThrowingCallbacks, MapsAndMutations) {
  const Callbacks none;
  Function change = Function::FromTyped([](int64_t x) -> int64_t {
    Tick();
    return x + 1;
  });
  const Callbacks integers{Tuple<int32_t, Function>(static_cast<int32_t>(kTVMFFIInt), change)};
  for (int order : {0, 1}) {
    // Copies of nodes on the way up tick as well.
    const int64_t ticks =
        ThrowEverywhere([&] { Call("ffi.StructuralMap", graph, integers, none, order); });
    EXPECT_GT(ticks, 6) << order;
  }
  Function rebuild = Function::FromTyped([](const Any& value, const ObjectRef& mutator) -> Any {
    Tick();
    return Call("ffi.StructuralMutatorDefaultMutate", mutator, value);
  });
  const MutateCallbacks everything{Tuple<int32_t, Function, bool>(-1, rebuild, false)};
  EXPECT_GT(ThrowEverywhere([&] { Call("ffi.StructuralMutate", graph, everything); }), 10);
}

TEST_F(ThrowingCallbacks, FunctionsOfContainers) {
  const Array<Any> array{leaf, 1, leaf, 2, leaf};
  auto twice = [](const Any& x) -> Any {
    Tick();
    return Array<Any>{x, x};
  };
  EXPECT_EQ(ThrowEverywhere([&] { array.Map(twice); }), 5);
  EXPECT_EQ(ThrowEverywhere([&] {
              Array<Any> shared = array;
              shared.MutateByApply(twice);
            }),
            5);
  EXPECT_EQ(ThrowEverywhere([&] {
              Array<Any> own{leaf, 1, leaf};
              own.MutateByApply(twice);
            }),
            3);
  EXPECT_EQ(array.size(), 5u);
}

TEST_F(ThrowingCallbacks, VisitsOfContextSymbols) {
  static int target = 0;
  TVMFFIEnvModRegisterContextSymbol("throwing_context_symbol", &target);
  const int64_t ticks =
      ThrowEverywhere([] { Module::VisitContextSymbols([](const String&, void*) { Tick(); }); });
  EXPECT_GE(ticks, 1);
}

TEST_F(ThrowingCallbacks, MakersOfHandles) {
  // A C++ exception from a maker becomes the pending error, and the handle can be made later.
  static void* handle = nullptr;
  auto make = [](void** out) -> int {
    Tick();
    *out = &handle;
    return 0;
  };
  until_throw = 0;
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, make), -1);
  until_throw = -1;
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  ASSERT_NE(error, nullptr);
  TVMFFIObjectDecRef(error);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, make), 0);
  EXPECT_EQ(handle, &handle);
}

TEST_F(ThrowingCallbacks, ForeignExceptionsBecomeErrors) {
  Function fail = Function::FromTyped([](const Any&) -> int64_t { throw std::string("odd"); });
  const Callbacks all{Tuple<int32_t, Function>(-1, fail)};
  const uint32_t before = LeafCount();
  for (int i = 0; i < 3; ++i) {
    try {
      Call("ffi.StructuralWalk", graph, all, Callbacks(), 0);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), "InternalError");
    } catch (const std::string& text) {
      EXPECT_EQ(text, "odd");  // unchanged, where only C++ lies between
    }
    EXPECT_EQ(LeafCount(), before);
  }
}

}  // namespace
