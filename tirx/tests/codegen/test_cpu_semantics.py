# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (the programs are as long as they are)
"""Programs with answers computed in Python, on both CPU backends."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest
import tvm_ffi
import tvm_tirx
from tvm_tirx import tirx
from tvm_tirx.script import from_source
from tvm_tirx.script import ir as I
from tvm_tirx.script import tirx as T

TARGETS = ["llvm", "c"]
pytestmark = pytest.mark.parametrize("target", TARGETS)


def build(text: str, target: str):
    return tirx.compile(
        from_source("from tvm_tirx.script import tirx as T\n" + text), target=target
    )


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_integer_division(target, dtype):
    run = build(
        f"""
@T.function
def main(A: T.Tensor((64,), "{dtype}"), B: T.Tensor((64,), "{dtype}"), R: T.Tensor((64, 4), "{dtype}")):
    for i in range(64):
        R[i, 0] = T.floordiv(A[i], B[i])
        R[i, 1] = T.floormod(A[i], B[i])
        R[i, 2] = T.truncdiv(A[i], B[i])
        R[i, 3] = T.truncmod(A[i], B[i])
""",
        target,
    )["main"]
    info = np.iinfo(dtype)
    values = [0, 1, 2, 7, 100, info.max, info.max - 1]
    divisors = [1, 2, 3, 7, 8, info.max]
    if info.min < 0:
        values += [-1, -2, -7, -100, info.min, info.min + 1]
        divisors += [-1, -2, -3, -7]
    pairs = list(itertools.product(values, divisors))
    for start in range(0, len(pairs), 64):
        chunk = (pairs[start : start + 64] + [(0, 1)] * 64)[:64]
        a = np.array([p[0] for p in chunk], dtype)
        b = np.array([p[1] for p in chunk], dtype)
        got = np.zeros((64, 4), dtype)
        run(a, b, got)
        for (x, y), row in zip(chunk, got.tolist()):
            wrap = lambda v: int(np.array(v % (1 << info.bits), "uint64").astype(dtype))  # noqa: E731
            want = [x // y, x % y, truncated(x, y), x - y * truncated(x, y)]
            assert row == [wrap(v) for v in want], (x, y)


def test_division_by_zero_raises(target):
    @T.function
    def divide(A: T.Tensor((2,), "int32"), d: T.int32):
        A[0] = A[1] // d

    run = tirx.compile(divide, target=target)["divide"]
    run(np.array([0, 8], "int32"), 2)
    with pytest.raises((ZeroDivisionError, RuntimeError), match="division by zero"):
        run(np.array([0, 8], "int32"), 0)


def test_select_may_hide_a_zero_divisor(target):
    @T.function
    def divide(A: T.Tensor((3,), "int32"), B: T.Tensor((3,), "int32")):
        for i in range(3):
            A[i] = T.Select(B[i] != 0, 12 // B[i], -1)

    a, b = np.zeros(3, "int32"), np.array([3, 0, -5], "int32")
    tirx.compile(divide, target=target)["divide"](a, b)
    assert a.tolist() == [4, -1, -3]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_min_max_of_nan_and_zero(target, dtype):
    run = build(
        f"""
@T.function
def main(A: T.Tensor((4, 2), "{dtype}"), R: T.Tensor((4, 2), "{dtype}")):
    for i in range(4):
        R[i, 0] = T.min(A[i, 0], A[i, 1])
        R[i, 1] = T.max(A[i, 0], A[i, 1])
""",
        target,
    )["main"]
    a = np.array([[1, np.nan], [np.nan, 1], [0.0, -0.0], [-0.0, 0.0]], dtype)
    r = np.zeros((4, 2), dtype)
    run(a, r)
    assert np.isnan(r[:2]).all()
    assert (r[2:] == 0).all()
    assert np.signbit(r[2:]).tolist() == [[True, False]] * 2


def test_float_to_int_out_of_range(target):
    @T.function
    def convert(
        A: T.Tensor((5,), "float64"), B: T.Tensor((5,), "int32"), C: T.Tensor((5,), "uint8")
    ):
        for i in range(5):
            B[i] = T.cast(A[i], "int32")
            C[i] = T.cast(A[i], "uint8")

    b, c = np.zeros(5, "int32"), np.zeros(5, "uint8")
    a = np.array([1e300, -1e300, np.nan, 2.9, -2.9])
    tirx.compile(convert, target=target)["convert"](a, b, c)
    assert b.tolist() == [2**31 - 1, -(2**31), 0, 2, -2]
    assert c.tolist() == [255, 0, 0, 2, 0]


SMALL = [
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e4m3",
    "float8_e3m4",
    "float8_e4m3b11fnuz",
    "bfloat16",
    "float16",
]


@pytest.mark.parametrize("name", SMALL)
def test_small_floats_round_as_ml_dtypes(target, name):
    import ml_dtypes

    dtype = np.dtype(name) if name == "float16" else np.dtype(getattr(ml_dtypes, name))
    text = f"""
