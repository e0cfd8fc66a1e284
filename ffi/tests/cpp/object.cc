// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

namespace ffi = tvm::ffi;
using ffi::ObjectPtr;
using ffi::ObjectRef;

int alive = 0;

class ShapeBaseObj : public ffi::Object {
 public:
  ShapeBaseObj() { ++alive; }
  ~ShapeBaseObj() { --alive; }
  static constexpr uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("tests.object.ShapeBase", ShapeBaseObj, ffi::Object);
};

class CircleObj : public ShapeBaseObj {
 public:
  explicit CircleObj(int64_t r = 1) : radius(r) {}
  int64_t radius;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.object.Circle", CircleObj, ShapeBaseObj);
};

class SquareObj : public ShapeBaseObj {
 public:
  static constexpr uint32_t _type_child_slots = 0;
  TVM_FFI_DECLARE_OBJECT_INFO("tests.object.Square", SquareObj, ShapeBaseObj);
};

// One more than the parent has slots for.
class TriangleObj : public ShapeBaseObj {
 public:
  static constexpr uint32_t _type_child_slots = 0;
  TVM_FFI_DECLARE_OBJECT_INFO("tests.object.Triangle", TriangleObj, ShapeBaseObj);
};

class UnrelatedObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("tests.object.Unrelated", UnrelatedObj, ffi::Object);
};

class ShapeBase : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(ShapeBase, ObjectRef, ShapeBaseObj);
};
class Circle : public ShapeBase {
 public:
  explicit Circle(int64_t radius) : ShapeBase(ffi::UnsafeInit{}) {
    data_ = ffi::make_object<CircleObj>(radius);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Circle, ShapeBase, CircleObj);
};

