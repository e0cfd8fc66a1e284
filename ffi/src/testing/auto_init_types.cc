// SPDX-License-Identifier: Apache-2.0
// Types for the constructor that is generated from fields: keyword-only, hidden and defaulted
// fields, inheritance.
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class TestCxxInitSubset : public Object {
 public:
  int64_t required_field = 0;
  int64_t optional_field = -1;
  String note = "default";

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxInitSubset", TestCxxInitSubset, Object);
};

class TestCxxKwOnly : public Object {
 public:
  int64_t x = 0;
  int64_t y = 0;
  int64_t z = 0;
  int64_t w = 100;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxKwOnly", TestCxxKwOnly, Object);
};

class TestCxxAutoInit : public Object {
 public:
  int64_t a = 0;
  int64_t b = 42;
  int64_t c = 0;
  int64_t d = 99;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxAutoInit", TestCxxAutoInit, Object);
};

class TestCxxAutoInitSimple : public Object {
 public:
  int64_t x = 0;
  int64_t y = 0;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxAutoInitSimple", TestCxxAutoInitSimple, Object);
};

class TestCxxAutoInitAllInitOff : public Object {
 public:
  int64_t x = 7;
  int64_t y = 9;
  int64_t z = 1234;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxAutoInitAllInitOff", TestCxxAutoInitAllInitOff,
                              Object);
};

class TestCxxAutoInitKwOnlyDefaults : public Object {
 public:
  int64_t p_required = 0;
  int64_t p_default = 11;
  int64_t k_required = 0;
  int64_t k_default = 22;
  int64_t hidden = 33;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxAutoInitKwOnlyDefaults",
                              TestCxxAutoInitKwOnlyDefaults, Object);
};

class TestCxxAutoInitParent : public Object {
 public:
  int64_t parent_required = 0;
  int64_t parent_default = 5;

  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 1;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxAutoInitParent", TestCxxAutoInitParent, Object);
};

class TestCxxAutoInitChild : public TestCxxAutoInitParent {
 public:
  int64_t child_required = 0;
  int64_t child_kw_only = 0;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCxxAutoInitChild", TestCxxAutoInitChild,
                                    TestCxxAutoInitParent);
};

class TestCxxNoAutoInit : public Object {
 public:
  int64_t x = 0;
  int64_t y = 0;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxNoAutoInit", TestCxxNoAutoInit, Object);
};

void RegisterTypes() {
  refl::ObjectDef<TestCxxInitSubset>()
      .def_rw("required_field", &TestCxxInitSubset::required_field)
      .def_rw("optional_field", &TestCxxInitSubset::optional_field, refl::init(false),
              refl::default_value(-1))
      .def_rw("note", &TestCxxInitSubset::note, refl::init(false), refl::default_value("default"));
  refl::ObjectDef<TestCxxKwOnly>()
      .def_rw("x", &TestCxxKwOnly::x, refl::kw_only(true))
      .def_rw("y", &TestCxxKwOnly::y, refl::kw_only(true))
      .def_rw("z", &TestCxxKwOnly::z, refl::kw_only(true))
      .def_rw("w", &TestCxxKwOnly::w, refl::kw_only(true), refl::default_value(100));
  refl::ObjectDef<TestCxxAutoInit>()
      .def_rw("a", &TestCxxAutoInit::a)
      .def_rw("b", &TestCxxAutoInit::b, refl::init(false), refl::default_value(42))
      .def_rw("c", &TestCxxAutoInit::c, refl::kw_only(true))
      .def_rw("d", &TestCxxAutoInit::d, refl::default_value(99));
  refl::ObjectDef<TestCxxAutoInitSimple>()
      .def_rw("x", &TestCxxAutoInitSimple::x)
      .def_rw("y", &TestCxxAutoInitSimple::y);
  refl::ObjectDef<TestCxxAutoInitAllInitOff>()
      .def_rw("x", &TestCxxAutoInitAllInitOff::x, refl::init(false), refl::default_value(7))
      .def_rw("y", &TestCxxAutoInitAllInitOff::y, refl::init(false), refl::default_value(9))
      .def_rw("z", &TestCxxAutoInitAllInitOff::z, refl::init(false));
  refl::ObjectDef<TestCxxAutoInitKwOnlyDefaults>()
      .def_rw("p_required", &TestCxxAutoInitKwOnlyDefaults::p_required)
      .def_rw("p_default", &TestCxxAutoInitKwOnlyDefaults::p_default, refl::default_value(11))
      .def_rw("k_required", &TestCxxAutoInitKwOnlyDefaults::k_required, refl::kw_only(true))
      .def_rw("k_default", &TestCxxAutoInitKwOnlyDefaults::k_default, refl::kw_only(true),
              refl::default_value(22))
      .def_rw("hidden", &TestCxxAutoInitKwOnlyDefaults::hidden, refl::init(false),
              refl::default_value(33));
  refl::ObjectDef<TestCxxAutoInitParent>()
      .def_rw("parent_required", &TestCxxAutoInitParent::parent_required)
      .def_rw("parent_default", &TestCxxAutoInitParent::parent_default, refl::default_value(5));
  refl::ObjectDef<TestCxxAutoInitChild>()
      .def_rw("child_required", &TestCxxAutoInitChild::child_required)
      .def_rw("child_kw_only", &TestCxxAutoInitChild::child_kw_only, refl::kw_only(true));
  refl::ObjectDef<TestCxxNoAutoInit>(refl::init(false))
      .def_rw("x", &TestCxxNoAutoInit::x)
      .def_rw("y", &TestCxxNoAutoInit::y);
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
