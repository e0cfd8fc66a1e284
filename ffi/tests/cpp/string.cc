// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_set>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Bytes;
using ffi::String;

TEST(String, SmallAndHeapForms) {
  EXPECT_EQ(Any(String("1234567")).type_index(), kTVMFFISmallStr);
  EXPECT_EQ(Any(String("12345678")).type_index(), kTVMFFIStr);
  EXPECT_EQ(Any(String(std::string("1"))).type_index(), kTVMFFIStr);
  const std::string text = "1";
  EXPECT_EQ(Any(String(text)).type_index(), kTVMFFISmallStr);
  EXPECT_EQ(String("12345678").size(), 8u);
  EXPECT_EQ(String().size(), 0u);
  EXPECT_TRUE(String().empty());
  EXPECT_STREQ(String().c_str(), "");
}

TEST(String, CopiesAndMoves) {
  for (const char* text : {"short", "a text for the heap"}) {
    String a = text;
    String b = a;
    String c = std::move(a);
    EXPECT_EQ(b, text);
    EXPECT_EQ(c, text);
    EXPECT_EQ(a.size(), 0u);  // NOLINT(bugprone-use-after-move)
    EXPECT_STREQ(a.c_str(), "");
    a = c;
    EXPECT_EQ(a, text);
    String& itself = a;
    a = itself;
    EXPECT_EQ(a, text);
    // A moved-from string is empty also as a value.
    String moved = std::move(a);
    EXPECT_EQ(Any(a).cast<String>(), "");  // NOLINT(bugprone-use-after-move)
  }
}

TEST(String, KeepsNulBytes) {
  const String a("a\0b", 3);
  EXPECT_EQ(a.size(), 3u);
  EXPECT_NE(a, String("a"));
  EXPECT_EQ(static_cast<std::string>(a), std::string("a\0b", 3));
  const String longer("a\0b and more text", 17);
  EXPECT_EQ(longer.size(), 17u);
  EXPECT_EQ(longer.data()[17], '\0');
  ffi::Function size = ffi::Function::FromTyped([](String s) { return s.size(); });
  EXPECT_EQ(size(std::string("a\0b", 3)).cast<int>(), 3);
}

TEST(String, Compares) {
  EXPECT_TRUE(String("abc") == "abc");
  EXPECT_TRUE("abc" == String("abc"));
  EXPECT_TRUE(std::string("abc") == String("abc"));
  EXPECT_TRUE(String("abc") != std::string("abd"));
  EXPECT_TRUE(String("abc") < "abd");
  EXPECT_TRUE("abd" > String("abc"));
  EXPECT_TRUE(String("ab") < String("abc"));
  EXPECT_TRUE(String("abc") <= String("abc"));
  EXPECT_TRUE(String("abcd") >= std::string("abc"));
  EXPECT_LT(String("a").compare("b"), 0);
  EXPECT_GT(String("a longer text").compare(String("a long")), 0);
  EXPECT_EQ(String("x").compare(TVMFFIByteArray{"x", 1}), 0);
  // Heap and small forms are the same text.
  EXPECT_EQ(String(std::string("abc")), String("abc"));
}

TEST(String, Concatenates) {
  EXPECT_EQ(String("ab") + "cd", "abcd");
  EXPECT_EQ("ab" + String("cd"), "abcd");
  EXPECT_EQ(std::string("ab") + String("cdefghijkl"), "abcdefghijkl");
  EXPECT_EQ(String("ab") + std::string("cd"), String("abcd"));
  EXPECT_EQ(String("a\0b", 3) + String("c"), String("a\0bc", 4));
}

TEST(String, FindsAndSplits) {
  const String text = "hello world";
  EXPECT_EQ(text.find("o"), 4u);
  EXPECT_EQ(text.find(String("o"), 5), 7u);
  EXPECT_EQ(text.find("z"), String::npos);
  EXPECT_EQ(text.find("orx", 0, 2), 7u);
  EXPECT_EQ(text.substr(6), "world");
  EXPECT_EQ(text.substr(0, 5), "hello");
  EXPECT_EQ(text.substr(11), "");
  EXPECT_THROW(text.substr(12), std::out_of_range);
  EXPECT_EQ(text.at(0), 'h');
  EXPECT_THROW(text.at(11), std::out_of_range);
  EXPECT_TRUE(text.starts_with("hello"));
  EXPECT_FALSE(text.starts_with("hello world and more"));
  EXPECT_TRUE(text.ends_with(String("world")));
  EXPECT_TRUE(text.ends_with(std::string_view("")));
  const String list = "a,,b,";
  auto parts = list.Split(',');  // views into `list`
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0], "a");
  EXPECT_EQ(parts[1], "");
  EXPECT_EQ(parts[2], "b");
  EXPECT_EQ(parts[3], "");
}

