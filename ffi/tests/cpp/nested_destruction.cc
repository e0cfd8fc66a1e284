// SPDX-License-Identifier: Apache-2.0
// Values nested a million levels deep are freed without using the stack for it.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/access_path.h>

#include <pthread.h>

#include <atomic>
#include <utility>

namespace {

using namespace tvm::ffi;

constexpr int kLevels = 1000000;
std::atomic<int64_t> live_nodes{0};

class NodeObj : public Object {
 public:
  NodeObj() { ++live_nodes; }
  ~NodeObj() { --live_nodes; }
  ObjectRef next;
  Any also;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.nested.Node", NodeObj, Object);
};

template <typename Wrap>
void BuildAndDrop(Wrap&& wrap) {
  Any value = ObjectRef(make_object<NodeObj>());
  for (int i = 0; i < kLevels; ++i) value = wrap(std::move(value));
  EXPECT_EQ(live_nodes > 0, true);
  value = nullptr;
  EXPECT_EQ(live_nodes, 0);
}

TEST(NestedDestruction, Array) {
  BuildAndDrop([](Any value) { return Any(Array<Any>{std::move(value)}); });
}

TEST(NestedDestruction, List) {
  BuildAndDrop([](Any value) { return Any(List<Any>{1, std::move(value)}); });
}

TEST(NestedDestruction, SmallMapAndDict) {
  BuildAndDrop([](Any value) { return Any(Map<Any, Any>{{"k", std::move(value)}}); });
  BuildAndDrop([](Any value) { return Any(Dict<Any, Any>{{"k", std::move(value)}}); });
}

TEST(NestedDestruction, DenseMapKeysAndValues) {
  Any value = ObjectRef(make_object<NodeObj>());
  for (int i = 0; i < kLevels / 4; ++i) {
    Map<Any, Any> map{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
    if (i % 2 == 0) {
      map.Set(value, 6);
    } else {
      map.Set(6, value);
    }
    value = map;
  }
  value = nullptr;
  EXPECT_EQ(live_nodes, 0);
}

TEST(NestedDestruction, ObjectsAndContainersInTurn) {
  BuildAndDrop([level = 0](Any value) mutable -> Any {
    switch (++level % 5) {
      case 0:
        return Array<Any>{std::move(value)};
      case 1:
        return Dict<Any, Any>{{"k", std::move(value)}};
      case 2:
        return Function::FromTyped([value] { return value; });
      case 3: {
        ObjectPtr<NodeObj> node = make_object<NodeObj>();
        node->also = std::move(value);
        return ObjectRef(std::move(node));
      }
      default: {
        ObjectPtr<NodeObj> node = make_object<NodeObj>();
        node->next = value.cast<ObjectRef>();
        return ObjectRef(std::move(node));
      }
    }
  });
}

TEST(NestedDestruction, AccessPath) {
  reflection::AccessPath path = reflection::AccessPath::Root();
  for (int i = 0; i < kLevels; ++i) path = path->ArrayItem(i);
  EXPECT_EQ(path->depth, kLevels);
  EXPECT_TRUE(path->PathEqual(path->GetParent().value()->ArrayItem(kLevels - 1)));
}

TEST(NestedDestruction, WeakReferencesOnTheWay) {
  WeakObjectPtr<Object> weak;
  Any value = ObjectRef(make_object<NodeObj>());
  for (int i = 0; i < 5000; ++i) {
    const Array<Any> next{value};
    if (i == 2500) {
      weak = WeakObjectPtr<Object>(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(next));
    }
    value = next;
  }
  EXPECT_FALSE(weak.expired());
  value = nullptr;
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(live_nodes, 0);
}

TEST(NestedDestruction, WideAndDeep) {
  Array<Any> shared;
  for (int i = 0; i < 1000; ++i) shared.push_back(Array<Any>{ObjectRef(make_object<NodeObj>())});
  Any value = shared;
  for (int i = 0; i < 1000; ++i) value = Array<Any>{value, value, shared};
  shared = Array<Any>();
  value = nullptr;
  EXPECT_EQ(live_nodes, 0);
}

// The usual stack of a thread is 8 MiB; some languages run threads on far less.
TEST(NestedDestruction, OnASmallStack) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 128 * 1024);
  pthread_t thread;
  ASSERT_EQ(
      pthread_create(
          &thread, &attr,
          [](void*) -> void* {
            BuildAndDrop([](Any value) { return Any(Array<Any>{std::move(value)}); });
            BuildAndDrop([](Any value) { return Any(Dict<Any, Any>{{"k", std::move(value)}}); });
            return nullptr;
          },
          nullptr),
      0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attr);
  EXPECT_EQ(live_nodes, 0);
}

}  // namespace
