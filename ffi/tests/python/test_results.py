# SPDX-License-Identifier: Apache-2.0
"""What native values become in Python, as results and as arguments of callbacks."""

from __future__ import annotations

import ctypes
import importlib
import sys
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.cpp
from tvm_ffi import core

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
apply = tvm_ffi.get_global_func("testing.apply")

# Functions of the C ABI, because the C++ types turn views into owned values on their way.
SOURCE = r"""
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/rvalue_ref.h>

using namespace tvm::ffi;

static const char kBytes[] = "by\0te";
static TVMFFIByteArray byte_array = {kBytes, 5};
static int64_t shape[2] = {2, 3};
static float data[6] = {0, 1, 2, 3, 4, 5};
static DLTensor view = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};

static void SetRaw(int64_t which, TVMFFIAny* out) {
  *out = TVMFFIAny{};
  if (which == 0) {
    out->type_index = kTVMFFIRawStr;
    out->v_c_str = "raw \xc3\xa4";
  } else if (which == 1) {
    out->type_index = kTVMFFIByteArrayPtr;
    out->v_ptr = &byte_array;
  } else if (which == 2) {
    out->type_index = kTVMFFIDLTensorPtr;
    out->v_ptr = &view;
  } else if (which == 3) {
    out->type_index = kTVMFFIRawStr;
    out->v_c_str = "not \xff utf-8";
  }
}

extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_return_raw(void*, const TVMFFIAny* args, int32_t,
                                                       TVMFFIAny* ret) {
  SetRaw(args[0].v_int64, ret);
  return 0;
}

// callback(raw value)
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_pass_raw(void*, const TVMFFIAny* args, int32_t,
                                                     TVMFFIAny* ret) {
  TVMFFIAny raw;
  SetRaw(args[1].v_int64, &raw);
  return TVMFFIFunctionCall(args[0].v_obj, &raw, 1, ret);
}

// The callback gets the array as an rvalue; says how many references are left here.
int64_t pass_rvalue(Function callback, int64_t value) {
  Array<Any> array = {value};
  callback(RValueRef<Array<Any>>(std::move(array)));
  return array.defined() ? array.use_count() : 0;
}
"""


@pytest.fixture(scope="module")
def library():
    return tvm_ffi.cpp.load_inline(
        "test_results", cpp_sources=SOURCE, functions=["pass_rvalue"], extra_cflags=["-w"]
    )


def test_plain_results():
    assert [type(echo(v)) for v in (None, True, 1, 1.0, "a", b"a", 2**70)] == [
        type(None),
        bool,
        int,
        float,
        str,
        bytes,
        int,
    ]


def test_heap_strings_keep_their_object():
    text, data = echo("text of some length"), echo(b"bytes of some length")
    assert type(text) is core.String and type(data) is core.Bytes
    assert text._tvm_ffi_cached_object is not None and data._tvm_ffi_cached_object is not None
    assert core.String("text of some length")._tvm_ffi_cached_object is None
    again = echo(text)
    assert again._tvm_ffi_cached_object.same_as(text._tvm_ffi_cached_object)
    # Seven bytes lie in the value itself, eight need an object.
    assert type(echo("1234567")) is str and type(echo("12345678")) is core.String
    assert type(echo(b"1234567")) is bytes and type(echo(b"12345678")) is core.Bytes


def test_value_types_and_objects():
    assert type(echo(tvm_ffi.dtype("int8"))) is tvm_ffi.dtype
    assert type(echo(tvm_ffi.device("cuda:1"))) is tvm_ffi.Device
    pointer = echo(ctypes.c_void_p(16))
    assert type(pointer) is ctypes.c_void_p and pointer.value == 16
    assert type(echo(tvm_ffi.Shape((1, 2)))) is tvm_ffi.Shape
    error = echo(ValueError("text"))
    assert type(error) is core.Error and (error.kind, error.message) == ("ValueError", "text")
    unregistered = tvm_ffi.get_global_func("testing.make_unregistered_object")()
    assert type(unregistered).__name__ == "TestUnregisteredObject"
    assert type(echo(unregistered)) is type(unregistered)


def test_raw_strings_and_views_as_callback_arguments(library):
    got = []
    library.pass_raw(got.append, 0)
    library.pass_raw(got.append, 1)
    assert got == ["raw \u00e4", b"by\0te"] and [type(v) for v in got] == [str, bytes]
    kept = []

    def read(tensor):
        kept.append(tensor)
        return [tensor.shape, tensor.strides, str(tensor.dtype), tensor.numel()]

    assert library.pass_raw(read, 2) == [[2, 3], [3, 1], "float32", 6]
    with pytest.raises(ValueError, match="only valid during a callback"):
        _ = kept[0].shape
    with pytest.raises(UnicodeDecodeError):
        library.pass_raw(got.append, 3)


def test_raw_values_are_no_results(library):
    for which, kind in ((0, r"const char\*"), (1, r"TVMFFIByteArray\*")):
        with pytest.raises(ValueError, match=f"a `{kind}` can't be a result"):
            library.return_raw(which)
    view = library.return_raw(2)
    assert type(view) is tvm_ffi.Tensor and view.shape == (2, 3)


def test_rvalue_references_as_callback_arguments(library):
    got = []
    assert library.pass_rvalue(got.append, 7) == 0
    assert got == [[7]] and type(got[0]) is tvm_ffi.Array


def test_results_of_callbacks_are_arguments():
    assert apply(lambda: {1}) == {1}
    assert type(apply(lambda: (1, 2))) is tvm_ffi.Array
    with pytest.raises(TypeError, match="keyword"):
        apply(lambda: 1, x=3)


def test_wrappers_are_fresh():
    values = tvm_ffi.Array([[1]])
    assert values[0] is not values[0] and values[0].same_as(values[0])
    assert echo(values) == values and hash(echo(values)) == hash(values)
