// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tvm::ffi;

std::string ErrorOf(const std::string& text) {
  String message;
  Any value = json::Parse(String(text), &message);
  EXPECT_TRUE(value == nullptr) << text;
  return message;
}

std::string Write(const Any& value, Optional<int> indent = std::nullopt) {
  return json::Stringify(value, indent);
}

std::string WriteError(const Any& value) {
  try {
    json::Stringify(value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    return error.message();
  }
  return "";
}

TEST(JsonParse, ErrorsNameThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "Expecting value: line 1 column 1 (char 0)"},
      {"  ", "Expecting value: line 1 column 3 (char 2)"},
      {"[", "Expecting value: line 1 column 2 (char 1)"},
      {"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
      {"[1,", "Syntax error near: line 1 column 4 (char 3)"},
      {"[1, ", "Syntax error near: line 1 column 5 (char 4)"},
      {"[1,]", "Expecting value: line 1 column 4 (char 3)"},
      {"{\"a\"", "Expecting ':' delimiter: line 1 column 5 (char 4)"},
      {"{\"a\":", "Expecting value: line 1 column 6 (char 5)"},
      {"{\"a\":1,", "Syntax error near: line 1 column 8 (char 7)"},
      {"{\"a\":1,}", "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)"},
      {"[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"},
      {"[\n1,\n 2\n", "Expecting ',' delimiter: line 4 column 1 (char 8)"},
      {"\"abc", "Unterminated string starting at: line 1 column 1 (char 0)"},
      {"\"a\nb\"", "Invalid control character at: line 1 column 3 (char 2)"},
      {"\"\\", "Invalid \\escape: line 1 column 3 (char 2)"},
      {"\"\\x\"", "Invalid \\escape: line 1 column 3 (char 2)"},
      {"\"\\u12\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"},
      {"\"\\ud800\"", "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)"},
      {"\"\\ud800\\u0041\"",
       "Invalid surrogate pair of \\uXXXX escapes: line 1 column 10 (char 9)"},
      {"\"\\ud800\\u00\"", "Invalid \\uXXXX escape: line 1 column 10 (char 9)"},
      {"nul", "Expecting value: line 1 column 1 (char 0)"},
      {"-Inf", "Expecting value: line 1 column 1 (char 0)"},
      {"1e999", "Expecting value: line 1 column 1 (char 0)"},
      {"1.2.3", "Expecting value: line 1 column 1 (char 0)"},
      {"1 2", "Extra data: line 1 column 3 (char 2)"},
      {"0x10", "Extra data: line 1 column 2 (char 1)"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
}

TEST(JsonParse, ThrowsWithoutAnErrorPointer) {
  try {
    json::Parse("[1,");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    EXPECT_EQ(error.message(), "Syntax error near: line 1 column 4 (char 3)");
  }
  String message = "old";
  EXPECT_EQ(json::Parse("7", &message).cast<int64_t>(), 7);
  EXPECT_EQ(message, "");
}

TEST(JsonParse, Numbers) {
  EXPECT_EQ(json::Parse("01").cast<int64_t>(), 1);
  EXPECT_EQ(json::Parse("+1").cast<int64_t>(), 1);
  EXPECT_EQ(json::Parse("-0").type_index(), kTVMFFIInt);
  EXPECT_EQ(json::Parse("9223372036854775807").cast<int64_t>(),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(json::Parse("-9223372036854775808").cast<int64_t>(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(json::Parse("9223372036854775808").as<double>().value(), 9223372036854775808.0);
  EXPECT_EQ(json::Parse("1e5").as<double>().value(), 100000.0);
  EXPECT_EQ(json::Parse(".5").as<double>().value(), 0.5);
  // The smallest subnormal is what the writer produces for it.
  EXPECT_EQ(json::Parse("4.9406564584124654e-324").as<double>().value(), 4.9406564584124654e-324);
  EXPECT_TRUE(std::isnan(json::Parse("NaN").cast<double>()));
  EXPECT_EQ(json::Parse("-Infinity").cast<double>(), -std::numeric_limits<double>::infinity());
}

TEST(JsonParse, Strings) {
  EXPECT_EQ(json::Parse("\"\\ud83d\\ude00 \\u00e9\\n\"").cast<String>(),
            "\xF0\x9F\x98\x80 \xC3\xA9\n");
  EXPECT_EQ(json::Parse("\"plain\"").cast<String>(), "plain");
  EXPECT_EQ(json::Parse("\"\\u0000\"").cast<String>().size(), 1u);
}

TEST(JsonParse, ObjectsKeepOrderAndDuplicatesFollowTheMap) {
  EXPECT_EQ(ReprPrint(json::Parse("{\"z\": 1, \"a\": [true, null], \"m\": {}}")),
            "{\"z\": 1, \"a\": (True, None), \"m\": {}}");
  EXPECT_EQ(ReprPrint(json::Parse("{\"a\":1,\"b\":2,\"c\":3,\"a\":4}")),
            "{\"b\": 2, \"c\": 3, \"a\": 4}");
  EXPECT_EQ(ReprPrint(json::Parse("{\"a\":1,\"b\":2,\"a\":4}")), "{\"a\": 4, \"b\": 2}");
}

TEST(JsonWrite, Scalars) {
  EXPECT_EQ(Write(Any()), "null");
  EXPECT_EQ(Write(true), "true");
  EXPECT_EQ(Write(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Write(1.0), "1.0");
  EXPECT_EQ(Write(-0.0), "-0.0");
  EXPECT_EQ(Write(1.0 / 3), "0.33333333333333331");
  EXPECT_EQ(Write(1e300), "1.0000000000000001e+300");
  EXPECT_EQ(Write(9007199254740991.0), "9007199254740991.0");
  EXPECT_EQ(Write(9007199254740992.0), "9007199254740992");
  EXPECT_EQ(Write(std::nan("")), "NaN");
  EXPECT_EQ(Write(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(Write(String("a/\"\\\b\f\n\r\t\x01\x7f\xC3\xA9")),
            "\"a\\/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\xC3\xA9\"");
}

TEST(JsonWrite, Indentation) {
  Map<String, Any> map{{"a", 1}, {"b", Array<Any>{1, Array<Any>{}}}};
  EXPECT_EQ(Write(map), "{\"a\":1,\"b\":[1,[]]}");
  EXPECT_EQ(Write(map, 2), "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    [\n    ]\n  ]\n}");
  EXPECT_EQ(Write(map, -1), "{\n\"a\": 1,\n\"b\": [\n1,\n[\n]\n]\n}");
  EXPECT_EQ(Write(Array<Any>{}, 0), "[]");
}

TEST(JsonWrite, RefusesWhatJsonDoesNotHave) {
  EXPECT_EQ(WriteError(Shape({1})), "Unsupported type: `ffi.Shape`");
  EXPECT_EQ(WriteError(Dict<String, int>{{"a", 1}}), "Unsupported type: `ffi.Dict`");
  EXPECT_EQ(WriteError(Map<int, int>{{1, 2}}), "Expect key to be string, got `int`");
  List<Any> list{1};
  list.push_back(Array<Any>{list});
  EXPECT_EQ(WriteError(list), "Cycle detected: List contains itself");
  list.clear();
}

TEST(JsonWrite, SharedListsAreNoCycle) {
  List<Any> shared{1};
  EXPECT_EQ(Write(Array<Any>{shared, shared}), "[[1],[1]]");
}

}  // namespace