@T.function
def main(A: T.Tensor((COUNT,), "float32"), B: T.Tensor((COUNT,), "{name}"), C: T.Tensor((COUNT,), "float32"), D: T.Tensor((COUNT,), "{name}")):
    for i in range(COUNT):
        B[i] = T.cast(A[i], "{name}")
        C[i] = T.cast(B[i], "float32")
    for i in range(COUNT):
        D[i] = B[i] + B[COUNT - 1 - i]
"""
    rng = np.random.default_rng(1)
    a = np.concatenate(
        [
            rng.normal(0, 1, 500),
            rng.normal(0, 1, 500) * 10.0 ** rng.uniform(-12, 6, 500),
            [
                0,
                -0.0,
                np.inf,
                -np.inf,
                np.nan,
                448,
                464,
                465,
                57344,
                61440,
                61439,
                240,
                248,
                65504,
                65520,
                1e-8,
            ],
        ]
    ).astype("float32")
    run = build(text.replace("COUNT", str(a.size)), target)["main"]
    with np.errstate(all="ignore"):
        want = a.astype(dtype)
    b = tvm_tirx.runtime.empty((a.size,), name)
    d = tvm_tirx.runtime.empty((a.size,), name)
    c = np.zeros_like(a)
    run(a, b, c, d)
    got = b.numpy()
    finite = ~np.isnan(want.astype("float32"))
    bits = f"uint{8 * dtype.itemsize}"
    assert (got.view(bits) == want.view(bits))[finite].all()
    assert np.isnan(got.astype("float32")[~finite]).all()
    assert np.array_equal(c, want.astype("float32"), equal_nan=True)
    with np.errstate(all="ignore"):
        total = (want.astype("float32") + want[::-1].astype("float32")).astype(dtype)
    assert np.array_equal(d.numpy().astype("float32"), total.astype("float32"), equal_nan=True)


def test_packed_int4(target):
    @T.function
    def copy(A: T.Tensor((7,), "int4"), B: T.Tensor((7,), "int8"), C: T.Tensor((7,), "int4")):
        for i in range(7):
            B[i] = T.cast(A[i], "int8")
            C[i] = T.cast(B[i], "int4")

    import ml_dtypes

    values = np.array([-8, -1, 0, 1, 7, 3, -4], ml_dtypes.int4)
    a = tvm_tirx.runtime.empty((7,), "int4").copyfrom(values)
    c = tvm_tirx.runtime.empty((7,), "int4")
    b = np.zeros(7, "int8")
    tirx.compile(copy, target=target)["copy"](a, b, c)
    assert b.tolist() == [-8, -1, 0, 1, 7, 3, -4]
    assert c.numpy().astype("int8").tolist() == b.tolist()


def test_overlapping_arguments_are_sequential(target):
    @T.function
    def shift(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        for i in T.vectorized(64):
            B[i] = A[i] + T.float32(1)

    memory = np.zeros(96, "float32")
    tirx.compile(shift, target=target)["shift"](memory[:64], memory[16:80])
    want = np.zeros(96, "float32")
    for i in range(64):
        want[16 + i] = want[i] + 1
    assert memory.tolist() == want.tolist()


def test_reduction_is_in_order(target):
    @T.function
    def total(A: T.Tensor((1000,), "float32"), S: T.Tensor((1,), "float32")):
        S[0] = T.float32(0)
        for i in range(1000):
            S[0] = S[0] + A[i]

    a = np.random.default_rng(0).normal(0, 1e3, 1000).astype("float32")
    s = np.zeros(1, "float32")
    tirx.compile(total, target=target)["total"](a, s)
    want = np.float32(0)
    for value in a:
        want = np.float32(want + value)
    assert s[0] == want


def test_parallel_steps_and_begin(target):
    @T.function
    def mark(A: T.Tensor((100,), "int32")):
        for i in T.parallel(3, 97, step=4):
            A[i] = i

    a = np.zeros(100, "int32")
    tirx.compile(mark, target=target)["mark"](a)
    assert a.tolist() == [i if i in range(3, 97, 4) else 0 for i in range(100)]


def test_nested_parallel_loops(target):
    @T.function
    def mark(A: T.Tensor((8, 8), "int32")):
        for i in T.parallel(8):
            for j in T.parallel(8):
                A[i, j] = A[i, j] + i * 8 + j

    a = np.zeros((8, 8), "int32")
    tirx.compile(mark, target=target)["mark"](a)
    assert a.ravel().tolist() == list(range(64))


def test_team_with_barrier(target):
    @T.function
    def reverse(A: T.Tensor((256,), "int32"), B: T.Tensor((256,), "int32")):
        with T.parallel_launch():
            for i in T.parallel(256):
                A[i] = i
            T.cpu_parallel_barrier()
            for i in T.parallel(256):
                B[i] = A[255 - i]

    run = tirx.compile(reverse, target=target)["reverse"]
    for _ in range(20):
        a, b = np.zeros(256, "int32"), np.zeros(256, "int32")
        run(a, b)
        assert b.tolist() == list(range(255, -1, -1))


def test_error_inside_a_parallel_loop(target):
    @T.function
    def check(A: T.Tensor((64,), "int32")):
        for i in T.parallel(64):
            assert A[i] != 7, ("ValueError", ["seven is not allowed"])
            A[i] = 1

    run = tirx.compile(check, target=target)["check"]
    run(np.zeros(64, "int32"))
    bad = np.zeros(64, "int32")
    bad[40] = 7
    with pytest.raises(ValueError, match="seven is not allowed"):
        run(bad)


def test_large_temporaries_in_loops(target):
    @T.function
    def sums(A: T.Tensor((5,), "float32"), k: T.int32):
        for i in range(5):
            W = T.alloc_tensor(ty_args=[T.Tensor((40000,), "float32")])
            if i == k:
                continue
            for j in range(40000):
                W[j] = T.cast(i, "float32")
            A[i] = W[0] + W[39999]

    run = tirx.compile(sums, target=target)["sums"]
    for _ in range(3):
        a = np.zeros(5, "float32")
        run(a, 3)
        assert a.tolist() == [0, 2, 4, 0, 8]


def test_symbolic_temporary(target):
    size = T.dynamic("size", "int32")

    @T.function
    def reverse(A: T.Tensor((size,), "int32")):
        W = T.alloc_tensor(ty_args=[T.Tensor((size,), "int32")])
        for i in range(size):
            W[i] = A[i]
        for i in range(size):
            A[i] = W[size - 1 - i]

    run = tirx.compile(reverse, target=target)["reverse"]
    for count in (0, 1, 5, 10000):
        a = np.arange(count, dtype="int32")
        run(a)
        assert a.tolist() == list(range(count - 1, -1, -1))


def test_dynamic_step(target):
    @T.function
    def mark(A: T.Tensor((20,), "int32"), first: T.int32, last: T.int32, step: T.int32):
        for i in range(first, last, step):
            A[i] = 1

    run = tirx.compile(mark, target=target)["mark"]
    for first, last, step in [
        (0, 20, 3),
        (19, -1, -4),
        (5, 5, 1),
        (5, 3, 1),
        (3, 5, -1),
        (18, 2, -7),
    ]:
        a = np.zeros(20, "int32")
        run(a, first, last, step)
        assert a.nonzero()[0].tolist() == sorted(range(first, last, step))
    with pytest.raises(ValueError, match="range step cannot be zero"):
        run(np.zeros(20, "int32"), 0, 5, 0)


def test_short_circuit(target):
    @T.function
    def find(A: T.Tensor((4,), "int32"), n: T.int32, out: T.Tensor((1,), "int32")):
        i: T.int32 = 0
        while i < n and A[i] != 9:
            i = i + 1
        out[0] = i

    run = tirx.compile(find, target=target)["find"]
    out = np.zeros(1, "int32")
    run(np.array([1, 2, 9, 4], "int32"), 4, out)
    assert out[0] == 2
    run(np.array([1, 2, 3, 4], "int32"), 4, out)
    assert out[0] == 4


def test_packed_call_values(target):
    seen = []

    @tvm_ffi.register_global_func("test.codegen.values", override=True)
    def values(*args):
        seen.append(args)
        return 41

    @T.function
    def call(A: T.Tensor((3,), "float32"), b: T.bool):
        A[0] = T.cast(T.call_packed("test.codegen.values", 7, T.float32(0.5), "word", b), "float32")

    a = np.zeros(3, "float32")
    tirx.compile(call, target=target)["call"](a, True)
    assert a[0] == 41
    assert seen == [(7, 0.5, "word", True)]


def test_packed_call_of_a_tensor(target):
    shapes = []

    @tvm_ffi.register_global_func("test.codegen.tensor", override=True)
    def tensor(value):
        shapes.append(tuple(value.shape))
        ctypes.cast(value.data_ptr(), ctypes.POINTER(ctypes.c_float))[5] = 5

    @T.function
    def call(A: T.Tensor((2, 3), "float32")):
        T.call_packed("test.codegen.tensor", A)

    a = np.zeros((2, 3), "float32")
    tirx.compile(call, target=target)["call"](a)
    assert shapes == [(2, 3)]
    assert a[1, 2] == 5


def test_packed_call_error(target):
    @tvm_ffi.register_global_func("test.codegen.raises", override=True)
    def raises():
        raise KeyError("inside")

    @T.function
    def call():
        T.call_packed("test.codegen.raises")

    run = tirx.compile(call, target=target)["call"]
    with pytest.raises(KeyError, match="inside"):
        run()


def test_recursive_module_functions(target):
    @I.ir_module
    class Module:
        @T.function(private=True)
        def fibonacci(n: T.int32) -> T.int64:
            if n < 2:
                return T.cast(n, "int64")
            return Module.fibonacci(n - 1) + Module.fibonacci(n - 2)

        @T.function
        def main(A: T.Tensor((1,), "int64"), n: T.int32):
            A[0] = Module.fibonacci(n)

    a = np.zeros(1, "int64")
    tirx.compile(Module, target=target)["main"](a, 20)
    assert a[0] == 6765


def test_exported_function_called_inside_the_module(target):
    @I.ir_module
    class Module:
        @T.function
        def scale(A: T.Tensor((4,), "float32"), k: T.float32):
            for i in range(4):
                A[i] = A[i] * k

        @T.function
        def main(A: T.Tensor((4,), "float32")):
            Module.scale(A, T.float32(2))
            Module.scale(A, T.float32(5))

    executable = tirx.compile(Module, target=target)
    a = np.ones(4, "float32")
    executable["main"](a)
    assert a.tolist() == [10] * 4
    executable["scale"](a, 0.5)
    assert a.tolist() == [5] * 4


def test_atomic_add(target):
    @T.function
    def count(A: T.Tensor((1,), "int32"), F: T.Tensor((1,), "float32")):
        for _ in T.parallel(1000):
            T.evaluate(T.atomic_add(A.ptr_to([0]), 1, ty="int32"))
            T.evaluate(T.atomic_add(F.ptr_to([0]), T.float32(0.5), ty="float32"))

    a, f = np.zeros(1, "int32"), np.zeros(1, "float32")
    tirx.compile(count, target=target)["count"](a, f)
    assert (a[0], f[0]) == (1000, 500)


def test_names_of_the_target_language(target):
    run = build(
        """
