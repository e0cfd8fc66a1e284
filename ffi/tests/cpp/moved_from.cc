// SPDX-License-Identifier: Apache-2.0
// What is left behind by a move reads as empty, iterates over nothing, and starts anew.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "expect_error.h"

// NOLINTBEGIN(bugprone-use-after-move): the subject of this file
namespace {

using namespace tvm::ffi;

/*! \brief What a move leaves of `value`. */
template <typename T>
T RestOf(T value) {
  const T taken = std::move(value);
  return value;  // NOLINT(clang-analyzer-cplusplus.Move)
}

template <typename Seq>
class MovedFromSequence : public ::testing::Test {};
using Sequences = ::testing::Types<Array<String>, Array<Any>, List<String>, List<Any>>;
TYPED_TEST_SUITE(MovedFromSequence, Sequences);

TYPED_TEST(MovedFromSequence, ReadsAsEmpty) {
  const TypeParam rest = RestOf(TypeParam{"a", "b"});
  EXPECT_EQ(rest.size(), 0u);
  EXPECT_EQ(rest.capacity(), 0u);
  EXPECT_TRUE(rest.empty());
  EXPECT_TRUE(rest.begin() == rest.end());
  EXPECT_TRUE(rest.rbegin() == rest.rend());
  EXPECT_EQ(rest.end() - rest.begin(), 0);
  for (const auto& item : rest) FAIL() << Any(item).GetTypeKey();
  EXPECT_TRUE(TypeParam(rest.begin(), rest.end()).empty());
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { (void)rest[0]; }, [&] { (void)rest.front(); }, [&] { (void)rest.back(); }}) {
    EXPECT_THROW(read(), Error);
  }
  EXPECT_TRUE(Any(rest) == nullptr);
}

TYPED_TEST(MovedFromSequence, StartsAnew) {
  const std::vector<std::string> words{"x", "y"};
  const std::vector<std::function<void(TypeParam*)>> beginnings{
      [](TypeParam* seq) { seq->push_back("x"); },
      [](TypeParam* seq) { seq->emplace_back("x"); },
      [](TypeParam* seq) {
        seq->reserve(3);
        EXPECT_GE(seq->capacity(), 3u);
        seq->push_back("x");
      },
      [](TypeParam* seq) {
        seq->clear();
        seq->resize(0);
        seq->push_back("x");
      },
      [](TypeParam* seq) {
        const TypeParam source{"x"};
        seq->Assign(source.begin(), source.end());
      },
      [](TypeParam* seq) {
        // Of its own, empty range.
        seq->Assign(seq->begin(), seq->end());
        EXPECT_TRUE(seq->defined());
        seq->push_back("x");
      }};
  for (const auto& begin : beginnings) {
    TypeParam rest = RestOf(TypeParam{"a", "b"});
    begin(&rest);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(Any(rest[0]).template cast<std::string>(), "x");
  }
}

TYPED_TEST(MovedFromSequence, PositionsAreErrors) {
  TypeParam rest = RestOf(TypeParam{"a", "b"});
  const TypeParam source{"x"};
  const std::vector<std::function<void()>> changes{
      [&] { rest.insert(rest.begin(), "x"); },
      [&] { rest.insert(rest.begin(), source.begin(), source.end()); },
      [&] { rest.insert(rest.begin(), rest.begin(), rest.end()); },
      [&] { rest.erase(rest.begin()); },
      [&] { rest.erase(rest.begin(), rest.end()); },
      [&] { rest.pop_back(); },
      [&] { rest.Set(0, "x"); }};
  for (const auto& change : changes) {
    EXPECT_THROW(change(), Error);
    EXPECT_FALSE(rest.defined());
  }
}

