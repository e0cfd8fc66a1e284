# SPDX-License-Identifier: Apache-2.0
"""Classes over the types of the native test library."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import pytest

from .. import _ffi_api, libinfo
from .. import core as tvm_ffi_core
from ..core import Object
from ..dataclasses import c_class
from ..dataclasses.enum import IntEnum, StrEnum, entry
from ..registry import get_global_func

__all__ = [
    "IntEnum",
    "Object",
    "StrEnum",
    "TestCompare",
    "TestCustomCompare",
    "TestCustomHash",
    "TestEqWithoutHash",
    "TestFrozenCxx",
    "TestHash",
    "TestIntPair",
    "TestNonCopyable",
    "TestObjectBase",
    "TestObjectDerived",
    "TestObjectPtrHolder",
    "add_one",
    "c_class",
    "create_object",
    "entry",
    "get_global_func",
    "make_unregistered_object",
    "requires_py310",
    "requires_py312",
    "requires_py313",
    "tvm_ffi_core",
]

_LIBRARY = libinfo.load_lib_ctypes("kiln-ffi", "tvm_ffi_testing", "RTLD_GLOBAL")


def _requires(minor: int) -> pytest.MarkDecorator:
    return pytest.mark.skipif(sys.version_info < (3, minor), reason=f"requires Python 3.{minor}+")


requires_py310 = _requires(10)
requires_py312 = _requires(12)
requires_py313 = _requires(13)


@c_class("testing.TestObjectBase")
class TestObjectBase(Object):
    """Fields with defaults, one of them read-only, and the method ``add_i64``."""

    __test__: ClassVar[bool] = False
    v_i64: int
    v_f64: float
    v_str: str


@c_class("testing.TestObjectDerived")
class TestObjectDerived(TestObjectBase):
    """Two containers more than its parent."""

    v_map: Any
    v_array: Any


@c_class("testing.TestObjectPtrHolder")
class TestObjectPtrHolder(Object):
    """Fields that are native pointers to objects."""

    __test__: ClassVar[bool] = False
    value: TestObjectBase
    optional_value: TestObjectBase | None


@c_class("testing.TestIntPair")
class TestIntPair(Object):
    """Two read-only integers and their ``sum``."""

    __test__: ClassVar[bool] = False
    a: int
    b: int


@c_class("testing.TestNonCopyable")
class TestNonCopyable(Object):
    """A native class without a copy constructor."""

    __test__: ClassVar[bool] = False
    value: int


@c_class("testing.TestFrozenCxx")
class TestFrozenCxx(Object):
    """A type without fields."""

    __test__: ClassVar[bool] = False


@c_class("testing.TestCompare")
class TestCompare(Object):
    """``ignored_field`` takes no part in comparison."""

    __test__: ClassVar[bool] = False
    key: int
    name: str
    ignored_field: int


@c_class("testing.TestHash")
class TestHash(Object):
    """``hash_ignored`` takes no part in hashing."""

    __test__: ClassVar[bool] = False
    key: int
    name: str
    hash_ignored: int


@c_class("testing.TestCustomHash")
class TestCustomHash(Object):
    """A native hook hashes ``key`` alone."""

    __test__: ClassVar[bool] = False
    key: int
    label: str


@c_class("testing.TestCustomCompare")
class TestCustomCompare(Object):
    """Native hooks compare ``key`` alone."""

    __test__: ClassVar[bool] = False
    key: int
    label: str


@c_class("testing.TestEqWithoutHash")
class TestEqWithoutHash(Object):
    """Has a native hook for equality and none for hashing."""

    __test__: ClassVar[bool] = False
    key: int
    label: str


def create_object(type_key: str, **kwargs: Any) -> Object:
    """An object of a native type from its fields, without a constructor of its class."""
    args: list[Any] = [type_key]
    for name, value in kwargs.items():
        args += (name, value)
    return _ffi_api.MakeObjectFromPackedArgs(*args)


def make_unregistered_object() -> Object:
    """An object of a native type that has no Python class."""
    return get_global_func("testing.make_unregistered_object")()


def add_one(x: int) -> int:
    """``x + 1``, computed natively."""
    return get_global_func("testing.add_one")(x)
