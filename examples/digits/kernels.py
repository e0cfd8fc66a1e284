# SPDX-License-Identifier: Apache-2.0
"""Inference of a two-layer network, written as kernels. The batch size ``n`` is bound at the call."""

from tvm_tirx.script import ir as I
from tvm_tirx.script import tirx as T

PIXELS = 64
HIDDEN = 32
CLASSES = 10

n = T.dynamic("n")


@I.ir_module
class Digits:
    @T.function
    def dense_relu(
        x: T.Tensor((n, PIXELS), "float32"),
        w: T.Tensor((PIXELS, HIDDEN), "float32"),
        b: T.Tensor((HIDDEN,), "float32"),
        y: T.Tensor((n, HIDDEN), "float32"),
    ):
        for i in T.parallel(n):
            acc = T.alloc_local((HIDDEN,), "float32")
            for j in T.vectorized(HIDDEN):
                acc[j] = b[j]
            for k in range(PIXELS):
                for j in T.vectorized(HIDDEN):
                    acc[j] = acc[j] + x[i, k] * w[k, j]
            for j in T.vectorized(HIDDEN):
                y[i, j] = T.max(acc[j], T.float32(0))

    @T.function
    def dense(
        x: T.Tensor((n, HIDDEN), "float32"),
        w: T.Tensor((HIDDEN, CLASSES), "float32"),
        b: T.Tensor((CLASSES,), "float32"),
        y: T.Tensor((n, CLASSES), "float32"),
    ):
        for i in T.parallel(n):
            acc = T.alloc_local((CLASSES,), "float32")
            for j in range(CLASSES):
                acc[j] = b[j]
            for k in range(HIDDEN):
                for j in range(CLASSES):
                    acc[j] += x[i, k] * w[k, j]
            for j in range(CLASSES):
                y[i, j] = acc[j]

    @T.function
    def softmax(x: T.Tensor((n, CLASSES), "float32"), p: T.Tensor((n, CLASSES), "float32")):
        for i in T.parallel(n):
            largest: T.float32 = x[i, 0]
            for j in range(1, CLASSES):
                largest = T.max(largest, x[i, j])
            total: T.float32 = T.float32(0)
            for j in range(CLASSES):
                p[i, j] = T.exp(x[i, j] - largest)
                total += p[i, j]
            for j in range(CLASSES):
                p[i, j] = p[i, j] / total

    @T.function
    def argmax(p: T.Tensor((n, CLASSES), "float32"), label: T.Tensor((n,), "int32")):
        for i in T.parallel(n):
            best: T.float32 = p[i, 0]
            at: T.int32 = 0
            for j in range(1, CLASSES):
                if p[i, j] > best:
                    best = p[i, j]
                    at = j
            label[i] = at
