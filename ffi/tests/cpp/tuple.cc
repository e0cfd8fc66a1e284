// SPDX-License-Identifier: Apache-2.0
// Tuple and Variant.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/string.h>

#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;

TEST(Tuple, ElementsAndBindings) {
  const Tuple<int, String> pair(1, "x");
  EXPECT_EQ(pair.get<0>(), 1);
  EXPECT_EQ(get<1>(pair), "x");
  const auto [number, text] = pair;
  EXPECT_EQ(number, 1);
  EXPECT_EQ(text, "x");
  static_assert(std::is_same_v<decltype(Tuple(1, String("x"))), Tuple<int, String>>);
  static_assert(std::tuple_size_v<Tuple<int, String>> == 2);
  const Tuple<int, String> empty;
  EXPECT_EQ(empty.get<0>(), 0);
  EXPECT_EQ(empty.get<1>(), "");
}

TEST(Tuple, SetCopiesWhenShared) {
  Tuple<int, String> first(1, "x");
  const Tuple<int, String> second = first;
  first.Set<0>(2);
  EXPECT_EQ(first.get<0>(), 2);
  EXPECT_EQ(second.get<0>(), 1);
  EXPECT_FALSE(first.same_as(second));
}

TEST(Tuple, RvalueGetMovesOutOfAUniqueTuple) {
  const Array<int> element{1};
  Tuple<Array<int>, int> tuple(element, 2);
  EXPECT_EQ(element.use_count(), 2);
  const Array<int> moved = std::move(tuple).get<0>();
  EXPECT_EQ(element.use_count(), 2);
  EXPECT_TRUE(tuple.defined());  // NOLINT(bugprone-use-after-move)

  Tuple<Array<int>, int> shared(element, 2);
  const Tuple<Array<int>, int> holder = shared;
  (void)std::move(shared).get<0>();
  EXPECT_TRUE(holder.get<0>().same_as(element));
}

TEST(Tuple, ConversionRules) {
  const Any value = Array<Any>{1, "x"};
  EXPECT_TRUE((value.cast<Tuple<int, String>>().same_as(value.cast<ObjectRef>())));
  const Any convertible = Array<Any>{true, "x"};
  EXPECT_FALSE((convertible.as<Tuple<int, String>>().has_value()));
  EXPECT_EQ((convertible.cast<Tuple<int, String>>().get<0>()), 1);
  const Tuple<Any, Any> widened = Tuple<int, String>(3, "y");
  EXPECT_EQ(widened.get<0>().cast<int>(), 3);
  ExpectError("TypeError", "Cannot convert from type `Array[size=2]` to `Tuple<int>`",
              [&] { value.cast<Tuple<int>>(); });
  ExpectError("TypeError",
              "Cannot convert from type `Array[index 1: ffi.SmallStr]` to `Tuple<int, int>`",
              [&] { (value.cast<Tuple<int, int>>()); });
  ExpectError("TypeError", "Cannot convert from type `ffi.List` to `Tuple<int, str>`",
              [] { (Any(List<Any>{1, "x"}).cast<Tuple<int, String>>()); });
  EXPECT_EQ((TypeTraits<Tuple<int, String>>::TypeSchema()),
            R"({"type":"Tuple","args":[{"type":"int"},{"type":"ffi.String"}]})");
}

TEST(Variant, HoldsOneOfItsTypes) {
  Variant<int, String> value = 1;
  EXPECT_EQ(value.get<int>(), 1);
  EXPECT_EQ(value.as<String>(), std::nullopt);
  value = String("text");
  EXPECT_EQ(value.get<String>(), "text");
  EXPECT_EQ(value.GetTypeKey(), "ffi.SmallStr");
  ExpectError("TypeError", "Cannot convert from type `ffi.SmallStr` to `int`",
              [&] { value.get<int>(); });
  static_assert(!std::is_default_constructible_v<Variant<int, String>>);
  static_assert(!std::is_constructible_v<Variant<int, String>, double>);
  static_assert(std::is_constructible_v<Variant<ObjectRef, int>, Array<int>>);
}

TEST(Variant, ConversionRules) {
  // A strict match of a later alternative comes before a conversion to an earlier one.
  EXPECT_EQ((Any(2.5).cast<Variant<int, double>>().get<double>()), 2.5);
  EXPECT_EQ((Any(true).cast<Variant<int, String>>().get<int>()), 1);
  EXPECT_EQ((Any(true).cast<Variant<int, bool>>().GetTypeKey()), "bool");
  const AnyView raw("raw text of some length");
  EXPECT_EQ((raw.cast<Variant<int, String>>().get<String>()), "raw text of some length");
  ExpectError("TypeError", "Cannot convert from type `float` to `Variant<int, str>`",
              [] { (Any(1.5).cast<Variant<int, String>>()); });
  EXPECT_EQ(
      (TypeTraits<Variant<int, Array<int>>>::TypeSchema()),
      R"({"type":"Variant","args":[{"type":"int"},{"type":"ffi.Array","args":[{"type":"int"}]}]})");
}

TEST(Variant, IdentityKeys) {
  using Key = Variant<Array<int>, List<int>>;
  const Array<int> array{1};
  const List<int> list{1};
  std::unordered_map<Key, int, ObjectPtrHash, ObjectPtrEqual> map;
  map[array] = 1;
  map[list] = 2;
  EXPECT_EQ(map.at(array), 1);
  EXPECT_EQ(map.at(list), 2);
  EXPECT_EQ(map.count(Array<int>{1}), 0u);
}

TEST(Variant, InContainers) {
  const Array<Variant<int, String>> array{1, String("a")};
  const Any value = array;
  EXPECT_TRUE((value.as<Array<Variant<int, String>>>().has_value()));
  EXPECT_FALSE((value.as<Array<int>>().has_value()));
  const Array<Variant<int, String>> from_ints = Array<int>{1, 2};
  EXPECT_EQ(from_ints[1].get<int>(), 2);
}

}  // namespace
