# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (the programs are as long as they are)
"""Passes: text in, expected text beside it."""

from __future__ import annotations

import pytest
import tvm_tirx
from tvm_tirx.ir import IRModule
from tvm_tirx.script import from_source
from tvm_tirx.tirx import transform

HEAD = "from tvm_tirx.script import tirx as T\n\n@T.function\n"


def body(source: str, *passes) -> list[str]:
    """The lines of the function after the passes, without indentation of the module."""
    module = IRModule.from_expr(from_source(HEAD + source))
    for one in passes:
        module = one(module)
    lines = module.script().split("\n")
    start = next(i for i, line in enumerate(lines) if "def main" in line)
    return [line[8:] for line in lines[start + 1 :] if line.strip()]


FLATTEN = """
def main(A: T.Tensor((4, 8), "float32"), B: T.Tensor((32,), "float32"), C: T.Tensor((2, 3, 4), "int32")):
    L = T.alloc_local((2, 3), "float32")
    D = T.decl_tensor(B.data, ty_args=[T.Tensor((4, 8), "float32")])
    for i in range(4):
        for j in range(8):
            A[i, j] = B[i * 8 + j] + D[i, j]
    L[1, 2] = A[0, 1]
    C[1, 2, 3] = T.cast(L[1, 2], "int32")
"""


def test_flatten_tensor():
    assert body(FLATTEN, transform.FlattenTensor()) == [
        "A_1 = T.decl_tensor(A.data, ty_args=[T.Tensor((32,), T.float32)])",
        "B_1 = T.decl_tensor(B.data, ty_args=[T.Tensor((32,), T.float32)])",
        "C_1 = T.decl_tensor(C.data, ty_args=[T.Tensor((24,), T.int32)])",
        'L = T.alloc_tensor(ty_args=[T.Tensor((6,), T.float32, scope="local")])',
        "D = T.decl_tensor(B.data, ty_args=[T.Tensor((32,), T.float32)])",
        "for i in range(4):",
        "    for j in range(8):",
        "        A_1[i * 8 + j] = B_1[i * 8 + j] + D[i * 8 + j]",
        "L[5] = A_1[1]",
        'C_1[23] = T.Cast("int32", L[5])',
    ]


VECTORIZE = """
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "int32"), n: T.int32):
    T.func_attr({"tirx.noalias": True})
    for v in T.vectorized(8):
        A[v] = A[v] * T.float32(2) + T.cast(v, "float32")
    for v in T.vectorized(8):
        A[v * 2 + 1] = T.exp(A[B[v]])
    for i in range(4):
        for v in T.vectorized(4):
            B[i * 4 + v] = T.Select(A[v] > T.float32(0), i, v)
    for v in T.vectorized(n):
        B[v] = 1
"""


def test_vectorize_loop():
    assert body(VECTORIZE, transform.VectorizeLoop()) == [
        'T.func_attr({"tirx.noalias": True})',
        'A[0:8] = A[T.Ramp(0, 1, 8)] * T.Broadcast(T.float32(2.0), 8) + T.Cast("float32x8", T.Ramp(0, 1, 8))',
        "for v in range(8):",
        "    A[v * 2 + 1] = T.exp(A[B[v]])",
        "for i in range(4):",
        "    B[i * 4:i * 4 + 4] = T.Select(A[T.Ramp(0, 1, 4)] > T.Broadcast(T.float32(0.0), 4), "
        "T.Broadcast(i, 4), T.Ramp(0, 1, 4))",
        "for v_1 in range(n):",
        "    B[v_1] = 1",
    ]


def test_vectorize_loop_off():
    lines = body(VECTORIZE, transform.VectorizeLoop(False))
    assert not any("vectorized" in line or "Ramp" in line for line in lines)
    assert lines[1] == "for v in range(8):"


def test_vectorize_loop_needs_noalias_for_two_tensors():
    source = """
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    for v in T.vectorized(8):
        A[v] = B[v]
"""
    assert body(source, transform.VectorizeLoop()) == ["for v in range(8):", "    A[v] = B[v]"]


def test_unroll_loop():
    source = """
def main(A: T.Tensor((64,), "int32")):
    for i in T.unroll(0, 4, step=3):
        x = i + 1
        A[i] = x
    for k in T.unroll(0):
        A[k] = 1
    for j in T.unroll(2):
        if A[j] == 1:
            break
"""
    assert body(source, transform.UnrollLoop()) == [
        "x: T.let[T.int32] = T.Add(0, 1)",
        "A[0] = x",
        "x_1: T.let[T.int32] = T.Add(3, 1)",
        "A[3] = x_1",
        "for j in range(2):",
        "    if A[j] == 1:",
        "        break",
    ]


