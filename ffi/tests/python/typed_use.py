# SPDX-License-Identifier: Apache-2.0
"""Everyday use of the package, for ``mypy --strict`` (``./dev lint``); nobody runs it."""

import numpy as np
import tvm_ffi
from tvm_ffi import Array, Map, cpp


@tvm_ffi.register_global_func("x.y")
def add(a: int, b: int) -> int:
    return a + b


f = tvm_ffi.get_global_func("x.y")
print(f(1, 2))
a: Array[int] = tvm_ffi.Array([1, 2, 3])
m: Map[str, int] = tvm_ffi.Map({"a": 1})
total: int = sum(a) + m["a"]
t = tvm_ffi.from_dlpack(np.zeros(3))
shape = t.shape
mod = cpp.load_inline("x", cpp_sources="", functions=["f"])
mod.f(1)
mod["f"](2)
with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda:0"), 0):
    pass
dt = tvm_ffi.dtype("float32").with_lanes(4)
try:
    f("x")
except TypeError as error:
    print(error)
