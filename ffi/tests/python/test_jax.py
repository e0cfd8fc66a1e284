# SPDX-License-Identifier: Apache-2.0
"""Arrays of JAX, both ways, uncopied. `./dev test --torch` runs this with JAX installed."""

from __future__ import annotations

import gc
import importlib
import sys
import weakref
from pathlib import Path

import pytest
import tvm_ffi

jax = pytest.importorskip("jax")
np = pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
WAYS_IN = [echo, tvm_ffi.from_dlpack]


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize(
    "dtype", ["uint8", "int32", "float16", "float32", "bfloat16", "bool", "complex64"]
)
def test_element_types(way, dtype):
    source = jax.numpy.arange(6).reshape(2, 3).astype(dtype)
    tensor = way(source)
    assert tensor.shape == (2, 3) and str(tensor.dtype) == dtype
    assert tensor.data_ptr() == source.unsafe_buffer_pointer()
    back = jax.dlpack.from_dlpack(tensor)
    assert back.dtype == source.dtype and (back == source).all()


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1), (2,) * 6])
def test_shapes(way, shape):
    source = jax.numpy.ones(shape)
    tensor = way(source)
    assert tensor.shape == shape and tensor.is_contiguous()
    assert jax.dlpack.from_dlpack(tensor).shape == shape


@pytest.mark.parametrize("way", WAYS_IN)
def test_writeable_unless_said_otherwise(way):
    source = jax.numpy.arange(3.0)
    versioned = "versioned" in repr(source.__dlpack__(max_version=(1, 0)))
    told = np.from_dlpack(source).flags.writeable if versioned else True
    assert np.from_dlpack(way(source)).flags.writeable == told


@pytest.mark.parametrize("way", WAYS_IN)
def test_what_is_no_array_yet_raises(way):
    def inner(x):
        way(x)
        return x

    with pytest.raises(Exception, match=r"[Tt]race"):
        jax.jit(inner)(jax.numpy.arange(3.0))


def test_lifetimes():
    source = jax.numpy.arange(3.0) + 1
    ref = weakref.ref(source)
    tensor = echo(source)
    del source
    gc.collect()
    assert np.from_dlpack(tensor).tolist() == [1, 2, 3]
    array = np.array([1, 2, 3], "float32").view(type("Owned", (np.ndarray,), {}))
    array_ref = weakref.ref(array)
    imported = jax.dlpack.from_dlpack(echo(array))
    del array
    gc.collect()
    assert imported.tolist() == [1, 2, 3]
    del tensor, imported
    gc.collect()
    assert ref() is None and array_ref() is None