TEST(String, StreamsAndHashes) {
  std::ostringstream os;
  os << String("a\0b", 3);
  EXPECT_EQ(os.str(), std::string("a\0b", 3));
  std::unordered_set<String> set = {String("a"), String(std::string("a")), String("b")};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(std::hash<String>()(String("abc")), std::hash<std::string_view>()("abc"));
}

TEST(Bytes, Basics) {
  const Bytes small("a\0b", 3);
  const Bytes heap(std::string("a\0b", 3));
  EXPECT_EQ(Any(small).type_index(), kTVMFFISmallBytes);
  EXPECT_EQ(Any(heap).type_index(), kTVMFFIBytes);
  EXPECT_EQ(small, heap);
  EXPECT_EQ(static_cast<std::string>(heap), std::string("a\0b", 3));
  EXPECT_EQ(std::hash<Bytes>()(small), std::hash<Bytes>()(heap));
  EXPECT_FALSE(Any(small).try_cast<String>().has_value());
  EXPECT_TRUE(Any(small).try_cast<std::string>().has_value());
  EXPECT_LT(Bytes::memncmp("a", "b", 1, 1), 0);
  EXPECT_GT(Bytes::memncmp("ab", "a", 2, 1), 0);
  EXPECT_TRUE(Bytes::memequal("ab", "ab", 2, 2));
}

TEST(String, StdStringTakesEveryForm) {
  ffi::Function f = ffi::Function::FromTyped([](std::string s) { return s; });
  EXPECT_EQ(f("raw").cast<std::string>(), "raw");
  EXPECT_EQ(f(String("small")).cast<std::string>(), "small");
  EXPECT_EQ(f(Bytes("by", 2)).cast<std::string>(), "by");
  EXPECT_EQ(f(std::string("std")).cast<String>(), "std");
  EXPECT_THROW(f(1), ffi::Error);
}

TEST(Escape, JSON) {
  EXPECT_EQ(ffi::EscapeStringJSON("a\"b\\c/d"), R"("a\"b\\c\/d")");
  EXPECT_EQ(ffi::EscapeStringJSON("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(ffi::EscapeStringJSON(String("\x01\x7f\0", 3)), R"("\u0001\u007f\u0000")");
  EXPECT_EQ(ffi::EscapeStringJSON("\xc3\xa9"), "\"\xc3\xa9\"");
}

TEST(Escape, Python) {
  EXPECT_EQ(ffi::EscapedStringPy("a\"b\\c/d\n"), R"("a\"b\\c/d\n")");
  EXPECT_EQ(ffi::EscapedStringPy(String("\0\x7f", 2)), R"("\x00\x7f")");
  EXPECT_EQ(ffi::EscapedStringPy("\xc3\xa9"), R"("\u00e9")");
  EXPECT_EQ(ffi::EscapedStringPy("\xe4\xb8\xad"), R"("\u4e2d")");
  EXPECT_EQ(ffi::EscapedStringPy("\xf0\x9f\x98\x80"), R"("\U0001f600")");
  // Invalid: a lone continuation byte, a cut sequence, an overlong form, a surrogate.
  EXPECT_EQ(ffi::EscapedStringPy("\x80"), R"("\x80")");
  EXPECT_EQ(ffi::EscapedStringPy("\xe4\xb8"), R"("\xe4\xb8")");
  EXPECT_EQ(ffi::EscapedStringPy("\xc0\xaf"), R"("\xc0\xaf")");
  EXPECT_EQ(ffi::EscapedStringPy("\xed\xa0\x80"), R"("\xed\xa0\x80")");
  EXPECT_EQ(ffi::EscapedStringPy("\x1b[31mred\x1b[0m"), R"("\x1b[31mred\x1b[0m")");
}

}  // namespace
