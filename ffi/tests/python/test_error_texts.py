# SPDX-License-Identifier: Apache-2.0
"""Texts of errors that tell a user of classes and fields what to change."""

from __future__ import annotations

import gc
import importlib
import sys
import traceback
import weakref
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.testing
from tvm_ffi.dataclasses import c_class, py_class

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")


@py_class("test_error_texts.Account")
class Account(tvm_ffi.Object):
    balance: int
    owners: list[str]


@pytest.mark.parametrize("register", [tvm_ffi.register_object, c_class])
def test_class_without_its_base(register):
    before = tvm_ffi.core._get_class(
        tvm_ffi.core._object_type_key_to_index("testing.TestObjectBase")
    )

    class Plain:
        v_i64: int
        v_f64: float
        v_str: str

    with pytest.raises(TypeError) as caught:
        register("testing.TestObjectBase")(Plain)
    assert str(caught.value) == (
        "test_class_without_its_base.<locals>.Plain can't be the class of "
        "`testing.TestObjectBase`: derive it from tvm_ffi.Object, as in "
        "`class Plain(tvm_ffi.Object)`"
    )
    assert not hasattr(Plain, "__tvm_ffi_type_info__")
    after = tvm_ffi.core._get_class(
        tvm_ffi.core._object_type_key_to_index("testing.TestObjectBase")
    )
    assert after is before


def test_no_class_at_all():
    with pytest.raises(TypeError) as caught:
        tvm_ffi.register_object("testing.TestObjectBase")(3)
    assert str(caught.value) == "`testing.TestObjectBase` must be registered for a class, got 3"


class TestFieldOfWrongType:
    def test_native_setter(self):
        base = tvm_ffi.testing.TestObjectBase(v_i64=3, v_f64=2.5, v_str="abc")
        with pytest.raises(TypeError) as caught:
            base.v_i64 = "u"
        text = "testing.TestObjectBase.v_i64: Cannot convert from type `ffi.SmallStr` to `int`"
        assert str(caught.value) == text and base.v_i64 == 3
        assert caught.value.__tvm_ffi_error__.message == text
        assert caught.value.__tvm_ffi_error__.kind == "TypeError"

    def test_setter_of_a_python_class(self):
        account = Account(1, ["a"])
        with pytest.raises(TypeError) as caught:
            account.balance = "u"
        assert str(caught.value) == "test_error_texts.Account.balance: expected int, got str"
        with pytest.raises(TypeError) as caught:
            account.owners = ["a", 2]
        assert str(caught.value) == (
            "test_error_texts.Account.owners: element [1]: expected str, got int"
        )
        assert account.balance == 1 and list(account.owners) == ["a"]

    @pytest.mark.parametrize("text", ["u", "longer than seven bytes", b"x", b"longer than seven"])
    def test_every_route_names_what_the_caller_wrote(self, text):
        account = Account(1, ["a"])
        got = f"got {type(text).__name__}"
        for assign in (
            lambda: setattr(account, "balance", text),
            lambda: type(account).balance.set(account, text),
            lambda: setattr(account, "balance", tvm_ffi.testing.echo(text)),
            lambda: Account(text, []),
            lambda: Account(balance=text, owners=[]),
        ):
            with pytest.raises(TypeError) as caught:
                assign()
            assert str(caught.value).endswith(f": expected int, {got}") or str(
                caught.value
            ).endswith(f"'balance':\n  expected int, {got}")
        schema = tvm_ffi.core.TypeSchema.from_annotation(int)
        with pytest.raises(TypeError, match=f"^.*expected int, {got}$"):
            schema.check_value(tvm_ffi.testing.echo(text))

    def test_constructor_names_the_field_once(self):
        with pytest.raises(TypeError) as caught:
            Account("u", [])
        assert str(caught.value) == (
            "test_error_texts.Account.__ffi_init__() field 'balance':\n  expected int, got str"
        )

    def test_through_native_code(self):
        account = Account(1, [])

        def assign():
            account.balance = "u"

        with pytest.raises(TypeError) as caught:
            tvm_ffi.testing.apply(tvm_ffi.convert(assign))
        assert str(caught.value) == "test_error_texts.Account.balance: expected int, got str"

    def test_values_are_released(self):
        account = Account(1, [])

        class Value:
            pass

        value = Value()
        seen = weakref.ref(value)
        gc.disable()
        try:
            with pytest.raises(TypeError):
                account.balance = value
            del value
            assert seen() is None
        finally:
            gc.enable()


def test_read_only_field_is_named():
    pair = tvm_ffi.testing.TestIntPair(1, 2)
    with pytest.raises(AttributeError) as caught:
        pair.a = 3
    if sys.version_info >= (3, 11):
        assert str(caught.value) == "property 'a' of 'TestIntPair' object has no setter"
    else:
        assert str(caught.value) == "can't set attribute 'a'"


def test_frozen_field_is_named():
    @c_class("testing.TestObjectBase", frozen=True)
    class Frozen(tvm_ffi.Object):
        v_i64: int
        v_f64: float
        v_str: str

    try:
        with pytest.raises(AttributeError, match="'v_i64'"):
            Frozen(v_i64=3, v_f64=2.5, v_str="abc").v_i64 = 1
    finally:
        tvm_ffi.register_object("testing.TestObjectBase")(tvm_ffi.testing.TestObjectBase)


def test_kind_without_a_class():
    raise_error = tvm_ffi.get_global_func("testing.test_raise_error")
    with pytest.raises(RuntimeError) as caught:
        raise_error("BrokeError", "oops")
    assert type(caught.value) is RuntimeError and caught.value.args == ("oops",)
    assert caught.value.__tvm_ffi_error__.kind == "BrokeError"
    if sys.version_info >= (3, 11):
        shown = traceback.format_exception_only(caught.value)
        assert shown == [
            "RuntimeError: oops\n",
            "native error of kind BrokeError (tvm_ffi.register_error gives a kind its own class)\n",
        ]
    with pytest.raises(RuntimeError) as caught:
        raise_error("RuntimeError", "oops")
    assert not hasattr(caught.value, "__notes__")
