// SPDX-License-Identifier: Apache-2.0
// Map and Dict: content against std::unordered_map, order rules, sharing, layout, errors.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;

template <typename M>
std::string Order(const M& map) {
  std::string text;
  for (const auto& [key, value] : map) {
    if (!text.empty()) text += ' ';
    text += std::string(key) + '=' + std::to_string(value);
  }
  return text;
}

struct Layout {
  void* data;
  uint64_t size;
  uint64_t slots;
  void (*data_deleter)(void*);
  uint32_t fib_shift;
  uint64_t head;
  uint64_t tail;
};

const Layout& LayoutOf(const Object* map) {
  return *reinterpret_cast<const Layout*>(reinterpret_cast<const char*>(map) + 24);
}
constexpr uint64_t kSmall = uint64_t{1} << 63;

// What iteration must give, kept the slow way: a list of pairs, and whether the table is dense.
class OrderModel {
 public:
  void Set(const std::string& key, int64_t value) {
    auto found = Find(key);
    if (!dense_ && pairs_.size() == 4) dense_ = true;  // also when the key is there
    if (found == pairs_.end()) {
      pairs_.emplace_back(key, value);
    } else if (dense_) {
      pairs_.erase(found);
      pairs_.emplace_back(key, value);
    } else {
      found->second = value;
    }
  }
  // Takes a pair of a dense table out as the table does: the order of the rest stays.
  void Erase(const std::string& key) {
    auto found = Find(key);
    if (found != pairs_.end()) pairs_.erase(found);
  }
  void Clear() { pairs_.clear(); }
  std::string Order() const {
    std::string text;
    for (const auto& [key, value] : pairs_) {
      if (!text.empty()) text += ' ';
      text += key + '=' + std::to_string(value);
    }
    return text;
  }
  size_t size() const { return pairs_.size(); }

 private:
  std::vector<std::pair<std::string, int64_t>>::iterator Find(const std::string& key) {
    return std::find_if(pairs_.begin(), pairs_.end(), [&](auto& p) { return p.first == key; });
  }
  std::vector<std::pair<std::string, int64_t>> pairs_;
  bool dense_ = false;
};

template <typename M>
void RunRandomOperations(uint32_t seed, int steps, int key_range) {
  std::mt19937 random(seed);
  M map;
  OrderModel model;
  std::unordered_map<std::string, int64_t> content;
  for (int step = 0; step < steps; ++step) {
    // Short keys are stored in the value, long ones on the heap.
    const uint64_t number = random() % static_cast<uint64_t>(key_range);
    const std::string key = (number % 2 ? "k" : "a key of some length ") + std::to_string(number);
    const int64_t value = static_cast<int64_t>(random() % 100);
    const uint64_t action = random() % 100;
    if (action < 55) {
      map.Set(key, value);
      model.Set(key, value);
      content[key] = value;
    } else if (action < 99) {
      map.erase(key);
      model.Erase(key);
      content.erase(key);
    } else if (random() % 20 == 0 && map.size() > 4) {
      map.clear();
      model.Clear();
      content.clear();
    }
    ASSERT_EQ(map.size(), content.size());
    if (step % 16 == 0 || steps < 500) {
      ASSERT_EQ(Order(map), model.Order()) << "step " << step << " seed " << seed;
    }
    const std::string probe = "k" + std::to_string(random() % static_cast<uint64_t>(key_range));
    const auto expected = content.find(probe);
    const std::optional<int64_t> got = map.Get(probe);
    ASSERT_EQ(got.has_value(), expected != content.end());
    if (got) {
      ASSERT_EQ(*got, expected->second);
    }
    ASSERT_EQ(map.count(probe), got.has_value() ? 1u : 0u);
  }
  std::string backwards;
  for (auto it = map.end(); it != map.begin();) {
    --it;
    const auto [key, value] = *it;
    backwards =
        std::string(key) + '=' + std::to_string(value) + (backwards.empty() ? "" : " " + backwards);
  }
  EXPECT_EQ(backwards, model.Order());
}

TEST(Map, RandomOperationsMatchTheModel) {
  for (uint32_t seed = 1; seed <= 40; ++seed)
    RunRandomOperations<Map<String, int64_t>>(seed, 300, 12);
  RunRandomOperations<Map<String, int64_t>>(101, 20000, 200);
  RunRandomOperations<Map<String, int64_t>>(102, 20000, 3000);
}

TEST(Dict, RandomOperationsMatchTheModel) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    RunRandomOperations<Dict<String, int64_t>>(seed, 300, 12);
  }
  RunRandomOperations<Dict<String, int64_t>>(103, 20000, 200);
  RunRandomOperations<Dict<String, int64_t>>(104, 20000, 3000);
}

