# SPDX-License-Identifier: Apache-2.0
"""A read-only array is refused where the kernel stores to it, and accepted where it only reads."""

import numpy as np
import pytest
import tvm_ffi
from tvm_tirx import tirx
from tvm_tirx.script import tirx as T


@T.function
def copy(A: T.Tensor((4,), "float32"), B: T.Tensor((4,), "float32")):
    for i in range(4):
        B[i] = A[i]


@T.function
def through_view(B: T.Tensor((4,), "float32")):
    V = T.decl_tensor(B.data, ty_args=[T.Tensor((2, 2), "float32")])
    V[1, 1] = T.float32(1)


def read_only(values):
    array = np.array(values, "float32")
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_stores_are_refused_and_loads_are_not(target):
    kernel = tirx.compile(copy, target=target)["copy"]
    out, fixed = np.zeros(4, "float32"), read_only([1, 2, 3, 4])
    kernel(fixed, out)
    np.testing.assert_array_equal(out, fixed)
    with pytest.raises(ValueError, match=r"Read-only Tensor data on argument #1 when calling"):
        kernel(out, fixed)
    with pytest.raises(ValueError, match=r"expected B to be writable"):
        kernel(out, tvm_ffi.from_dlpack(fixed))
    np.testing.assert_array_equal(fixed, [1, 2, 3, 4])


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_stores_through_a_view_count(target):
    kernel = tirx.compile(through_view, target=target)["through_view"]
    fixed = read_only([0, 0, 0, 0])
    with pytest.raises(ValueError, match=r"Read-only Tensor data on argument #0"):
        kernel(fixed)
    assert fixed[3] == 0
    writable = np.zeros(4, "float32")
    kernel(writable)
    assert writable.tolist() == [0, 0, 0, 1]
