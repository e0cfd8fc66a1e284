# SPDX-License-Identifier: Apache-2.0
"""Kernels chosen by name and dtype, at once or on streams."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tvm_ffi

tvm_ffi.load_module(Path(os.environ.get("EXAMPLE_LIBRARIES", ".")) / "libkernel_library.so")
tvm_ffi.init_ffi_api("kernel_library", __name__)
library = sys.modules[__name__]


@tvm_ffi.register_object("kernel_library.Stream")
class Stream(tvm_ffi.Object):
    """A queue of kernels that run in order on a thread of their own."""

    if TYPE_CHECKING:  # C++ brings the methods; type checkers are told here

        def handle(self) -> int: ...
        def synchronize(self) -> None: ...

    def __enter__(self) -> Stream:
        self._context().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._context().__exit__(*error)
        self.synchronize()

    __slots__ = ("_entered",)

    def _context(self) -> tvm_ffi.StreamContext:
        if not hasattr(self, "_entered"):
            self._entered = tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), self.handle())
        return self._entered


print(*library.kernels())

# Without a stream a kernel runs before the call returns.
a, b = np.arange(4, dtype="int32"), np.array([3, 1, 2, 0], "int32")
out = np.empty_like(a)
library.binary("maximum", a, b, out)
print(out)

# On a stream the calls return at once and the kernels run one after another: 100 doublings of 1.
x = np.ones(1000)
with Stream():
    for _ in range(100):
        library.binary("add", x, x, x)
print(x[0] == 2.0**100, x.min() == x.max())

# Two streams are independent; what a kernel still needs is kept alive although Python has let go of it.
results = [np.empty(1000) for _ in range(2)]
streams = [Stream() for _ in results]
for stream, result in zip(streams, results):
    with stream:
        library.binary("add", np.full(1000, 1.0), np.full(1000, 2.0), result)
print([float(result.sum()) for result in results])

mistakes: list[Callable[[], object]] = [
    lambda: library.binary("power", a, b, out),
    lambda: library.binary("add", *[np.zeros(2, "int8")] * 3),
    lambda: library.binary("add", a, b, np.empty(4, "float32")),
    lambda: library.binary("add", a[::2], b[:2], out[:2]),
]
for wrong in mistakes:
    try:
        wrong()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
