# SPDX-License-Identifier: Apache-2.0
"""The file that the C++ and Rust programs read: arrays one after another.

An array is int64 ``ndim``, ``ndim`` int64 extents, then its elements, row-major, 4 bytes each; all little-endian.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np


def write(path: Path, arrays: list[np.ndarray]) -> None:
    with path.open("wb") as file:
        for array in arrays:
            assert array.dtype.itemsize == 4
            file.write(np.array([array.ndim, *array.shape], "<i8").tobytes())
            file.write(np.ascontiguousarray(array).tobytes())
