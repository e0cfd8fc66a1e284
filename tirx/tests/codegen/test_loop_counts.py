# SPDX-License-Identifier: Apache-2.0
"""How often stepped loops run near the ends of their types; vector accesses beyond an extent."""

import numpy as np
import pytest
from tvm_tirx import tirx
from tvm_tirx.script import from_source

CASES = [
    ("uint8", 0, 255, 2),
    ("uint8", 250, 255, 3),
    ("int8", 100, 127, 20),
    ("int32", 2147483640, 2147483647, 4),
    ("int32", -2147483640, -2147483648, -3),
    ("int32", 7, -1, -2),
    ("int32", 5, 5, 3),
    ("int64", 0, 10, 4),
    ("int64", 2**63 - 5, 2**63 - 1, 3),
    ("int64", 2**63 - 1, 2**63 - 10, -4),
    ("int64", -(2**63), 2**63 - 1, 2**62),
    ("int64", 2**63 - 1, -(2**63), -(2**62)),
    ("int64", 7, -(2**63), -(2**63)),
]


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize(("dtype", "begin", "end", "step"), CASES)
def test_constant_bounds(target, dtype, begin, end, step):
    wrap = f"T.{dtype}(%d)" if dtype != "int32" else "%d"
    bounds = ", ".join(wrap % value for value in (begin, end, step))
    text = f"""
from tvm_tirx.script import tirx as T

@T.function
def f(count: T.Tensor((1,), "int64"), last: T.Tensor((1,), "int64")):
    for i in range({bounds}):
        count[0] = count[0] + T.int64(1)
        last[0] = T.cast(i, "int64")
"""
    count, last = np.zeros(1, "int64"), np.zeros(1, "int64")
    tirx.compile(from_source(text), target=target)["f"](count, last)
    values = range(begin, end, step)
    assert count[0] == len(values)
    assert last[0] == (values[-1] if values else 0)


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize(
    ("dtype", "begin", "end", "step"),
    [
        ("int32", -5, 5, 2147483647),
        ("int32", 5, -5, -2147483648),
        ("int32", -2147483648, 2147483647, 2000000000),
        ("int32", 0, 7, 3),
        ("int32", 7, 0, 3),
        ("int64", 0, 7, 3),
        ("int64", 2**63 - 5, 2**63 - 1, 3),
        ("int64", -(2**63), 2**63 - 1, 2**62),
        ("int64", 2**63 - 1, -(2**63), -(2**62)),
        ("int64", 2**63 - 1, -(2**63), 5),
        ("int64", 7, -(2**63), -(2**63)),
    ],
)
def test_bounds_of_the_call(target, dtype, begin, end, step):
    text = f"""
from tvm_tirx.script import tirx as T

@T.function
def f(a: T.{dtype}, b: T.{dtype}, s: T.{dtype}, seen: T.Tensor((2,), "int64")):
    for i in range(a, b, s):
        seen[0] = seen[0] + T.int64(1)
        seen[1] = T.cast(i, "int64")
        if seen[0] == T.int64(1000):
            break
"""
    seen = np.zeros(2, "int64")
    tirx.compile(from_source(text), target=target)["f"](begin, end, step, seen)
    values = range(begin, end, step)[:1000]
    assert list(seen) == [len(values), values[-1] if values else 0]


@pytest.mark.parametrize(
    "store",
    [
        "A[4:12] = T.Broadcast(T.float32(1), 8)",
        "A[T.Ramp(4, 1, 8)] = T.Broadcast(T.float32(1), 8)",
        "A[T.Ramp(2, -1, 4)] = T.Broadcast(T.float32(1), 4)",
    ],
)
def test_vector_accesses_beyond_the_extent_are_refused(store):
    text = f"""
from tvm_tirx.script import tirx as T

@T.function
def f(A: T.Tensor((8,), "float32")):
    {store}
"""
    with pytest.raises(IndexError, match="of dimension 0 of `A` is out of bounds: the extent is 8"):
        tirx.compile(from_source(text), target="llvm")


def test_vector_accesses_within_the_extent_run():
    text = """
from tvm_tirx.script import tirx as T

@T.function
def f(A: T.Tensor((8,), "float32")):
    A[4:8] = T.Broadcast(T.float32(1), 4)
    A[T.Ramp(3, -1, 4)] = T.Broadcast(T.float32(2), 4)
"""
    a = np.zeros(8, "float32")
    tirx.compile(from_source(text), target="llvm")["f"](a)
    assert a.tolist() == [2, 2, 2, 2, 1, 1, 1, 1]