TEST(MovedFromArray, MembersOfArrayAlone) {
  Array<String> rest = RestOf(Array<String>{"a"});
  EXPECT_EQ(rest.Map([](const String& s) { return s; }).size(), 0u);
  rest.MutateByApply([](String s) { return s; });
  EXPECT_EQ(Concat(rest, rest).size(), 0u);
  EXPECT_EQ(Concat(rest, Array<String>{"b"})[0], "b");
  EXPECT_EQ(Concat(Array<String>{"b"}, rest).size(), 1u);
  EXPECT_EQ(Array<String>::Agregate(rest, "c", rest).size(), 1u);
  EXPECT_EQ(rest.CopyOnWrite()->size(), 0u);
}

TEST(MovedFromList, ReadingAPositionThrows) {
  const List<int64_t> rest = RestOf(List<int64_t>{1});
  ExpectError("IndexError", "cannot index a null list", [&] { (void)*rest.begin(); });
  ExpectError("IndexError", "cannot index a null list", [&] { (void)*rest.rbegin(); });
}

template <typename M>
class MovedFromMap : public ::testing::Test {};
using Maps =
    ::testing::Types<Map<String, int64_t>, Map<Any, Any>, Dict<String, int64_t>, Dict<Any, Any>>;
TYPED_TEST_SUITE(MovedFromMap, Maps);

TYPED_TEST(MovedFromMap, ReadsAsEmpty) {
  TypeParam rest = RestOf(TypeParam{{"a", 1}});
  EXPECT_EQ(rest.size(), 0u);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(rest.count("a"), 0u);
  EXPECT_TRUE(rest.find("a") == rest.end());
  EXPECT_TRUE(rest.begin() == rest.end());
  EXPECT_FALSE(rest.Get("a").has_value());
  for (const auto& pair : rest) FAIL() << Any(pair.first).GetTypeKey();
  ExpectError("KeyError", "key is not in Map", [&] { (void)rest.at("a"); });
  ExpectError("KeyError", "key is not in Map", [&] { (void)rest["a"]; });
  rest.erase("a");
  rest.clear();
  EXPECT_TRUE(TypeParam(rest.begin(), rest.end()).empty());
  EXPECT_TRUE(Any(rest) == nullptr);
}

TYPED_TEST(MovedFromMap, IteratorsGoNowhere) {
  const TypeParam rest = RestOf(TypeParam{{"a", 1}});
  typename TypeParam::iterator it = rest.find("a");
  const std::string text = "the iterator is at the end or the map changed during iteration";
  ExpectError("RuntimeError", text, [&] { (void)*it; });
  EXPECT_TRUE(++it == rest.end());
  EXPECT_TRUE(--it == rest.begin());
  EXPECT_TRUE(it++ == rest.end());
  EXPECT_TRUE(it-- == rest.end());
  ExpectError("RuntimeError", text, [&] { (void)*typename TypeParam::iterator(); });
  ExpectError("RuntimeError", text, [] { (void)MapBaseObj::iterator()->first; });
}

TYPED_TEST(MovedFromMap, StartsAnew) {
  TypeParam rest = RestOf(TypeParam{{"a", 1}});
  rest.Set("b", 2);
  EXPECT_EQ(rest.size(), 1u);
  EXPECT_EQ(Any(rest["b"]).template cast<int64_t>(), 2);
}

TEST(MovedFromMapAlone, Merge) {
  const Map<String, int64_t> rest = RestOf(Map<String, int64_t>{{"a", 1}});
  const Map<String, int64_t> other{{"b", 2}};
  EXPECT_EQ(Merge(rest, other).at("b"), 2);
  EXPECT_EQ(Merge(other, rest).size(), 1u);
  EXPECT_EQ(Merge(rest, rest).size(), 0u);
  EXPECT_EQ(RestOf(Map<String, int64_t>{{"a", 1}}).CopyOnWrite()->size(), 0u);
}

TEST(MovedFromTuple, HasNoElements) {
  Tuple<String, int64_t> rest = RestOf(Tuple<String, int64_t>("a", 1));
  ExpectError("IndexError", "cannot index a null tuple", [&] { (void)rest.get<0>(); });
  ExpectError("IndexError", "cannot index a null tuple", [&] { rest.Set<1>(5); });
  ExpectError("IndexError", "cannot index a null tuple", [&] { (void)rest.get<1>(); });
}

