# SPDX-License-Identifier: Apache-2.0
"""Tensors, devices and shapes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from . import core
from .core import Device, PyNativeObject, Tensor, from_dlpack

__all__ = ["DLDeviceType", "Device", "Shape", "Tensor", "device", "from_dlpack"]


class DLDeviceType(IntEnum):
    """Kinds of devices, numbered as in DLPack."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18


DLDeviceType.__module__ = "tvm_ffi.core"
core.DLDeviceType = DLDeviceType  # type: ignore[misc, assignment]

_shape = core._get_global_func("ffi.Shape", False)


class Shape(tuple, PyNativeObject):
    """A tuple of integers that is a native shape at the same time.

    Raises ``ValueError`` when an item is not an integer.
    """

    _tvm_ffi_cached_object: Any

    def __new__(cls, content: Iterable[int]) -> Shape:
        items = tuple(content)
        if any(type(item) is not int for item in items):
            from numbers import Integral

            if not all(isinstance(item, Integral) for item in items):
                raise ValueError("Shape must be a tuple of integers")
        val = tuple.__new__(cls, items)
        val.__init_cached_object_by_constructor__(_shape, *items)
        return val

    @classmethod
    def __from_tvm_ffi_object__(cls, obj: Any) -> Shape:
        val = tuple.__new__(cls, core._shape_obj_get_py_tuple(obj))
        val._tvm_ffi_cached_object = obj
        return val

    def __reduce__(self) -> Any:
        return (type(self), (tuple(self),))


core._register_object_by_index(69, Shape)
Shape.__tvm_ffi_type_info__ = core._type_index_to_type_info(69)  # type: ignore[attr-defined]


def device(device_type: str | int | DLDeviceType, index: int | None = None) -> Device:
    """A device: ``device("cuda", 1)``, ``device("cuda:1")`` or ``device(DLDeviceType.kDLCUDA, 1)``.

    Raises ``ValueError`` for an unknown name or a malformed index.
    """
    return core._CLASS_DEVICE(device_type, index)
