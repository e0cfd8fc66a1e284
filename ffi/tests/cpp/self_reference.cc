// SPDX-License-Identifier: Apache-2.0
// Containers that are given elements and ranges of themselves, and loops that change what they run
// over. The strings are on the heap, so that a sanitizer sees a read of what was moved or freed.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/string.h>

#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;

std::string Text(size_t i) { return "a string on the heap, number " + std::to_string(i); }

std::vector<std::string> Texts(size_t count) {
  std::vector<std::string> texts;
  texts.reserve(count);
  for (size_t i = 0; i < count; ++i) texts.push_back(Text(i));
  return texts;
}

template <typename Seq>
Seq SeqOf(size_t count, int64_t room) {
  Seq seq;
  for (size_t i = 0; i < count; ++i) seq.push_back(Text(i));
  seq.reserve(room);
  return seq;
}

template <typename Seq>
std::vector<std::string> Strings(const Seq& seq) {
  std::vector<std::string> strings;
  for (const auto& item : seq) strings.push_back(Any(item).cast<std::string>());
  return strings;
}

template <typename Seq>
class OwnElements : public ::testing::Test {};
using Sequences = ::testing::Types<Array<String>, Array<Any>, List<String>, List<Any>>;
TYPED_TEST_SUITE(OwnElements, Sequences);

// Every range, every position; with and without room for what is added, unique and shared.
TYPED_TEST(OwnElements, InsertOwnRange) {
  constexpr int64_t kCount = 5;
  for (const int64_t room : {kCount, 2 * kCount}) {
    for (const bool shared : {false, true}) {
      for (int64_t first = 0; first <= kCount; ++first) {
        for (int64_t last = first; last <= kCount; ++last) {
          for (int64_t position = 0; position <= kCount; ++position) {
            TypeParam seq = SeqOf<TypeParam>(kCount, room);
            TypeParam other;
            if (shared) other = seq;
            seq.insert(seq.begin() + position, seq.begin() + first, seq.begin() + last);
            std::vector<std::string> model = Texts(kCount);
            const std::vector<std::string> run(model.begin() + first, model.begin() + last);
            model.insert(model.begin() + position, run.begin(), run.end());
            ASSERT_EQ(Strings(seq), model) << first << " " << last << " at " << position;
          }
        }
      }
    }
  }
}

// Through the stored elements, which are what the iterators copy from.
TYPED_TEST(OwnElements, InsertOwnStoredElements) {
  for (const int64_t room : {3, 6}) {
    TypeParam seq = SeqOf<TypeParam>(3, room);
    Array<Any> array;
    if constexpr (std::is_same_v<TypeParam, Array<Any>>) {
      seq.insert(seq.begin() + 1, seq.GetArrayObj()->begin(), seq.GetArrayObj()->end());
      seq.push_back(*seq.GetArrayObj()->begin());
      seq.insert(seq.begin(), *(seq.GetArrayObj()->end() - 2));
      seq.Set(1, *(seq.GetArrayObj()->end() - 1));
    } else if constexpr (std::is_same_v<TypeParam, List<Any>>) {
      seq.GetListObj()->insert(1, seq.GetListObj()->begin(), seq.GetListObj()->end());
      seq.push_back(*seq.GetListObj()->begin());
      seq.insert(seq.begin(), *(seq.GetListObj()->end() - 2));
      seq.Set(1, *(seq.GetListObj()->end() - 1));
    } else {
      continue;
    }
    EXPECT_EQ(Strings(seq), (std::vector<std::string>{Text(2), Text(0), Text(0), Text(1), Text(2),
                                                      Text(1), Text(2), Text(0)}));
  }
}

TYPED_TEST(OwnElements, AddOwnElement) {
  TypeParam seq = SeqOf<TypeParam>(1, 1);
  std::vector<std::string> model = Texts(1);
  for (int i = 0; i < 20; ++i) {
    seq.push_back(seq.back());
    seq.emplace_back(seq[0]);
    seq.insert(seq.begin() + 1, seq[0]);
    seq.Set(0, seq.back());
    model.insert(model.end(), 3, Text(0));
  }
  EXPECT_EQ(Strings(seq), model);
}