TEST(Map, SmallAndDenseLayout) {
  Map<int64_t, int64_t> map;
  EXPECT_EQ(LayoutOf(map.get()).slots, kSmall | 2);
  EXPECT_EQ(LayoutOf(map.get()).data, reinterpret_cast<const char*>(map.get()) + 56);
  EXPECT_EQ(LayoutOf(map.get()).data_deleter, nullptr);
  map.Set(1, 1);
  map.Set(2, 2);
  EXPECT_EQ(LayoutOf(map.get()).slots, kSmall | 2);
  map.Set(3, 3);
  EXPECT_EQ(LayoutOf(map.get()).slots, kSmall | 4);
  map.Set(4, 4);
  EXPECT_EQ(LayoutOf(map.get()).slots, kSmall | 4);
  map.Set(5, 5);
  EXPECT_EQ(LayoutOf(map.get()).slots, 8u);
  EXPECT_EQ(LayoutOf(map.get()).fib_shift, 61u);
  EXPECT_NE(LayoutOf(map.get()).data_deleter, nullptr);
  map.Set(6, 6);
  map.Set(7, 7);
  EXPECT_EQ(LayoutOf(map.get()).slots, 8u);
  map.Set(8, 8);
  map.Set(9, 9);
  EXPECT_EQ(LayoutOf(map.get()).slots, 16u);
  EXPECT_EQ(LayoutOf(map.get()).fib_shift, 60u);
}

TEST(Map, RangeConstructionSizes) {
  auto slots_of = [](size_t n) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < n; ++i) pairs.emplace_back(static_cast<int64_t>(i), 0);
    return LayoutOf(Map<int64_t, int64_t>(pairs.begin(), pairs.end()).get()).slots;
  };
  EXPECT_EQ(slots_of(0), kSmall | 2);
  EXPECT_EQ(slots_of(1), kSmall | 2);
  EXPECT_EQ(slots_of(2), kSmall | 2);
  EXPECT_EQ(slots_of(3), kSmall | 3);
  EXPECT_EQ(slots_of(4), 8u);
  EXPECT_EQ(slots_of(5), 16u);
  EXPECT_EQ(slots_of(7), 16u);
  EXPECT_EQ(slots_of(8), 16u);
  EXPECT_EQ(slots_of(9), 32u);
  EXPECT_EQ(slots_of(100), 256u);
}

// The chain of a home slot, byte by byte. Keys with the same home are found by computing it.
TEST(Map, DenseChains) {
  auto home = [](int64_t key) { return (11400714819323198485ull * AnyHash()(Any(key))) >> 61; };
  std::vector<int64_t> same;
  for (int64_t key = 0; same.size() < 3; ++key) {
    if (home(key) == 2) same.push_back(key);
  }
  Map<int64_t, int64_t> map{{same[0], 0}, {same[1], 1}, {same[2], 2}, {same[0], 3}};
  ASSERT_EQ(LayoutOf(map.get()).slots, 8u);
  const uint8_t* meta = static_cast<const uint8_t*>(LayoutOf(map.get()).data);
  EXPECT_EQ(meta[2], 0x01);  // head, next element one slot on
  EXPECT_EQ(meta[3], 0x81);  // tail, next element one slot on
  EXPECT_EQ(meta[4], 0x80);  // last
  EXPECT_EQ(meta[0], 0xFF);
  EXPECT_EQ(meta[15], 0xFF);  // slots beyond the table stay empty
  EXPECT_EQ(LayoutOf(map.get()).head, 3u);
  EXPECT_EQ(LayoutOf(map.get()).tail, 2u);  // overwritten last
  map.erase(same[0]);                       // the last of the chain takes the slot of the head
  EXPECT_EQ(meta[2], 0x01);
  EXPECT_EQ(meta[3], 0x80);
  EXPECT_EQ(meta[4], 0xFF);
  EXPECT_EQ(map.at(same[1]), 1);
  EXPECT_EQ(map.at(same[2]), 2);
}

TEST(Map, OverwritingKeepsOrMovesThePosition) {
  Map<String, int64_t> map{{"a", 1}, {"b", 2}, {"c", 3}};
  map.Set("a", 10);
  EXPECT_EQ(Order(map), "a=10 b=2 c=3");
  map.Set("d", 4);
  EXPECT_EQ(Order(map), "a=10 b=2 c=3 d=4");
  map.Set("b", 20);  // a full small map turns dense
  EXPECT_EQ(Order(map), "a=10 c=3 d=4 b=20");
  const Map<String, int64_t> duplicates{{"a", 1}, {"b", 2}, {"c", 3}, {"a", 4}};
  EXPECT_EQ(Order(duplicates), "b=2 c=3 a=4");
}

