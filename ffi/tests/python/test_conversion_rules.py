# SPDX-License-Identifier: Apache-2.0
"""The 37 steps of argument conversion in order, the table of result conversion, and the same for
callbacks. Each step is tried as an argument, as an element, as a field value and as the result of a
callback, and its values are released."""

from __future__ import annotations

import ctypes
import decimal
import enum
import fractions
import gc
import importlib
import numbers
import sys
import typing
import weakref
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import core
from tvm_ffi import dataclasses as dc

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
apply = tvm_ffi.get_global_func("testing.apply")


@dc.py_class("test_conversion_rules.Holder")
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
    (27, "class", lambda: lambda x: int(x) + 1, is_function),
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


@pytest.fixture(autouse=True)
def handler():
    core._OPAQUE_PTR_HANDLERS[Handled] = lambda value: value.address
    yield
    del core._OPAQUE_PTR_HANDLERS[Handled]


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


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    ("make", "check"),
    [pytest.param(make, check, id=f"{step}: {name}") for step, name, make, check in STEPS],
)
def test_step(way, make, check):
    value = make()
    check(way(value), value)


def test_every_step_is_here():
    # Step 5, ObjectRValueRef, only makes sense as an argument; it has a test of its own.
    assert {step for step, *_ in STEPS} | {5} == set(range(1, 38))


def test_step_5_rvalue_reference():
    values = tvm_ffi.List([1])
    assert tvm_ffi.convert(lambda x: x)(values._move()) == [1]
    assert values.__chandle__() == 0 and repr(values) == "List(chandle=None)"
    with pytest.raises(ValueError, match="holds no object"):
        echo(values)
    pair = tvm_ffi.List([2])
    with pytest.raises(ValueError, match="RValueRef already moved"):
        apply(lambda *both: both, pair._move(), pair._move())


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=f"{step}: {name}")
        for step, name, make, _ in STEPS
        if step in (6, 11, 21, 22, 27, 32, 33, 34, 35, 36, 37)
        and name not in ("module", "Enum", "range", "slice", "complex", "Decimal", "memoryview")
        and name not in ("tuple", "list", "BaseException", "numpy.ndarray", "ctypes.c_int")
    ],
)
def test_nothing_is_kept(way, make):
    """The converted value, and what hangs on it, is released with its result."""

    class Witness:
        pass

    value = make()
    try:
        ref = weakref.ref(value)
    except TypeError:
        pytest.skip("has no weak references")
    way(value)
    del value
    gc.collect()
    assert ref() is None


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_containers_release_their_elements(way):
    class Witness:
        pass

    for wrap in (lambda w: [w], lambda w: (w, [w]), lambda w: {"k": w}, lambda w: HasValue([w])):
        witness = Witness()
        ref = weakref.ref(witness)
        way(wrap(witness))
        del witness
        gc.collect()
        assert ref() is None


def test_reference_counts_of_arguments():
    """What is passed has as many references afterwards as before."""
    values = [make() for step, name, make, _ in STEPS if step not in (9, 10, 28)]
    for value in values:
        for way in WAYS:
            way(value)
    gc.collect()
    before = [sys.getrefcount(value) for value in values]
    for _ in range(10):
        for value in values:
            for way in WAYS:
                way(value)
    gc.collect()
    after = [sys.getrefcount(value) for value in values]
    grown = [
        (type(value).__name__, a - b)
        for value, a, b in zip(values, after, before)
        # Shared small values are counted everywhere; immortal ones not at all.
        if a - b > 3 and not isinstance(value, (int, str, bytes, type(None), type(sys)))
    ]
    assert grown == []


def test_native_counts_of_objects():
    count = tvm_ffi.get_global_func("testing.object_use_count")
    holder = Holder(tvm_ffi.List([1]))
    before = count(holder), count(holder.value)
    for way in WAYS:
        way(holder)
        way([holder, {"k": holder}])
        with pytest.raises(TypeError):
            tvm_ffi.get_global_func("testing.add_one")(holder)
    gc.collect()
    assert (count(holder), count(holder.value)) == before


# ---- what raises -------------------------------------------------------------------------------


class Raises:
    def __init__(self, name):
        self.name = name


