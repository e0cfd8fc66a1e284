# SPDX-License-Identifier: Apache-2.0
"""Tensor views that callbacks receive: they own nothing and end with the call."""

from __future__ import annotations

import gc
import importlib
import sys
import warnings
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.cpp

np = pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).parent))

LIBRARY = tvm_ffi.cpp.load_inline(
    "test_tensor_views",
    cpp_sources="""
tvm::ffi::Any call_view(tvm::ffi::Function f, tvm::ffi::TensorView x) { return f(x); }
""",
    functions=["call_view"],
)
call_view = LIBRARY.call_view


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3)])
def test_a_view_shares_its_memory(version):
    array = np.arange(12, dtype="float32").reshape(3, 4)[:, ::2]

    def callback(view):
        assert view.shape == (3, 2) and view.strides == (4, 2)
        capsule = view.__dlpack__(max_version=version)
        tensor = tvm_ffi.from_dlpack(capsule)
        assert tensor.data_ptr() == view.data_ptr() == array.ctypes.data
        assert (tensor.shape, tensor.strides, tensor.dtype) == ((3, 2), (4, 2), "float32")

    call_view(callback, array)


def test_numpy_reads_and_writes_a_view():
    array = np.arange(6.0)

    def callback(view):
        seen = np.from_dlpack(view)
        seen *= 2
        return float(seen.sum())

    assert call_view(callback, array) == 30.0
    assert array.tolist() == [0, 2, 4, 6, 8, 10]


def test_unused_capsules_are_released():
    views = []

    def callback(view):
        view.__dlpack__()
        view.__dlpack__(max_version=(1, 0))
        views.append(view)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call_view(callback, np.zeros(3))
    with pytest.raises(ValueError, match="only valid during a callback"):
        views[0].__dlpack__()
    with pytest.raises(ValueError, match="only valid during a callback"):
        _ = views[0].shape
    with pytest.raises(ValueError):
        tvm_ffi.convert(lambda x: x)(views[0])


def test_an_array_that_outlives_the_view_is_warned_of():
    array = np.arange(3.0)
    kept = []
    with pytest.warns(RuntimeWarning, match="outlives the callback"):
        call_view(lambda view: kept.append(np.from_dlpack(view)), array)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="outlives the callback"):
            call_view(lambda view: kept.append(np.from_dlpack(view)), array)
    # Here the memory is still there.
    assert kept[0].tolist() == [0, 1, 2]
    kept.clear()
    gc.collect()


def test_views_go_on_to_native_functions():
    importlib.import_module("native_testing")
    size = tvm_ffi.get_global_func("testing.optional_tensor_view_has_value")
    assert call_view(lambda view: size(view), np.zeros(3)) is True
    inner = []
    call_view(lambda view: call_view(lambda again: inner.append(again.shape), view), np.zeros(3))
    assert inner == [(3,)]