TEST(Map, ClearKeepsTheLayout) {
  Map<String, int64_t> map;
  for (int i = 0; i < 6; ++i) map.Set("key" + std::to_string(i), i);
  map.clear();
  EXPECT_EQ(LayoutOf(map.get()).slots, 8u);
  EXPECT_TRUE(map.begin() == map.end());
  map.Set("x", 1);
  map.Set("y", 2);
  map.Set("x", 3);  // dense: moves to the end
  EXPECT_EQ(Order(map), "y=2 x=3");
}

TEST(Map, ValueSemantics) {
  Map<String, int64_t> first{{"a", 1}};
  Map<String, int64_t> second = first;
  EXPECT_TRUE(first.same_as(second));
  second.Set("b", 2);
  EXPECT_EQ(Order(first), "a=1");
  EXPECT_EQ(Order(second), "a=1 b=2");
  for (int i = 0; i < 50; ++i) second.Set("k" + std::to_string(i), i);
  Map<String, int64_t> third = second;
  third.erase("k7");
  third.erase("not there");
  EXPECT_EQ(second.size(), 52u);
  EXPECT_EQ(third.size(), 51u);
  EXPECT_EQ(second.at("k7"), 7);
  third.clear();
  EXPECT_EQ(second.size(), 52u);
}

TEST(Dict, IdentitySurvivesGrowth) {
  Dict<String, int64_t> dict;
  const Dict<String, int64_t> holder = dict;
  for (int i = 0; i < 200; ++i) {
    dict.Set("key" + std::to_string(i), i);
    ASSERT_TRUE(dict.same_as(holder));
    ASSERT_EQ(holder.size(), static_cast<size_t>(i + 1));
  }
  int64_t expected = 0;
  for (const auto& [key, value] : holder) {
    EXPECT_EQ(key, "key" + std::to_string(expected));
    EXPECT_EQ(value, expected++);
  }
}

TEST(Dict, TakenOverStorageStaysAlive) {
  Dict<String, int64_t> dict;
  for (int i = 0; i < 3; ++i) dict.Set("key" + std::to_string(i), i);
  // The pairs now lie in another object, held by the deleter.
  const Layout& layout = LayoutOf(dict.get());
  EXPECT_EQ(layout.slots, kSmall | 4);
  ASSERT_NE(layout.data_deleter, nullptr);
  const TVMFFIObject* holder =
      reinterpret_cast<const TVMFFIObject*>(static_cast<const char*>(layout.data) - 56);
  EXPECT_EQ(holder->type_index, kTVMFFIDict);
  EXPECT_EQ(holder->combined_ref_count & 0xffffffffu, 1u);
  EXPECT_EQ(Order(dict), "key0=0 key1=1 key2=2");
}

TEST(Map, KeysAreComparedByKindAndContent) {
  Map<Any, int64_t> map;
  map.Set(1, 1);
  map.Set(1.0, 2);
  map.Set(true, 3);
  map.Set("1", 4);
  map.Set(Bytes("1", 1), 5);
  map.Set(nullptr, 6);
  EXPECT_EQ(map.size(), 6u);
  EXPECT_EQ(map.at(1), 1);
  EXPECT_EQ(map.at(1.0), 2);
  EXPECT_EQ(map.at(true), 3);
  EXPECT_EQ(map.at(String(std::string("1"))), 4);  // heap form of a short string
  EXPECT_EQ(map.at(nullptr), 6);
  const Array<int64_t> object{1};
  map.Set(object, 7);
  EXPECT_EQ(map.at(object), 7);
  EXPECT_EQ(map.count(Array<int64_t>{1}), 0u);
}

TEST(Map, Errors) {
  const Map<String, int64_t> map{{"a", 1}};
  ExpectError("KeyError", "key is not in Map", [&] { map.at("b"); });
  ExpectError("KeyError", "key is not in Map", [&] { (void)map["b"]; });
  const Dict<String, int64_t> dict;
  ExpectError("KeyError", "key is not in Map", [&] { dict.at("b"); });
  EXPECT_EQ(map.Get("b"), std::nullopt);
  EXPECT_TRUE(map.find("b") == map.end());
  ExpectError("RuntimeError", "the iterator is at the end or the map changed during iteration",
              [&] { (void)*map.end(); });
}

