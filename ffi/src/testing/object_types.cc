// SPDX-License-Identifier: Apache-2.0
// Types with mutable fields, defaults, inheritance and object pointers.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <utility>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class TestIntPairObj : public Object {
 public:
  int64_t a = 0;
  int64_t b = 0;

  TestIntPairObj() = default;
  TestIntPairObj(int64_t first, int64_t second) : a(first), b(second) {}

  int64_t Sum() const { return a + b; }

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestIntPair", TestIntPairObj, Object);
};

class TestIntPair : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TestIntPair, ObjectRef, TestIntPairObj);
};

class TestObjectBase : public Object {
 public:
  int64_t v_i64 = 10;
  double v_f64 = 10.0;
  String v_str = "hello";

  int64_t AddI64(int64_t other) const { return v_i64 + other; }

  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 1;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestObjectBase", TestObjectBase, Object);
};

class TestObjectDerived : public TestObjectBase {
 public:
  Map<Any, Any> v_map;
  Array<Any> v_array;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestObjectDerived", TestObjectDerived, TestObjectBase);
};

class TestObjectPtrHolder : public Object {
 public:
  Arc<TestObjectBase> value;
  ObjectPtr<TestObjectBase> optional_value;

  explicit TestObjectPtrHolder(UnsafeInit tag) : value(tag) {}

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestObjectPtrHolder", TestObjectPtrHolder, Object);
};

class TestDeepCopyEdgesObj : public Object {
 public:
  Any v_any;
  ObjectRef v_obj;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestDeepCopyEdges", TestDeepCopyEdgesObj, Object);
};

class TestNonCopyable : public Object {
 public:
  int64_t value;

  explicit TestNonCopyable(int64_t v) : value(v) {}
  TestNonCopyable(const TestNonCopyable&) = delete;
  TestNonCopyable& operator=(const TestNonCopyable&) = delete;

  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestNonCopyable", TestNonCopyable, Object);
};

class TestUnregisteredBaseObject : public Object {
 public:
  int64_t v1;

  explicit TestUnregisteredBaseObject(int64_t first) : v1(first) {}
  int64_t GetV1PlusOne() const { return v1 + 1; }

  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestUnregisteredBaseObject", TestUnregisteredBaseObject,
                              Object);
};

class TestUnregisteredObject : public TestUnregisteredBaseObject {
 public:
  int64_t v2;

  TestUnregisteredObject(int64_t first, int64_t second)
      : TestUnregisteredBaseObject(first), v2(second) {}
  int64_t GetV2PlusTwo() const { return v2 + 2; }

  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestUnregisteredObject", TestUnregisteredObject,
                              TestUnregisteredBaseObject);
};

void RegisterTypes() {
  refl::ObjectDef<TestObjectBase>()
      .def_rw("v_i64", &TestObjectBase::v_i64, refl::default_value(10), "i64 field")
      .def_ro("v_f64", &TestObjectBase::v_f64, refl::default_value(10.0))
      .def_rw("v_str", &TestObjectBase::v_str, refl::default_value("hello"))
      .def("add_i64", &TestObjectBase::AddI64, "add_i64 method");
  refl::ObjectDef<TestObjectDerived>()
      .def_rw("v_map", &TestObjectDerived::v_map)
      .def_rw("v_array", &TestObjectDerived::v_array);
  refl::ObjectDef<TestObjectPtrHolder>()
      .def_rw("value", &TestObjectPtrHolder::value)
      .def_rw("optional_value", &TestObjectPtrHolder::optional_value, refl::default_value(nullptr));
  refl::ObjectDef<TestIntPairObj>()
      .def(refl::init<int64_t, int64_t>())
      .def_ro("a", &TestIntPairObj::a, "Field `a`")
      .def_ro("b", &TestIntPairObj::b, "Field `b`")
      .def("sum", &TestIntPairObj::Sum, "Method to compute sum of a and b")
      .def_convert<TestIntPair>();
  refl::ObjectDef<TestDeepCopyEdgesObj>()
      .def_rw("v_any", &TestDeepCopyEdgesObj::v_any)
      .def_rw("v_obj", &TestDeepCopyEdgesObj::v_obj);
  refl::ObjectDef<TestNonCopyable>()
      .def(refl::init<int64_t>())
      .def_ro("value", &TestNonCopyable::value);
  refl::ObjectDef<TestUnregisteredBaseObject>()
      .def(refl::init<int64_t>(), "Constructor of TestUnregisteredBaseObject")
      .def_ro("v1", &TestUnregisteredBaseObject::v1)
      .def("get_v1_plus_one", &TestUnregisteredBaseObject::GetV1PlusOne,
           "Get (v1 + 1) from TestUnregisteredBaseObject");
  refl::ObjectDef<TestUnregisteredObject>()
      .def(refl::init<int64_t, int64_t>(), "Constructor of TestUnregisteredObject")
      .def_ro("v2", &TestUnregisteredObject::v2)
      .def("get_v2_plus_two", &TestUnregisteredObject::GetV2PlusTwo,
           "Get (v2 + 2) from TestUnregisteredObject");
  refl::GlobalDef()
      .def(
          "testing.TestIntPairSum", [](const TestIntPair& pair) -> int64_t { return pair->Sum(); },
          "Get sum of the pair")
      .def("testing.make_unregistered_object",
           []() -> ObjectRef { return ObjectRef(make_object<TestUnregisteredObject>(41, 42)); });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
