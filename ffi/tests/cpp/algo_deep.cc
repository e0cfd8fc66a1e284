// SPDX-License-Identifier: Apache-2.0
// Values that are 1,000,000 levels deep, and values that contain themselves: no algorithm may
// overflow the stack or hang.
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/visit_error_context.h>

#include <string>

#include "algo_nodes.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::ErrorOf;
using algo_nodes::Tree;
using Callbacks = Array<Tuple<int32_t, Function>>;

constexpr int kDepth = 1000000;

template <typename Wrap>
Any Deep(int depth, Wrap&& wrap) {
  Any value = 1;
  for (int i = 0; i < depth; ++i) value = wrap(std::move(value));
  return value;
}

Any DeepArray(int depth = kDepth) {
  return Deep(depth, [](Any inner) -> Any { return Array<Any>{std::move(inner)}; });
}
Any DeepList(int depth = kDepth) {
  return Deep(depth, [](Any inner) -> Any { return List<Any>{std::move(inner)}; });
}
Any DeepTree(int depth = kDepth) {
  return Deep(depth, [](Any inner) { return Tree(std::move(inner), 0); });
}

Callbacks OnInt(Function function) {
  return Callbacks{Tuple<int32_t, Function>(static_cast<int32_t>(kTVMFFIInt), std::move(function))};
}

TEST(Deep, ReprAndRecursiveHash) {
  EXPECT_EQ(ReprPrint(DeepList()).size(), 2u * kDepth + 1);
  EXPECT_EQ(RecursiveHash(DeepArray()), RecursiveHash(DeepArray()));
  EXPECT_NE(RecursiveHash(DeepTree()), RecursiveHash(DeepTree(kDepth - 1)));
}

TEST(Deep, ReprStopsAtItsLimit) {
  const std::string expected = "ValueError: ObjectGraphDFS: maximum stack depth (1048576) exceeded";
  const Any value = DeepList((1 << 20) + 1);
  EXPECT_EQ(ErrorOf([&] { ReprPrint(value); }), expected);
  EXPECT_EQ(ErrorOf([&] { DeepCopy(value); }), expected);
  EXPECT_EQ(ErrorOf([&] { RecursiveHash(value); }), expected);
}

TEST(Deep, CopyAndRecursiveCompare) {
  const Any value = DeepTree();
  const Any copy = DeepCopy(value);
  EXPECT_FALSE(copy.same_as(value));
  EXPECT_TRUE(RecursiveEq(value, copy));
  EXPECT_FALSE(RecursiveLt(value, copy));
  EXPECT_TRUE(RecursiveLe(DeepArray(), DeepArray()));
}

TEST(Deep, StructuralEqualAndHash) {
  const Any a = DeepTree();
  const Any b = DeepTree();
  EXPECT_TRUE(StructuralEqual::Equal(a, b));
  EXPECT_EQ(StructuralHash::Hash(a), StructuralHash::Hash(b));
  auto mismatch = StructuralEqual::GetFirstMismatch(a, Tree(b, 0));
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch.value().get<0>()->depth, kDepth);
}

TEST(Deep, Json) {
  const std::string text = std::string(kDepth, '[') + std::string(kDepth, ']');
  const Any value = json::Parse(String(text));
  EXPECT_EQ(std::string(json::Stringify(value)), text);
  String message;
  json::Parse(String(std::string(kDepth, '[')), &message);
  EXPECT_EQ(std::string(message), "Expecting value: line 1 column 1000001 (char 1000000)");
}

TEST(Deep, JsonGraph) {
  const Any value = DeepTree();
  EXPECT_TRUE(RecursiveEq(FromJSONGraph(ToJSONGraph(value)), value));
}

TEST(Deep, WalkAndMap) {
  const Any value = DeepTree();
  int64_t met = 0;
  Function count = Function::FromTyped([&met](int64_t) { ++met; });
  EXPECT_TRUE(Call("ffi.StructuralWalk", value, OnInt(count), Callbacks(), 0) == nullptr);
  EXPECT_EQ(met, kDepth + 1);
  Function add = Function::FromTyped([](int64_t x) { return x == 1 ? 2 : x; });
  Any mapped = Call("ffi.StructuralMap", value, OnInt(add), Callbacks(), 1);
  auto mismatch = StructuralEqual::GetFirstMismatch(value, mapped);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch.value().get<0>()->depth, kDepth);
}

