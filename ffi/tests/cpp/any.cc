// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;
using ffi::String;

class CounterObj : public ffi::Object {
 public:
  explicit CounterObj(int64_t v) : value(v) {}
  int64_t value;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.any.Counter", CounterObj, ffi::Object);
};

class Counter : public ffi::ObjectRef {
 public:
  explicit Counter(int64_t v) { data_ = ffi::make_object<CounterObj>(v); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Counter, ffi::ObjectRef, CounterObj);
};

TEST(Any, AssignmentFromItselfAndFromWithin) {
  using tvm::ffi::Array;
  using tvm::ffi::ArrayObj;
  Any value = Array<Any>{Array<Any>{1}};
  Any& same = value;
  value = same;
  EXPECT_EQ(value.cast<Array<Any>>().use_count(), 2u);
  value = std::move(same);
  ASSERT_EQ(value.cast<Array<Any>>().size(), 1u);
  // The source dies with what it replaces.
  const Any& inner = value.cast<const ArrayObj*>()->at(0);
  value = inner;
  EXPECT_EQ(value.cast<Array<Any>>()[0].cast<int>(), 1);
  EXPECT_EQ(value.cast<Array<Any>>().use_count(), 2u);
}

TEST(Any, HoldsNone) {
  Any value;
  EXPECT_EQ(value.type_index(), kTVMFFINone);
  EXPECT_TRUE(value == nullptr);
  EXPECT_EQ(value.GetTypeKey(), "None");
  EXPECT_TRUE(value.as<std::nullptr_t>().has_value());
  EXPECT_FALSE(value.as<int>().has_value());
  value = 1;
  EXPECT_TRUE(value != nullptr);
  value.reset();
  EXPECT_TRUE(value == nullptr);
}

TEST(Any, KeepsNumbersApart) {
  EXPECT_EQ(Any(1).type_index(), kTVMFFIInt);
  EXPECT_EQ(Any(true).type_index(), kTVMFFIBool);
  EXPECT_EQ(Any(1.0).type_index(), kTVMFFIFloat);
  EXPECT_EQ(Any(1).cast<double>(), 1.0);
  EXPECT_EQ(Any(true).cast<double>(), 1.0);
  EXPECT_EQ(Any(1).as<double>(), std::nullopt);
  EXPECT_EQ(Any(2.5f).cast<float>(), 2.5f);
  EXPECT_FALSE(Any(2.5).try_cast<int>().has_value());
}

TEST(Any, ErrorsNameBothTypes) {
  auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const ffi::Error& err) {
      return err.kind() + ": " + err.message();
    }
    return "";
  };
  EXPECT_EQ(message([] { Any(1.5).cast<int>(); }),
            "TypeError: Cannot convert from type `float` to `int`");
  EXPECT_EQ(message([] { Any(String("a")).cast<Counter>(); }),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `tests.any.Counter`");
  EXPECT_EQ(message([] { Any(1).as_or_throw<String>(); }),
            "TypeError: Cannot treat type `int` as type `str`");
  EXPECT_EQ(message([] { AnyView("abc").as_or_throw<String>(); }),
            "TypeError: Cannot treat type `const char*` as type `str`");
  EXPECT_EQ(message([] { ffi::ObjectRef().as_or_throw<Counter>(); }),
            "TypeError: Cannot treat type `None` as type `tests.any.Counter`");
}

