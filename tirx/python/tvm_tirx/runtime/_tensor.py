# SPDX-License-Identifier: Apache-2.0
"""Tensors that the runtime allocates."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import tvm_ffi

from .._ffi_functions import Functions
from .device import Device

_runtime = Functions("runtime.")


def _numpy_dtype(dtype: Any) -> np.dtype:
    name = str(dtype)
    if name == "bool":
        return np.dtype("bool")
    try:
        return np.dtype(name)
    except TypeError:
        pass
    import ml_dtypes

    if not hasattr(ml_dtypes, name):
        raise ValueError(f"numpy has no type for elements of {name}")
    return np.dtype(getattr(ml_dtypes, name))


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Tensor(tvm_ffi.Tensor):
    """A tensor on any device; ``numpy()`` copies it out, ``copyfrom`` and ``t[:] = array`` in."""

    def __setitem__(self, in_slice: Any, value: Any) -> None:
        whole = isinstance(in_slice, slice) and in_slice == slice(None)
        if not whole and in_slice is not Ellipsis:
            raise ValueError("Only the whole of a tensor can be set: t[:] = value")
        if isinstance(value, tvm_ffi.Tensor):
            if value is not self:
                _runtime.TensorCopyFromTo(value, self)
        else:
            self.copyfrom(value)

    def copyfrom(self, source_array: Any) -> Tensor:
        """Copy the elements of an array of the same shape; they are converted to the own type."""
        if isinstance(source_array, tvm_ffi.Tensor):
            _runtime.TensorCopyFromTo(source_array, self)
            return self
        dtype = _numpy_dtype(self.dtype)
        source = np.asarray(source_array)
        if source.shape != tuple(self.shape):
            raise ValueError(
                "array shape do not match the shape of Tensor "
                f"{source.shape} vs {tuple(self.shape)}"
            )
        source = np.ascontiguousarray(source, dtype=dtype)
        data = _pack(source, self.dtype)
        _runtime.TensorCopyFromBytes(self, _pointer(data), data.nbytes)
        return self

    def numpy(self) -> np.ndarray:
        """A new array with the elements."""
        dtype = _numpy_dtype(self.dtype)
        shape = tuple(self.shape)
        bits = int(getattr(self.dtype, "bits", 8 * dtype.itemsize))
        if bits < 8:
            count = int(np.prod(shape, dtype=np.int64))
            packed = np.empty((count * bits + 7) // 8, dtype="uint8")
            _runtime.TensorCopyToBytes(self, _pointer(packed), packed.nbytes)
            return _unpack(packed, count, bits).view(dtype).reshape(shape)
        result = np.empty(shape, dtype=dtype)
        _runtime.TensorCopyToBytes(self, _pointer(result), result.nbytes)
        return result

    def copyto(self, target: Any, mem_scope: str | None = None) -> Any:
        """Copy to a tensor, or to a new one on a device. Returns the copy."""
        if isinstance(target, tvm_ffi.Tensor):
            _runtime.TensorCopyFromTo(self, target)
            return target
        if isinstance(target, tvm_ffi.Device):
            result = empty(tuple(self.shape), self.dtype, target, mem_scope)
            _runtime.TensorCopyFromTo(self, result)
            return result
        raise ValueError(f"Cannot copy to a value of type {type(target)}")

    def __repr__(self) -> str:
        head = f"<tvm_tirx.runtime.Tensor shape={tuple(self.shape)}, {self.device}>"
        try:
            return f"{head}\n{self.numpy()!r}"
        except (RuntimeError, ValueError):
            return head

    __str__ = __repr__


# Tensors that native functions return are of this class from now on.
tvm_ffi.core._set_class_tensor(Tensor)


def _pack(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The bytes of the elements; formats below a byte are packed, the first in the low bits."""
    bits = int(getattr(dtype, "bits", 8 * array.dtype.itemsize))
    if bits >= 8:
        return array
    codes = np.bitwise_and(array.view("uint8").ravel(), np.uint8((1 << bits) - 1))
    stream = np.unpackbits(codes[:, None], axis=1, bitorder="little")[:, :bits].ravel()
    return np.packbits(stream, bitorder="little")


def _unpack(packed: np.ndarray, count: int, bits: int) -> np.ndarray:
    stream = np.unpackbits(packed, bitorder="little")[: count * bits].reshape(count, bits)
    full = np.zeros((count, 8), dtype="uint8")
    full[:, :bits] = stream
    return np.packbits(full, axis=1, bitorder="little").ravel()


def empty(
    shape: Any, dtype: Any = "float32", device: Any = None, mem_scope: str | None = None
) -> Tensor:
    """A tensor whose elements have any value."""
    if isinstance(shape, int):
        shape = (shape,)
    device = device if device is not None else Device("cpu", 0)
    if isinstance(device, str):
        device = Device(device)
    return _runtime.empty(tuple(int(e) for e in shape), str(dtype), device, mem_scope)


def tensor(arr: Any, device: Any = None, mem_scope: str | None = None) -> Tensor:
    """A copy of an array on a device, the CPU by default."""
    if isinstance(arr, tvm_ffi.Tensor):
        arr = arr.numpy() if hasattr(arr, "numpy") else np.from_dlpack(arr)  # type: ignore[arg-type]
    array = np.asarray(arr)
    name = "bool" if array.dtype == np.dtype("bool") else array.dtype.name
    return empty(array.shape, name, device, mem_scope).copyfrom(array)
