# SPDX-License-Identifier: Apache-2.0
"""Data types."""

from __future__ import annotations

import builtins
from typing import Any

from . import core

_CODE_INT, _CODE_UINT, _CODE_FLOAT, _CODE_HANDLE, _CODE_BFLOAT, _CODE_BOOL = 0, 1, 2, 3, 4, 6

_CODE_NAMES = {
    "INT": _CODE_INT,
    "UINT": _CODE_UINT,
    "FLOAT": _CODE_FLOAT,
    "HANDLE": _CODE_HANDLE,
    "BFLOAT": _CODE_BFLOAT,
    "BOOL": _CODE_BOOL,
    "Float8E3M4": 7,
    "Float8E4M3": 8,
    "Float8E4M3B11FNUZ": 9,
    "Float8E4M3FN": 10,
    "Float8E4M3FNUZ": 11,
    "Float8E5M2": 12,
    "Float8E5M2FNUZ": 13,
    "Float8E8M0FNU": 14,
    "Float6E2M3FN": 15,
    "Float6E3M2FN": 16,
    "Float4E2M1FN": 17,
}


def __getattr__(name: str) -> Any:
    if name == "DataTypeCode":  # `enum` is not imported until somebody asks
        from enum import IntEnum

        codes = IntEnum("DataTypeCode", _CODE_NAMES, module=__name__)  # type: ignore[misc]
        globals()[name] = codes
        return codes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _NumpyNames:
    """``dtype._NUMPY_DTYPE_TO_STR``: numpy's data types and their names, made when first read."""

    def __get__(self, instance: Any, owner: type) -> dict[Any, str]:
        import numpy as np

        widths = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
        names = {np.dtype(n): n for n in ("bool", *widths, "float16", "float32", "float64")}
        try:
            import ml_dtypes
        except ImportError:
            return names
        small = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn")
        found = [n for n in small if hasattr(ml_dtypes, n)]
        return {**names, **{np.dtype(getattr(ml_dtypes, n)): n for n in found}}


class dtype(str):
    """A data type such as ``"float32"`` or ``"int8x4"``; also a ``str`` of that text.

    Parameters
    ----------
    content
        Text, or anything whose ``str`` is such a text (a ``numpy.dtype``).

    Raises
    ------
    ValueError
        The text names no data type.
    """

    __slots__ = ["_tvm_ffi_dtype"]
    _tvm_ffi_dtype: core.DataType

    _NUMPY_DTYPE_TO_STR = _NumpyNames()
    _INTEGER_CODES = frozenset((_CODE_INT, _CODE_UINT))
    _FLOAT_CODES = frozenset((_CODE_FLOAT, _CODE_BFLOAT, *range(7, 18)))

    def __new__(cls, content: Any) -> dtype:
        text = str(content)
        val = str.__new__(cls, text)
        val._tvm_ffi_dtype = core.DataType(text)
        return val

    @staticmethod
    def from_dlpack_data_type(dltype_data_type: tuple[int, int, int]) -> dtype:
        """The data type of a DLPack triple ``(code, bits, lanes)``."""
        code, bits, lanes = dltype_data_type
        native = core._create_cdtype_from_tuple(core.DataType, code, bits, lanes)
        val = str.__new__(dtype, str(native))
        val._tvm_ffi_dtype = native
        return val

    @staticmethod
    def is_dtype(arg: str | dtype) -> builtins.bool:
        """Whether ``arg`` is a data type or the text of one."""
        if isinstance(arg, dtype):
            return True
        try:
            core.DataType(arg)
        except (ValueError, TypeError):
            return False
        return True

    def __repr__(self) -> str:
        return f"dtype('{self}')"

    def __reduce__(self) -> Any:
        return (dtype, (str(self),))

    def with_lanes(self, lanes: int) -> dtype:
        """The vector type of ``lanes`` elements."""
        native = core._create_cdtype_from_tuple(
            core.DataType, self._tvm_ffi_dtype.type_code, self._tvm_ffi_dtype.bits, lanes
        )
        val = str.__new__(type(self), str(native))
        val._tvm_ffi_dtype = native
        return val

    @property
    def type_code(self) -> int:
        """DLPack type code."""
        return self._tvm_ffi_dtype.type_code

    @property
    def bits(self) -> int:
        """Bits of one lane."""
        return self._tvm_ffi_dtype.bits

    @property
    def lanes(self) -> int:
        """Number of lanes, negative for scalable vectors."""
        return self._tvm_ffi_dtype.lanes

    @property
    def itemsize(self) -> int:
        """Bytes of one element. ValueError for scalable vectors."""
        return self._tvm_ffi_dtype.itemsize

    @property
    def is_bool(self) -> builtins.bool:
        """Whether this is a boolean type."""
        return self.type_code == _CODE_BOOL

    @property
    def is_integer(self) -> builtins.bool:
        """Whether this is a signed or unsigned integer type."""
        return self.type_code in self._INTEGER_CODES

    @property
    def is_float(self) -> builtins.bool:
        """Whether this is a floating-point type of any format."""
        return self.type_code in self._FLOAT_CODES

    @property
    def is_handle(self) -> builtins.bool:
        """Whether this is an opaque pointer type."""
        return self.type_code == _CODE_HANDLE


core._set_class_dtype(dtype)

bool = dtype("bool")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float16 = dtype("float16")
float32 = dtype("float32")
float64 = dtype("float64")
bfloat16 = dtype("bfloat16")
float8_e3m4 = dtype("float8_e3m4")
float8_e4m3 = dtype("float8_e4m3")
float8_e4m3b11fnuz = dtype("float8_e4m3b11fnuz")
float8_e4m3fn = dtype("float8_e4m3fn")
float8_e4m3fnuz = dtype("float8_e4m3fnuz")
float8_e5m2 = dtype("float8_e5m2")
float8_e5m2fnuz = dtype("float8_e5m2fnuz")
float8_e8m0fnu = dtype("float8_e8m0fnu")
float6_e2m3fn = dtype("float6_e2m3fn")
float6_e3m2fn = dtype("float6_e3m2fn")
float4_e2m1fn = dtype("float4_e2m1fn")
float4_e2m1fn_x2 = dtype("float4_e2m1fn_x2")
float4_e2m1fnx2 = dtype("float4_e2m1fnx2")
