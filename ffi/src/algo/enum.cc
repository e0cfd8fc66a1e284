// SPDX-License-Identifier: Apache-2.0
// Reflection of EnumState, Enum, IntEnum and StrEnum. Instances are registered by whoever defines
// an enum type.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "register.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

namespace refl = tvm::ffi::reflection;

/// Registers the field `value` of IntEnum or StrEnum: a second name for a field of the base, at the
/// same address.
template <typename EnumType, typename Member>
void RegisterValueAlias(Member EnumObj::* member, int32_t static_type_index, const char* doc,
                        const char* metadata) {
  static_assert(sizeof(EnumType) == sizeof(EnumObj), "the alias adds no storage");
  TVMFFIFieldInfo info{};
  info.name = refl::AsByteArray("value");
  info.metadata = refl::AsByteArray(metadata);
  info.doc = refl::AsByteArray(doc);
  // The field it stands for is compared and hashed already.
  info.flags = kTVMFFIFieldFlagBitMaskInitOff | kTVMFFIFieldFlagBitMaskSEqHashIgnore;
  info.size = sizeof(Member);
  info.alignment = alignof(Member);
  info.offset = refl::GetFieldByteOffsetToObject(member);
  info.getter = [](void* field, TVMFFIAny* out) -> int {
    TVM_FFI_SAFE_CALL_BEGIN();
    *out = ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(*static_cast<const Member*>(field)));
    TVM_FFI_SAFE_CALL_END();
  };
  TVMFFIFieldSetter setter = [](void* field, const TVMFFIAny* value) -> int {
    TVM_FFI_SAFE_CALL_BEGIN();
    *static_cast<Member*>(field) = AnyView::CopyFromTVMFFIAny(*value).template cast<Member>();
    TVM_FFI_SAFE_CALL_END();
  };
  info.setter = reinterpret_cast<void*>(setter);
  info.field_static_type_index = static_type_index;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(EnumType::RuntimeTypeIndex(), &info));
}

}  // namespace

void RegisterEnums() {
  refl::ObjectDef<EnumStateObj>()
      .def(refl::init<>())
      .def_ro("entries", &EnumStateObj::entries, refl::init(false),
              "Entries in the order of their definition.")
      .def_ro("indexes", &EnumStateObj::indexes, refl::init(false), "Entry by number and by name.")
      .def_ro("attrs", &EnumStateObj::attrs, refl::init(false),
              "Attribute name to the value of each entry.");
  refl::ObjectDef<EnumObj>(refl::init(false))
      .def_ro("_int_index", &EnumObj::_int_index, refl::AttachFieldFlag::SEqHashIgnore(),
              "Number of the entry.")
      .def_ro("_str_index", &EnumObj::_str_index, "Name of the entry.");
  {
    refl::ObjectDef<IntEnumObj> def(refl::init(false));
    RegisterValueAlias<IntEnumObj>(&EnumObj::_int_index, kTVMFFIInt, "Number of the entry.",
                                   "{\"type_schema\":\"{\\\"type\\\":\\\"int\\\"}\"}");
    refl::TypeAttrDef<IntEnumObj>().def_convert<IntEnum>();
  }
  {
    refl::ObjectDef<StrEnumObj> def(refl::init(false));
    RegisterValueAlias<StrEnumObj>(&EnumObj::_str_index, kTVMFFIAny, "Name of the entry.",
                                   "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.String\\\"}\"}");
    refl::TypeAttrDef<StrEnumObj>().def_convert<StrEnum>();
  }
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
