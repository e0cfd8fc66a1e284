// SPDX-License-Identifier: Apache-2.0
// The expected hashes were computed by the published library for types of the same keys and fields.
#include <gtest/gtest.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>

#include <cmath>
#include <numeric>
#include <string>

#include "algo_nodes.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::ConstObj;
using algo_nodes::DagObj;
using algo_nodes::ErrorOf;
using algo_nodes::Fn2Obj;
using algo_nodes::FnObj;
using algo_nodes::New;
using algo_nodes::SingleObj;
using algo_nodes::Tree;
using algo_nodes::Var;

int64_t Hash(const Any& value, bool map_free_vars = false) {
  return static_cast<int64_t>(StructuralHash::Hash(value, map_free_vars));
}

std::string Mismatch(const Any& a, const Any& b, bool map_free_vars = false) {
  auto pair = StructuralEqual::GetFirstMismatch(a, b, map_free_vars);
  EXPECT_EQ(!pair.has_value(), StructuralEqual::Equal(a, b, map_free_vars));
  if (!pair.has_value()) return "equal";
  return std::string(ReprPrint(pair.value().get<0>())) + " " +
         std::string(ReprPrint(pair.value().get<1>()));
}

struct CPUAlloc {
  void AllocData(DLTensor* tensor) { tensor->data = malloc(GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) { free(tensor->data); }
};

TEST(StructuralHash, CheckValues) {
  EXPECT_EQ(Hash(Array<Any>{1, 2}), 2823322240268045181);
  EXPECT_EQ(Hash(Map<String, int>{{"a", 1}}), 8690073498391192266);
  EXPECT_EQ(Hash(Shape({2, 3})), 284796581919864661);
  EXPECT_EQ(Hash(42), 2654435874);
  EXPECT_EQ(Hash(String("abc")), 2660953131);
  EXPECT_EQ(Hash(Bytes("abc", 3)), 2660949777);
  EXPECT_EQ(Hash(Bytes("abcdefghij", 10)), 3873208476);
  EXPECT_EQ(Hash(Any(BigInt(1) << 70)), 2654440898);
  EXPECT_EQ(Hash(std::nan("")), 9221120239695526522);
  EXPECT_EQ(Hash(Array<Any>{List<Any>{1}, List<Any>{1}}), 1343170415768363509);
}

TEST(StructuralHash, ObjectsByKind) {
  EXPECT_EQ(Hash(Tree(1, 2)), -8084071884779192514);
  EXPECT_EQ(Hash(Tree(Array<Any>{1}, String("x"))), -3128470050744284063);
  EXPECT_EQ(Hash(New<SingleObj>(1)), 5148416363186403821);
  EXPECT_EQ(Hash(New<ConstObj>(1)), 6745040644559345295);
  Any dag = New<DagObj>(1);
  EXPECT_EQ(Hash(dag), 2449599110328312375);
  EXPECT_EQ(Hash(Array<Any>{dag, dag}), 873636126339723761);
  EXPECT_EQ(Hash(Array<Any>{New<DagObj>(1), New<DagObj>(1)}), 873636126339723766);
}

TEST(StructuralHash, Variables) {
  Any x = Var("x");
  Any y = Var("y");
  EXPECT_EQ(Hash(x), reinterpret_cast<int64_t>(x.as<Object>()));
  EXPECT_EQ(Hash(x, true), -3164518046060970439);
  EXPECT_EQ(Hash(Array<Any>{x, y, x}, true), -4885036360525547512);
  EXPECT_EQ(Hash(New<FnObj>(Array<Any>{x, y}, Array<Any>{y, x})), -774893697848021825);
  EXPECT_EQ(Hash(New<FnObj>(Array<Any>{y, x}, Array<Any>{x, y})), -774893697848021825);
  EXPECT_EQ(Hash(New<FnObj>(Array<Any>{x, y}, Array<Any>{x, y})), -774893697848022938);
  EXPECT_EQ(Hash(New<Fn2Obj>(Array<Any>{x, y}, Array<Any>{y, x})), 9171493674893924748);
  EXPECT_EQ(Hash(New<FnObj>(Array<Any>{Var("p", Var("q"))}, 1)), -8660750976362505811);
}

TEST(StructuralHash, KeysOfMaps) {
  Any x = Var("x");
  Any y = Var("y");
  Map<Any, Any> map{{x, 1}, {y, 2}};
  // Object keys count once their hash is known, so the same map adds more when it follows its keys.
  EXPECT_EQ(Hash(map, true), -6752507338210542290);
  EXPECT_EQ(Hash(Array<Any>{x, y, map}, true), 4089144702114932862);
  EXPECT_EQ(Hash(Array<Any>{x, y, map, map}, true), -5975745909735603077);
  EXPECT_EQ(Hash(Array<Any>{x, y, map, Map<Any, Any>{{y, 2}, {x, 1}}}, true), -5975745909735603077);
}

TEST(StructuralHash, ContainersAsKeysNeverCount) {
  // The key is shared, so its hash is known when the map is reached; only objects count then.
  Array<Any> key{1};
  EXPECT_EQ(Hash(Array<Any>{key, Map<Any, Any>{{key, 2}}}), -7222279507378142766);
}

TEST(StructuralHash, TensorsOnTheCPU) {
  Tensor tensor = Tensor::FromNDAlloc(CPUAlloc(), Shape({2, 3}), DLDataType{kDLInt, 32, 1},
                                      DLDevice{kDLCPU, 0});
  auto* data = static_cast<int32_t*>(tensor.data_ptr());
  std::iota(data, data + 6, 0);
  EXPECT_EQ(Hash(tensor), -8928044327710913813);
  EXPECT_EQ(static_cast<int64_t>(StructuralHash::Hash(tensor, false, true)), 5983373821381510498);
  Tensor other = Tensor::FromNDAlloc(CPUAlloc(), Shape({2, 3}), DLDataType{kDLInt, 32, 1},
                                     DLDevice{kDLCPU, 0});
  std::iota(static_cast<int32_t*>(other.data_ptr()), static_cast<int32_t*>(other.data_ptr()) + 6,
            1);
  EXPECT_FALSE(StructuralEqual::Equal(tensor, other));
  EXPECT_TRUE(StructuralEqual::Equal(tensor, other, false, true));
}

TEST(StructuralHash, Errors) {
  EXPECT_EQ(ErrorOf([] { Hash(Function::GetGlobalRequired("ffi.ReprPrint")); }),
            "TypeError: Type metadata is not set for type `ffi.Function`, so StructuralHash is not "
            "supported for this "
            "type");
  EXPECT_EQ(ErrorOf([] { Hash(StructuralKey(1)); }),
            "TypeError: _type_s_eq_hash_kind is not set for type `ffi.StructuralKey`, so "
            "StructuralHash is not supported "
            "for this type");
}

TEST(StructuralEqual, Values) {
  EXPECT_TRUE(StructuralEqual::Equal(String("abc"), String(std::string("abc"))));
  EXPECT_TRUE(StructuralEqual::Equal(std::nan(""), -std::nan("")));
  EXPECT_FALSE(StructuralEqual::Equal(0.0, -0.0));
  EXPECT_FALSE(StructuralEqual::Equal(1, true));
  EXPECT_FALSE(StructuralEqual::Equal(Array<Any>{1}, List<Any>{1}));
  EXPECT_TRUE(StructuralEqual::Equal(Any(BigInt(1) << 70), Any(BigInt(1) << 70)));
}

TEST(StructuralEqual, Kinds) {
  Any single = New<SingleObj>(1);
  EXPECT_TRUE(StructuralEqual::Equal(single, single));
  EXPECT_FALSE(StructuralEqual::Equal(single, New<SingleObj>(1)));
  EXPECT_TRUE(StructuralEqual::Equal(New<ConstObj>(1), New<ConstObj>(1)));
  Any dag = New<DagObj>(1);
  EXPECT_TRUE(StructuralEqual::Equal(Array<Any>{dag, dag}, Array<Any>{dag, dag}));
  EXPECT_FALSE(
      StructuralEqual::Equal(Array<Any>{dag, dag}, Array<Any>{New<DagObj>(1), New<DagObj>(1)}));
}

TEST(StructuralEqual, VariablesAreBoundByPosition) {
  Any x = Var("x");
  Any y = Var("y");
  EXPECT_TRUE(StructuralEqual::Equal(x, x));
  EXPECT_FALSE(StructuralEqual::Equal(x, y));
  EXPECT_TRUE(StructuralEqual::Equal(x, y, true));
  EXPECT_EQ(Mismatch(New<FnObj>(Array<Any>{x, y}, Array<Any>{y, x}),
                     New<FnObj>(Array<Any>{y, x}, Array<Any>{x, y})),
            "equal");
  EXPECT_EQ(Mismatch(New<FnObj>(Array<Any>{x, y}, Array<Any>{y, x}),
                     New<FnObj>(Array<Any>{x, y}, Array<Any>{x, y})),
            "<root>.body[0] <root>.body[0]");
  // A simple region binds the variable, not what its fields hold.
  EXPECT_FALSE(StructuralEqual::Equal(New<Fn2Obj>(Var("a", x), 1), New<Fn2Obj>(Var("a", y), 1)));
  EXPECT_TRUE(StructuralEqual::Equal(New<FnObj>(Var("a", x), 1), New<FnObj>(Var("a", y), 1)));
}

TEST(StructuralEqual, MismatchPaths) {
  EXPECT_EQ(Mismatch(1, 2), "<root> <root>");
  EXPECT_EQ(Mismatch(Array<Any>{1, Array<Any>{2, 3}}, Array<Any>{1, Array<Any>{2, 4}}),
            "<root>[1][1] <root>[1][1]");
  EXPECT_EQ(Mismatch(Array<Any>{1, 2}, Array<Any>{1}), "<root>[1] <root>[<missing:1>]");
  EXPECT_EQ(Mismatch(Array<Any>{1}, Array<Any>{1, 2}), "<root>[<missing:1>] <root>[1]");
  EXPECT_EQ(Mismatch(Array<Any>{2}, Array<Any>{1, 2}), "<root>[0] <root>[0]");
  EXPECT_EQ(Mismatch(Map<String, int>{{"a", 1}}, Map<String, int>{{"b", 1}}),
            "<root>[\"a\"] <root>[<missing:\"a\">]");
  EXPECT_EQ(Mismatch(Map<String, int>{{"a", 1}}, Map<String, int>{{"a", 1}, {"b", 2}}),
            "<root>[<missing:\"b\">] <root>[\"b\"]");
  EXPECT_EQ(Mismatch(Map<String, int>{{"a", 1}, {"b", 2}}, Map<String, int>{{"a", 1}}),
            "<root>[\"b\"] <root>[<missing:\"b\">]");
  EXPECT_EQ(Mismatch(Tree(1, 2), Tree(1, 3)), "<root>.b <root>.b");
  EXPECT_EQ(Mismatch(Array<Any>{1}, Array<Any>{1}), "equal");
}

TEST(StructuralEqual, SharingCostsNothingExtra) {
  Any a = Tree(1);
  Any b = Tree(1);
  for (int i = 0; i < 60; ++i) {
    a = Tree(a, Array<Any>{a});
    b = Tree(b, Array<Any>{b});
  }
  EXPECT_TRUE(StructuralEqual::Equal(a, b));
  EXPECT_EQ(Hash(a), Hash(b));
}

TEST(StructuralKey, HashesAndComparesByStructure) {
  Map<Any, Any> map;
  map.Set(StructuralKey(Array<Any>{1, 2}), 7);
  EXPECT_EQ(map.at(StructuralKey(Array<Any>{1, 2})).cast<int>(), 7);
  EXPECT_EQ(map.count(StructuralKey(Array<Any>{1, 3})), 0u);
  EXPECT_EQ(StructuralKey(Array<Any>{1, 2})->hash_i64, Hash(Array<Any>{1, 2}));
}

}  // namespace
