# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries, both ways, uncopied, with lifetimes proven by weak references."""

from __future__ import annotations

import gc
import importlib
import sys
import weakref
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import core

np = pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")


class Owned(np.ndarray):
    """An array that has weak references and tells when its memory is gone."""


def owned(values, dtype="float32"):
    return np.array(values, dtype).view(Owned)


WAYS_IN = [echo, tvm_ffi.from_dlpack]
DTYPES = [
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
SMALL_FLOATS = [
    "bfloat16",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_both_ways(way, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    tensor = way(array)
    assert tensor.data_ptr() == array.ctypes.data and tensor.shape == (2, 3)
    assert tensor.strides == (3, 1) and tensor.is_contiguous()
    assert str(tensor.dtype) == dtype and str(tensor.device) == "cpu:0"
    back = np.from_dlpack(tensor)
    assert back.ctypes.data == array.ctypes.data and back.dtype == array.dtype
    assert (back == array).all()
    if dtype != "bool":
        back[1, 2] = 9
        assert array[1, 2] == 9


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("dtype", SMALL_FLOATS)
def test_ml_dtypes(way, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1, 2, 4], getattr(ml_dtypes, dtype))
    tensor = way(array)
    assert tensor.data_ptr() == array.ctypes.data and str(tensor.dtype) == dtype
    assert tensor.dtype.itemsize == array.dtype.itemsize


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("dtype", ["int4", "uint4", "int2", "float4_e2m1fn", "float6_e2m3fn"])
def test_packed_ml_dtypes_are_refused(way, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(BufferError, match="one value per byte, tensors pack them"):
        way(np.zeros(3, getattr(ml_dtypes, dtype)))


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("offset", range(9))
def test_any_alignment(way, offset):
    raw = np.zeros(64, "uint8")
    array = raw[offset : offset + 32].view("float64")
    array[:] = [1, 2, 3, 4]
    tensor = way(array)
    assert tensor.data_ptr() == raw.ctypes.data + offset
    if array.flags.aligned:
        assert np.from_dlpack(tensor).tolist() == [1, 2, 3, 4]
    with pytest.raises(RuntimeError, match=r"Data is not aligned to \d+ bytes"):
        tvm_ffi.from_dlpack(array, require_alignment=1 << 20)


@pytest.mark.parametrize("way", WAYS_IN)
def test_layouts(way):
    base = np.arange(24, dtype="int64").reshape(2, 3, 4)
    for array in (
        base.transpose(2, 0, 1),
        base[:, ::2, 1:3],
        base[::-1, :, ::-2],
        base[..., 0],
        np.broadcast_to(base[0, 0], (5, 4)),
        base[1, 2, 3:],
        np.asfortranarray(base[0]),
    ):
        tensor = way(array)
        assert tensor.shape == array.shape and tensor.data_ptr() == array.ctypes.data
        steps = tuple(s // 8 for s in array.strides)
        assert all(s == t for s, t, n in zip(steps, tensor.strides, array.shape) if n > 1)
        assert tensor.is_contiguous() == array.flags.c_contiguous
        back = np.from_dlpack(tensor)
        assert back.ctypes.data == array.ctypes.data and (back == array).all()
    with pytest.raises(RuntimeError, match="Tensor is not contiguous"):
        tvm_ffi.from_dlpack(base.transpose(2, 0, 1), require_contiguous=True)


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3, 0), (1, 1), (1,) * 32])
def test_edges_of_shapes(way, shape):
    array = np.ones(shape, "int16")
    tensor = way(array)
    assert tensor.shape == shape and tensor.numel() == array.size and tensor.is_contiguous()
    back = np.from_dlpack(tensor)
    assert back.shape == shape and (back == 1).all()


@pytest.mark.parametrize("way", WAYS_IN)
def test_the_read_only_flag_is_kept(way):
    array = np.arange(4.0)
    array.flags.writeable = False
    tensor = way(array)
    assert tensor.data_ptr() == array.ctypes.data
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    back = np.from_dlpack(way(tensor))
    assert back.ctypes.data == array.ctypes.data
    assert not back.flags.writeable
    with pytest.raises(ValueError):
        back[0] = 1
    assert array[0] == 0
    view = np.broadcast_to(np.float32(1), (2, 2))
    assert not np.from_dlpack(way(view)).flags.writeable


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros(3, ">f4" if sys.byteorder == "little" else "<f4"), "bytes are swapped"),
        (np.zeros(3, [("a", "i4"), ("b", "f8")]), "number type"),
        (np.array([object()]), "number type"),
        (np.array(["text"]), "number type"),
        (np.array([b"bytes"]), "number type"),
        (np.array(["2020-01-01"], "datetime64[D]"), "number type"),
        (np.zeros(3, "V5"), "number type"),
        (np.zeros(3, "longdouble"), "number type"),
        (np.zeros(3, [("a", "u1"), ("b", "f4")])["b"], "no multiple of its item size"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.dtype),
)
def test_what_is_no_tensor_says_why(way, array, text):
    with pytest.raises(BufferError, match=text):
        way(array)