class ThrowingObj : public ffi::Object {
 public:
  ThrowingObj() { throw std::runtime_error("no"); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.object.Throwing", ThrowingObj, ffi::Object);
};

// A list that is destroyed from its head.
class ChainObj : public ffi::Object {
 public:
  ~ChainObj() { --alive; }
  ChainObj() { ++alive; }
  ObjectPtr<ChainObj> next;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.object.Chain", ChainObj, ffi::Object);
};

// Mutually referring types: each holds a pointer to a class that is only declared.
class LeftObj;
class RightObj;
class LeftObj : public ffi::Object {
 public:
  ffi::Optional<ObjectPtr<RightObj>> right;
  ffi::Optional<ffi::Arc<RightObj>> sure;
  static_assert(ffi::detail::storage_enabled_v<ObjectPtr<RightObj>>);
  static_assert(ffi::detail::storage_enabled_v<ffi::Arc<RightObj>>);
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.object.Left", LeftObj, ffi::Object);
};
class RightObj : public ffi::Object {
 public:
  ObjectPtr<LeftObj> left;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.object.Right", RightObj, ffi::Object);
};
static_assert(!ffi::TypeTraits<ObjectPtr<int>>::convert_enabled);
static_assert(!ffi::TypeTraits<ffi::Arc<int>>::convert_enabled);

TEST(Object, CountsReferences) {
  ObjectPtr<CircleObj> a = ffi::make_object<CircleObj>(2);
  EXPECT_EQ(a.use_count(), 1);
  EXPECT_TRUE(a.unique());
  ObjectPtr<ShapeBaseObj> base = a;
  EXPECT_EQ(a.use_count(), 2);
  EXPECT_FALSE(a.unique());
  ObjectPtr<ffi::Object> moved = std::move(base);
  EXPECT_TRUE(base == nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(a->use_count(), 2u);
  moved.reset();
  EXPECT_EQ(a.use_count(), 1);
  EXPECT_EQ(alive, 1);
  a = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(Object, SubtypesBySlotAndByAncestor) {
  ObjectPtr<ffi::Object> circle = ffi::make_object<CircleObj>();
  ObjectPtr<ffi::Object> square = ffi::make_object<SquareObj>();
  ObjectPtr<ffi::Object> triangle = ffi::make_object<TriangleObj>();
  ObjectPtr<ffi::Object> unrelated = ffi::make_object<UnrelatedObj>();
  for (const auto& shape : {circle, square, triangle}) {
    EXPECT_TRUE(shape->IsInstance<ShapeBaseObj>());
    EXPECT_TRUE(shape->IsInstance<ffi::Object>());
    EXPECT_FALSE(shape->IsInstance<UnrelatedObj>());
  }
  EXPECT_FALSE(unrelated->IsInstance<ShapeBaseObj>());
  EXPECT_TRUE(circle->IsInstance<CircleObj>());
  EXPECT_FALSE(circle->IsInstance<SquareObj>());
  EXPECT_FALSE(square->IsInstance<TriangleObj>());
  // The slots follow the parent; what does not fit goes elsewhere.
  const int32_t base = ShapeBaseObj::RuntimeTypeIndex();
  EXPECT_EQ(CircleObj::RuntimeTypeIndex(), base + 1);
  EXPECT_EQ(SquareObj::RuntimeTypeIndex(), base + 2);
  EXPECT_GT(TriangleObj::RuntimeTypeIndex(), base + 2);
  EXPECT_EQ(CircleObj::_type_depth, 2);
  EXPECT_EQ(circle->GetTypeKey(), "tests.object.Circle");
  EXPECT_EQ(ffi::Object::TypeIndex2Key(base), "tests.object.ShapeBase");

  EXPECT_TRUE(ffi::detail::RuntimeTypeIndexMatch(triangle->type_index(), base));
  EXPECT_FALSE(ffi::detail::RuntimeTypeIndexMatch(unrelated->type_index(), base));
  EXPECT_TRUE(ffi::detail::RuntimeTypeIndexMatch(kTVMFFISmallStr, kTVMFFIStr));
  EXPECT_FALSE(ffi::detail::RuntimeTypeIndexMatch(kTVMFFIInt, kTVMFFIObject));
  EXPECT_TRUE(ffi::detail::RuntimeTypeIndexMatch(kTVMFFIInt, kTVMFFIAny));
}

TEST(Object, RefsAndCasts) {
  ShapeBase base = Circle(4);
  EXPECT_EQ(base.as<CircleObj>()->radius, 4);
  EXPECT_EQ(base.as<SquareObj>(), nullptr);
  std::optional<Circle> circle = base.as<Circle>();
  ASSERT_TRUE(circle.has_value());
  EXPECT_EQ(base.use_count(), 2);
  (*circle)->radius = 5;
  EXPECT_EQ(base.as<CircleObj>()->radius, 5);
  circle.reset();
  circle = std::move(base).as<Circle>();
  EXPECT_EQ(circle->use_count(), 1);
  EXPECT_FALSE(base.defined());  // NOLINT(bugprone-use-after-move)
  // A null source is a null ShapeBase but no Circle.
  EXPECT_TRUE(ObjectRef().as<ShapeBase>().has_value());
  EXPECT_FALSE(ObjectRef().as<Circle>().has_value());
  EXPECT_EQ(ObjectRef().GetTypeKey(), "None");
  EXPECT_TRUE(circle->same_as(*circle));
  EXPECT_FALSE(circle->same_as(Circle(5)));
}

TEST(Object, GetRefChecksForNull) {
  const CircleObj* null = nullptr;
  EXPECT_FALSE(ffi::GetRef<ShapeBase>(null).defined());
  EXPECT_FALSE(ffi::GetRef<ffi::Optional<Circle>>(null).has_value());
  try {
    ffi::GetRef<Circle>(null);
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.kind(), "InternalError");
    EXPECT_EQ(err.message(), "Check not null: ptr ");
  }
  Circle circle(1);
  EXPECT_TRUE(ffi::GetRef<Circle>(circle.get()).same_as(circle));
  EXPECT_EQ(ffi::GetObjectPtr<ffi::Object>(circle.get()).use_count(), 2);
}

TEST(Object, WeakPointers) {
  ffi::WeakObjectPtr<CircleObj> weak;
  EXPECT_TRUE(weak.expired());
  {
    ObjectPtr<CircleObj> strong = ffi::make_object<CircleObj>(9);
    weak = strong;
    EXPECT_FALSE(strong.unique());  // a weak reference counts against it
    EXPECT_EQ(weak.use_count(), 1);
    EXPECT_EQ(weak.lock()->radius, 9);
    ffi::WeakObjectPtr<ffi::Object> base = weak;
    EXPECT_EQ(base.lock().use_count(), 2);
  }
  EXPECT_EQ(alive, 0);  // destroyed, though its memory is still held
  EXPECT_TRUE(weak.expired());
  EXPECT_TRUE(weak.lock() == nullptr);
}

TEST(Object, ArcIsNeverNull) {
  ffi::Arc<CircleObj> arc = ffi::make_arc<CircleObj>(3);
  ffi::Arc<ShapeBaseObj> base = arc;
  ObjectPtr<CircleObj> ptr = arc;
  EXPECT_EQ(ptr.use_count(), 3);
  ffi::Any value = arc;
  EXPECT_EQ(value.cast<ffi::Arc<CircleObj>>()->radius, 3);
  EXPECT_FALSE(ffi::Any().try_cast<ffi::Arc<CircleObj>>().has_value());
  EXPECT_TRUE(ffi::Any().try_cast<ObjectPtr<CircleObj>>().has_value());
  EXPECT_EQ(ffi::TypeTraits<ObjectPtr<CircleObj>>::TypeSchema(),
            R"({"type":"Optional","args":[{"type":"tests.object.Circle"}]})");
}

TEST(Object, ConstructorThatThrowsLeaksNothing) {
  EXPECT_THROW(ffi::make_object<ThrowingObj>(), std::runtime_error);
}

TEST(Object, LongChainsAreFreedWithoutRecursion) {
  ObjectPtr<ChainObj> head;
  for (int i = 0; i < 1000000; ++i) {
    ObjectPtr<ChainObj> node = ffi::make_object<ChainObj>();
    node->next = std::move(head);
    head = std::move(node);
  }
  EXPECT_EQ(alive, 1000000);
  head.reset();
  EXPECT_EQ(alive, 0);
}

TEST(Object, CountsAreAtomic) {
  ObjectPtr<CircleObj> shared = ffi::make_object<CircleObj>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared] {
      for (int i = 0; i < 20000; ++i) {
        ObjectPtr<CircleObj> copy = shared;
        ffi::WeakObjectPtr<CircleObj> weak = copy;
        copy.reset();
        EXPECT_TRUE(weak.lock() != nullptr);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(shared.unique());
}

TEST(Object, IdentityHash) {
  std::unordered_map<ObjectRef, int, ffi::ObjectPtrHash, ffi::ObjectPtrEqual> map;
  Circle a(1), b(1);
  map[a] = 1;
  map[b] = 2;
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map[a], 1);
}

TEST(Object, CopyIsANewObject) {
  Circle circle(6);
  ObjectPtr<CircleObj> copy = ffi::make_object<CircleObj>(*circle.get());
  ++alive;  // the copy constructor does not count
  EXPECT_EQ(copy->radius, 6);
  EXPECT_TRUE(copy.unique());
  EXPECT_EQ(copy->type_index(), circle->type_index());
}

}  // namespace
