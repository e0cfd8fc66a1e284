# SPDX-License-Identifier: Apache-2.0
"""``numpy.asarray`` of a tensor: an array over its memory, copied only where that is asked for."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import pytest
import tvm_ffi
import tvm_ffi.cpp

np = pytest.importorskip("numpy")
IS_NUMPY_2 = int(np.__version__.split(".")[0]) >= 2


def tensor_of(array: Any) -> tvm_ffi.Tensor:
    return tvm_ffi.from_dlpack(array)


def test_shares_the_memory() -> None:
    array = np.arange(12, dtype="float32").reshape(3, 4)
    seen = np.asarray(tensor_of(array))
    assert type(seen) is np.ndarray and seen.dtype == np.float32 and seen.shape == (3, 4)
    assert np.shares_memory(seen, array)
    seen[1, 2] = -1
    assert array[1, 2] == -1


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24).reshape(2, 3, 4)[:, ::-1, ::2],
        np.arange(6.0).reshape(2, 3).T,
        np.array(3.5),
        np.broadcast_to(np.arange(3), (4, 3)),
        np.array([True, False]),
        np.array([1 + 2j, 3], dtype="complex64"),
        np.array([1, 2], dtype="uint16"),
        np.array([0.5], dtype="float16"),
    ],
    ids=lambda array: f"{array.dtype}{list(array.strides)}",
)
def test_layouts_and_types(array: Any) -> None:
    seen = np.asarray(tensor_of(array))
    assert seen.dtype == array.dtype and seen.shape == array.shape
    assert seen.strides == array.strides and seen.ctypes.data == array.ctypes.data
    assert (seen == array).all()
    assert seen.flags.writeable is array.flags.writeable


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_types_of_ml_dtypes(name: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1, 2, 4], dtype=getattr(ml_dtypes, name))
    seen = np.asarray(tensor_of(array))
    assert seen.dtype == array.dtype and np.shares_memory(seen, array)
    assert (seen.astype("float32") == [1, 2, 4]).all()


def test_types_without_whole_bytes() -> None:
    make = tvm_ffi.cpp.load_inline(
        "test_tensor_array",
        cpp_sources="""
        tvm::ffi::Tensor make(DLDataType dtype) {
          struct Allocator {
            void AllocData(DLTensor* t) { t->data = new char[64]; }
            void FreeData(DLTensor* t) { delete[] static_cast<char*>(t->data); }
          };
          tvm::ffi::Shape shape{4};
          return tvm::ffi::Tensor::FromNDAlloc(Allocator(), shape, dtype, DLDevice{kDLCPU, 0});
        }
        """,
        functions=["make"],
    ).make
    for name in ("int4", "float32x4"):
        with pytest.raises(TypeError) as caught:
            np.asarray(make(tvm_ffi.dtype(name)))
        assert str(caught.value) == (
            f"a tensor of {name} can't become a numpy array: numpy keeps one value per element in "
            "whole bytes"
        )


def test_empty() -> None:
    for shape in ((0,), (2, 0, 3)):
        seen = np.asarray(tensor_of(np.zeros(shape, "int32")))
        assert seen.shape == shape and seen.dtype == np.int32
    frozen = np.zeros(0)
    frozen.flags.writeable = False
    assert not np.asarray(tensor_of(frozen)).flags.writeable


def test_read_only() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    seen = np.asarray(tensor_of(array))
    assert not seen.flags.writeable and np.shares_memory(seen, array)
    with pytest.raises(ValueError, match="WRITEABLE"):
        seen.flags.writeable = True
    assert tensor_of(array).__array__(copy=True).flags.writeable


def test_copies() -> None:
    array = np.arange(3, dtype="int32")
    tensor = tensor_of(array)
    for made in (np.array(tensor), tensor.__array__(copy=True), np.asarray(tensor, "int64")):
        assert not np.shares_memory(made, array)
        assert made.tolist() == [0, 1, 2]
    assert np.asarray(tensor, "int64").dtype == np.int64
    assert tensor.__array__("float32").dtype == np.float32
    for made in (tensor.__array__(copy=False), tensor.__array__(None, None)):
        assert np.shares_memory(made, array)
    assert np.shares_memory(tensor.__array__("int32", copy=False), array)
    assert not np.shares_memory(tensor.__array__("int32", copy=True), array)


def test_no_copy_where_one_is_needed() -> None:
    tensor = tensor_of(np.arange(3, dtype="int32"))
    message = "a tensor of int32 can't become an array of float64 without a copy, which copy=False "
    with pytest.raises(ValueError, match=message):
        tensor.__array__("float64", copy=False)
    if IS_NUMPY_2:
        assert np.asarray(tensor, copy=False).tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match=message):
            np.asarray(tensor, dtype="float64", copy=False)


def test_functions_of_numpy_take_tensors() -> None:
    tensor = tensor_of(np.arange(4.0).reshape(2, 2))
    assert np.sum(tensor) == 6
    assert (np.stack([tensor, tensor]) == np.arange(4.0).reshape(2, 2)).all()
    assert (np.ones((2, 2)) @ np.asarray(tensor)).tolist() == [[2, 4], [2, 4]]


def test_the_array_keeps_the_memory() -> None:
    array = np.arange(1000.0)
    count = sys.getrefcount(array)
    seen = np.asarray(tensor_of(array))
    assert sys.getrefcount(array) > count
    part = seen[10:20]
    del seen
    gc.collect()
    assert sys.getrefcount(array) > count and part.tolist() == list(range(10, 20))
    del part
    gc.collect()
    assert sys.getrefcount(array) == count


def test_other_devices() -> None:
    make = tvm_ffi.cpp.load_inline(
        "test_tensor_array_device",
        cpp_sources="""
        tvm::ffi::Tensor make(tvm::ffi::TensorView x) {
          struct Allocator {
            void AllocData(DLTensor* t) { t->data = nullptr; }
            void FreeData(DLTensor*) {}
          };
          DLDevice device{kDLCUDA, 1};
          return tvm::ffi::Tensor::FromNDAlloc(Allocator(), x.shape(), x.dtype(), device);
        }
        """,
        functions=["make"],
    ).make
    for use in (np.asarray, np.array, np.sum):
        with pytest.raises(TypeError) as caught:
            use(make(np.zeros(3)))
        assert str(caught.value) == (
            "a tensor on cuda:1 can't become a numpy array: copy it to the cpu first"
        )


def test_moved_away() -> None:
    tensor = tensor_of(np.zeros(3))
    tvm_ffi.core.Tensor.__move_handle_from__(
        tvm_ffi.core.Tensor.__new__(tvm_ffi.core.Tensor), tensor
    )
    with pytest.raises(ValueError, match="the tensor is empty"):
        np.asarray(tensor)


def test_a_view_counts_its_arrays() -> None:
    call_view = tvm_ffi.cpp.load_inline(
        "test_tensor_array_view",
        cpp_sources="tvm::ffi::Any call(tvm::ffi::Function f, tvm::ffi::TensorView x) "
        "{ return f(x); }",
        functions=["call"],
    ).call
    array = np.arange(6.0)

    def double(view: Any) -> float:
        seen = np.asarray(view)
        seen *= 2
        return float(seen.sum())

    assert call_view(double, array) == 30.0
    kept = []
    with pytest.warns(RuntimeWarning, match="outlives the callback"):
        call_view(lambda view: kept.append((view, np.asarray(view))), array)


def test_numpy_is_imported_by_the_first_use_only() -> None:
    script = "import sys, tvm_ffi; assert 'numpy' not in sys.modules, 'imported'"
    subprocess.run([sys.executable, "-c", script], check=True)
