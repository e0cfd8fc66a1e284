// SPDX-License-Identifier: Apache-2.0
// Every operation with each of its allocations failing in turn: it ends in an error, nothing leaks,
// reference counts are as before, and what it worked on is unchanged or still whole.
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/function.h>

#include <functional>
#include <new>
#include <string>

#include "../algo_nodes.h"
#include "failing_malloc.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::Tree;
using Callbacks = Array<Tuple<int32_t, Function>>;

// Watched by all tests: an operation that loses or gains a reference shows here.
struct World {
  Any leaf = Tree(1, 2);
  Any graph = Array<Any>{leaf, Map<Any, Any>{{"a long enough key", leaf}, {2, List<Any>{leaf}}},
                         Dict<Any, Any>{{leaf, "a text that is not small"}}, leaf};
  Any copy = DeepCopy(graph);

  uint32_t LeafCount() const { return leaf.cast<ObjectRef>().use_count(); }
};

World* world = nullptr;

enum class Outcome { kDone, kFailed, kOtherError };

Outcome RunOnce(const std::function<void()>& operation) {
  try {
    operation();
    return Outcome::kDone;
  } catch (const std::bad_alloc&) {
    return Outcome::kFailed;
  } catch (const Error& error) {
    // Across the C interface std::bad_alloc has become an error like other foreign exceptions.
    const bool is_allocation = error.message().find("bad_alloc") != std::string::npos;
    return is_allocation ? Outcome::kFailed : Outcome::kOtherError;
  }
}

Outcome RunFailing(int64_t n, const std::function<void()>& operation, bool* came) {
  failing_malloc::FailAfter(n);
  const Outcome outcome = RunOnce(operation);
  *came = failing_malloc::StopFailing();
  return outcome;
}

// Runs the operation until none of its allocations is left to fail.
void ExpectExactCleanup(const std::function<void()>& operation) {
  ASSERT_EQ(RunOnce(operation), Outcome::kDone);
  const uint32_t count = world->LeafCount();
  for (int64_t n = 0; n < 100000; ++n) {
    bool came = false;
    Outcome outcome = Outcome::kDone;
    int64_t before = 0, after = 0;
    // The last time counts: names of functions in backtraces, and the thread's place for errors,
    // are made on first use and kept, and a failure may come while they are made. One call in a
    // loop: another line would be another name.
    for (int i = 0; i < 8; ++i) {
      before = failing_malloc::LiveAllocations();
      outcome = RunFailing(n, operation, &came);
      after = failing_malloc::LiveAllocations();
    }
    EXPECT_NE(outcome, Outcome::kOtherError) << "allocation " << n;
    EXPECT_EQ(after, before) << "leak when allocation " << n << " fails";
    EXPECT_EQ(world->LeafCount(), count) << "when allocation " << n << " fails";
    if (::testing::Test::HasFailure()) return;
    if (!came) {
      EXPECT_EQ(outcome, Outcome::kDone);
      return;
    }
  }
  FAIL() << "the operation allocates without end";
}

class AllocFailure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world = new World(); }
  static void TearDownTestSuite() {
    delete world;
    world = nullptr;
  }
};

TEST_F(AllocFailure, Strings) {
  ExpectExactCleanup([] { String text(std::string(100, 'x')); });
  ExpectExactCleanup([] { Bytes bytes(std::string(100, 'x')); });
}

TEST_F(AllocFailure, Sequences) {
  ExpectExactCleanup([] {
    Array<Any> array;
    for (int i = 0; i < 40; ++i) array.push_back(world->leaf);
    array.insert(array.begin() + 3, world->leaf);
    array.Set(7, "a text that is not small");
  });
  ExpectExactCleanup([] {
    List<Any> list;
    for (int i = 0; i < 40; ++i) list.push_back(world->leaf);
    list.insert(list.begin() + 3, world->leaf);
    list.Set(7, "a text that is not small");
  });
}

TEST_F(AllocFailure, CopyOnWriteLeavesTheOriginal) {
  const Array<Any> original{world->leaf, 2, world->leaf};
  ExpectExactCleanup([&] {
    Array<Any> changed = original;
    changed.Set(1, world->leaf);
    changed.push_back(world->leaf);
  });
  EXPECT_EQ(original.size(), 3u);
  EXPECT_EQ(original[1].cast<int>(), 2);
}

TEST_F(AllocFailure, Tables) {
  ExpectExactCleanup([] {
    Map<Any, Any> map;
    for (int i = 0; i < 40; ++i) map.Set(i, world->leaf);
    map.erase(5);
    Map<Any, Any> copy = map;
    copy.Set("key", world->leaf);
  });
  ExpectExactCleanup([] {
    Dict<Any, Any> dict;
    for (int i = 0; i < 40; ++i) dict.Set(i, world->leaf);
    dict.erase(5);
    dict.Set(7, "a text that is not small");
  });
}

