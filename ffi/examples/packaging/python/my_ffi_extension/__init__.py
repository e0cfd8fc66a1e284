# SPDX-License-Identifier: Apache-2.0
"""A C++ function, a C++ class and a C++ error, from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tvm_ffi

from . import _ffi_api
from .base import LIB

__all__ = ["IntPair", "add_one", "raise_error"]


def add_one(x: Any, y: Any) -> None:
    """Store ``x + 1`` in ``y``. Both are one-dimensional float32 CPU tensors of equal length."""
    LIB.add_one(x, y)


def raise_error(message: str) -> None:
    """Raise a ``RuntimeError`` from C++."""
    _ffi_api.raise_error(message)  # type: ignore[attr-defined]


@tvm_ffi.register_object("my_ffi_extension.IntPair")
class IntPair(tvm_ffi.Object):
    """A pair of integers that lives in C++."""

    if TYPE_CHECKING:
        a: int
        b: int

        def get_first(self) -> int: ...
        @staticmethod
        def static_get_second(pair: IntPair) -> int: ...

    def __init__(self, a: int, b: int) -> None:
        """Create the C++ object."""
        self.__ffi_init__(a, b)
