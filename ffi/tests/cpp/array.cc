// SPDX-License-Identifier: Apache-2.0
// Array: value semantics, conversions, element access, errors.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;

std::vector<int64_t> ToVector(const Array<int64_t>& array) {
  return std::vector<int64_t>(array.begin(), array.end());
}

TEST(Array, ConstructionForms) {
  EXPECT_EQ(Array<int64_t>().size(), 0u);
  EXPECT_EQ(Array<int64_t>().capacity(), 4u);
  EXPECT_EQ(ToVector({3, 1, 4}), (std::vector<int64_t>{3, 1, 4}));
  const std::vector<int64_t> values{2, 7, 1};
  EXPECT_EQ(ToVector(Array<int64_t>(values)), values);
  EXPECT_EQ(ToVector(Array<int64_t>(values.begin() + 1, values.end())),
            (std::vector<int64_t>{7, 1}));
  EXPECT_EQ(ToVector(Array<int64_t>(3, 9)), (std::vector<int64_t>{9, 9, 9}));
  EXPECT_EQ((Array<int64_t>{3, 9}).size(), 2u);
  ExpectError("ValueError", "cannot construct an Array of negative size",
              [] { Array<int64_t> broken(-1, 0); });
}

TEST(Array, ElementsLieBehindTheObject) {
  const Array<int64_t> array{10, 20};
  const char* object = reinterpret_cast<const char*>(array.GetArrayObj());
  EXPECT_EQ(static_cast<const void*>(array.GetArrayObj()->begin()), object + 56);
  const TVMFFISeqCell* cell = reinterpret_cast<const TVMFFISeqCell*>(object + 24);
  EXPECT_EQ(cell->data, object + 56);
  EXPECT_EQ(cell->size, 2);
  EXPECT_EQ(cell->capacity, 2);
  EXPECT_EQ(cell->data_deleter, nullptr);
}

