// SPDX-License-Identifier: Apache-2.0
// Enum types of each kind, and an object that holds entries.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class TestCxxIntEnumObj : public IntEnumObj {
 public:
  using IntEnumObj::IntEnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCxxIntEnum", TestCxxIntEnumObj, IntEnumObj);
};

class TestCxxIntEnum : public IntEnum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TestCxxIntEnum, IntEnum, TestCxxIntEnumObj);
};

class TestCxxStrEnumObj : public StrEnumObj {
 public:
  using StrEnumObj::StrEnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestCxxStrEnum", TestCxxStrEnumObj, StrEnumObj);
};

class TestCxxStrEnum : public StrEnum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TestCxxStrEnum, StrEnum, TestCxxStrEnumObj);
};

class TestEnumVariantObj : public EnumObj {
 public:
  using EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestEnumVariant", TestEnumVariantObj, EnumObj);
};

class TestEnumVariant : public Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TestEnumVariant, Enum, TestEnumVariantObj);
};

class TestCxxEnumHolder : public Object {
 public:
  TestCxxIntEnum priority;
  TestCxxStrEnum opcode;

  explicit TestCxxEnumHolder(UnsafeInit tag) : priority(tag), opcode(tag) {}

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestCxxEnumHolder", TestCxxEnumHolder, Object);
};

void RegisterTypes() {
  refl::ObjectDef<TestCxxIntEnumObj>(refl::init(false)).def_convert<TestCxxIntEnum>();
  refl::EnumDef<TestCxxIntEnumObj>("low", 10);
  refl::EnumDef<TestCxxIntEnumObj>("high", 20);
  refl::ObjectDef<TestCxxStrEnumObj>(refl::init(false)).def_convert<TestCxxStrEnum>();
  refl::EnumDef<TestCxxStrEnumObj>("+");
  refl::EnumDef<TestCxxStrEnumObj>("*");
  refl::ObjectDef<TestEnumVariantObj>(refl::init(false)).def_convert<TestEnumVariant>();
  refl::EnumDef<TestEnumVariantObj>("Alpha").set_attr("code", 10);
  refl::EnumDef<TestEnumVariantObj>("Beta").set_attr("code", 20);
  refl::ObjectDef<TestCxxEnumHolder>()
      .def_rw("priority", &TestCxxEnumHolder::priority)
      .def_rw("opcode", &TestCxxEnumHolder::opcode);
  refl::GlobalDef().def("testing.enum_variant_get", [](const String& name) -> Enum {
    return EnumObj::_GetByStrIndex<TestEnumVariantObj>(name);
  });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