def test_an_aligned_field_of_a_structured_array():
    table = np.zeros(3, np.dtype([("a", "i4"), ("b", "f4")]))
    tensor = echo(table["b"])
    assert tensor.strides == (2,) and tensor.data_ptr() == table["b"].ctypes.data


def test_masked_arrays_are_refused_or_whole():
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    try:
        tensor = echo(masked)
    except (BufferError, TypeError, RuntimeError):
        return
    assert not isinstance(tensor, tvm_ffi.Tensor) or tensor.shape == (2,)


def test_memory_maps(tmp_path):
    path = tmp_path / "data.bin"
    np.arange(8, dtype="int32").tofile(path)
    for mode, writeable in (("r", False), ("r+", True)):
        mapped = np.memmap(path, dtype="int32", mode=mode)
        back = np.from_dlpack(echo(mapped))
        assert back.ctypes.data == mapped.ctypes.data and back.flags.writeable == writeable


# ---- lifetimes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS_IN)
def test_a_tensor_keeps_its_array(way):
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    tensor = way(array)
    del array
    gc.collect()
    assert ref() is not None and np.from_dlpack(tensor).tolist() == [1, 2, 3]
    del tensor
    gc.collect()
    assert ref() is None


def test_the_way_out_keeps_the_array_too():
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    back = np.from_dlpack(echo(array))
    del array
    gc.collect()
    assert ref() is not None and back.tolist() == [1, 2, 3]
    again = np.from_dlpack(tvm_ffi.from_dlpack(back))
    del back
    gc.collect()
    assert ref() is not None and again.tolist() == [1, 2, 3]
    del again
    gc.collect()
    assert ref() is None


def test_unused_capsules_release():
    for version in (None, (0, 8), (1, 0), (1, 3), (2, 0)):
        array = owned([1, 2, 3])
        ref = weakref.ref(array)
        capsule = echo(array).__dlpack__(max_version=version)
        del array
        gc.collect()
        assert ref() is not None
        name = "dltensor" if version is None or version[0] < 1 else "dltensor_versioned"
        assert f'"{name}"' in repr(capsule)
        del capsule
        gc.collect()
        assert ref() is None


def test_a_capsule_is_used_once():
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    capsule = echo(array).__dlpack__()
    tensor = tvm_ffi.from_dlpack(capsule)
    with pytest.raises(ValueError, match="unused DLPack capsule"):
        tvm_ffi.from_dlpack(capsule)
    del array, tensor, capsule
    gc.collect()
    assert ref() is None


def test_a_refused_capsule_keeps_its_content():
    array = owned(np.arange(12).reshape(3, 4))[:, ::2]
    ref = weakref.ref(array)
    capsule = echo(array).__dlpack__()
    with pytest.raises(RuntimeError, match="not contiguous"):
        tvm_ffi.from_dlpack(capsule, require_contiguous=True)
    tensor = tvm_ffi.from_dlpack(capsule)
    assert tensor.shape == (3, 2)
    del array, capsule, tensor
    gc.collect()
    assert ref() is None