TEST(Deep, CallbacksThatDescendThemselvesEndInAnError) {
  Function descend = Function::FromTyped([](const Any& value, const ObjectRef& visitor) -> Any {
    return Call("ffi.StructuralVisitorDefaultVisit", visitor, value);
  });
  Callbacks all{Tuple<int32_t, Function>(static_cast<int32_t>(kTVMFFIArray), descend)};
  EXPECT_TRUE(Call("ffi.StructuralVisit", DeepArray(1000), all) == nullptr);
  EXPECT_EQ(ErrorOf([&] { Call("ffi.StructuralVisit", DeepArray(), all); }),
            "RecursionError: StructuralVisit: maximum nesting of hooks exceeded");
}

TEST(Deep, ErrorsOfCallbacksCarryTheWholePath) {
  Function fail = Function::FromTyped([](int64_t) { TVM_FFI_THROW(ValueError) << "found"; });
  try {
    Call("ffi.StructuralWalk", DeepArray(), OnInt(fail), Callbacks(), 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "found");
    auto context = VisitErrorContext::TryGetFromError(error);
    ASSERT_TRUE(context.has_value());
    EXPECT_EQ(context.value()->reverse_visit_pattern.size(), static_cast<size_t>(kDepth));
  }
}

class Cyclic : public ::testing::Test {
 protected:
  Cyclic() {
    list.push_back(Array<Any>{list});
    twin.push_back(Array<Any>{twin});
    dict.Set(String("self"), dict);
  }
  ~Cyclic() override {
    list.clear();
    twin.clear();
    dict.clear();
  }
  List<Any> list;
  List<Any> twin;
  Dict<Any, Any> dict;
};

TEST_F(Cyclic, ReprMarksTheCycle) {
  EXPECT_EQ(ReprPrint(list), "[(...,)]");
  EXPECT_EQ(ReprPrint(dict), "{\"self\": ...}");
}

TEST_F(Cyclic, CopyKeepsTheCycle) {
  Any copy = DeepCopy(list);
  auto copied = copy.cast<List<Any>>();
  EXPECT_FALSE(copy.same_as(list));
  EXPECT_TRUE(copied[0].cast<Array<Any>>()[0].same_as(copy));
  copied.clear();
  Array<Any> around{list};
  Any copied_array = DeepCopy(around);
  auto inner = copied_array.cast<Array<Any>>()[0].cast<List<Any>>();
  EXPECT_FALSE(inner.same_as(list));
  inner.clear();
}

TEST_F(Cyclic, StructuralAlgorithmsRaise) {
  const std::string equal_error = ErrorOf([&] { StructuralEqual::Equal(list, twin); });
  EXPECT_EQ(equal_error.rfind("ValueError: StructuralEqual: cyclic reference", 0), 0u)
      << equal_error;
  const std::string hash_error = ErrorOf([&] { StructuralHash::Hash(list); });
  EXPECT_EQ(hash_error.rfind("ValueError: StructuralHash: cyclic reference", 0), 0u) << hash_error;
  EXPECT_EQ(ErrorOf([&] { Call("ffi.StructuralWalk", list, Callbacks(), Callbacks(), 0); }),
            "ValueError: StructuralVisit: cyclic reference detected in a value of type `ffi.List`");
  EXPECT_EQ(
      ErrorOf([&] { Call("ffi.StructuralMap", dict, Callbacks(), Callbacks(), 1); }),
      "ValueError: StructuralMutate: cyclic reference detected in a value of type `ffi.Dict`");
}

TEST_F(Cyclic, SerializationRaises) {
  EXPECT_EQ(ErrorOf([&] { ToJSONGraph(list); }),
            "ValueError: Cycle detected during serialization: a List contains itself");
  EXPECT_EQ(ErrorOf([&] { ToJSONGraph(dict); }),
            "ValueError: Cycle detected during serialization: a Dict contains itself");
  Any graph = json::Parse("{\"root_index\":0,\"nodes\":[{\"type\":\"ffi.List\",\"data\":[0]}]}");
  EXPECT_EQ(ErrorOf([&] { FromJSONGraph(graph); }),
            "ValueError: Invalid JSON Object Graph: node 0 refers to itself");
}

TEST_F(Cyclic, DeviceSearchEnds) {
  EXPECT_EQ(Call("ffi.ContainerFindFirstNonCPUDevice", list).cast<DLDevice>().device_type, kDLCPU);
}

}  // namespace
