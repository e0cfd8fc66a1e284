# SPDX-License-Identifier: Apache-2.0
"""The published compiler parses, prints, compiles and runs kernels, and saves and loads its IR."""

from __future__ import annotations

import hashlib

import numpy as np
import tvm_ffi
import tvm_tirx
from harness import finish, outcome
from tvm_tirx import tirx
from tvm_tirx.script import tirx as T


@T.function
def softmax(A: T.Tensor((4, 10), "float32"), P: T.Tensor((4, 10), "float32")):
    for i in range(4):
        m: T.float32 = T.float32(-1e30)
        for j in range(10):
            m = T.max(m, A[i, j])
        s: T.float32 = T.float32(0)
        for j in range(10):
            P[i, j] = T.exp(A[i, j] - m)
            s += P[i, j]
        for j in range(10):
            P[i, j] = P[i, j] / s


@T.function
def matmul(
    A: T.Tensor((8, 16), "float32"), B: T.Tensor((16, 4), "float32"), C: T.Tensor((8, 4), "float32")
):
    for i in range(8):
        for j in range(4):
            C[i, j] = T.float32(0)
            for k in range(16):
                C[i, j] = C[i, j] + A[i, k] * B[k, j]


@T.function
def scan(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
    total: T.int32 = 0
    for i in range(32):
        if A[i] % 2 == 0:
            total += A[i]
        else:
            total -= A[i] // 3
        B[i] = total


def compiled(function: object, name: str, *arrays: np.ndarray) -> list[np.ndarray]:
    executable = tirx.compile(function, target="llvm")
    # The compiler's own allocator gives the alignment that its kernels ask for.
    tensors = [tvm_tirx.runtime.tensor(array) for array in arrays]
    executable[name](*tensors)
    return [tensor.numpy() for tensor in tensors]


rng = np.random.default_rng(24)
a = rng.normal(0, 3, (4, 10)).astype("float32")
e = np.exp(a.astype("float64") - a.max(axis=1, keepdims=True))
got = compiled(softmax, "softmax", a, np.zeros_like(a))[1]
np.testing.assert_allclose(got, e / e.sum(axis=1, keepdims=True), atol=2e-6)

a, b = (rng.normal(size=shape).astype("float32") for shape in ((8, 16), (16, 4)))
got = compiled(matmul, "matmul", a, b, np.zeros((8, 4), "float32"))[2]
np.testing.assert_allclose(got, a.astype("float64") @ b, atol=1e-5)

a = rng.integers(-50, 50, 32).astype("int32")
want, total = [], 0
for item in a.tolist():
    total += item if item % 2 == 0 else -(item // 3)
    want.append(total)
assert compiled(scan, "scan", a, np.zeros(32, "int32"))[1].tolist() == want

for function in (softmax, matmul, scan):
    print(function.script())
    saved = tvm_tirx.ir.save_json(function)
    back = tvm_tirx.ir.load_json(saved)
    tvm_tirx.ir.assert_structural_equal(back, function)
    assert back.script() == function.script()
    print("saved", len(saved), hashlib.sha256(saved.encode()).hexdigest())
    print("hash", tvm_ffi.structural_hash(function), tvm_ffi.structural_hash(back))
assert not tvm_ffi.structural_equal(softmax, matmul)
print(outcome(tvm_tirx.ir.assert_structural_equal, softmax, matmul))
print(outcome(tvm_tirx.ir.load_json, "{"))

# Expressions: operators of Python, the simplifier, attributes of nodes.
x, y = tirx.Var("x", "int32"), tirx.Var("y", "int32")
print(outcome(lambda: x * 4 + y - x * 4))
print(outcome(lambda: (x + 1).a.same_as(x)))
print(outcome(lambda: x + "text"))
print(outcome(lambda: x.no_such_field))
executable = tirx.compile(scan, target="llvm")
print(outcome(lambda: executable["scan"](1, 2)))
print(outcome(lambda: executable["no such function"]))
finish()