TEST(Array, CopyOnWrite) {
  Array<int64_t> first{1, 2, 3};
  Array<int64_t> second = first;
  EXPECT_TRUE(first.same_as(second));
  second.Set(1, 20);
  EXPECT_FALSE(first.same_as(second));
  EXPECT_EQ(ToVector(first), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(ToVector(second), (std::vector<int64_t>{1, 20, 3}));

  const void* before = second.get();
  second.Set(0, 10);  // the only owner changes in place
  EXPECT_EQ(second.get(), before);
}

TEST(Array, GrowthMovesElementsOfAUniqueArray) {
  Array<ObjectRef> array;
  const Array<int64_t> element{7};
  array.push_back(element);
  for (int i = 0; i < 100; ++i) array.push_back(Array<int64_t>{i});
  EXPECT_EQ(element.use_count(), 2);
  EXPECT_EQ(array.size(), 101u);
  EXPECT_EQ(array.capacity(), 128u);
  EXPECT_TRUE(array[0].same_as(element));
}

TEST(Array, RandomOperationsMatchVector) {
  std::mt19937 random(20240817);
  Array<int64_t> array;
  std::vector<int64_t> model;
  std::vector<std::pair<Array<int64_t>, std::vector<int64_t>>> snapshots;
  for (int step = 0; step < 4000; ++step) {
    const int64_t value = static_cast<int64_t>(random() % 1000);
    const size_t position = random() % (model.size() + 1);
    switch (random() % 9) {
      case 0:
      case 1:
        array.push_back(value);
        model.push_back(value);
        break;
      case 2:
        array.insert(array.begin() + static_cast<int64_t>(position), value);
        model.insert(model.begin() + static_cast<int64_t>(position), value);
        break;
      case 3: {
        const std::vector<int64_t> run{value, value + 1, value + 2};
        array.insert(array.begin() + static_cast<int64_t>(position), run.begin(), run.end());
        model.insert(model.begin() + static_cast<int64_t>(position), run.begin(), run.end());
        break;
      }
      case 4:
        if (position < model.size()) {
          array.erase(array.begin() + static_cast<int64_t>(position));
          model.erase(model.begin() + static_cast<int64_t>(position));
        }
        break;
      case 5: {
        const size_t last = position + random() % (model.size() - position + 1);
        array.erase(array.begin() + static_cast<int64_t>(position),
                    array.begin() + static_cast<int64_t>(last));
        model.erase(model.begin() + static_cast<int64_t>(position),
                    model.begin() + static_cast<int64_t>(last));
        break;
      }
      case 6:
        if (!model.empty()) {
          array.pop_back();
          model.pop_back();
        }
        break;
      case 7:
        if (position < model.size()) {
          array.Set(static_cast<int64_t>(position), value);
          model[position] = value;
        }
        break;
      default:
        if (snapshots.size() < 50) snapshots.emplace_back(array, model);
    }
    ASSERT_EQ(ToVector(array), model) << "step " << step;
  }
  // Shared copies never saw a later change.
  for (const auto& [shared, content] : snapshots) EXPECT_EQ(ToVector(shared), content);
}

TEST(Array, AccessErrors) {
  Array<int64_t> array{1, 2};
  ExpectError("IndexError", "Index 2 out of bounds 2", [&] { (void)array[2]; });
  ExpectError("IndexError", "Index -1 out of bounds 2", [&] { (void)array[-1]; });
  ExpectError("IndexError", "Index 5 out of bounds 2", [&] { array.Set(5, 0); });
  ExpectError("IndexError", "Index 3 out of bounds [0, 2]",
              [&] { array.insert(array.begin() + 3, 0); });
  ExpectError("IndexError", "Erase range [1, 3) out of bounds 2",
              [&] { array.erase(array.begin() + 1, array.begin() + 3); });
  ExpectError("ValueError", "cannot resize an Array to negative size", [&] { array.resize(-1); });
  Array<int64_t> empty;
  ExpectError("IndexError", "front() on empty sequence", [&] { (void)empty.front(); });
  ExpectError("IndexError", "back() on empty sequence", [&] { (void)empty.back(); });
  ExpectError("IndexError", "pop_back on empty sequence", [&] { empty.pop_back(); });
  EXPECT_EQ(ToVector(array), (std::vector<int64_t>{1, 2}));
}

TEST(Array, MovedFromReadsAsEmpty) {
  Array<int64_t> array{1, 2};
  const Array<int64_t> taken = std::move(array);
  EXPECT_EQ(array.size(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(array.begin() == array.end());
  ExpectError("IndexError", "cannot index a null array", [&] { (void)array[0]; });
  ExpectError("RuntimeError", "cannot insert a null array",
              [&] { array.insert(array.begin(), 1); });
  ExpectError("RuntimeError", "cannot pop_back a null array", [&] { array.pop_back(); });
  ExpectError("RuntimeError", "cannot erase a null array", [&] { array.erase(array.begin()); });
  array.push_back(5);
  EXPECT_EQ(ToVector(array), (std::vector<int64_t>{5}));
  EXPECT_EQ(taken.size(), 2u);
}

TEST(Array, IteratorsAreRandomAccess) {
  const Array<int64_t> array{5, 6, 7, 8};
  EXPECT_EQ(*(array.begin() + 2), 7);
  EXPECT_EQ(array.end() - array.begin(), 4);
  EXPECT_TRUE(array.begin() < array.end());
  EXPECT_EQ(std::accumulate(array.begin(), array.end(), int64_t{0}), 26);
  EXPECT_EQ(std::vector<int64_t>(array.rbegin(), array.rend()), (std::vector<int64_t>{8, 7, 6, 5}));
}

TEST(Array, MapSharesWhenNothingChanges) {
  const Array<String> array{"a long enough string", "b", "c"};
  EXPECT_TRUE(array.Map([](const String& s) { return s; }).same_as(array));
  const Array<String> changed =
      array.Map([](const String& s) { return s == "c" ? String("C") : s; });
  EXPECT_FALSE(changed.same_as(array));
  EXPECT_EQ(changed[0], "a long enough string");
  EXPECT_EQ(changed[2], "C");
  const Array<int64_t> sizes =
      array.Map([](const String& s) { return static_cast<int64_t>(s.size()); });
  EXPECT_EQ(ToVector(sizes), (std::vector<int64_t>{20, 1, 1}));
}

TEST(Array, MutateByApplyGivesTheOnlyReference) {
  Array<Array<int64_t>> array;
  for (int64_t i = 0; i < 3; ++i) array.push_back(Array<int64_t>{i});
  const void* object = array.get();
  array.MutateByApply([](Array<int64_t> element) {
    EXPECT_TRUE(element.unique());
    element.push_back(100);
    return element;
  });
  EXPECT_EQ(array.get(), object);
  EXPECT_EQ(ToVector(array[2]), (std::vector<int64_t>{2, 100}));

  const Array<Array<int64_t>> other = array;
  array.MutateByApply([](Array<int64_t>) { return Array<int64_t>{}; });
  EXPECT_EQ(ToVector(other[2]), (std::vector<int64_t>{2, 100}));
  EXPECT_EQ(array[2].size(), 0u);
}

TEST(Array, MutateByApplyThatThrowsLeavesElementsOfTheType) {
  Array<Array<int64_t>> array{Array<int64_t>{1}, Array<int64_t>{2}, Array<int64_t>{3}};
  int calls = 0;
  EXPECT_THROW(array.MutateByApply([&](Array<int64_t> element) {
    if (++calls == 2) throw std::runtime_error("stop");
    return element;
  }),
               std::runtime_error);
  ASSERT_EQ(array.size(), 2u);
  EXPECT_EQ(array[0][0], 1);
  EXPECT_EQ(array[1][0], 3);
}

TEST(Array, AgregateAndConcat) {
  const Array<int64_t> tail{3, 4};
  EXPECT_EQ(ToVector(Array<int64_t>::Agregate(1, 2, tail)), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(ToVector(Concat(tail, tail)), (std::vector<int64_t>{3, 4, 3, 4}));
  EXPECT_EQ(tail.size(), 2u);
}

TEST(Array, ConvertsFromNarrowerElements) {
  const Array<String> strings{"x", "y"};
  const Array<Any> values = strings;
  EXPECT_TRUE(values.same_as(strings));
  const Array<Array<Any>> nested = Array<Array<String>>{strings};
  EXPECT_TRUE(nested[0].same_as(strings));
}

TEST(Array, StrictAndConvertingAccessFromAny) {
  const Any ints = Array<Any>{1, 2, 3};
  EXPECT_TRUE(ints.as<Array<int64_t>>().has_value());
  EXPECT_TRUE(ints.cast<Array<int64_t>>().same_as(ints.cast<ObjectRef>()));

  const Any mixed = Array<Any>{1, true, 3};
  EXPECT_FALSE(mixed.as<Array<int64_t>>().has_value());
  const Array<int64_t> converted = mixed.cast<Array<int64_t>>();
  EXPECT_EQ(ToVector(converted), (std::vector<int64_t>{1, 1, 3}));
  EXPECT_FALSE(converted.same_as(mixed.cast<ObjectRef>()));

  const Any list = List<int64_t>{4, 5};
  EXPECT_FALSE(list.as<Array<int64_t>>().has_value());
  EXPECT_EQ(ToVector(list.cast<Array<int64_t>>()), (std::vector<int64_t>{4, 5}));
}

TEST(Array, ConversionErrorsNameTheElement) {
  ExpectError("TypeError",
              "Cannot convert from type `Array[index 1: ffi.SmallStr]` to `Array<int>`",
              [] { Any(Array<Any>{1, "x"}).cast<Array<int64_t>>(); });
  ExpectError(
      "TypeError",
      "Cannot convert from type `Array[index 0: Array[index 1: float]]` to `Array<Array<int>>`",
      [] { Any(Array<Any>{Array<Any>{1, 2.5}}).cast<Array<Array<int64_t>>>(); });
  ExpectError("TypeError", "Cannot convert from type `ffi.SmallStr` to `Array<int>`",
              [] { Any("x").cast<Array<int64_t>>(); });
  ExpectError("TypeError",
              "Cannot convert from type `Array[index 0: int 300 outside [-128, 127]]` to "
              "`Array<int>`",
              [] { Any(Array<Any>{300}).cast<Array<int8_t>>(); });
}

TEST(Array, Schema) {
  EXPECT_EQ(TypeTraits<Array<Array<String>>>::TypeStr(), "Array<Array<str>>");
  EXPECT_EQ(TypeTraits<Array<Optional<int>>>::TypeSchema(),
            R"({"type":"ffi.Array","args":[{"type":"Optional","args":[{"type":"int"}]}]})");
}

TEST(Array, MakeObjectGivesAnEmptyArray) {
  ObjectPtr<ArrayObj> object = make_object<ArrayObj>();
  EXPECT_EQ(object->size(), 0u);
  EXPECT_EQ(object->capacity(), 4u);
  EXPECT_NE(object->begin(), nullptr);
}

}  // namespace
