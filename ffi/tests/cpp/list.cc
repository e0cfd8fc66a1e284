// SPDX-License-Identifier: Apache-2.0
// List: shared mutation, growth in place, behaviour while elements die.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <random>
#include <vector>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;

std::vector<int64_t> ToVector(const List<int64_t>& list) {
  return std::vector<int64_t>(list.begin(), list.end());
}

TEST(List, MutationIsSeenByAllHolders) {
  List<int64_t> first{1, 2};
  List<int64_t> second = first;
  second.push_back(3);
  first.Set(0, 10);
  EXPECT_TRUE(first.same_as(second));
  EXPECT_EQ(ToVector(first), (std::vector<int64_t>{10, 2, 3}));
  for (int64_t i = 0; i < 100; ++i) first.push_back(i);
  EXPECT_TRUE(first.same_as(second));
  EXPECT_EQ(second.size(), 103u);
}

TEST(List, CapacityRules) {
  List<int64_t> list;
  EXPECT_EQ(list.capacity(), 0u);
  list.push_back(1);
  EXPECT_EQ(list.capacity(), 1u);
  list.push_back(2);
  list.push_back(3);
  EXPECT_EQ(list.capacity(), 4u);
  list.reserve(9);
  EXPECT_EQ(list.capacity(), 9u);
  list.reserve(2);
  EXPECT_EQ(list.capacity(), 9u);
  const List<int64_t> taken = std::move(list);
  list.push_back(1);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(list.capacity(), 4u);
}

// Code compiled elsewhere grows a list by handing the old block to the present deleter and leaving
// that deleter in place for a block of its own from `operator new`.
TEST(List, SurvivesGrowthByForeignCode) {
  for (const bool filled : {false, true}) {
    List<Any> list;
    if (filled) list.push_back("a string that is on the heap");
    TVMFFISeqCell* cell =
        reinterpret_cast<TVMFFISeqCell*>(reinterpret_cast<char*>(list.GetListObj()) + 24);
    ASSERT_NE(cell->data_deleter, nullptr);
    void* block = ::operator new(16 * 8);
    if (cell->size != 0) std::memcpy(block, cell->data, static_cast<size_t>(cell->size) * 16);
    cell->data_deleter(cell->data);
    cell->data = block;
    cell->capacity = 8;
    for (int i = 0; i < 20; ++i) list.push_back(i);
    EXPECT_EQ(list.size(), filled ? 21u : 20u);
    EXPECT_EQ(list.back().cast<int>(), 19);
  }
}

TEST(List, RandomOperationsMatchVector) {
  std::mt19937 random(7);
  const List<int64_t> holder;
  List<int64_t> list = holder;
  std::vector<int64_t> model;
  for (int step = 0; step < 4000; ++step) {
    const int64_t value = static_cast<int64_t>(random() % 1000);
    const size_t position = random() % (model.size() + 1);
    switch (random() % 8) {
      case 0:
      case 1:
        list.push_back(value);
        model.push_back(value);
        break;
      case 2:
        list.insert(list.begin() + static_cast<int64_t>(position), value);
        model.insert(model.begin() + static_cast<int64_t>(position), value);
        break;
      case 3: {
        // A range of the list itself.
        const std::vector<int64_t> copy(model.begin(),
                                        model.begin() + static_cast<int64_t>(position));
        if (model.size() < 300) {
          list.insert(list.begin() + static_cast<int64_t>(position), list.begin(),
                      list.begin() + static_cast<int64_t>(position));
          model.insert(model.begin() + static_cast<int64_t>(position), copy.begin(), copy.end());
        }
        break;
      }
      case 4:
        if (position < model.size()) {
          list.erase(list.begin() + static_cast<int64_t>(position));
          model.erase(model.begin() + static_cast<int64_t>(position));
        }
        break;
      case 5: {
        const size_t last = position + random() % (model.size() - position + 1);
        list.erase(list.begin() + static_cast<int64_t>(position),
                   list.begin() + static_cast<int64_t>(last));
        model.erase(model.begin() + static_cast<int64_t>(position),
                    model.begin() + static_cast<int64_t>(last));
        break;
      }
      case 6:
        list.GetListObj()->Reverse();
        std::reverse(model.begin(), model.end());
        break;
      default:
        if (position < model.size()) {
          list.Set(static_cast<int64_t>(position), value);
          model[position] = value;
        }
    }
    ASSERT_EQ(ToVector(holder), model) << "step " << step;
  }
}

