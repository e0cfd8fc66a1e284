# SPDX-License-Identifier: Apache-2.0
"""A value for each of the 37 steps of argument conversion, what must come back for it, and the ways
by which a value goes through native code. For tests of conversions."""

from __future__ import annotations

import ctypes
import decimal
import enum
import fractions
import importlib
import numbers
import sys
import typing
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import core
from tvm_ffi import dataclasses as dc

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
apply = tvm_ffi.get_global_func("testing.apply")


@dc.py_class("conversion_steps.Holder")
class Holder(tvm_ffi.Object):
    value: typing.Any = None


PAIR = tvm_ffi.Array([1, 2])


class HasObject:
    def __tvm_ffi_object__(self):
        return PAIR


class FreshObject:
    def __tvm_ffi_object__(self):
        return tvm_ffi.Array(["fresh"])


class HasCudaStream:
    def __cuda_stream__(self):
        return (0, 0x1234)


class HasDLPack:
    def __init__(self):
        self.tensor = core.from_dlpack(numpy().arange(3, dtype="int32"))

    def __dlpack__(self, **kwargs):
        return self.tensor.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return (1, 0)


class OwnInt(numbers.Integral):
    """An integer that is no int; only what the conversion needs does anything."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value

    def __index__(self):
        return self.value


for _name in OwnInt.__abstractmethods__:
    setattr(OwnInt, _name, lambda self, *args: NotImplemented)
OwnInt.__abstractmethods__ = frozenset()


class OwnReal(float):
    pass


class HasOpaquePtr:
    def __tvm_ffi_opaque_ptr__(self):
        return 0x55


class Handled:
    address = 0x77


core._OPAQUE_PTR_HANDLERS[Handled] = lambda value: value.address


class HasDataType:
    def __dlpack_data_type__(self):
        return (0, 16, 4)


class HasDevice:
    def __dlpack_device__(self):
        return (2, 3)


class HasInt:
    def __tvm_ffi_int__(self):
        return "41"


class HasFloat:
    def __tvm_ffi_float__(self):
        return 2


class HasValue:
    def __init__(self, value):
        self.value = value

    def __tvm_ffi_value__(self):
        return self.value


class Convertible(tvm_ffi.ObjectConvertible):
    def asobject(self):
        return PAIR


class Plain:
    pass


class Mood(enum.IntEnum):
    GOOD = 3


class Word(str, enum.Enum):
    YES = "yes"


class Shade(enum.Enum):
    RED = 1


def numpy():
    return pytest.importorskip("numpy")


def tensor():
    return core.from_dlpack(numpy().arange(3, dtype="int32"))


def is_tensor(result, value):
    assert isinstance(result, tvm_ffi.Tensor)
    assert (result.shape, result.dtype) == ((3,), "int32")


def is_same_object(result, value):
    assert result.same_as(value)


def is_pair(result, value):
    assert result.same_as(PAIR)


def is_itself(result, value):
    assert result is value


def equals(expected):
    def check(result, value):
        assert type(result) is type(expected) and result == expected

    return check


def pointer(address):
    def check(result, value):
        assert type(result) is ctypes.c_void_p and result.value == address

    return check


def text_is(expected):
    def check(result, value):
        assert isinstance(result, str) and result == expected

    return check


def bytes_are(expected):
    def check(result, value):
        assert isinstance(result, bytes) and result == expected

    return check


def dtype_is(expected):
    def check(result, value):
        assert type(result) is tvm_ffi.dtype and result == expected

    return check


def device_is(expected):
    def check(result, value):
        assert type(result) is tvm_ffi.Device and str(result) == expected

    return check


def container_is(cls, expected):
    def check(result, value):
        assert type(result) is cls and result == expected

    return check


def is_function(result, value):
    assert isinstance(result, tvm_ffi.Function) and result(1) == 2


def is_constructor(result, value):
    assert isinstance(result, tvm_ffi.Function) and result("7") == 7


def is_error(result, value):
    assert isinstance(result, core.Error)
    assert (result.kind, result.message) == ("ValueError", "text")


def torch_dtype():
    return pytest.importorskip("torch").float16


def torch_tensor():
    return pytest.importorskip("torch").arange(3, dtype=pytest.importorskip("torch").int32)


def is_framework_tensor(result, value):
    assert tuple(result.shape) == (3,)


def exchange():
    return core.DLTensorTestWrapper(tensor())


def cuda_stream():
    driver = pytest.importorskip("cuda.bindings.driver")
    return driver.CUstream(0x99)


def is_wrapper(result, value):
    assert type(result) is core.DLTensorTestWrapper and result.tensor.shape == (3,)


def is_wrapper_or_tensor(result, value):
    found = result.tensor if type(result) is core.DLTensorTestWrapper else result
    is_tensor(found, value)


# number of the step, name, function that makes the value, check of what comes back
STEPS = [
    (1, "None", lambda: None, is_itself),
    (2, "Tensor", tensor, is_tensor),
    (3, "Array", lambda: tvm_ffi.Array([1]), is_same_object),
    (3, "List", lambda: tvm_ffi.List([1]), is_same_object),
    (3, "Map", lambda: tvm_ffi.Map({"a": 1}), is_same_object),
    (3, "Dict", lambda: tvm_ffi.Dict({"a": 1}), is_same_object),
    (4, "object", lambda: Holder(3), is_same_object),
    (4, "Function", lambda: tvm_ffi.convert(lambda x: x + 1), is_function),
    (6, "__tvm_ffi_object__", HasObject, is_pair),
    (6, "__tvm_ffi_object__ fresh", FreshObject, container_is(tvm_ffi.Array, ["fresh"])),
    (7, "__dlpack_c_exchange_api__", exchange, is_wrapper_or_tensor),
    (8, "__cuda_stream__", HasCudaStream, pointer(0x1234)),
    (9, "CUstream", cuda_stream, pointer(0x99)),
    (10, "torch.Tensor", torch_tensor, is_framework_tensor),
    (11, "__dlpack__", HasDLPack, is_tensor),
    (11, "numpy.ndarray", lambda: numpy().arange(3, dtype="int32"), is_tensor),
    (12, "True", lambda: True, is_itself),
    (12, "False", lambda: False, is_itself),
    (13, "int", lambda: -7, equals(-7)),
    (13, "int64 limits", lambda: -(2**63), equals(-(2**63))),
    (13, "big int", lambda: 2**63, equals(2**63)),
    (13, "very big int", lambda: -(3**200), equals(-(3**200))),
    (13, "IntEnum", lambda: Mood.GOOD, equals(3)),
    (13, "numpy integer", lambda: numpy().uint64(2**64 - 1), equals(2**64 - 1)),
    (13, "Integral", lambda: OwnInt(2**70), equals(2**70)),
    (14, "float", lambda: 0.1, equals(0.1)),
    (14, "float subclass", lambda: OwnReal(2.5), equals(2.5)),
    (14, "numpy float", lambda: numpy().float32(0.5), equals(0.5)),
    (14, "Fraction", lambda: fractions.Fraction(1, 2), equals(0.5)),
    (15, "DataType", lambda: core.DataType("int8x4"), dtype_is("int8x4")),
    (16, "dtype", lambda: tvm_ffi.dtype("bfloat16"), dtype_is("bfloat16")),
    (17, "Device", lambda: tvm_ffi.device("cuda:2"), device_is("cuda:2")),
    (18, "String", lambda: core.String("text of some length"), text_is("text of some length")),
    (18, "Bytes", lambda: core.Bytes(b"bytes of some length"), bytes_are(b"bytes of some length")),
    (18, "Shape", lambda: tvm_ffi.Shape((1, 2)), equals(tvm_ffi.Shape((1, 2)))),
    (
        18,
        "String of native code",
        lambda: echo("text of some length"),
        text_is("text of some length"),
    ),
    (19, "short str", lambda: "seven b", equals("seven b")),
    (19, "long str", lambda: "eight by", text_is("eight by")),
    (19, "str with NUL", lambda: "a\0b", equals("a\0b")),
    (19, "str beyond ASCII", lambda: "h\u00e4user \U0001f600", text_is("h\u00e4user \U0001f600")),
    (19, "str enum", lambda: Word.YES, equals("yes")),
    (20, "short bytes", lambda: b"\0\xff", equals(b"\0\xff")),
    (20, "long bytes", lambda: bytes(range(256)), bytes_are(bytes(range(256)))),
    (20, "bytearray", lambda: bytearray(b"ab"), equals(b"ab")),
    (21, "tuple", lambda: (1, ("a",)), container_is(tvm_ffi.Array, [1, ["a"]])),
    (22, "list", lambda: [1, [2.5]], container_is(tvm_ffi.Array, [1, [2.5]])),
    (23, "dict", lambda: {"b": 1, "a": [2]}, container_is(tvm_ffi.Map, {"b": 1, "a": [2]})),
    (24, "c_void_p", lambda: ctypes.c_void_p(0x10), pointer(0x10)),
    (24, "null c_void_p", lambda: ctypes.c_void_p(None), pointer(None)),
    (25, "__tvm_ffi_opaque_ptr__", HasOpaquePtr, pointer(0x55)),
    (26, "_OPAQUE_PTR_HANDLERS", Handled, pointer(0x77)),
    (27, "callable", lambda: lambda x: x + 1, is_function),
    (27, "class", lambda: int, is_constructor),
    (28, "torch.dtype", torch_dtype, dtype_is("float16")),
    (29, "numpy.dtype", lambda: numpy().dtype("float32"), dtype_is("float32")),
    (30, "__dlpack_data_type__", HasDataType, dtype_is("int16x4")),
    (31, "__dlpack_device__", HasDevice, device_is("cuda:3")),
    (32, "__tvm_ffi_int__", HasInt, equals(41)),
    (33, "__tvm_ffi_float__", HasFloat, equals(2.0)),
    (34, "__tvm_ffi_value__", lambda: HasValue([1]), container_is(tvm_ffi.Array, [1])),
    (34, "__tvm_ffi_value__ twice", lambda: HasValue(HasValue(5)), equals(5)),
    (35, "Exception", lambda: ValueError("text"), is_error),
    (36, "ObjectConvertible", Convertible, is_pair),
    (37, "any object", Plain, is_itself),
    (37, "set", lambda: {1}, is_itself),
    (37, "range", lambda: range(3), is_itself),
    (37, "slice", lambda: slice(1), is_itself),
    (37, "complex", lambda: 1j, is_itself),
    (37, "Decimal", lambda: decimal.Decimal("1.5"), is_itself),
    (37, "memoryview", lambda: memoryview(b"ab"), is_itself),
    (37, "module", lambda: sys, is_itself),
    (37, "ctypes.c_int", lambda: ctypes.c_int(3), is_itself),
    (37, "Enum", lambda: Shade.RED, is_itself),
    (37, "BaseException", KeyboardInterrupt, is_itself),
]


def by_argument(value):
    return echo(value)


def by_callback_argument(value):
    return apply(lambda x: x, value)


def by_callback_result(value):
    return tvm_ffi.convert(lambda: value)()


def by_element(value):
    return tvm_ffi.Array([value])[0]


def by_list(value):
    values = tvm_ffi.List()
    values.append(value)
    return values.pop()


def by_map_value(value):
    return tvm_ffi.Map({"key": value})["key"]


def by_field(value):
    holder = Holder()
    holder.value = value
    return holder.value


def by_constructor(value):
    return Holder(value).value


WAYS = [
    by_argument,
    by_callback_argument,
    by_callback_result,
    by_element,
    by_list,
    by_map_value,
    by_field,
    by_constructor,
]
