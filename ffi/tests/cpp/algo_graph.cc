// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>

#include <string>
#include <utility>
#include <vector>

#include "algo_nodes.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::ErrorOf;
using algo_nodes::Tree;

std::string Text(const Any& value) { return json::Stringify(ToJSONGraph(value)); }

std::string ReadError(const std::string& nodes, int root = 0) {
  return ErrorOf([&] {
    FromJSONGraph(json::Parse(
        String("{\"root_index\":" + std::to_string(root) + ",\"nodes\":[" + nodes + "]}")));
  });
}

TEST(JsonGraph, NodesAreSharedAndPostOrder) {
  EXPECT_EQ(Text(Array<Any>{1, 1, String("a"), String(std::string("a"))}),
            "{\"root_index\":2,\"nodes\":[{\"type\":\"int\",\"data\":1},{\"type\":\"ffi.String\","
            "\"data\":\"a\"},"
            "{\"type\":\"ffi.Array\",\"data\":[0,0,1,1]}]}");
  EXPECT_EQ(Text(Any()), "{\"root_index\":0,\"nodes\":[{\"type\":\"None\"}]}");
  EXPECT_EQ(std::string(json::Stringify(ToJSONGraph(1, Map<String, Any>{{"v", 2}}))),
            "{\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":1}],\"metadata\":{\"v\":2}}");
}

TEST(JsonGraph, ObjectsInlinePlainFields) {
  Any object =
      Call("ffi.MakeObjectFromPackedArgs", String("testing.TestObjectBase"), String("v_i64"), 5);
  EXPECT_EQ(Text(object),
            "{\"root_index\":1,\"nodes\":[{\"type\":\"ffi.String\",\"data\":\"hello\"},{\"type\":"
            "\"testing.TestObjectBase\",\"data\":{\"v_i64\":5,\"v_f64\":10.0,\"v_str\":0}}]}");
}

TEST(JsonGraph, RoundTrip) {
  List<Any> shared{1, 2};
  const std::vector<Any> values = {Any(),
                                   true,
                                   -7,
                                   0.1,
                                   String("text with \" and \\"),
                                   Bytes("\0\xff", 2),
                                   Shape({1, 2}),
                                   Any(BigInt(1) << 200),
                                   Any(-(BigInt(1) << 70)),
                                   DLDataType{kDLFloat, 16, 2},
                                   DLDevice{kDLCUDA, 1},
                                   Array<Any>{shared, shared},
                                   Map<Any, Any>{{1, shared}, {String("k"), Any()}},
                                   Dict<Any, Any>{{2.5, true}},
                                   Tree(1, Array<Any>{Tree(2)}),
                                   Call("testing.enum_variant_get", String("Beta"))};
  for (const Any& value : values) {
    EXPECT_TRUE(RecursiveEq(FromJSONGraph(json::Parse(json::Stringify(ToJSONGraph(value)))), value))
        << ReprPrint(value);
  }
  auto back = FromJSONGraph(ToJSONGraph(Array<Any>{shared, shared})).cast<Array<Any>>();
  EXPECT_TRUE(Any(back[0]).same_as(back[1]));
}

TEST(JsonGraph, WriteErrors) {
  EXPECT_EQ(ErrorOf([] { ToJSONGraph(Function::GetGlobalRequired("ffi.ReprPrint")); }),
            "TypeError: Type `ffi.Function` does not support ToJSONGraph (no native creator or "
            "__ffi_new__ type attr)");
  EXPECT_EQ(ErrorOf([] { ToJSONGraph(static_cast<void*>(nullptr)); }),
            "RuntimeError: Cannot serialize type `void*`");
}