def test_containers_and_callbacks_keep_and_release():
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    values = tvm_ffi.Array([array, {"k": array}])
    assert values[0].data_ptr() == array.ctypes.data == values[1]["k"].data_ptr()
    kept = []
    tvm_ffi.convert(lambda x: kept.append(x))(array)
    del array
    gc.collect()
    assert ref() is not None
    del values
    kept.clear()
    gc.collect()
    assert ref() is None


def test_errors_release_the_array():
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    with pytest.raises(TypeError):
        tvm_ffi.get_global_func("testing.add_one")(array)
    with pytest.raises(BufferError):
        echo(array, np.array(["text"]))
    del array
    gc.collect()
    assert ref() is None


# ---- other producers ---------------------------------------------------------------------------


class Producer:
    """Any object with ``__dlpack__``."""

    def __init__(self, array, version=None, raises=None):
        self.array, self.version, self.raises = array, version, raises
        self.asked = []

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked.append(max_version)
        if self.raises is not None:
            raise self.raises
        return tvm_ffi.from_dlpack(self.array).__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("way", WAYS_IN)
def test_any_producer(way):
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    producer = Producer(array)
    tensor = way(producer)
    assert tensor.data_ptr() == array.ctypes.data
    del array, producer
    gc.collect()
    assert ref() is not None
    del tensor
    gc.collect()
    assert ref() is None


@pytest.mark.parametrize("way", WAYS_IN)
def test_a_producer_of_read_only_data(way):
    array = owned([1, 2, 3])
    array.flags.writeable = False
    producer = Producer(array)
    tensor = way(producer)
    assert tensor.data_ptr() == array.ctypes.data and producer.asked == [(1, 3)]
    assert not np.from_dlpack(tensor).flags.writeable


@pytest.mark.parametrize("way", WAYS_IN)
def test_a_producer_that_raises(way):
    with pytest.raises(ZeroDivisionError, match="own"):
        way(Producer(owned([1]), raises=ZeroDivisionError("own")))

    class Wrong:
        def __dlpack__(self, **kwargs):
            return object()

    with pytest.raises(TypeError, match=r"Wrong\.__dlpack__\(\) must return a capsule, got object"):
        way(Wrong())


def test_a_producer_without_keywords():
    class Old:
        def __dlpack__(self):
            return echo(np.arange(3)).__dlpack__()

    assert echo(Old()).shape == (3,) and tvm_ffi.from_dlpack(Old()).shape == (3,)


def test_what_from_dlpack_refuses():
    for value in (3, "text", None, [1, 2]):
        with pytest.raises(TypeError, match="Expect from_dlpack to take either"):
            tvm_ffi.from_dlpack(value)
    with pytest.raises(TypeError):
        tvm_ffi.from_dlpack()
    with pytest.raises(TypeError):
        tvm_ffi.from_dlpack(np.zeros(3), require_alignment="x")


def test_export_options():
    tensor = echo(np.arange(3))
    assert np.from_dlpack(tensor).shape == (3,)
    with pytest.raises(BufferError, match="another device"):
        tensor.__dlpack__(max_version=(1, 0), dl_device=(2, 0))
    with pytest.raises(BufferError, match="as a copy"):
        tensor.__dlpack__(max_version=(1, 0), copy=True)
    tensor.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False)
    with pytest.raises(TypeError):
        tensor.__dlpack__(max_version=3)


# ---- the exchange table ------------------------------------------------------------------------


def exchanged(values=(1, 2, 3)):
    return core.DLTensorTestWrapper(tvm_ffi.from_dlpack(owned(values)))


def test_the_exchange_table_both_ways():
    wrapper = exchanged()
    result = echo(wrapper)
    assert type(result) is core.DLTensorTestWrapper and result is not wrapper
    assert result.tensor.data_ptr() == wrapper.tensor.data_ptr()


def test_results_take_the_class_of_the_arguments():
    wrapper = exchanged()
    values = tvm_ffi.convert(lambda x: [x, {"k": [x]}])(wrapper)
    assert type(values[0]) is core.DLTensorTestWrapper
    assert type(values[1]["k"][0]) is core.DLTensorTestWrapper
    again = echo(values)
    assert type(again[0]) is core.DLTensorTestWrapper
    assert isinstance(echo(np.zeros(2)), tvm_ffi.Tensor)


