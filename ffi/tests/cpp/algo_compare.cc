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
#include <tvm/ffi/function.h>

#include <cmath>
#include <string>

namespace {

using namespace tvm::ffi;

std::string OrderError(const Any& a, const Any& b) {
  try {
    RecursiveLt(a, b);
  } catch (const Error& error) {
    return error.kind() + ": " + error.message();
  }
  return "";
}

Any Make(const char* key, int64_t a, const char* b) {
  static const Function make = Function::GetGlobalRequired("ffi.MakeObjectFromPackedArgs");
  return make(String(key), String("key"), a, String("label"), String(b));
}

TEST(RecursiveHash, CheckValues) {
  EXPECT_EQ(RecursiveHash(Any()), 2654435769);
  EXPECT_EQ(RecursiveHash(42), 2654435874);
  EXPECT_EQ(RecursiveHash(String("abc")), 2660953131);
  EXPECT_EQ(RecursiveHash(Array<Any>{1, 2}), 2823377144815479104);
  EXPECT_EQ(RecursiveHash(List<Any>{1, 2}), -8389770539569074377);
  EXPECT_EQ(RecursiveHash(Map<String, int>{{"a", 1}}), 1832523115044983095);
  EXPECT_EQ(RecursiveHash(Any(BigInt(1) << 70)), 64);
  EXPECT_EQ(RecursiveHash(Shape({2, 3})), 284796581919864661);
  EXPECT_EQ(RecursiveHash(DLDataType{kDLFloat, 32, 4}), 11093831584870);
  EXPECT_EQ(RecursiveHash(DLDevice{kDLCUDA, 3}), 175247678512);
  EXPECT_EQ(RecursiveHash(1.5), 4609434221268138618);
  EXPECT_EQ(RecursiveHash(-0.0), RecursiveHash(0.0));
  EXPECT_EQ(RecursiveHash(std::nan("")), 9221120239695526522);
  EXPECT_EQ(RecursiveHash(Bytes("abc", 3)), 2660953320);
}

TEST(RecursiveHash, Objects) {
  EXPECT_EQ(RecursiveHash(Make("testing.TestCustomHash", 1, "x")), 2654435835);
  EXPECT_EQ(RecursiveHash(Make("testing.TestCustomHash", 1, "other")), 2654435835);
  try {
    RecursiveHash(Make("testing.TestEqWithoutHash", 1, "x"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    EXPECT_EQ(error.message().find(
                  "RecursiveHash: type 'testing.TestEqWithoutHash' defines __ffi_eq__ or "
                  "__ffi_compare__ but not __ffi_hash__"),
              0u);
  }
}

TEST(RecursiveHash, OrderOfMapsDoesNotCount) {
  EXPECT_EQ(RecursiveHash(Map<Any, Any>{{1, 2}, {3, 4}}),
            RecursiveHash(Map<Any, Any>{{3, 4}, {1, 2}}));
}

TEST(RecursiveEq, Kinds) {
  EXPECT_TRUE(RecursiveEq(Array<Any>{1, String("x")}, Array<Any>{1, String("x")}));
  EXPECT_FALSE(RecursiveEq(Array<Any>{1}, List<Any>{1}));
  EXPECT_FALSE(RecursiveEq(1, 1.0));
  EXPECT_FALSE(RecursiveEq(1, true));
  EXPECT_TRUE(RecursiveEq(std::nan(""), std::nan("")));
  EXPECT_TRUE(RecursiveEq(-0.0, 0.0));
  EXPECT_TRUE(RecursiveEq(Map<Any, Any>{{1, 2}, {3, 4}}, Map<Any, Any>{{3, 4}, {1, 2}}));
  EXPECT_FALSE(RecursiveEq(Map<Any, Any>{{1, 2}}, Map<Any, Any>{{1, 3}}));
  EXPECT_FALSE(RecursiveEq(Any(), 0));
  EXPECT_TRUE(RecursiveEq(Make("testing.TestCustomCompare", 1, "x"),
                          Make("testing.TestCustomCompare", 1, "y")));
  EXPECT_FALSE(
      RecursiveEq(Make("testing.TestCustomHash", 1, "x"), Make("testing.TestCustomHash", 1, "y")));
}

TEST(RecursiveOrder, Kinds) {
  EXPECT_TRUE(RecursiveLt(Any(), 1));
  EXPECT_TRUE(RecursiveLt(String("a"), String("abcdefghijkl")));
  EXPECT_TRUE(RecursiveLt(Array<Any>{1}, Array<Any>{1, 2}));
  EXPECT_TRUE(RecursiveGt(Array<Any>{2}, Array<Any>{1, 2}));
  EXPECT_TRUE(RecursiveLe(Shape({1, 2}), Shape({1, 2})));
  EXPECT_TRUE(RecursiveLt(Any(-(BigInt(1) << 70)), 1));
  EXPECT_TRUE(RecursiveGe(Any(BigInt(1) << 71), Any(BigInt(1) << 70)));
  EXPECT_TRUE(RecursiveLt(Make("testing.TestCustomCompare", 1, "x"),
                          Make("testing.TestCustomCompare", 2, "a")));
}

TEST(RecursiveOrder, Errors) {
  EXPECT_EQ(OrderError(1, 1.0),
            "TypeError: Cannot compare values of different types: int vs float");
  EXPECT_EQ(OrderError(std::nan(""), 1.0), "TypeError: Cannot order NaN values");
  EXPECT_EQ(OrderError(Map<Any, Any>{{1, 2}}, Map<Any, Any>{{1, 3}}),
            "TypeError: Cannot order Map/Dict values");
  EXPECT_EQ(OrderError(Map<Any, Any>{{1, 2}}, Map<Any, Any>{{2, 2}}),
            "TypeError: Cannot order Map/Dict values");
  EXPECT_EQ(OrderError(Any(reinterpret_cast<void*>(1)), Any(reinterpret_cast<void*>(2))),
            "TypeError: Cannot order values of type void*");
}

TEST(RecursiveEq, Cycles) {
  List<Any> a{1};
  a.push_back(a);
  List<Any> b{1};
  b.push_back(b);
  EXPECT_TRUE(RecursiveEq(a, b));
  EXPECT_EQ(OrderError(a, b),
            "ValueError: RecursiveCompare: cyclic reference detected in ordering");
  EXPECT_EQ(RecursiveHash(a), RecursiveHash(b));
  a.clear();
  b.clear();
}

TEST(RecursiveEq, SharingCostsNothingExtra) {
  // 2^60 paths, 60 objects: done at once when equal pairs are remembered.
  Array<Any> a{1};
  Array<Any> b{1};
  for (int i = 0; i < 60; ++i) {
    a = Array<Any>{a, a};
    b = Array<Any>{b, b};
  }
  EXPECT_TRUE(RecursiveEq(a, b));
  EXPECT_EQ(RecursiveHash(a), RecursiveHash(b));
  EXPECT_FALSE(RecursiveLt(a, b));
}

}  // namespace
