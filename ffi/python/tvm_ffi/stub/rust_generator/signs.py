# SPDX-License-Identifier: Apache-2.0
"""Whether integer fields have a sign.

Reflection tells their width alone, but the getter of a field reads any memory that looks like the
field: bytes that are all ones are -1, or the largest number of the width.
"""

from __future__ import annotations

import ctypes
import functools

from ...core import _object_type_key_to_index
from ...libinfo import find_libtvm_ffi

_INT = 1
_FIRST_OBJECT = 64


class _Bytes(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))


class _Any(ctypes.Structure):
    _fields_ = (
        ("type_index", ctypes.c_int32),
        ("padding", ctypes.c_uint32),
        ("number", ctypes.c_int64),
    )


_Getter = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Any))


class _Field(ctypes.Structure):
    _fields_ = (
        ("name", _Bytes),
        ("doc", _Bytes),
        ("metadata", _Bytes),
        ("flags", ctypes.c_int64),
        ("size", ctypes.c_int64),
        ("alignment", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("getter", ctypes.c_void_p),
        ("setter", ctypes.c_void_p),
        ("default", _Any),
        ("static_type_index", ctypes.c_int32),
    )


class _Type(ctypes.Structure):
    _fields_ = (
        ("type_index", ctypes.c_int32),
        ("type_depth", ctypes.c_int32),
        ("type_key", _Bytes),
        ("ancestors", ctypes.c_void_p),
        ("type_key_hash", ctypes.c_uint64),
        ("num_fields", ctypes.c_int32),
        ("num_methods", ctypes.c_int32),
        ("fields", ctypes.POINTER(_Field)),
    )


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(find_libtvm_ffi())
    library.TVMFFIGetTypeInfo.restype = ctypes.POINTER(_Type)
    library.TVMFFIGetTypeInfo.argtypes = [ctypes.c_int32]
    for name in ("TVMFFIObjectDecRef", "TVMFFIErrorMoveFromRaised"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    return library


def has_sign(type_key: str, name: str) -> bool | None:
    """Whether an integer field of a registered type has a sign. None when its getter gives neither
    -1 nor the largest number."""
    library = _library()
    index = _object_type_key_to_index(type_key)
    if index is None:
        return None
    info = library.TVMFFIGetTypeInfo(index).contents
    for field in info.fields[: info.num_fields]:
        if ctypes.string_at(field.name.data, field.name.size) != name.encode() or not field.getter:
            continue
        # Zeros around the field, as in a new object, for a getter that looks at more.
        memory = ctypes.create_string_buffer(field.offset + field.size + 64)
        address = ctypes.addressof(memory) + field.offset
        ctypes.memset(address, 0xFF, field.size)
        value = _Any()
        if _Getter(field.getter)(address, ctypes.byref(value)) != 0:
            error = ctypes.c_void_p()
            library.TVMFFIErrorMoveFromRaised(ctypes.byref(error))
            library.TVMFFIObjectDecRef(error)
            return False if field.size == 8 else None  # it does not fit int64
        if value.type_index >= _FIRST_OBJECT:
            library.TVMFFIObjectDecRef(value.number)
            return False if field.size == 8 else None  # a big integer
        if value.type_index != _INT:
            return None
        if value.number == -1:
            return True
        return False if value.number == (1 << 8 * field.size) - 1 else None
    return None