def test_convert_func_gives_tensors_of_a_class():
    seen = []
    function = tvm_ffi.convert_func(lambda x: seen.append(type(x)), core.DLTensorTestWrapper)
    function(np.zeros(3))
    function(exchanged())
    assert seen == [core.DLTensorTestWrapper] * 2
    with pytest.raises(TypeError, match="__dlpack_c_exchange_api__"):
        tvm_ffi.convert_func(lambda x: x, int)


def test_lifetimes_through_the_exchange_table():
    array = owned([1, 2, 3])
    ref = weakref.ref(array)
    wrapper = core.DLTensorTestWrapper(tvm_ffi.from_dlpack(array))
    result = echo([wrapper])
    del array, wrapper
    gc.collect()
    assert ref() is not None and result[0].tensor.shape == (3,)
    del result
    gc.collect()
    assert ref() is None


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("text", TypeError),
        (0, ValueError),
        (2.5, TypeError),
        (-1, OverflowError),
        (64, ValueError),
        (65537, ValueError),
    ],
)
def test_wrong_exchange_tables(value, error):
    cls = type("Wrong", (), {"__dlpack_c_exchange_api__": value})
    with pytest.raises(error):
        echo(cls())


REFUSING_TABLE = r"""
#include <dlfcn.h>
#include <dlpack/dlpack.h>

namespace {

// As torch's table does it: the text of a C++ error, with the stack behind the message.
constexpr const char* kText =
    "Cannot pack tensors on meta\n\nsecond line\nException raised from torchDeviceToDLDevice at "
    "DLConvertor.cpp:156 (most recent call first):\nframe #0: c10::Error::Error() + 0x9d";
constexpr const char* kPlain = "Exception raised from nowhere";

int Refuse(const char* text) {
  void* kind = *static_cast<void**>(dlsym(RTLD_DEFAULT, "PyExc_RuntimeError"));
  using SetString = void (*)(void*, const char*);
  reinterpret_cast<SetString>(dlsym(RTLD_DEFAULT, "PyErr_SetString"))(kind, text);
  return -1;
}

int Managed(void*, DLManagedTensorVersioned**) { return Refuse(kText); }
int ManagedPlain(void*, DLManagedTensorVersioned**) { return Refuse(kPlain); }
int ToPython(DLManagedTensorVersioned*, void**) { return Refuse(kText); }
int View(void*, DLTensor*) { return Refuse(kText); }
int Stream(DLDeviceType, int32_t, void** out) { *out = nullptr; return 0; }

DLPackExchangeAPI dumping{{{1, 0}, nullptr}, nullptr, Managed, ToPython, View, Stream};
DLPackExchangeAPI plain{{{1, 0}, nullptr}, nullptr, ManagedPlain, ToPython, View, Stream};

}  // namespace

int64_t table(bool dumps) { return reinterpret_cast<int64_t>(dumps ? &dumping : &plain); }
"""


class TestRefusalsOfExchangeTables:
    """What a table says is told without the C++ stack that torch puts behind it."""

    def refusing(self, dumps):
        from tvm_ffi import cpp

        module = cpp.load_inline("refusing_table", cpp_sources=REFUSING_TABLE, functions="table")
        return type("Refusing", (), {"__dlpack_c_exchange_api__": module.table(dumps)})()

    def test_the_message_stays_alone(self):
        for use in (tvm_ffi.convert(lambda x: x), tvm_ffi.from_dlpack):
            with pytest.raises(RuntimeError) as caught:
                use(self.refusing(True))
            assert type(caught.value) is RuntimeError
            assert str(caught.value) == "Cannot pack tensors on meta\n\nsecond line"

    def test_other_texts_are_whole(self):
        with pytest.raises(RuntimeError, match=r"^Exception raised from nowhere$"):
            tvm_ffi.from_dlpack(self.refusing(False))