TYPED_TEST(OwnElements, AssignOwnRange) {
  TypeParam seq = SeqOf<TypeParam>(6, 6);
  seq.Assign(seq.begin() + 1, seq.begin() + 5);
  EXPECT_EQ(Strings(seq), (std::vector<std::string>{Text(1), Text(2), Text(3), Text(4)}));
  seq.Assign(seq.rbegin(), seq.rend());
  EXPECT_EQ(Strings(seq), (std::vector<std::string>{Text(4), Text(3), Text(2), Text(1)}));
  seq.insert(seq.begin() + 2, seq.rbegin(), seq.rend());
  EXPECT_EQ(Strings(seq), (std::vector<std::string>{Text(4), Text(3), Text(1), Text(2), Text(3),
                                                    Text(4), Text(2), Text(1)}));
  seq.Assign(seq.begin(), seq.begin());
  EXPECT_TRUE(seq.empty());
}

// A range that can be read only once can't be counted beforehand.
TYPED_TEST(OwnElements, RangesReadOnce) {
  if constexpr (std::is_same_v<typename TypeParam::value_type, Any>) {
    std::istringstream words("one two three");
    TypeParam seq{std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
    EXPECT_EQ(Strings(seq), (std::vector<std::string>{"one", "two", "three"}));
    std::istringstream more("x y");
    seq.insert(seq.begin() + 1, std::istream_iterator<std::string>(more),
               std::istream_iterator<std::string>());
    EXPECT_EQ(Strings(seq), (std::vector<std::string>{"one", "x", "y", "two", "three"}));
  }
}

TEST(OwnElementsOfArray, ConcatAndAgregate) {
  Array<String> array = SeqOf<Array<String>>(2, 2);
  array = Concat(array, array);
  array = Array<String>::Agregate(array, array[0], array);
  EXPECT_EQ(array.size(), 9u);
  EXPECT_EQ(array[4], Text(0));
  EXPECT_EQ(array[8], Text(1));
}

// The callback of MutateByApply may use the array whose elements it is given.
TEST(OwnElementsOfArray, MutateByApplyWithAnotherLookAtTheArray) {
  Array<String> array = SeqOf<Array<String>>(3, 3);
  size_t seen = 0;
  array.MutateByApply([&](const String& text) {
    seen += array.size();
    for (int i = 0; i < 10; ++i) array.push_back("put in by the callback, and lost");
    return text + "!";
  });
  EXPECT_EQ(Strings(array),
            (std::vector<std::string>{Text(0) + "!", Text(1) + "!", Text(2) + "!"}));
  EXPECT_EQ(seen, 30u);  // what the callback had put in itself: 0, 10 and 20
}

// Element whose constructor takes the place of the list it is going to.
TEST(OwnElementsOfList, EmplaceBackOfTheListItself) {
  List<Any> list{1, 2};
  list.emplace_back(std::move(list));
  ASSERT_EQ(list.size(), 1u);  // NOLINT(bugprone-use-after-move): a new list
  EXPECT_EQ(list[0].cast<List<Any>>().size(), 2u);
}

TEST(LoopOverList, AppendingEndsWithTheOldElements) {
  List<String> list = SeqOf<List<String>>(3, 3);
  int visited = 0;
  for (const String& text : list) {
    ++visited;
    for (int i = 0; i < 50; ++i) list.push_back(text);
  }
  EXPECT_EQ(visited, 3);
  EXPECT_EQ(list.size(), 153u);
  EXPECT_EQ(list[152], Text(2));
}

TEST(LoopOverList, RemovingThrowsBehindTheEnd) {
  const std::vector<std::function<void(List<String>*)>> removals{
      [](List<String>* list) { list->clear(); }, [](List<String>* list) { list->pop_back(); },
      [](List<String>* list) { list->resize(1); },
      [](List<String>* list) { list->erase(list->begin()); }};
  for (const auto& remove : removals) {
    List<String> list = SeqOf<List<String>>(4, 4);
    size_t visited = 0;
    try {
      for (const String& text : list) {
        EXPECT_GT(text.size(), 20u);
        ++visited;
        remove(&list);
      }
      FAIL() << "read behind the end";
    } catch (const Error& err) {
      EXPECT_EQ(err.kind(), "IndexError");
    }
    EXPECT_EQ(visited, 4 - list.size() < 2 ? 3u : visited);
    EXPECT_LT(visited, 4u);
  }
  List<int64_t> list{1, 2};
  ExpectError("IndexError", "Index 2 out of bounds 2", [&] { (void)*list.end(); });
  ExpectError("IndexError", "Index -1 out of bounds 2", [&] { (void)*list.rend(); });
}

TEST(LoopOverList, PositionsOutliveGrowth) {
  List<int64_t> list{1, 2, 3};
  const List<int64_t>::iterator second = list.begin() + 1;
  for (int64_t i = 0; i < 100; ++i) list.push_back(i);
  EXPECT_EQ(*second, 2);
  list.erase(second);
  EXPECT_EQ(*second, 3);
  EXPECT_EQ(list.end() - second, 101);
  EXPECT_EQ(1 + second, list.begin() + 2);
  EXPECT_EQ(std::vector<int64_t>(list.rbegin(), list.rbegin() + 2), (std::vector<int64_t>{99, 98}));
}

template <typename M>
class OwnPairs : public ::testing::Test {};
using Maps = ::testing::Types<Map<String, Any>, Map<Any, Any>, Dict<String, Any>, Dict<Any, Any>>;
TYPED_TEST_SUITE(OwnPairs, Maps);

// The sizes cross every change of layout: growth of the small form, to dense, growth of that.
TYPED_TEST(OwnPairs, SetOwnKeysAndValues) {
  for (const size_t count : {1u, 2u, 3u, 4u, 5u, 16u, 40u}) {
    TypeParam map;
    for (size_t i = 0; i < count; ++i) map.Set(Text(i), Text(i));
    for (size_t i = 0; i < count; ++i) {
      map.Set((*map.find(Text(i))).first, map[Text(count - 1)]);
      map.Set(map[Text(i)].template cast<String>() + "'", (*map.begin()).second);
    }
    EXPECT_EQ(map[Text(0)].template cast<std::string>(), Text(count - 1));
    EXPECT_EQ(map[Text(count - 1) + "'"].template cast<std::string>().substr(0, 20),
              Text(0).substr(0, 20));
  }
}

TYPED_TEST(OwnPairs, OwnStoredKey) {
  for (const size_t count : {2u, 4u, 5u, 40u}) {
    TypeParam map;
    for (size_t i = 0; i < count; ++i) map.Set(Text(i), Text(i));
    const auto* object = static_cast<const MapBaseObj*>(map.get());
    if constexpr (std::is_same_v<typename TypeParam::key_type, Any>) {
      map.Set(object->begin()->first, object->begin()->second);
      for (size_t left = count; left > 0; --left) {
        ASSERT_EQ(map.size(), left);
        object = static_cast<const MapBaseObj*>(map.get());
        map.erase(object->begin()->first);
      }
      EXPECT_TRUE(map.empty());
    }
  }
}

TYPED_TEST(OwnPairs, FromOwnRange) {
  TypeParam map;
  for (size_t i = 0; i < 20; ++i) map.Set(Text(i), Text(i));
  map = TypeParam(map.begin(), map.end());
  EXPECT_EQ(map.size(), 20u);
  EXPECT_EQ((*map.begin()).second.template cast<std::string>(), Text(0));
}

TEST(OwnPairsOfMap, MergeWithItself) {
  Map<String, String> map{{Text(0), Text(1)}, {Text(2), Text(3)}};
  map = Merge(map, map);
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map[Text(2)], Text(3));
}

// A copy of the reference keeps the pairs of the loop, as the class says.
TEST(OwnPairsOfMap, LoopOverACopyMayChangeTheMap) {
  Map<String, String> map{{Text(0), Text(1)}, {Text(2), Text(3)}};
  const Map<String, String> pairs = map;
  for (const auto& [key, value] : pairs) {
    map.erase(key);
    for (size_t i = 0; i < 20; ++i) map.Set(key + std::to_string(i), value);
  }
  EXPECT_EQ(map.size(), 40u);
}

TEST(OwnElementsOfTuple, SetOwnElement) {
  Tuple<String, String> tuple(Text(0), Text(1));
  tuple.Set<0>(tuple.get<1>());
  EXPECT_EQ(tuple.get<0>(), Text(1));
}

}  // namespace