def raising(name):
    def method(self, *args, **kwargs):
        raise ZeroDivisionError(name)

    return type("Raising", (), {name: method})()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    "name",
    [
        "__tvm_ffi_object__",
        "__cuda_stream__",
        "__dlpack__",
        "__tvm_ffi_opaque_ptr__",
        "__dlpack_data_type__",
        "__dlpack_device__",
        "__tvm_ffi_int__",
        "__tvm_ffi_float__",
        "__tvm_ffi_value__",
    ],
)
def test_errors_of_protocols_arrive(way, name):
    with pytest.raises(ZeroDivisionError, match=name):
        way(raising(name))


def returning(name, result):
    return type("Returning", (), {name: lambda self, *args, **kwargs: result})()


@pytest.mark.parametrize(
    ("name", "result", "error"),
    [
        ("__cuda_stream__", 5, TypeError),
        ("__cuda_stream__", (0,), IndexError),
        ("__dlpack__", 5, TypeError),
        ("__tvm_ffi_opaque_ptr__", "x", TypeError),
        ("__tvm_ffi_opaque_ptr__", 2**70, OverflowError),
        ("__dlpack_data_type__", (1, 2), TypeError),
        ("__dlpack_data_type__", (1, 2, "x"), TypeError),
        ("__dlpack_data_type__", (300, 8, 1), ValueError),
        ("__dlpack_data_type__", (0, 8, 70000), ValueError),
        ("__dlpack_device__", 3, TypeError),
        ("__dlpack_device__", (1, "x"), TypeError),
        ("__tvm_ffi_int__", "x", ValueError),
        ("__tvm_ffi_int__", None, TypeError),
        ("__tvm_ffi_float__", "x", ValueError),
        ("__tvm_ffi_float__", [], TypeError),
    ],
)
def test_wrong_results_of_protocols(name, result, error):
    with pytest.raises(error):
        echo(returning(name, result))


def test_protocols_that_never_end():
    class Endless:
        def __tvm_ffi_value__(self):
            return self

    class EndlessObject:
        def __tvm_ffi_object__(self):
            return self

    class EndlessConvertible(tvm_ffi.ObjectConvertible):
        def asobject(self):
            return self

    for value in (Endless(), EndlessObject(), EndlessConvertible()):
        with pytest.raises(RecursionError):
            echo(value)


def test_lone_surrogates_are_refused():
    for way in WAYS:
        with pytest.raises(UnicodeEncodeError):
            way("\ud800")


def test_attributes_of_instances_are_ignored():
    value = Plain()
    value.__tvm_ffi_int__ = lambda: 5
    assert echo(value) is value


def test_unsupported_numpy_dtype():
    with pytest.raises(ValueError, match="Unsupported numpy or ml_dtypes dtype"):
        echo(numpy().dtype("U3"))


def test_the_first_rule_wins():
    class Both(HasValue):
        def __tvm_ffi_int__(self):
            return 7

    class Text(str):
        def __tvm_ffi_int__(self):
            return 7

    class Called(HasValue):
        def __call__(self, x):
            return x + 1

    assert echo(Both(1)) == 7 and echo(Text("text")) == "text"
    assert echo(Called(1))(1) == 2


# ---- results -----------------------------------------------------------------------------------


def test_plain_results():
    assert [type(echo(v)) for v in (None, True, 1, 1.0, "a", b"a")] == [
        type(None),
        bool,
        int,
        float,
        str,
        bytes,
    ]


def test_heap_strings_keep_their_object():
    text, data = echo("text of some length"), echo(b"bytes of some length")
    assert type(text) is core.String and type(data) is core.Bytes
    assert text._tvm_ffi_cached_object is not None and data._tvm_ffi_cached_object is not None
    assert core.String("text of some length")._tvm_ffi_cached_object is None
    again = echo(text)
    assert again._tvm_ffi_cached_object.same_as(text._tvm_ffi_cached_object)


def test_raw_strings_and_views_as_callback_arguments():
    raw = tvm_ffi.get_global_func("testing.test_raise_error")
    with pytest.raises(ValueError, match="text"):
        raw("ValueError", "text")


def test_wrappers_are_fresh():
    values = tvm_ffi.Array([[1]])
    assert values[0] is not values[0] and values[0].same_as(values[0])
    assert echo(values) == values and hash(echo(values)) == hash(values)