def test_remove_no_op():
    source = """
def main(A: T.Tensor((8,), "int32"), n: T.int32):
    x = n + 1
    for i in range(8):
        A[i] = A[i]
    if n > 3:
        T.evaluate(n + 2)
    for i in range(4, 4):
        A[i] = 1
    T.evaluate(A[1])
    A[0] = 1
"""
    assert body(source, transform.RemoveNoOp()) == ["x: T.let[T.int32] = n + 1", "A[0] = 1"]


def test_skip_assert():
    source = """
def main(A: T.Tensor((8,), "int32"), n: T.int32):
    assert n > 3, "no"
    A[0] = n
"""
    assert body(source, transform.SkipAssert()) == ["A[0] = n"]


def test_lower_intrin():
    source = """
def main(A: T.Tensor((8,), "int32"), n: T.int32, u: T.uint32):
    A[0] = n // 8 + n % 8
    A[1] = n // 7
    A[2] = n % 7
    A[3] = T.cast(u // T.uint32(5), "int32")
    A[4] = T.truncdiv(n, 8)
"""
    target = tvm_tirx.target.Target("c")
    lines = body(source, transform.BindTarget(target), transform.LowerIntrin())
    assert lines[1:] == [
        "A[0] = (n >> 3) + (n & 7)",
        "A[1] = T.Div(n, 7) + (T.truncmod(n, 7) >> 31)",
        "A[2] = T.truncmod(n, 7) + (7 & T.truncmod(n, 7) >> 31)",
        'A[3] = T.Cast("int32", T.Div(u, T.uint32(5)))',
        "A[4] = T.Div(n, 8)",
    ]


def test_lower_intrin_needs_a_target():
    with pytest.raises(ValueError, match="target"):
        body(
            "def main(A: T.Tensor((8,), 'int32')):\n    A[0] = A[1] // 3\n", transform.LowerIntrin()
        )


def test_decorate_device_scope():
    source = "def main(A: T.Tensor((8,), 'int32')):\n    A[0] = 1\n"
    assert body(source, transform.DecorateDeviceScope()) == [
        "with T.device_scope():",
        "    A[0] = 1",
    ]


def test_convert_ssa():
    function = from_source(
        HEAD + "def main(A: T.Tensor((8,), 'int32')):\n    for i in range(4):\n        A[i] = i\n"
    )
    twice = function.with_body(tvm_tirx.ir.stmt.SeqStmt([*function.body.seq, *function.body.seq]))
    module = transform.ConvertSSA()(IRModule.from_expr(twice))
    loops = module["main"].body.seq
    assert not loops[0].var.same_as(loops[1].var)
    assert loops[0].same_as(function.body.seq[0])


def test_annotate_entry_func():
    module = transform.AnnotateEntryFunc()(
        IRModule.from_expr(
            from_source(HEAD + "def main(A: T.Tensor((8,), 'int32')):\n    A[0] = 1\n")
        )
    )
    assert bool(module["main"].attrs["tirx.is_entry_func"])


def test_common_subexpr_elim():
    source = """
def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32"), x: T.int32, y: T.int32):
    for i in range(4):
        A[i * 8 + x] = B[i * 8 + x] + 1
        for j in range(4):
            A[i * 8 + j] = B[i * 8 + j] + B[i * 8]
    if x > 3:
        A[x * y] = 1
    else:
        A[x * y] = 2
"""
    assert body(source, transform.CommonSubexprElim()) == [
        "for i in range(4):",
        "    cse_v1: T.let[T.int32] = i * 8",
        "    cse_v3: T.let[T.int32] = cse_v1 + x",
        "    A[cse_v3] = B[cse_v3] + 1",
        "    for j in range(4):",
        "        cse_v4: T.let[T.int32] = cse_v1 + j",
        "        A[cse_v4] = B[cse_v4] + B[cse_v1]",
        "cse_v2: T.let[T.int32] = x * y",
        "if x > 3:",
        "    A[cse_v2] = 1",
        "else:",
        "    A[cse_v2] = 2",
    ]


def test_common_subexpr_elim_names_the_largest():
    source = """
def main(A: T.Tensor((64,), "int32"), x: T.int32, y: T.int32):
    A[x * 4 + y] = (x * 4 + y) * (x * 4 + y + 1)
    A[0] = A[1] * A[2] + A[1] * A[2]
    A[1] = T.if_then_else(y != 0, x // y + x // y, 0)
"""
    assert body(source, transform.CommonSubexprElim()) == [
        "cse_v1: T.let[T.int32] = x * 4 + y",
        "A[cse_v1] = cse_v1 * (cse_v1 + 1)",
        "A[0] = A[1] * A[2] + A[1] * A[2]",
        "A[1] = T.if_then_else(y != 0, x // y + x // y, 0)",
    ]
