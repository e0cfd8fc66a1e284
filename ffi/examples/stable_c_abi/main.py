# SPDX-License-Identifier: Apache-2.0
"""The C library from Python: nothing shows that no C++ is in it."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tvm_ffi

folder = Path(os.environ.get("EXAMPLE_LIBRARIES", "."))
matrix = tvm_ffi.load_module(folder / "libmatrix_c.so")

a = np.array([[1.0, 2.0], [3.0, 4.0]])
out = np.empty((2, 2))
matrix.multiply(a, np.eye(2), out)
print(out.tolist())

print(matrix.apply_twice(lambda x: x + [len(x)], [7]))  # lists, functions: any value crosses
counter = matrix.make_counter(10)
print(counter(), counter(), matrix.make_counter(0)())

mistakes: list[Callable[[], object]] = [
    lambda: matrix.multiply(a, np.eye(3), out),
    lambda: matrix.multiply(a.astype("float32"), a, out),
    lambda: matrix.multiply(a.T, a, out),
    lambda: matrix.multiply(a),
    lambda: matrix.apply_twice(lambda x: 1 // x, 0),
    lambda: matrix.make_counter("ten"),
]
for wrong in mistakes:
    try:
        wrong()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
