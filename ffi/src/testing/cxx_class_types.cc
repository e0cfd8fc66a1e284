// SPDX-License-Identifier: Apache-2.0
// Plain C++ classes seen from a binding: a chain of three, a hidden field, a class with virtual
// functions.
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class TestCxxClassBase : public Object {
 public:
  int64_t v_i64 = 0;
  int32_t v_i32 = 0;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxClassBase", TestCxxClassBase, Object);
};

class TestCxxClassDerived : public TestCxxClassBase {
 public:
  double v_f64 = 0;
  float v_f32 = 8;

  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxClassDerived", TestCxxClassDerived, TestCxxClassBase);
};

class TestCxxClassDerivedDerived : public TestCxxClassDerived {
 public:
  String v_str = "default";
  bool v_bool = false;

  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxClassDerivedDerived", TestCxxClassDerivedDerived,
                              TestCxxClassDerived);
};

// `hidden` is not reflected: copies made by reflection must keep it.
class TestCxxClassHiddenField : public Object {
 public:
  int64_t v_i64 = 0;
  int64_t hidden = 0;
  int32_t v_i32 = 0;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCxxClassHiddenField", TestCxxClassHiddenField,
                                    Object);
};

// The table of virtual functions comes before the object header: field offsets count from the
// header.
class VirtualBase {
 public:
  virtual ~VirtualBase() = default;
  virtual int64_t Value() const = 0;
};

class TestCxxClassPolymorphic : public Object, public VirtualBase {
 public:
  int64_t v_i64 = 0;

  int64_t Value() const override { return v_i64; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCxxClassPolymorphic", TestCxxClassPolymorphic,
                                    Object);
};

// Has a type index and nothing else: bindings register a frozen class for it.
class TestFrozenCxx : public Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestFrozenCxx", TestFrozenCxx, Object);
};

void RegisterTypes() {
  TestFrozenCxx::RuntimeTypeIndex();
  refl::ObjectDef<TestCxxClassBase>()
      .def_rw("v_i64", &TestCxxClassBase::v_i64, refl::repr(false))
      .def_rw("v_i32", &TestCxxClassBase::v_i32, refl::repr(false));
  refl::ObjectDef<TestCxxClassDerived>()
      .def_rw("v_f64", &TestCxxClassDerived::v_f64)
      .def_rw("v_f32", &TestCxxClassDerived::v_f32, refl::default_value(8.0f));
  refl::ObjectDef<TestCxxClassDerivedDerived>()
      .def_rw("v_str", &TestCxxClassDerivedDerived::v_str, refl::default_value("default"))
      .def_rw("v_bool", &TestCxxClassDerivedDerived::v_bool);
  refl::ObjectDef<TestCxxClassHiddenField>()
      .def_rw("v_i64", &TestCxxClassHiddenField::v_i64)
      .def_rw("v_i32", &TestCxxClassHiddenField::v_i32);
  refl::ObjectDef<TestCxxClassPolymorphic>().def_rw("v_i64", &TestCxxClassPolymorphic::v_i64);
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