TEST(JsonGraph, ReadErrors) {
  EXPECT_EQ(ErrorOf([] { FromJSONGraph(1); }),
            "ValueError: Invalid JSON Object Graph, expected an object");
  EXPECT_EQ(ErrorOf([] { FromJSONGraph(Map<String, Any>{{"nodes", Array<Any>{}}}); }),
            "ValueError: Invalid JSON Object Graph, expected `root_index` integer field");
  EXPECT_EQ(ReadError(""), "ValueError: Invalid JSON Object Graph: invalid node index 0");
  EXPECT_EQ(ReadError("{\"type\":\"None\"}", -1),
            "ValueError: Invalid JSON Object Graph: invalid node index -1");
  EXPECT_EQ(ReadError("1"), "TypeError: Cannot convert from type `int` to `Map<Any, Any>`");
  EXPECT_EQ(ReadError("{}"), "KeyError: key is not in Map");
  EXPECT_EQ(ReadError("{\"type\":\"int\",\"data\":\"x\"}"),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
  EXPECT_EQ(ReadError("{\"type\":\"ffi.Array\",\"data\":[3]}"),
            "ValueError: Invalid JSON Object Graph: invalid node index 3");
  EXPECT_EQ(ReadError("{\"type\":\"ffi.Map\",\"data\":[0]}"),
            "ValueError: Invalid JSON Object Graph: Map/Dict data must contain an even number of "
            "[key, value] entries, "
            "got 1");
  EXPECT_EQ(ReadError("{\"type\":\"Device\",\"data\":[1]}"),
            "ValueError: Invalid JSON Object Graph: Device data must be an array of [device_type, "
            "device_id], got 1 "
            "element(s)");
  EXPECT_EQ(ReadError("{\"type\":\"ffi.BigInt\",\"data\":\"12x\"}"),
            "ValueError: Invalid decimal string for ffi.BigInt");
  EXPECT_EQ(ReadError("{\"type\":\"testing.TestCxxAutoInit\",\"data\":{\"c\":2}}"),
            "TypeError: Required field `a` not set in type `testing.TestCxxAutoInit`");
  EXPECT_EQ(ReadError("{\"type\":\"ffi.Array\",\"data\":[1]},{\"type\":\"ffi.List\",\"data\":[0]}"),
            "ValueError: Invalid JSON Object Graph: node 0 refers to itself");
}

TEST(DeepCopy, SharingAndLeaves) {
  Array<Any> shared{1};
  Any copy = DeepCopy(Tree(shared, shared));
  const auto* tree = copy.cast<ObjectRef>().as<algo_nodes::TreeObj>();
  EXPECT_TRUE(tree->a.same_as(tree->b));
  EXPECT_FALSE(tree->a.same_as(shared));
  Any key = Tree(1);
  auto map = DeepCopy(Map<Any, Any>{{key, 1}}).cast<Map<Any, Any>>();
  EXPECT_EQ(map.count(key), 0u);
  EXPECT_EQ(map.size(), 1u);
  Any shape = Shape({1, 2});
  EXPECT_TRUE(DeepCopy(shape).same_as(shape));
}

TEST(DeepCopy, LargeMapsStayMaps) {
  Map<Any, Any> map;
  for (int i = 0; i < 100; ++i) map.Set(i, Array<Any>{i});
  Any copy = DeepCopy(map);
  EXPECT_EQ(copy.type_index(), kTVMFFIMap);
  EXPECT_EQ(ReprPrint(copy), ReprPrint(map));
  // The copy is an ordinary Map: changing a second reference leaves the first alone.
  auto first = copy.cast<Map<Any, Any>>();
  auto second = first;
  second.Set(1000, 1);
  EXPECT_EQ(first.size(), 100u);
  EXPECT_EQ(second.size(), 101u);
}

TEST(DeepCopy, RefusesWhatHasNoCopy) {
  const std::string error = ErrorOf([] { DeepCopy(Function::GetGlobalRequired("ffi.ReprPrint")); });
  EXPECT_EQ(error,
            "InternalError: Cannot deep copy object of type \"ffi.Function\" because it is not "
            "copy-constructible");
}

}  // namespace
