# SPDX-License-Identifier: Apache-2.0
"""Fields of native types that lack a setter or a getter."""

from __future__ import annotations

from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import cpp

SOURCE = r"""
#include <tvm/ffi/reflection/registry.h>

namespace {

namespace ffi = tvm::ffi;

struct PartlyObj : public ffi::Object {
  int64_t a = 3;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_field_accessors.Partly", PartlyObj, ffi::Object);
};

int Get(void* field, TVMFFIAny* out) {
  out->type_index = kTVMFFIInt;
  out->v_int64 = *static_cast<int64_t*>(field);
  return 0;
}

int Set(void* field, const TVMFFIAny* value) {
  *static_cast<int64_t*>(field) = value->v_int64;
  return 0;
}

void Register(const char* name, TVMFFIFieldGetter getter, TVMFFIFieldSetter setter, int64_t flags) {
  TVMFFIFieldInfo field{};
  field.name = {name, std::char_traits<char>::length(name)};
  field.flags = flags;
  field.size = field.alignment = 8;
  field.offset = 24;
  field.getter = getter;
  field.setter = reinterpret_cast<void*>(setter);
  field.field_static_type_index = kTVMFFIInt;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(PartlyObj::RuntimeTypeIndex(), &field));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::ObjectDef<PartlyObj>(ffi::reflection::init(false));
  Register("fixed", Get, nullptr, 0);
  Register("claims", Get, nullptr, kTVMFFIFieldFlagBitMaskWritable);
  Register("secret", nullptr, Set, kTVMFFIFieldFlagBitMaskWritable);
}

ffi::ObjectRef Make() { return ffi::ObjectRef(ffi::make_object<PartlyObj>()); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make, Make)
"""


@pytest.fixture(scope="module")
def partly() -> Any:
    return cpp.load_inline(name="field_accessors", cpp_sources=SOURCE).make()


@pytest.mark.parametrize("name", ["fixed", "claims"])
def test_without_a_setter(partly: Any, name: str) -> None:
    assert getattr(partly, name) == 3
    with pytest.raises(AttributeError, match=name):
        setattr(partly, name, 4)
    with pytest.raises(AttributeError) as caught:
        getattr(type(partly), name).set(partly, 4)
    assert str(caught.value) == (
        f"test_field_accessors.Partly.{name} is read-only: the native type has no setter for it"
    )
    assert getattr(partly, name) == 3


def test_without_a_getter(partly: Any) -> None:
    partly.secret = 3
    with pytest.raises(AttributeError) as caught:
        _ = partly.secret
    assert str(caught.value) == (
        "test_field_accessors.Partly.secret can't be read: the native type has no getter for it"
    )
    assert repr(partly).startswith("Partly(0x") or "test_field_accessors.Partly" in repr(partly)


def test_what_is_known_of_them(partly: Any) -> None:
    fields = {field.name: field for field in type(partly).__tvm_ffi_type_info__.fields}
    assert [(name, fields[name].frozen) for name in fields] == [
        ("fixed", True),
        ("claims", True),
        ("secret", False),
    ]
    with pytest.raises(AttributeError, match="is read-only"):
        fields["fixed"].setter(partly, 1)


def test_registered_class(partly: Any) -> None:
    @tvm_ffi.register_object("test_field_accessors.Partly")
    class Partly(tvm_ffi.Object):
        pass

    assert isinstance(Partly.fixed, property)
