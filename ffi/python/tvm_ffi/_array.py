# SPDX-License-Identifier: Apache-2.0
"""Tensors as numpy arrays: what ``Tensor.__array__`` does. Imported when somebody asks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._tensor import DLDeviceType
from .core import Tensor

# Devices whose memory the processor reads like its own.
_READABLE = (
    DLDeviceType.kDLCPU,
    DLDeviceType.kDLCUDAHost,
    DLDeviceType.kDLROCMHost,
    DLDeviceType.kDLCUDAManaged,
)


class _Memory:
    """What an array is made from, and what keeps the memory alive for it."""

    def __init__(self, tensor: Tensor, capsule: object, interface: dict[str, Any]) -> None:
        self.tensor = tensor
        self.capsule = capsule  # counts as an export: a view of a callback warns of those
        self.__array_interface__ = interface


def _numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy type of the same name, from ml_dtypes where numpy has none."""
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise TypeError(
            f"numpy has no dtype for {name}; install ml_dtypes, or pass a view of another dtype"
        ) from None
    found = getattr(ml_dtypes, name, None)
    if found is None:
        raise TypeError(f"neither numpy nor ml_dtypes has a dtype for {name}")
    return np.dtype(found)


def array_of(tensor: Tensor, read_only: bool, dtype: Any, copy: bool | None) -> np.ndarray:
    """An array over the memory of ``tensor``; a copy where ``dtype`` or ``copy`` asks for one."""
    if int(tensor.device.dlpack_device_type()) not in _READABLE:
        raise TypeError(
            f"a tensor on {tensor.device} can't become a numpy array: copy it to the cpu first"
        )
    element = tensor.dtype
    if element.bits % 8 != 0 or element.lanes != 1:
        raise TypeError(
            f"a tensor of {element} can't become a numpy array: numpy keeps one value per element "
            "in whole bytes"
        )
    own = _numpy_dtype(str(element))
    if tensor.numel() == 0:
        array = np.empty(tensor.shape, own)
        array.flags.writeable = not read_only
    else:
        # Bytes of that width: not all types of ml_dtypes have a text of their own.
        raw = f"|u{own.itemsize}" if own.kind == "V" or own.isbuiltin != 1 else own.str
        interface = {
            "version": 3,
            "shape": tensor.shape,
            "strides": tuple(step * own.itemsize for step in tensor.strides),
            "typestr": raw,
            "data": (tensor.data_ptr(), read_only),
        }
        capsule = tensor.__dlpack__(max_version=(1, 0))
        array = np.asarray(_Memory(tensor, capsule, interface)).view(own)
    if dtype is not None and np.dtype(dtype) != own:
        if copy is False:
            raise ValueError(
                f"a tensor of {element} can't become an array of {np.dtype(dtype)} without a copy, "
                "which copy=False forbids"
            )
        return array.astype(dtype)
    return array.copy() if copy else array
