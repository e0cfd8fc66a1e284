# SPDX-License-Identifier: Apache-2.0
"""What an exported function says about wrong arguments, on both CPU backends."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import tvm_tirx
from tvm_tirx import tirx
from tvm_tirx.script import tirx as T

n = T.dynamic("n", "int32")


@T.function
def kernel(
    A: T.Tensor((n, 4), "float32"),
    k: T.int32,
    p: T.handle,
    b: T.bool,
    x: T.float32,
    o: T.NoneType(),
    B: T.Tensor((n * 2,), "int8"),
    C: T.Tensor((n,), "float16"),
    u: T.uint8,
) -> T.int32:
    A[0, 0] = T.cast(k, "float32")
    return k


SIGNATURE = (
    "kernel(A: Tensor([n, 4], float32), k: int32, p: T.Ptr(T.void), b: bool, x: float32, "
    "o: T.NoneType(), B: Tensor([n * 2], int8), C: Tensor([n], float16), u: uint8)"
)


@pytest.fixture(scope="module", params=["llvm", "c"])
def function(request):
    return tirx.compile(kernel, target=request.param)["kernel"]


def arguments():
    return [
        np.zeros((3, 4), "float32"),
        3,
        None,
        True,
        1.5,
        None,
        np.zeros(6, "int8"),
        np.zeros(3, "float16"),
        7,
    ]


def message(start: str, expected: str) -> str:
    return f"{start} when calling:\n  `{SIGNATURE}`,\n  expected {expected}"


def test_right_arguments(function):
    args = arguments()
    assert function(*args) == 3
    assert args[0][0, 0] == 3


CASES = [
    (0, 3, TypeError, "Mismatched type on argument #0", "Tensor"),
    (0, None, TypeError, "Mismatched type on argument #0", "Tensor"),
    (0, [1.0, 2.0], TypeError, "Mismatched type on argument #0", "Tensor"),
    (0, np.zeros(3, "float32"), ValueError, "Mismatched A.ndim on argument #0", "2"),
    (0, np.zeros((3, 4)), TypeError, "Mismatched A.dtype on argument #0", "float32"),
    (
        0,
        np.zeros((4, 3), "float32").T,
        ValueError,
        "Mismatched A.strides on argument #0",
        "to be compact array",
    ),
    (1, "s", TypeError, "Mismatched type on argument #1", "int"),
    (1, 2.5, TypeError, "Mismatched type on argument #1", "int"),
    (2, 5, TypeError, "Mismatched type on argument #2", "pointer"),
    (3, "x", TypeError, "Mismatched type on argument #3", "boolean"),
    (4, "x", TypeError, "Mismatched type on argument #4", "float"),
    (5, 3, TypeError, "Mismatched type on argument #5", "None"),
    (6, np.zeros(5, "int8"), ValueError, "Invalid B.shape[0] on argument #6", "A.shape[0] * 2"),
    (
        7,
        np.zeros(4, "float16"),
        ValueError,
        "Mismatched C.shape[0] on argument #7",
        "to match A.shape[0]",
    ),
    (8, "a", TypeError, "Mismatched type on argument #8", "int"),
    (8, 300, ValueError, "Out of range of uint8 on argument #8", "a value in [0, 255]"),
    (8, -1, ValueError, "Out of range of uint8 on argument #8", "a value in [0, 255]"),
    (
        1,
        2**40,
        ValueError,
        "Out of range of int32 on argument #1",
        "a value in [-2147483648, 2147483647]",
    ),
]


@pytest.mark.parametrize("index, value, kind, start, expected", CASES)
def test_wrong_argument(function, index, value, kind, start, expected):
    args = arguments()
    args[index] = value
    with pytest.raises(kind) as caught:
        function(*args)
    assert str(caught.value) == message(start, expected)


def test_wrong_count(function):
    with pytest.raises(TypeError) as caught:
        function(*arguments()[:3])
    assert str(caught.value) == f"Expected 9 arguments when calling:\n  `{SIGNATURE}`"


@pytest.mark.parametrize("value, seen", [(True, 1), (False, 0)])
def test_bool_is_an_int(function, value, seen):
    args = arguments()
    args[1] = value
    assert function(*args) == seen


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_any_natural_alignment(target):
    @T.function
    def double(A: T.Tensor((5,), "float64")):
        for i in range(5):
            A[i] = A[i] * T.float64(2)

    run = tirx.compile(double, target=target)["double"]
    memory = np.zeros(5 * 8 + 64, "uint8")
    for offset in (0, 8, 16, 24, 40, 56):
        start = -memory.ctypes.data % 64 + offset
        if start + 40 > memory.size:
            continue
        array = memory[start : start + 40].view("float64")
        array[:] = [1, 2, 3, 4, 5]
        run(array)
        assert array.tolist() == [2, 4, 6, 8, 10]


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_empty_array(target):
    size = T.dynamic("size", "int32")

    @T.function
    def fill(A: T.Tensor((size, 3), "int32")):
        for i, j in T.grid(size, 3):
            A[i, j] = 1

    run = tirx.compile(fill, target=target)["fill"]
    run(np.zeros((0, 3), "int32"))
    run(np.broadcast_to(np.zeros((0, 3), "int32"), (0, 3)))


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_explicit_alignment_is_checked(target):
    @T.function
    def touch(A: T.Tensor((4,), "float32", align=128)):
        A[0] = T.float32(1)

    run = tirx.compile(touch, target=target)["touch"]
    memory = np.zeros(16 + 256, "uint8")
    start = -memory.ctypes.data % 128
    run(memory[start : start + 16].view("float32"))
    with pytest.raises(ValueError, match="expected data alignment=128 bytes"):
        run(memory[start + 64 : start + 80].view("float32"))


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_pointer_arguments(target):
    @T.function
    def peek(p: T.handle("int32"), out: T.Tensor((2,), "int32")):
        out[0] = T.if_then_else(T.isnullptr(p), 1, 0)
        A = T.decl_tensor(p, ty_args=[T.Tensor((2,), "int32")])
        if T.Not(T.isnullptr(p)):
            out[1] = A[1]

    run = tirx.compile(peek, target=target)["peek"]
    out = np.zeros(2, "int32")
    run(None, out)
    assert out.tolist() == [1, 0]
    data = np.array([7, 8], "int32")
    run(ctypes.c_void_p(data.ctypes.data), out)
    assert out.tolist() == [0, 8]


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_size_solved_from_an_expression(target):
    m = T.dynamic("m", "int64")

    @T.function
    def fill(A: T.Tensor((m * 2 + 1,), "int32"), B: T.Tensor((m,), "int32")):
        for i in range(m):
            B[i] = A[i * 2 + 1]

    run = tirx.compile(fill, target=target)["fill"]
    out = np.zeros(3, "int32")
    run(np.arange(7, dtype="int32"), out)
    assert out.tolist() == [1, 3, 5]
    # 8 is no odd number: the extent that follows from m = 3 is 7.
    with pytest.raises(ValueError, match=r"Invalid A.shape\[0\] on argument #0"):
        run(np.arange(8, dtype="int32"), out)


def test_size_that_no_argument_gives():
    a = T.dynamic("a", "int32")
    b = T.dynamic("b", "int32")

    @T.function
    def fill(A: T.Tensor((a * b,), "int32")):
        A[0] = 1

    with pytest.raises(ValueError, match="cannot be found from the arguments"):
        tirx.compile(fill, target="llvm")


def test_missing_function():
    @T.function
    def nothing():
        pass

    with pytest.raises(AttributeError, match="Module has no function 'nope'"):
        tirx.compile(nothing, target="llvm")["nope"]


def test_runtime_tensor_is_an_argument():
    @T.function
    def double(A: T.Tensor((4,), "float32")):
        for i in range(4):
            A[i] = A[i] * T.float32(2)

    tensor = tvm_tirx.runtime.tensor(np.array([1, 2, 3, 4], "float32"))
    tirx.compile(double, target="llvm")["double"](tensor)
    assert tensor.numpy().tolist() == [2, 4, 6, 8]
