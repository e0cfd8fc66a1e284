// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/stl.h>

#include <string>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Array;
using ffi::Function;
using ffi::String;

TEST(STL, VectorsBothWays) {
  Function twice = Function::FromTyped([](std::vector<int> v) {
    for (int& x : v) x *= 2;
    return v;
  });
  EXPECT_EQ(twice(std::vector<int>{1, 2}).cast<std::vector<int>>(), (std::vector<int>{2, 4}));
  EXPECT_EQ(twice(Array<int>{3}).cast<Array<int>>()[0], 6);
  EXPECT_EQ(twice(ffi::List<int>{4}).cast<std::vector<int>>(), std::vector<int>{8});
  EXPECT_THROW(twice(Array<Any>{1, "x"}), ffi::Error);
  EXPECT_THROW(twice(1), ffi::Error);
  Function flags = Function::FromTyped([](std::vector<bool> v) { return v; });
  EXPECT_EQ(flags(std::vector<bool>{true, false}).cast<std::vector<bool>>(),
            (std::vector<bool>{true, false}));
  Function nested = Function::FromTyped([](std::vector<std::vector<String>> v) { return v; });
  EXPECT_EQ(nested(std::vector<std::vector<String>>{{"a"}, {}})
                .cast<std::vector<std::vector<std::string>>>(),
            (std::vector<std::vector<std::string>>{{"a"}, {}}));
}

TEST(STL, FixedSizes) {
  Function f = Function::FromTyped(
      [](std::array<int, 2> a, std::tuple<int, String> t) { return a[1] + std::get<0>(t); });
  EXPECT_EQ(f(std::array<int, 2>{1, 2}, std::tuple<int, String>(3, "x")).cast<int>(), 5);
  EXPECT_EQ(f(Array<int>{1, 2}, Array<Any>{3, "x"}).cast<int>(), 5);
  EXPECT_THROW(f(Array<int>{1}, Array<Any>{3, "x"}), ffi::Error);
  EXPECT_THROW(f(Array<int>{1, 2}, Array<Any>{3}), ffi::Error);
}

TEST(STL, Maps) {
  using Map = std::map<std::string, std::vector<int>>;
  Function f = Function::FromTyped([](Map m) { return m; });
  const Map map = {{"a", {1}}, {"b", {}}};
  EXPECT_EQ(f(map).cast<Map>(), map);
  using Unordered = std::unordered_map<std::string, double>;
  Function g = Function::FromTyped([](Unordered m) { return m.at("x"); });
  EXPECT_EQ(g(Unordered{{"x", 1.5}}).cast<double>(), 1.5);
  EXPECT_EQ(g(ffi::Map<String, int>{{"x", 2}}).cast<double>(), 2.0);
}

TEST(STL, OptionalAndVariant) {
  Function f = Function::FromTyped(
      [](std::optional<int> a, std::variant<int, std::string> b) -> std::optional<std::string> {
        if (!a) return std::nullopt;
        return std::to_string(*a) + (b.index() == 0 ? "int" : "str");
      });
  EXPECT_TRUE(f(std::optional<int>(), 1) == nullptr);
  EXPECT_EQ(f(std::optional<int>(3), 1).cast<std::string>(), "3int");
  EXPECT_EQ(f(4, std::variant<int, std::string>("s")).cast<std::string>(), "4str");
}

std::string MismatchOf(const Function& f, const Any& value) {
  try {
    f(value);
  } catch (const ffi::Error& err) {
    const std::string message = err.message();
    return message.substr(message.find(" but got ") + 9);
  }
  return "nothing was thrown";
}