TEST(MovedFromString, IsEmpty) {
  for (const std::string& text : {std::string("short"), std::string("longer than seven bytes")}) {
    String rest = RestOf(String(text));
    EXPECT_EQ(rest.size(), 0u);
    EXPECT_TRUE(rest.empty());
    EXPECT_STREQ(rest.c_str(), "");
    EXPECT_EQ(rest, "");
    EXPECT_EQ(rest + "x", "x");
    EXPECT_EQ(rest.compare("x"), -1);
    EXPECT_EQ(rest.find("x"), String::npos);
    EXPECT_EQ(rest.substr(), "");
    EXPECT_EQ(rest.Split(',').size(), 1u);
    EXPECT_EQ(std::hash<String>()(rest), std::hash<String>()(String()));
    EXPECT_THROW((void)rest.at(0), std::out_of_range);
    EXPECT_EQ(Any(rest).cast<String>(), "");
    EXPECT_EQ(RestOf(Bytes(text)).size(), 0u);
    rest = "again";
    EXPECT_EQ(rest, "again");
  }
}

TEST(MovedFromOptional, IsEmpty) {
  EXPECT_FALSE(RestOf(Optional<int64_t>(1)).has_value());
  EXPECT_FALSE(RestOf(Optional<String>("longer than seven bytes")).has_value());
  EXPECT_EQ(RestOf(Optional<String>("longer than seven bytes")).value_or("none"), "none");
  const Optional<Array<int64_t>> rest = RestOf(Optional<Array<int64_t>>(Array<int64_t>{1}));
  EXPECT_FALSE(rest.has_value());
  EXPECT_TRUE(rest == nullptr);
  EXPECT_EQ((*rest).size(), 0u);
  EXPECT_TRUE(Any(rest) == nullptr);
  ExpectError("RuntimeError", "Back optional access", [&] { (void)rest.value(); });
}

TEST(MovedFromVariant, HoldsNothing) {
  using Choice = Variant<int64_t, String, Array<int64_t>>;
  Choice rest = RestOf(Choice(String("longer than seven bytes")));
  EXPECT_FALSE(rest.as<int64_t>().has_value());
  EXPECT_FALSE(rest.as<String>().has_value());
  EXPECT_FALSE(rest.as<Array<int64_t>>().has_value());
  EXPECT_EQ(rest.as<ArrayObj>(), nullptr);
  EXPECT_EQ(rest.GetTypeKey(), "None");
  ExpectError("TypeError", "Cannot convert from type `None` to `str`",
              [&] { (void)rest.get<String>(); });
  EXPECT_TRUE(Any(rest) == nullptr);
  EXPECT_TRUE(rest.same_as(RestOf(Choice(int64_t{1}))));
  rest = int64_t{3};
  EXPECT_EQ(rest.get<int64_t>(), 3);
}

TEST(MovedFromShape, IsEmpty) {
  const Shape rest = RestOf(Shape{1, 2});
  EXPECT_EQ(rest.size(), 0u);
  EXPECT_TRUE(rest.begin() == rest.end());
  EXPECT_EQ(rest.Product(), 1);
  EXPECT_THROW((void)rest.at(0), Error);
  EXPECT_THROW((void)rest.back(), Error);
  std::ostringstream text;
  text << rest;
  EXPECT_EQ(text.str(), "[]");
}

// A null reference as an element is None; it reads as an empty container again.
TEST(MovedFromElements, AreEmptyContainers) {
  Array<Array<int64_t>> arrays{RestOf(Array<int64_t>{1})};
  EXPECT_EQ(arrays[0].size(), 0u);
  Map<String, Dict<String, int64_t>> maps{{"a", RestOf(Dict<String, int64_t>{{"b", 1}})}};
  EXPECT_EQ(maps["a"].count("b"), 0u);
}

}  // namespace
// NOLINTEND(bugprone-use-after-move)
