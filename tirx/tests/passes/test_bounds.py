# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (the programs are as long as they are)
"""Accesses out of bounds: a compile error when certain, a run-time error in checked mode."""

from __future__ import annotations

import numpy as np
import pytest
from tvm_tirx import tirx
from tvm_tirx.ir.transform import PassContext
from tvm_tirx.script import from_source

HEAD = "from tvm_tirx.script import tirx as T\n\n@T.function\n"


def function(text: str):
    return from_source(HEAD + text)


@pytest.mark.parametrize(
    "text, index, dimension, extent",
    [
        ("def main(A: T.Tensor((8,), 'int32')):\n    A[8] = 1\n", 8, 0, 8),
        ("def main(A: T.Tensor((8,), 'int32')):\n    A[0] = A[9]\n", 9, 0, 8),
        ("def main(A: T.Tensor((4, 2), 'int32')):\n    A[3, 2] = 1\n", 2, 1, 2),
        (
            "def main(A: T.Tensor((8,), 'int32')):\n    for i in range(9):\n        A[i] = 1\n",
            8,
            0,
            8,
        ),
        (
            "def main(A: T.Tensor((8,), 'int32')):\n    for i, j in T.grid(2, 4):\n        A[i * 5 + j] = 1\n",
            8,
            0,
            8,
        ),
        (
            "def main(A: T.Tensor((8,), 'int32')):\n    for i in range(4):\n        A[i - 1] = 1\n",
            -1,
            0,
            8,
        ),
    ],
)
def test_certain_access_is_a_compile_error(text, index, dimension, extent):
    with pytest.raises(IndexError) as caught:
        tirx.compile(function(text), target="llvm")
    message = (
        f"index {index} of dimension {dimension} of `A` is out of bounds: the extent is {extent}"
    )
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n    if n > 9:\n        A[9] = 1\n",
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n    for i in range(9):\n        if i < 8:\n            A[i] = 1\n",
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n    for i in range(9):\n        if i == n:\n            break\n        A[i] = 1\n",
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n    for i in range(0):\n        A[i + 9] = 1\n",
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n    for i in range(9):\n        A[0] = T.if_then_else(i < 8, A[i], 0)\n",
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n    for i in range(5):\n        A[i * i - i * i] = 1\n",
    ],
)
def test_what_may_be_right_compiles(text):
    run = tirx.compile(function(text), target="llvm")["main"]
    run(np.zeros(8, "int32"), 8)


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_checked_mode(target):
    text = (
        "def main(A: T.Tensor((8,), 'int32'), n: T.int32):\n"
        "    for i in range(n):\n"
        "        A[i] = A[7 - i] + 1\n"
        "    A[0] = T.if_then_else(n < 0, A[n], 5)\n"
    )
    with PassContext(config={"tirx.enable_debug": True}):
        run = tirx.compile(function(text), target=target)["main"]
    a = np.zeros(8, "int32")
    run(a, 8)
    assert a[0] == 5
    with pytest.raises(IndexError, match="index of dimension 0 of `A` is out of bounds"):
        run(a, 9)
    with pytest.raises(IndexError, match="index of dimension 0 of `A` is out of bounds"):
        run(a, -1)
