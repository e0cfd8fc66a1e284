# SPDX-License-Identifier: Apache-2.0
"""Explicit conversion of Python values to their object form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import core
from ._dtype import dtype
from .container import Array, Map

_UNCHANGED_PROTOCOLS = (
    "__cuda_stream__",
    "__tvm_ffi_opaque_ptr__",
    "__dlpack_device__",
    "__tvm_ffi_int__",
    "__tvm_ffi_float__",
)


_UNCHANGED = (core.CObject, core.PyNativeObject, int, float, dtype, core.DataType, core.Device)


def _is_number_or_pointer(value: Any) -> bool:
    if isinstance(value, (str, bytes, tuple, list, dict)):
        return False
    import ctypes
    import numbers

    return isinstance(value, (numbers.Number, ctypes.c_void_p))


def convert(value: Any) -> Any:
    """The object form of a value: ``Array`` of a list, ``Map`` of a dict, ``String`` of a str, ...

    Values that are passed as they are (numbers, objects, ``None``) come back unchanged; what has no
    native form is held by an ``OpaquePyObject``.
    """
    if value is None or isinstance(value, _UNCHANGED) or _is_number_or_pointer(value):
        return value
    cls = type(value)
    if isinstance(value, (tuple, list)):
        return Array(value)
    if isinstance(value, dict):
        return Map(value)
    if isinstance(value, str):
        return core.String(value)
    if isinstance(value, (bytes, bytearray)):
        return core.Bytes(bytes(value))
    if isinstance(value, core.ObjectConvertible):
        return value.asobject()
    if hasattr(cls, "__tvm_ffi_object__"):
        return value.__tvm_ffi_object__()
    if hasattr(cls, "__dlpack__"):
        return core.from_dlpack(value)
    if any(hasattr(cls, name) for name in _UNCHANGED_PROTOCOLS):
        return value
    if callable(value):
        return core._convert_to_ffi_func(value)
    if hasattr(cls, "__dlpack_data_type__"):
        return dtype.from_dlpack_data_type(value.__dlpack_data_type__())
    name = f"{cls.__module__}.{cls.__qualname__}"
    if name.startswith("numpy.") and "dtype" in name.lower():
        return _dtype_of(core._convert_numpy_dtype_to_ffi_dtype(value))
    if name == "torch.dtype":
        return _dtype_of(core._convert_torch_dtype_to_ffi_dtype(value))
    if isinstance(value, Exception):
        return core._convert_to_ffi_error(value)
    return core._convert_to_opaque_object(value)


def _dtype_of(native: core.DataType) -> dtype:
    return dtype.from_dlpack_data_type((native.type_code, native.bits, native.lanes))


def convert_func(pyfunc: Callable[..., Any], tensor_cls: type | None = None) -> Any:
    """The ``Function`` of a callable.

    With ``tensor_cls``, which must have ``__dlpack_c_exchange_api__`` (else ``TypeError``), tensors
    reach the callable as instances of that class.
    """
    return core._convert_to_ffi_func(pyfunc, tensor_cls)