@T.function
def main(double: T.Tensor((4,), "int32"), new: T.int32):
    for auto in range(4):
        register = T.int32(2)
        double[auto] = auto * register + new
    for exp in range(2):
        double[exp] = double[exp] + T.cast(T.exp(T.float32(0)), "int32")
""",
        target,
    )["main"]
    a = np.zeros(4, "int32")
    run(a, 3)
    assert a.tolist() == [4, 6, 7, 9]


def test_results(target):
    @I.ir_module
    class Module:
        @T.function
        def an_int(x: T.int32) -> T.int32:
            return x + 1

        @T.function
        def a_float(x: T.float32) -> T.float32:
            return x * T.float32(0.5)

        @T.function
        def a_bool(x: T.int32) -> T.bool:
            return x > 3

    executable = tirx.compile(Module, target=target)
    assert executable["an_int"](4) == 5
    assert executable["a_float"](3) == 1.5
    assert executable["a_bool"](4) is True
    assert executable["a_bool"](3) is False


def test_export_and_load(target, tmp_path):
    @tvm_ffi.register_global_func("test.codegen.exported", override=True)
    def exported(x):
        return x * 3

    @T.function
    def main(A: T.Tensor((300,), "float32")):
        W = T.alloc_tensor(ty_args=[T.Tensor((300, 100), "float32")])
        for i in T.parallel(300):
            W[i, 0] = A[i] * T.float32(2)
        for i in range(300):
            A[i] = T.exp(W[i, 0]) + T.cast(T.call_packed("test.codegen.exported", i), "float32")

    path = tmp_path / "kernel.so"
    tirx.compile(main, target=target).export_library(path)
    module = tvm_ffi.load_module(path)
    a = np.linspace(0, 1, 300, dtype="float32")
    want = np.exp(2 * a.astype("float64")) + 3 * np.arange(300)
    module["main"](a)
    np.testing.assert_allclose(a, want, rtol=1e-6)