TEST(Map, MovedFromReadsAsEmpty) {
  Map<String, int64_t> map{{"a", 1}};
  const Map<String, int64_t> taken = std::move(map);
  EXPECT_EQ(map.size(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(map.count("a"), 0u);
  EXPECT_TRUE(map.begin() == map.end());
  map.erase("a");
  ExpectError("KeyError", "key is not in Map", [&] { map.at("a"); });
  map.Set("b", 2);
  EXPECT_EQ(Order(map), "b=2");
  EXPECT_EQ(Order(taken), "a=1");
}

// Changing a dict inside a loop over it must not read freed memory; it ends or throws.
TEST(Dict, ChangeDuringIteration) {
  for (const int size : {2, 4, 6, 100}) {
    Dict<int64_t, int64_t> dict;
    for (int64_t i = 0; i < size; ++i) dict.Set(i, i);
    int visited = 0;
    try {
      for (const auto& [key, value] : dict) {
        if (++visited > 1000) break;
        dict.erase(key);
        dict.Set(1000 + key, value);
        if (visited % 3 == 0) dict.clear();
      }
    } catch (const Error& err) {
      EXPECT_EQ(err.kind(), "RuntimeError");
    }
    EXPECT_LE(visited, 1001);
  }
}

TEST(Dict, ValuesOfAnotherTypeAreNoticed) {
  Dict<Any, Any> anything{{"a", 1}};
  const Dict<String, int64_t> numbers = Any(anything).cast<Dict<String, int64_t>>();
  ASSERT_TRUE(numbers.same_as(anything));
  anything.Set("a", 1.5);
  const std::string text = "Cannot treat type `float` as type `int`";
  ExpectError("TypeError", text, [&] { numbers.at("a"); });
  ExpectError("TypeError", text, [&] { numbers.Get("a"); });
  ExpectError("TypeError", text, [&] { (void)*numbers.begin(); });
}

TEST(Map, FromStandardMaps) {
  const std::map<std::string, int64_t> ordered{{"b", 2}, {"a", 1}};
  EXPECT_EQ(Order(Map<String, int64_t>(ordered)), "a=1 b=2");
  const std::unordered_map<std::string, int64_t> hashed{{"x", 9}};
  const Map<String, int64_t> map = hashed;
  EXPECT_EQ(Order(map), "x=9");
  EXPECT_EQ(Order(Merge(map, Map<String, int64_t>{{"y", 1}, {"x", 3}})), "x=3 y=1");
}

TEST(Map, Conversions) {
  const Any strict = Map<Any, Any>{{"a", 1}};
  EXPECT_TRUE((strict.cast<Map<String, int64_t>>().same_as(strict.cast<ObjectRef>())));
  EXPECT_FALSE((strict.as<Dict<String, int64_t>>().has_value()));
  EXPECT_EQ(Order(strict.cast<Dict<String, int64_t>>()), "a=1");
  const Any converted = Dict<Any, Any>{{"a", true}};
  EXPECT_EQ(Order(converted.cast<Map<String, int64_t>>()), "a=1");
  const Map<Any, Any> widened = Map<String, int64_t>{{"a", 1}};
  EXPECT_EQ(widened.size(), 1u);
  ExpectError("TypeError",
              "Cannot convert from type `Map[some key is int, int]` to `Map<str, int>`",
              [] { Any(Map<Any, Any>{{1, 1}}).cast<Map<String, int64_t>>(); });
  ExpectError(
      "TypeError",
      "Cannot convert from type `Dict[str, some value is Array[index 0: float]]` to "
      "`Dict<str, Array<int>>`",
      [] { Any(Dict<Any, Any>{{"a", Array<double>{1.5}}}).cast<Dict<String, Array<int64_t>>>(); });
  EXPECT_EQ((TypeTraits<Map<String, Any>>::TypeSchema()),
            R"({"type":"ffi.Map","args":[{"type":"ffi.String"},{"type":"Any"}]})");
  EXPECT_EQ((TypeTraits<Dict<int, double>>::TypeSchema()),
            R"({"type":"ffi.Dict","args":[{"type":"int"},{"type":"float"}]})");
}

TEST(Map, ReferenceCounts) {
  const Array<int64_t> value{1};
  {
    Map<int64_t, ObjectRef> map;
    for (int64_t i = 0; i < 30; ++i) map.Set(i, value);
    EXPECT_EQ(value.use_count(), 31);
    Map<int64_t, ObjectRef> copy = map;
    copy.Set(100, value);
    EXPECT_EQ(value.use_count(), 62);
    for (int64_t i = 0; i < 10; ++i) copy.erase(i);
    EXPECT_EQ(value.use_count(), 52);
    copy.clear();
    EXPECT_EQ(value.use_count(), 31);
  }
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