TEST(STL, TheWrongElementIsNamed) {
  Function vector = Function::FromTyped([](std::vector<int8_t>) {});
  EXPECT_EQ(MismatchOf(vector, Array<Any>{1, "x"}), "`Array[index 1: str]`");
  EXPECT_EQ(MismatchOf(vector, ffi::List<Any>{1, 2, 2.5}), "`List[index 2: float]`");
  EXPECT_EQ(MismatchOf(vector, Array<Any>{1, 300}),
            "`Array[index 1: int 300 outside [-128, 127]]`");
  EXPECT_EQ(MismatchOf(vector, 3), "`int`");
  Function nested = Function::FromTyped([](std::vector<std::vector<String>>) {});
  EXPECT_EQ(MismatchOf(nested, Array<Any>{Array<Any>{"a"}, Array<Any>{"b", ffi::Bytes("c")}}),
            "`Array[index 1: Array[index 1: bytes]]`");
  Function array = Function::FromTyped([](std::array<int, 2>) {});
  EXPECT_EQ(MismatchOf(array, Array<Any>{1}), "`Array[size=1]`");
  EXPECT_EQ(MismatchOf(array, Array<Any>{1, "a longer text"}), "`Array[index 1: str]`");
  Function tuple = Function::FromTyped([](std::tuple<int, String, Any>) {});
  EXPECT_EQ(MismatchOf(tuple, Array<Any>{1, 2, 3}), "`Array[index 1: int]`");
  EXPECT_EQ(MismatchOf(tuple, Array<Any>{1, "a"}), "`Array[size=2]`");
  EXPECT_EQ(MismatchOf(tuple, ffi::List<Any>{1, "a", 3}), "`ffi.List`");
  Function map = Function::FromTyped([](std::map<String, std::vector<int>>) {});
  EXPECT_EQ(MismatchOf(map, ffi::Map<Any, Any>{{1, 2}}), "`Map[some key is int]`");
  EXPECT_EQ(MismatchOf(map, ffi::Map<Any, Any>{{"a", Array<Any>{"x"}}}),
            "`Map[some value is Array[index 0: str]]`");
  Function optional = Function::FromTyped([](std::optional<std::vector<int>>) {});
  EXPECT_EQ(MismatchOf(optional, Array<Any>{nullptr}), "`Array[index 0: None]`");
  Function device = Function::FromTyped([](std::vector<DLDevice>) {});
  EXPECT_EQ(MismatchOf(device, Array<Any>{"cpu", "gpu:1"}),
            "`Array[index 1: unknown device 'gpu:1']`");
}

TEST(STL, Functions) {
  Function apply =
      Function::FromTyped([](const std::function<int(int)>& f, int x) { return f(x) + 1; });
  int offset = 10;
  EXPECT_EQ(apply(std::function<int(int)>([&](int x) { return x + offset; }), 5).cast<int>(), 16);
  EXPECT_EQ(apply(Function::FromTyped([](int x) { return x * x; }), 5).cast<int>(), 26);
  EXPECT_THROW(apply(nullptr, 5), ffi::Error);
}

TEST(STL, TextForms) {
  using ffi::TypeTraits;
  EXPECT_EQ(TypeTraits<std::vector<int>>::TypeStr(), "std::vector<int>");
  EXPECT_EQ((TypeTraits<std::array<int, 3>>::TypeStr()), "std::array<int, 3>");
  EXPECT_EQ((TypeTraits<std::map<String, int>>::TypeStr()), "std::map<str, int>");
  EXPECT_EQ(TypeTraits<std::function<int(String)>>::TypeStr(), "std::function<int(str)>");
  EXPECT_EQ((TypeTraits<std::array<int, 3>>::TypeSchema()),
            R"({"type":"std::array","args":[{"type":"int"},3]})");
  EXPECT_EQ((TypeTraits<std::variant<int, String>>::TypeSchema()),
            R"({"type":"std::variant","args":[{"type":"int"}, {"type":"ffi.String"}]})");
  EXPECT_EQ(
      TypeTraits<std::function<void(int, String)>>::TypeSchema(),
      R"({"type":"std::function","named_args":{"return":[{"type":"None"}],"params":[{"type":"int"}, {"type":"ffi.String"}]}})");
}

// A container argument is a new Array; the call releases it.
TEST(STL, CallsReleaseTheirCopies) {
  ffi::Array<Any> kept;
  Function keep = Function::FromTyped([&kept](Array<Any> a) { kept = a; });
  keep(std::vector<int>{1, 2, 3});
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Base64, BothWays) {
  const struct {
    std::string bytes, text;
  } rows[] = {{"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
              {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {std::string("\0\xff\xfe", 3), "AP/+"}};
  for (const auto& row : rows) {
    EXPECT_EQ(ffi::Base64Encode(ffi::Bytes(row.bytes)), row.text);
    EXPECT_EQ(ffi::Base64Decode(String(row.text)), ffi::Bytes(row.bytes));
  }
  for (const char* bad : {"Zg=", "Z", "Zg==Zg==", "Z===", "====", "Zm 9", "Zg=a"}) {
    try {
      ffi::Base64Decode(String(bad));
      ADD_FAILURE() << bad;
    } catch (const ffi::Error& err) {
      EXPECT_EQ(err.kind(), "InternalError");
      EXPECT_NE(err.message().find("invalid base64 encoding"), std::string::npos);
    }
  }
}

}  // namespace
