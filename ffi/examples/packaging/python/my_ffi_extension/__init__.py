# SPDX-License-Identifier: Apache-2.0
"""A C++ function, a C++ class and a C++ error, from Python."""

from __future__ import annotations

from typing import Any

from ._ffi_api import IntPair, raise_error
from .base import LIB

__all__ = ["IntPair", "add_one", "raise_error"]


def add_one(x: Any, y: Any) -> None:
    """Store ``x + 1`` in ``y``. Both are one-dimensional float32 CPU tensors of equal length."""
    LIB.add_one(x, y)