TEST(List, Errors) {
  List<int64_t> list{1, 2};
  ExpectError("IndexError", "Index 2 out of bounds 2", [&] { (void)list[2]; });
  ExpectError("IndexError", "Index 4 out of bounds [0, 2]",
              [&] { list.insert(list.begin() + 4, 0); });
  ExpectError("IndexError", "Erase range [2, 1) out of bounds 2",
              [&] { list.erase(list.begin() + 2, list.begin() + 1); });
  ExpectError("ValueError", "cannot resize a List to negative size", [&] { list.resize(-1); });
  ExpectError("ValueError", "cannot construct a List of negative size",
              [] { List<int64_t> broken(-1, 0); });
  const List<int64_t> taken = std::move(list);
  ExpectError("IndexError", "cannot index a null list",
              [&] { (void)list[0]; });  // NOLINT(bugprone-use-after-move)
  ExpectError("RuntimeError", "cannot insert to a null list",
              [&] { list.insert(list.begin(), 1); });
  ExpectError("RuntimeError", "cannot pop_back a null list", [&] { list.pop_back(); });
  ExpectError("RuntimeError", "cannot erase a null list", [&] { list.erase(list.begin()); });
}

// An element whose destructor runs `on_death`.
class WatchedObj : public Object {
 public:
  explicit WatchedObj(std::function<void()> f) : on_death(std::move(f)) {}
  ~WatchedObj() { on_death(); }
  std::function<void()> on_death;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.list.Watched", WatchedObj, Object);
};

TEST(List, ElementsThatDieMayUseTheList) {
  List<Any> list;
  auto watched = [&] {
    return Any(ObjectRef(make_object<WatchedObj>([&list] {
      // Reads and changes the list that is just dropping this element.
      if (!list.empty()) list.Set(0, int64_t{1});
      list.push_back(int64_t{7});
    })));
  };
  for (int i = 0; i < 4; ++i) list.push_back(watched());
  list.erase(list.begin() + 1);
  // The erased element overwrote element 0, which died as well: each of the two appended a 7.
  EXPECT_EQ(list.size(), 5u);
  list.Set(1, int64_t{2});
  EXPECT_EQ(list.size(), 6u);
  list.pop_back();
  list.resize(1);  // the last watched element appends while it is dropped
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].cast<int64_t>(), 1);
  EXPECT_EQ(list[1].cast<int64_t>(), 2);
  list.clear();
  EXPECT_EQ(list.size(), 0u);
}

TEST(List, ConversionsFromAny) {
  const List<Any> list{1, 2};
  EXPECT_TRUE(Any(list).cast<List<int64_t>>().same_as(list));
  EXPECT_EQ(ToVector(Any(Array<Any>{1, true}).cast<List<int64_t>>()), (std::vector<int64_t>{1, 1}));
  ExpectError("TypeError", "Cannot convert from type `List[index 1: ffi.SmallStr]` to `List<int>`",
              [] { Any(Array<Any>{1, "x"}).cast<List<int64_t>>(); });
  EXPECT_EQ(TypeTraits<List<Any>>::TypeStr(), "List<Any>");
  EXPECT_EQ(TypeTraits<List<Any>>::TypeSchema(), R"({"type":"ffi.List","args":[{"type":"Any"}]})");
}

// Another holder may put in anything; what is read is what the type says, or an error.
TEST(List, ElementsOfAnotherTypeAreNoticed) {
  const List<Any> anything{1, 2};
  const List<int64_t> numbers = Any(anything).cast<List<int64_t>>();
  ASSERT_TRUE(numbers.same_as(anything));
  List<Any>(anything).Set(1, "text");
  EXPECT_EQ(numbers[0], 1);
  ExpectError("TypeError", "Cannot treat type `ffi.SmallStr` as type `int`",
              [&] { (void)numbers[1]; });
  ExpectError("TypeError", "Cannot treat type `ffi.SmallStr` as type `int`", [&] {
    for (int64_t number : numbers) (void)number;
  });
  const List<Array<int64_t>> arrays = Any(List<Any>{Array<Any>{1}}).cast<List<Array<int64_t>>>();
  Any(arrays).cast<List<Any>>().Set(0, 5);
  ExpectError("TypeError", "Cannot treat type `int` as type `Array<int>`",
              [&] { (void)arrays.front(); });
}

TEST(List, AssignFromItself) {
  List<int64_t> list{1, 2, 3, 4};
  list.Assign(list.begin() + 1, list.begin() + 3);
  EXPECT_EQ(ToVector(list), (std::vector<int64_t>{2, 3}));
}

}  // namespace
