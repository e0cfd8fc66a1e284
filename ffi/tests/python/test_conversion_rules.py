# SPDX-License-Identifier: Apache-2.0
"""The 37 steps of argument conversion in order. Each step is tried as an argument, as an element,
as a field value and as the result of a callback, and its values are released. What native code
gives to Python is in ``test_results.py``, memory in ``test_conversion_memory.py``."""

from __future__ import annotations

import gc
import importlib
import sys
import weakref
from pathlib import Path

import pytest
import tvm_ffi

sys.path.insert(0, str(Path(__file__).parent))
steps = importlib.import_module("conversion_steps")
echo, apply, numpy = steps.echo, steps.apply, steps.numpy
STEPS, WAYS = steps.STEPS, steps.WAYS
HasValue, Holder, Plain = steps.HasValue, steps.Holder, steps.Plain


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
    with pytest.raises(ValueError, match="holds no object: it was moved away"):
        apply(lambda *both: both, pair._move(), pair._move())
    assert pair == [2]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=f"{step}: {name}")
        for step, name, make, _ in STEPS
        if step in (6, 11, 21, 22, 27, 32, 33, 34, 35, 36, 37)
        and name not in ("module", "Enum", "range", "slice", "complex", "Decimal", "memoryview")
        and name not in ("tuple", "list", "BaseException", "numpy.ndarray", "ctypes.c_int", "class")
    ],
)
def test_nothing_is_kept(way, make):
    """The converted value, and what hangs on it, is released with its result."""
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