TEST(Any, CountsReferences) {
  Counter counter(3);
  EXPECT_EQ(counter.use_count(), 1);
  {
    Any value = counter;
    EXPECT_EQ(counter.use_count(), 2);
    AnyView view = value;
    EXPECT_EQ(counter.use_count(), 2);
    Any copy = value;
    EXPECT_EQ(counter.use_count(), 3);
    Any moved = std::move(copy);
    EXPECT_EQ(counter.use_count(), 3);
    EXPECT_TRUE(copy == nullptr);  // NOLINT(bugprone-use-after-move)
    Any owned = view;
    EXPECT_EQ(counter.use_count(), 4);
    Any& itself = owned;
    owned = itself;
    EXPECT_EQ(counter.use_count(), 4);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(Any, MovesOutOfAnRvalue) {
  Any value = Counter(5);
  Counter counter = std::move(value).cast<Counter>();
  EXPECT_EQ(counter.use_count(), 1);
  EXPECT_TRUE(value == nullptr);  // NOLINT(bugprone-use-after-move)
  value = counter;
  EXPECT_FALSE(std::move(value).as<String>().has_value());
  EXPECT_EQ(counter.use_count(), 2);  // a failed extraction moves nothing
  std::optional<Counter> taken = std::move(value).as<Counter>();
  EXPECT_EQ(counter.use_count(), 2);
  EXPECT_EQ(taken->get()->value, 5);
}

TEST(Any, GivesObjectPointers) {
  Any value = Counter(7);
  const CounterObj* ptr = value.as<CounterObj>();
  ASSERT_NE(ptr, nullptr);
  EXPECT_EQ(ptr->value, 7);
  EXPECT_EQ(value.as<ffi::ErrorObj>(), nullptr);
  EXPECT_EQ(Any(1).as<CounterObj>(), nullptr);
  EXPECT_EQ(value.cast<CounterObj*>(), ptr);
  EXPECT_EQ(value.cast<const ffi::Object*>(), ptr);
  Any again = value.cast<CounterObj*>();
  EXPECT_EQ(ptr->use_count(), 2u);
}

TEST(Any, TakesOwnershipOfViews) {
  std::string buffer = "a longer text than seven";
  AnyView view = buffer.c_str();
  EXPECT_EQ(view.type_index(), kTVMFFIRawStr);
  Any owned = view;
  buffer[0] = 'X';
  EXPECT_EQ(owned.type_index(), kTVMFFIStr);
  EXPECT_EQ(owned.cast<String>(), "a longer text than seven");

  TVMFFIByteArray bytes = {"ab\0cd", 5};
  TVMFFIByteArray* pointer = &bytes;
  owned = AnyView(pointer);
  EXPECT_EQ(owned.type_index(), kTVMFFISmallBytes);
  EXPECT_EQ(owned.cast<ffi::Bytes>(), ffi::Bytes("ab\0cd", 5));
}

TEST(Any, SameAs) {
  Counter counter(1);
  EXPECT_TRUE(Any(counter).same_as(Any(counter)));
  EXPECT_TRUE(Any(counter).same_as(counter));
  EXPECT_FALSE(Any(counter).same_as(Counter(1)));
  EXPECT_TRUE(Any().same_as(ffi::ObjectRef()));
  EXPECT_FALSE(Any(0).same_as(ffi::ObjectRef()));
  EXPECT_FALSE(Any(1).same_as(Any(1.0)));
  EXPECT_TRUE(Any("abc").same_as(Any("abc")));
}

TEST(Any, AsAnyIsItself) {
  Any value = 3;
  EXPECT_EQ(value.as<Any>()->cast<int>(), 3);
  EXPECT_EQ(value.cast<Any>().cast<int>(), 3);
  EXPECT_EQ(value.try_cast<Any>()->cast<int>(), 3);
  EXPECT_EQ(AnyView(value).cast<Any>().cast<int>(), 3);
}

TEST(AnyHash, TextByContentTheRestByBits) {
  ffi::AnyEqual equal;
  ffi::AnyHash hash;
  const Any small = String("abc");
  const Any heap = String(std::string("abc"));
  EXPECT_NE(small.type_index(), heap.type_index());
  EXPECT_TRUE(equal(small, heap));
  EXPECT_TRUE(equal(heap, small));
  EXPECT_EQ(hash(small), hash(heap));
  EXPECT_FALSE(equal(small, Any(ffi::Bytes("abc", 3))));
  EXPECT_FALSE(equal(heap, Any(ffi::Bytes(std::string("abc")))));
  EXPECT_FALSE(equal(Any(1), Any(1.0)));
  EXPECT_FALSE(equal(Any(1), Any(true)));
  EXPECT_FALSE(equal(Any(0), Any()));
  EXPECT_TRUE(equal(Any(std::nan("")), Any(std::nan(""))));
  Counter counter(1);
  EXPECT_TRUE(equal(Any(counter), Any(counter)));
  EXPECT_FALSE(equal(Any(counter), Any(Counter(1))));

  std::unordered_map<Any, int, ffi::AnyHash, ffi::AnyEqual> map;
  map[small] = 1;
  map[heap] = 2;
  map[Any(1)] = 3;
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map[String("abc")], 2);
}

TEST(AnyView, IsATriviallyCopiedValue) {
  AnyView view = 5;
  AnyView copy = view;
  view = "text";
  EXPECT_EQ(copy.cast<int>(), 5);
  EXPECT_STREQ(view.cast<const char*>(), "text");
  TVMFFIAny raw = copy.CopyToTVMFFIAny();
  EXPECT_EQ(raw.v_int64, 5);
  EXPECT_EQ(AnyView::CopyFromTVMFFIAny(raw).cast<int>(), 5);
  view.reset();
  EXPECT_TRUE(view == nullptr);
}

TEST(AnyView, VoidPointersAcceptNone) {
  int target = 0;
  EXPECT_EQ(Any(static_cast<void*>(&target)).cast<void*>(), &target);
  EXPECT_EQ(Any().cast<void*>(), nullptr);
  EXPECT_FALSE(Any().as<void*>().has_value());
}

}  // namespace