TEST_F(AllocFailure, AFailedInsertionLeavesADictWhole) {
  Dict<Any, Any> dict;
  for (int i = 0; i < 1000; ++i) {
    const size_t size = dict.size();
    failing_malloc::FailAfter(0);
    const Outcome outcome = RunOnce([&] { dict.Set(i, i); });
    failing_malloc::StopFailing();
    if (outcome == Outcome::kFailed) {
      ASSERT_EQ(dict.size(), size);
      for (int k = 0; k < i; ++k) ASSERT_EQ(dict.at(k).cast<int>(), k);
      ASSERT_EQ(dict.count(i), 0u);
      dict.Set(i, i);
    }
    ASSERT_EQ(dict.at(i).cast<int>(), i);
  }
}

TEST_F(AllocFailure, Functions) {
  ExpectExactCleanup([] {
    Function function =
        Function::FromTyped([held = world->leaf](const Any& x) -> Any { return Array<Any>{x}; });
    function(world->leaf);
  });
  // One registration replaces the other: nothing is added.
  ExpectExactCleanup([] {
    Function::SetGlobal("alloc_failure.f", Function::FromTyped([] { return world->leaf; }), true);
  });
  ExpectExactCleanup([] { Function::GetGlobalRequired("alloc_failure.f")(); });
}

TEST_F(AllocFailure, ShapesAndTensors) {
  ExpectExactCleanup([] { Shape shape({1, 2, 3, 4}); });
  ExpectExactCleanup([] {
    struct Allocator {
      std::string buffer;
      void AllocData(DLTensor* tensor) {
        buffer.assign(4096, 'x');
        tensor->data = buffer.data();
      }
      void FreeData(DLTensor*) {}
    };
    Tensor tensor =
        Tensor::FromNDAlloc(Allocator(), Shape({4, 8}), DLDataType{kDLFloat, 32, 1}, {kDLCPU, 0});
    Tensor view = tensor.as_strided(Shape({2}), Shape({1}));
    DLManagedTensor* exported = view.ToDLPack();
    try {
      Tensor again = Tensor::FromDLPack(exported);
    } catch (...) {
      exported->deleter(exported);  // on failure it stays with the caller
      throw;
    }
  });
}

TEST_F(AllocFailure, GenericAlgorithms) {
  ExpectExactCleanup([] { DeepCopy(world->graph); });
  ExpectExactCleanup([] { ReprPrint(world->graph); });
  ExpectExactCleanup([] { RecursiveHash(world->graph); });
  ExpectExactCleanup([] { RecursiveEq(world->graph, world->copy); });
  ExpectExactCleanup([] { StructuralHash::Hash(world->graph); });
  ExpectExactCleanup([] { StructuralEqual::Equal(world->graph, world->copy); });
  ExpectExactCleanup([] { StructuralEqual::GetFirstMismatch(world->graph, Array<Any>{1}); });
  ExpectExactCleanup([] { StructuralKey key(world->graph); });
}

TEST_F(AllocFailure, WalksWithCallbacks) {
  const Callbacks none;
  const Callbacks count{
      Tuple<int32_t, Function>(static_cast<int32_t>(kTVMFFIAny),
                               Function::FromTyped([](const Any&) -> int64_t { return 0; }))};
  const Callbacks rename{Tuple<int32_t, Function>(
      static_cast<int32_t>(kTVMFFIStr),
      Function::FromTyped([](const String& x) { return String(std::string(x) + " and more"); }))};
  ExpectExactCleanup([&] { Call("ffi.StructuralWalk", world->graph, count, none, 0); });
  ExpectExactCleanup([&] { Call("ffi.StructuralMap", world->graph, rename, none, 1); });
}

TEST_F(AllocFailure, Text) {
  const String text = json::Stringify(ToJSONGraph(Array<Any>{1, "a text that is not small", 2.5}));
  ExpectExactCleanup([&] { json::Parse(text); });
  ExpectExactCleanup([&] { FromJSONGraph(json::Parse(text)); });
  ExpectExactCleanup([] { json::Stringify(ToJSONGraph(world->leaf)); });
}

TEST_F(AllocFailure, Errors) {
  ExpectExactCleanup([] {
    try {
      TVM_FFI_THROW(ValueError) << "a text that is not small at all";
    } catch (const Error& error) {
      if (error.kind() != "ValueError") throw;
    }
  });
}

}  // namespace
