// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/access_path.h>

#include <limits>
#include <string>

namespace {

using namespace tvm::ffi;

std::string Repr(const Any& value) { return ReprPrint(value); }

Any Call(const char* name) { return Function::GetGlobalRequired(name)(); }

TEST(Repr, Plain) {
  EXPECT_EQ(Repr(Any()), "None");
  EXPECT_EQ(Repr(true), "True");
  EXPECT_EQ(Repr(-42), "-42");
  EXPECT_EQ(Repr(DLDevice{kDLCUDA, 3}), "cuda:3");
  EXPECT_EQ(Repr(DLDataType{kDLFloat, 32, 4}), "float32x4");
  EXPECT_EQ(Repr(static_cast<void*>(nullptr)), "void*");
  EXPECT_EQ(Repr(Call("ffi.GetInvalidObject")), "<MISSING>");
  EXPECT_EQ(Repr(Call("ffi.GetKwargsObject")), "<KWARGS>");
}

TEST(Repr, FloatsKeepAllDigits) {
  EXPECT_EQ(Repr(1.0), "1");
  EXPECT_EQ(Repr(-0.0), "-0");
  EXPECT_EQ(Repr(0.5), "0.5");
  EXPECT_EQ(Repr(100000.0), "100000");
  EXPECT_EQ(Repr(1e6), "1e+06");
  EXPECT_EQ(Repr(1e20), "1e+20");
  EXPECT_EQ(Repr(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(Repr(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(Repr(1234567.0), "1234567");
  EXPECT_EQ(Repr(5e-324), "4.94066e-324");  // six digits suffice to read it back
  EXPECT_EQ(Repr(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(Repr(-std::numeric_limits<double>::infinity()), "-inf");
  for (double value :
       {3.14159265358979, 2.2250738585072014e-308, 1.7976931348623157e308, 123456789012.5}) {
    EXPECT_EQ(std::stod(Repr(value)), value);
  }
}

TEST(Repr, StringsAndBytes) {
  EXPECT_EQ(Repr(String("a\n\t\"\\")), "\"a\\n\\t\\\"\\\\\"");
  EXPECT_EQ(Repr(String("\x1b[31mred\x1b[0m \xC3\xA9\x7f\xE4\xB8\xAD\xF0\x9F\x98\x80\x01")),
            "\"\\x1b[31mred\\x1b[0m \\u00e9\\x7f\\u4e2d\\U0001f600\\x01\"");
  EXPECT_EQ(Repr(Bytes("a\"\\\0", 4)), "b\"a\\x22\\x5c\\x00\"");
}

TEST(Repr, Containers) {
  EXPECT_EQ(Repr(Array<Any>{}), "()");
  EXPECT_EQ(Repr(Array<Any>{1}), "(1,)");
  EXPECT_EQ(Repr(Array<Any>{1, String("x")}), "(1, \"x\")");
  EXPECT_EQ(Repr(List<Any>{1, 2}), "[1, 2]");
  EXPECT_EQ(Repr(Map<Any, Any>{{1, 2}, {String("k"), Array<Any>{}}}), "{1: 2, \"k\": ()}");
  EXPECT_EQ(Repr(Dict<Any, Any>{}), "{}");
  EXPECT_EQ(Repr(Shape({2, 3})), "Shape(2, 3)");
}

TEST(Repr, CyclesAndSharing) {
  List<Any> list{1};
  list.push_back(list);
  EXPECT_EQ(Repr(list), "[1, ...]");
  list.clear();
  Array<Any> shared{1};
  EXPECT_EQ(Repr(Array<Any>{shared, shared}), "((1,), (1,))");
}

TEST(Repr, ExponentialTextIsRefused) {
  Array<Any> value{1};
  for (int i = 0; i < 60; ++i) value = Array<Any>{value, value};
  try {
    ReprPrint(value);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
  }
}

TEST(Repr, AccessPaths) {
  using reflection::AccessPath;
  AccessPath path =
      AccessPath::Root()->Attr("a")->ArrayItem(1)->MapItem(String("k"))->MapItemMissing(3);
  EXPECT_EQ(Repr(path), "<root>.a[1][\"k\"][<missing:3>]");
  EXPECT_EQ(Repr(AccessPath::Root()->AttrMissing("a")), "<root>[<missing:\"a\">]");
  EXPECT_EQ(Repr(AccessPath::Root()), "<root>");
}

TEST(Repr, Objects) {
  Function make = Function::GetGlobalRequired("ffi.MakeObjectFromPackedArgs");
  EXPECT_EQ(Repr(make(String("testing.TestIntPair"), String("a"), 1, String("b"), 2)),
            "testing.TestIntPair(a=1, b=2)");
  EXPECT_EQ(Repr(make(String("testing.TestObjectBase"))),
            "testing.TestObjectBase(v_i64=10, v_f64=10, v_str=\"hello\")");
  EXPECT_EQ(Repr(Function::GetGlobalRequired("testing.enum_variant_get")(String("Alpha"))),
            "testing.TestEnumVariant.Alpha");
  EXPECT_EQ(Repr(make), "ffi.Function");
}

}  // namespace
