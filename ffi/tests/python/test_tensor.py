# SPDX-License-Identifier: Apache-2.0
"""Tensors, numpy arrays, DLPack, data types and devices."""

from __future__ import annotations

import copy
import gc
import pickle
import sys

import numpy as np
import pytest
import tvm_ffi
from tvm_ffi import core


@pytest.fixture(scope="module")
def echo():
    return tvm_ffi.convert(lambda x: x)


@pytest.mark.parametrize(
    "dtype",
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
    "complex64 complex128".split(),
)
def test_arrays_share_memory(echo, dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    tensor = echo(array)
    assert isinstance(tensor, tvm_ffi.Tensor)
    assert tensor.shape == (2, 3, 4) and tensor.ndim == 3 and tensor.numel() == 24
    assert tensor.strides == (12, 4, 1) and tensor.is_contiguous()
    assert tensor.data_ptr() == array.ctypes.data
    assert tensor.dtype == dtype and tvm_ffi.dtype(dtype).bits == tensor.dtype.bits
    back = np.from_dlpack(tensor)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    assert back.ctypes.data == array.ctypes.data


@pytest.mark.parametrize(
    "name",
    "bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz "
    "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu".split(),
)
def test_types_of_ml_dtypes(echo, name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.zeros((2, 5), getattr(ml_dtypes, name))
    tensor = echo(array)
    assert tensor.dtype == name and tensor.shape == (2, 5)
    assert tensor.data_ptr() == array.ctypes.data
    assert echo(array.dtype) == name


def test_every_layout_is_accepted(echo):
    base = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    for view in (
        base.T,
        base[::2, ::-1, 1:3],
        np.broadcast_to(np.arange(5, dtype=np.int32), (4, 5)),
        base[:, 1:2],
        base[0, 0, 0, ...],
        np.empty((0, 3), np.int32),
        np.empty((2, 0), np.int32)[::-1],
    ):
        tensor = echo(view)
        assert tensor.shape == view.shape
        np.testing.assert_array_equal(np.from_dlpack(tensor), view)
    negative = echo(base[::-1])
    assert negative.strides[0] == -20 and not negative.is_contiguous()


def test_unaligned_arrays(echo):
    raw = np.zeros(33, np.uint8)
    array = raw[1:].view(np.float64)
    array[:] = [1, 2, 3, 4]
    tensor = echo(array)
    assert tensor.data_ptr() == raw.ctypes.data + 1 and tensor.dtype == "float64"


def test_read_only_arrays(echo):
    array = np.arange(3.0)
    array.flags.writeable = False
    tensor = echo(array)
    back = np.from_dlpack(tensor)
    assert not back.flags.writeable
    assert np.from_dlpack(echo(np.arange(3.0))).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    assert tvm_ffi.from_dlpack(array).shape == (3,)


class Producer:
    """Only what DLPack asks for."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    "through",
    [
        lambda echo, a: tvm_ffi.from_dlpack(a),
        lambda echo, a: tvm_ffi.from_dlpack(tvm_ffi.from_dlpack(a)),
        lambda echo, a: tvm_ffi.from_dlpack(a.__dlpack__(max_version=(1, 0))),
        lambda echo, a: echo(Producer(a)),
        lambda echo, a: tvm_ffi.Array([a])[0],
        lambda echo, a: tvm_ffi.Map({"a": a})["a"],
        lambda echo, a: tvm_ffi.convert(lambda x: x)(a),
        lambda echo, a: echo(np.from_dlpack(echo(a))),
        lambda echo, a: echo(core.DLTensorTestWrapper(tvm_ffi.from_dlpack(a))).tensor,
    ],
)
def test_the_read_only_flag_comes_back(echo, through):
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("this numpy exports no read-only arrays")
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    for array, writeable in (
        (np.arange(3.0), True),
        (frozen, False),
        (np.broadcast_to(np.arange(3.0), (2, 3)), False),
        (np.frombuffer(b"12345678", "uint8"), False),
    ):
        back = np.from_dlpack(through(echo, array))
        assert back.flags.writeable is writeable and np.shares_memory(back, array)


def test_arrays_that_are_refused(echo):
    with pytest.raises(BufferError, match="astype"):
        echo(np.array(["text"]))
    with pytest.raises(BufferError, match="astype"):
        echo(np.array([object()]))
    with pytest.raises(BufferError, match="newbyteorder"):
        echo(np.zeros(3, ">f4" if sys.byteorder == "little" else "<f4"))
    records = np.zeros(3, [("a", "i1"), ("b", "<i4")])
    with pytest.raises(BufferError, match="ascontiguousarray"):
        echo(records["b"])


def test_scalars_of_numpy(echo):
    assert echo(np.int64(3)) == 3 and type(echo(np.int64(3))) is int
    assert echo(np.uint64(2**64 - 1)) == 2**64 - 1
    assert echo(np.float32(1.5)) == 1.5 and type(echo(np.float64(2.5))) is float
    assert echo(np.str_("abc")) == "abc"


def test_subclasses_of_ndarray(echo, tmp_path):
    mapped = np.memmap(tmp_path / "data", dtype=np.int16, mode="w+", shape=(4,))
    mapped[:] = [1, 2, 3, 4]
    assert np.from_dlpack(echo(mapped)).tolist() == [1, 2, 3, 4]


def test_arrays_stay_alive_with_their_tensor(echo):
    array = np.arange(1000)
    before = sys.getrefcount(array)
    tensor = echo(array)
    assert sys.getrefcount(array) == before + 1
    view = np.from_dlpack(tensor)
    del tensor
    assert sys.getrefcount(array) == before + 1
    del view
    gc.collect()
    assert sys.getrefcount(array) == before


def test_writes_are_seen():
    def fill(tensor):
        np.from_dlpack(tensor)[:] = 7

    array = np.zeros(4)
    tvm_ffi.convert(fill)(array)
    assert array.tolist() == [7, 7, 7, 7]


def test_from_dlpack():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = tvm_ffi.from_dlpack(array)
    assert tensor.size(0) == 2 and tensor.size(-1) == 3
    with pytest.raises(IndexError, match="Dimension 5 out of range for tensor with 2 dimensions"):
        tensor.size(5)
    with pytest.raises(RuntimeError, match=r"FromDLPack: Tensor is not contiguous\."):
        tvm_ffi.from_dlpack(array.T, require_contiguous=True)
    raw = np.zeros(65, np.uint8)
    shift = 1 if raw.ctypes.data % 64 == 0 else 0
    with pytest.raises(RuntimeError, match=r"FromDLPack: Data is not aligned to 64 bytes\."):
        tvm_ffi.from_dlpack(raw[shift:], require_alignment=64)
    with pytest.raises(TypeError, match="Expect from_dlpack to take either a compatible tensor"):
        tvm_ffi.from_dlpack(3)


def test_capsules_are_consumed_once():
    tensor = tvm_ffi.from_dlpack(np.arange(3))
    for version in (None, (1, 0), (0, 8)):
        capsule = tensor.__dlpack__(max_version=version)
        again = tvm_ffi.from_dlpack(capsule)
        assert again.data_ptr() == tensor.data_ptr()
        with pytest.raises(ValueError, match="used_dltensor"):
            tvm_ffi.from_dlpack(capsule)
    assert "dltensor_versioned" in repr(tensor.__dlpack__(max_version=(1, 3)))
    assert '"dltensor"' in repr(tensor.__dlpack__())


def test_export_options():
    tensor = tvm_ffi.from_dlpack(np.arange(3))
    assert tensor.__dlpack_device__() == (1, 0)
    tensor.__dlpack__(dl_device=(1, 0), copy=False, max_version=(1, 0))
    with pytest.raises(BufferError):
        tensor.__dlpack__(dl_device=(2, 0), max_version=(1, 0))
    with pytest.raises(BufferError):
        tensor.__dlpack__(copy=True, max_version=(1, 0))
    for arguments in ({"max_version": 3}, {"dl_device": (1, "x")}, {"dl_device": (1,)}):
        with pytest.raises(TypeError, match="must be a pair of integers, got"):
            tensor.__dlpack__(**arguments)
    with pytest.raises(ValueError, match="require_alignment must not be negative, got -8"):
        tvm_ffi.from_dlpack(np.zeros(3), require_alignment=-8)
    assert core.__dlpack_version__ == (1, 3)


def test_tensor_text_and_copy():
    tensor = tvm_ffi.from_dlpack(np.zeros((2, 3), np.float32))
    assert repr(tensor) == "float32[2, 3]@cpu:0"
    assert tensor == tensor and tensor != tvm_ffi.from_dlpack(np.zeros(1))
    with pytest.raises(TypeError):
        pickle.dumps(tensor)
    for duplicate in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"`ffi\.Tensor` does not support copy: it shares"):
            duplicate(tensor)
    with pytest.raises(ValueError):
        _ = tvm_ffi.Tensor().shape


def test_exchange_protocol():
    wrapper = core.DLTensorTestWrapper(tvm_ffi.from_dlpack(np.arange(4)))
    seen = []

    def body(tensor):
        seen.append(type(tensor))
        return tensor

    result = tvm_ffi.convert(body)(wrapper)
    assert seen == [tvm_ffi.Tensor] and isinstance(result, core.DLTensorTestWrapper)
    assert result.tensor.data_ptr() == wrapper.tensor.data_ptr()
    container = tvm_ffi.convert(lambda t: [t, {"k": t}])(wrapper)
    assert isinstance(container[0], core.DLTensorTestWrapper)
    assert isinstance(container[1]["k"], core.DLTensorTestWrapper)
    typed = tvm_ffi.convert_func(
        lambda t: type(t) is core.DLTensorTestWrapper, core.DLTensorTestWrapper
    )
    assert typed(wrapper) is True
    with pytest.raises(TypeError):
        tvm_ffi.convert_func(lambda t: t, int)


def test_broken_dlpack():
    class Broken:
        def __dlpack__(self):
            return 3

    with pytest.raises(TypeError, match="capsule"):
        tvm_ffi.convert(lambda x: x)(Broken())


def test_dtype():
    f32 = tvm_ffi.dtype("float32")
    assert (f32.type_code, f32.bits, f32.lanes, f32.itemsize) == (2, 32, 1, 4)
    assert f32 == "float32" and hash(f32) == hash("float32") and repr(f32) == "dtype('float32')"
    assert f32.with_lanes(4) == "float32x4" and f32.with_lanes(4).itemsize == 16
    assert f32.is_float and not f32.is_integer
    assert tvm_ffi.int8.is_integer and tvm_ffi.bool.is_bool and tvm_ffi.dtype("handle").is_handle
    assert tvm_ffi.dtype(np.dtype("int16")).bits == 16
    assert tvm_ffi.dtype.from_dlpack_data_type((4, 16, 1)) == "bfloat16"
    assert tvm_ffi.dtype.is_dtype("int3") and not tvm_ffi.dtype.is_dtype("no")
    assert pickle.loads(pickle.dumps(f32)).bits == 32 and copy.deepcopy(f32).bits == 32
    for bad in ("foo", "float", "int32x0"):
        if bad == "float":
            assert tvm_ffi.dtype(bad).bits == 32
            continue
        with pytest.raises(ValueError):
            tvm_ffi.dtype(bad)
    with pytest.raises(ValueError):
        _ = tvm_ffi.dtype("float32xvscalex4").itemsize
    native = core.DataType("int8x4")
    assert str(native) == "int8x4" and native == core.DataType("int8x4")
    assert pickle.loads(pickle.dumps(native)) == native


def test_device():
    device = tvm_ffi.device("cuda", 1)
    assert (device.type, device.index, device.dlpack_device_type()) == ("cuda", 1, 2)
    assert str(device) == "cuda:1" and repr(device) == "device(type='cuda', index=1)"
    assert device == tvm_ffi.device("cuda:1") == tvm_ffi.device(tvm_ffi.DLDeviceType.kDLCUDA, 1)
    assert device != "cuda:1" and hash(device) == hash(tvm_ffi.device("cuda:1"))
    assert tvm_ffi.device("cuda:3", 1).index == 3
    assert tvm_ffi.device("cuda -arch=sm_80").type == "cuda"
    assert tvm_ffi.device("mps").type == "metal" and tvm_ffi.device("wgpu").type == "webgpu"
    assert tvm_ffi.device("cpu", np.int64(2)).index == 2
    for text in ("gpu", "cuda:1:2", "cuda:x", "cuda_host"):
        with pytest.raises(ValueError):
            tvm_ffi.device(text)
    with pytest.raises(TypeError, match=r"Invalid device index: 1\.5"):
        tvm_ffi.device("cpu", 1.5)
    assert pickle.loads(pickle.dumps(device)) == device
    for nameless, number in (
        (tvm_ffi.device(77, 2), 77),
        (tvm_ffi.Device.__new__(tvm_ffi.Device), 0),
    ):
        assert repr(nameless) == f"device(type={number}, index={nameless.index})"
        assert str(nameless) == f"unknown({number}):{nameless.index}"
        with pytest.raises(KeyError):
            _ = nameless.type


def test_classes_of_results_are_checked():
    """Setting one that can't hold the value corrupted the memory of the first result."""
    for set_class in (core._set_class_dtype, core._set_class_device, core._set_class_tensor):
        for wrong in (int, "dtype", None, object):
            with pytest.raises(TypeError, match="expected a class"):
                set_class(wrong)
    assert core._CLASS_DTYPE is tvm_ffi.dtype and core._CLASS_DEVICE is tvm_ffi.Device


def test_shape():
    shape = tvm_ffi.Shape([1, 2, 3])
    assert shape == (1, 2, 3) and isinstance(shape, tuple) and type(shape[:2]) is tuple
    with pytest.raises(ValueError, match="Shape must be a tuple of integers"):
        tvm_ffi.Shape([1, "2"])
    again = tvm_ffi.convert(lambda x: x)(shape)
    assert type(again) is tvm_ffi.Shape and again == shape
    assert pickle.loads(pickle.dumps(shape)) == shape


def test_strides_of_a_shape():
    assert core._make_strides_from_shape((2, 3, 4)) == (12, 4, 1)
