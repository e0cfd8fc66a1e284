# SPDX-License-Identifier: Apache-2.0
"""Tensors and devices of the runtime."""

from __future__ import annotations

import numpy as np
import pytest
import tvm_tirx
from tvm_tirx import runtime


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int8", "int64", "uint16", "bool"]
)
def test_round_trip(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    tensor = runtime.tensor(array)
    assert tuple(tensor.shape) == (2, 3)
    assert str(tensor.dtype) == dtype
    assert np.array_equal(tensor.numpy(), array)
    assert tensor.data_ptr() % 64 == 0


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float4_e2m1fn", "int4"])
def test_round_trip_of_small_types(dtype):
    import ml_dtypes

    array = np.array([0, 1, 2, -1, 3], getattr(ml_dtypes, dtype))
    assert np.array_equal(runtime.tensor(array).numpy().astype("float32"), array.astype("float32"))


def test_whole_assignment_and_copies():
    tensor = runtime.empty((2, 2), "float32")
    tensor[:] = np.array([[1, 2], [3, 4]])
    other = tensor.copyto(runtime.cpu())
    tensor[:] = np.zeros((2, 2))
    assert other.numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="array shape do not match the shape of Tensor"):
        tensor.copyfrom(np.zeros((3, 3)))


def test_scopes_and_devices():
    with pytest.raises(RuntimeError, match="Unsupported memory scope: local"):
        runtime.empty((1,), mem_scope="local")
    with pytest.raises(RuntimeError, match="Device API vpi is not enabled"):
        runtime.empty((1,), device=runtime.vpi())
    assert str(runtime.cpu()) == "cpu:0"
    assert runtime.cpu().exist
    assert not runtime.vpi().exist
    assert runtime.cpu().warp_size is None
    assert runtime.cpu().get_attr("no_such_property") is None
    assert runtime.cpu().total_global_memory > 0


def test_enabled():
    assert runtime.enabled("cpu")
    assert not runtime.enabled("vpi")
    with pytest.raises(ValueError, match="Unknown optional runtime c"):
        runtime.enabled("c")
    assert runtime.num_threads() >= 1


def test_a_negative_extent():
    with pytest.raises(ValueError, match="no negative extent"):
        runtime.empty((-1,))


def test_repr():
    text = repr(runtime.tensor(np.array([1, 2], "int32")))
    assert text.startswith("<tvm_tirx.runtime.Tensor shape=(2,), cpu:0>\n")
    assert "array([1, 2]" in text


def test_names_of_the_package():
    assert str(tvm_tirx.cpu(0)) == "cpu:0"
    assert str(tvm_tirx.cuda(1)) == "cuda:1"
