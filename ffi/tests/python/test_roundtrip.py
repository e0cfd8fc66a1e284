# SPDX-License-Identifier: Apache-2.0
"""Any nested value comes back from native code equal, and leaves no reference behind."""

from __future__ import annotations

import copy
import gc
import importlib
import itertools
import math
import pickle
import sys
import tracemalloc
import typing
import weakref
from pathlib import Path

import pytest
import tvm_ffi
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm_ffi import dataclasses as dc

sys.path.insert(0, str(Path(__file__).parent))
interpreter = importlib.import_module("interpreter")
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")
apply = tvm_ffi.get_global_func("testing.apply")


@dc.py_class("test_roundtrip.Box")
class Box(tvm_ffi.Object):
    value: typing.Any = None
    number: int = 0
    text: str = ""


class Token:
    """A Python object that native code only holds."""


text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**80), 2**80),
    st.floats(),
    text,
    st.binary(),
    st.sampled_from(["int8", "float32x4", "bfloat16"]).map(tvm_ffi.dtype),
    st.sampled_from(["cpu", "cuda:1"]).map(tvm_ffi.device),
)
keys = st.one_of(text, st.integers(-(2**63), 2**63 - 1), st.binary())
json_scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), text, st.binary())


def nested(leaves):
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=5),
            st.lists(inner, max_size=5).map(tuple),
            st.dictionaries(keys, inner, max_size=5),
        ),
        max_leaves=20,
    )


values = nested(scalars)


def same(left, right):
    """Equality that tells 1, 1.0 and True apart, and takes NaN for equal to itself."""
    if isinstance(right, (list, tuple, tvm_ffi.Array, tvm_ffi.List)):
        sequences = (list, tuple, tvm_ffi.Array, tvm_ffi.List)
        return (
            isinstance(left, sequences)
            and len(left) == len(right)
            and all(same(a, b) for a, b in zip(left, right))
        )
    if isinstance(right, (dict, tvm_ffi.Map, tvm_ffi.Dict)):
        return (
            isinstance(left, (dict, tvm_ffi.Map, tvm_ffi.Dict))
            and list(left) == list(right)
            and all(same(left[key], right[key]) for key in right)
        )
    if isinstance(right, float):
        both_nan = isinstance(left, float) and math.isnan(left) and math.isnan(right)
        return both_nan or (type(left) is float and repr(left) == repr(right))
    if isinstance(right, str) and type(right) is not tvm_ffi.dtype:
        return isinstance(left, str) and str(left) == str(right)
    if isinstance(right, bytes):
        return isinstance(left, bytes) and bytes(left) == bytes(right)
    return type(left) is type(right) and left == right


@settings(deadline=None, max_examples=200)
@given(values)
def test_through_native_code(value):
    assert same(echo(value), value)
    assert same(apply(lambda x: x, value), value)
    assert same(tvm_ffi.convert(lambda: value)(), value)
    box = Box(value)
    assert same(box.value, value)
    box.value = [value]
    assert same(box.value[0], value)


@settings(deadline=None, max_examples=100)
@given(values)
def test_native_values_equal_python_ones(value):
    result = echo(value)
    if isinstance(value, (list, tuple, dict)):
        assert result == echo(value) and hash(result) == hash(echo(value))
        assert tvm_ffi.structural.structural_equal(result, echo(value))
        assert same(echo(result), value) and same(copy.deepcopy(result), value)


@settings(deadline=None, max_examples=100)
@given(st.lists(nested(json_scalars), max_size=4))
def test_pickle_and_copies(value):
    array = tvm_ffi.Array(value)
    assert same(pickle.loads(pickle.dumps(array)), value)
    assert same(copy.copy(array), value) and same(copy.deepcopy(array), value)
    box = Box(value, 3, "text")
    again = pickle.loads(pickle.dumps(box))
    assert same(again.value, value) and (again.number, again.text) == (3, "text")


operations = st.lists(
    st.one_of(
        st.tuples(st.just("append"), values),
        st.tuples(st.just("insert"), st.integers(-5, 8), values),
        st.tuples(st.just("pop"), st.integers(-5, 5)),
        st.tuples(st.just("set"), st.integers(-5, 5), values),
        st.tuples(st.just("del"), st.integers(-5, 5)),
        st.tuples(
            st.just("slice"), st.integers(-3, 5), st.integers(-3, 5), st.lists(values, max_size=3)
        ),
        st.tuples(st.just("reverse")),
        st.tuples(st.just("extend"), st.lists(values, max_size=3)),
        st.tuples(st.just("clear")),
    ),
    max_size=20,
)


def perform(target, operation):
    """What an operation did: its result, or the class of the error."""
    name, *args = operation
    try:
        if name == "set":
            target[args[0]] = args[1]
            return None
        if name == "del":
            del target[args[0]]
            return None
        if name == "slice":
            target[args[0] : args[1]] = args[2]
            return None
        return getattr(target, name)(*args)
    except IndexError as error:
        return type(error)


@settings(deadline=None, max_examples=150)
@given(operations)
def test_a_list_behaves_like_a_list(steps):
    native, plain = tvm_ffi.List(), []
    for step in steps:
        assert same(perform(native, step), perform(plain, step))
        assert same(native, plain)


dict_operations = st.lists(
    st.one_of(
        st.tuples(st.just("set"), keys, values),
        st.tuples(st.just("del"), keys),
        st.tuples(st.just("pop"), keys, st.just("absent")),
        st.tuples(st.just("setdefault"), keys, values),
        st.tuples(st.just("get"), keys),
        st.tuples(st.just("update"), st.dictionaries(keys, values, max_size=3)),
        st.tuples(st.just("clear")),
    ),
    max_size=30,
)


def perform_on_dict(target, operation):
    name, *args = operation
    try:
        if name == "set":
            target[args[0]] = args[1]
            return None
        if name == "del":
            del target[args[0]]
            return None
        return getattr(target, name)(*args)
    except KeyError as error:
        return type(error)


@settings(deadline=None, max_examples=150)
@given(dict_operations)
def test_a_dict_behaves_like_a_dict(steps):
    native, plain = tvm_ffi.Dict(), {}
    for step in steps:
        assert same(perform_on_dict(native, step), perform_on_dict(plain, step))
        # The order differs by design: setting a key that exists may move it to the end.
        assert len(native) == len(plain) and set(map(repr, native)) == set(map(repr, plain))
        assert all(same(native[key], plain[key]) for key in plain)


# ---- nothing is left -------------------------------------------------------------------------


def with_tokens(value, tokens):
    """``value`` with a new token beside each of its leaves."""
    if isinstance(value, list):
        return [with_tokens(item, tokens) for item in value]
    if isinstance(value, tuple):
        return tuple(with_tokens(item, tokens) for item in value)
    if isinstance(value, dict):
        return {key: with_tokens(item, tokens) for key, item in value.items()}
    token = Token()
    tokens.append(weakref.ref(token))
    return [value, token]


@settings(deadline=None, max_examples=60)
@given(values)
def test_no_reference_is_left(value):
    tokens: list = []
    held = with_tokens(value, tokens)
    results = [echo(held), apply(lambda x: x, held), Box(held), tvm_ffi.List([held])]
    results[-1].append(held)
    assert all(token() is not None for token in tokens)
    with pytest.raises(TypeError):
        tvm_ffi.get_global_func("testing.add_one")([held])
    del held
    assert all(token() is not None for token in tokens)
    del results
    gc.collect()
    assert all(token() is None for token in tokens)


def grown_by(repetitions, work):
    """Bytes of Python memory that ``repetitions`` calls of ``work`` add every time. Lists of free
    objects and sets of dead classes grow now and then; a leak does so in each round."""
    gc.collect()
    tracemalloc.start()
    try:
        sizes = []
        for _ in range(16):  # Python 3.13 warms up for a thousand calls or more
            for _ in range(repetitions):
                work()
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
        return min(after - before for before, after in itertools.pairwise(sizes))
    finally:
        tracemalloc.stop()


def call_that_fails():
    with pytest.raises(TypeError):
        tvm_ffi.get_global_func("testing.add_one")("text")


def callback_that_fails():
    def fail(x):
        raise ValueError(x)

    with pytest.raises(ValueError):
        apply(fail, "a text of some length")


@interpreter.classes_may_die
def test_classes_that_calls_have_seen_may_die():
    refs = []
    for _ in range(3):
        cls = type("Dying", (), {"__tvm_ffi_int__": lambda self: 3})
        refs.append(weakref.ref(cls))
        assert echo(cls()) == 3 and tvm_ffi.Array([cls()])[0] == 3
    del cls
    gc.collect()
    assert [ref() for ref in refs] == [None] * 3


WORK = {
    "scalars": lambda: [
        echo(v) for v in (None, True, 3, 2**70, 0.5, "a", "long enough text", b"b")
    ],
    "containers": lambda: echo([1, ("a", {"k": [b"bytes of some length"]})]),
    "callbacks": lambda: apply(lambda *args: args, 1, "x", [2]),
    "opaque": lambda: echo(Token()),
    "fields": lambda: setattr(Box(1), "value", ["a text of some length"]),
    "mutation": lambda: tvm_ffi.List([1]).append(["a text of some length"]),
    "errors": call_that_fails,
    "errors of callbacks": callback_that_fails,
    "functions": lambda: tvm_ffi.convert(lambda x: x)(tvm_ffi.convert(len)),
    "values": lambda: (echo(tvm_ffi.dtype("int8")), echo(tvm_ffi.device("cpu")), echo(int)),
    "pickle": lambda: pickle.loads(pickle.dumps(Box([1]))),
    "iteration": lambda: [list(tvm_ffi.Map({"a": 1}).items()), list(tvm_ffi.Array([1, "b"]))],
    "lookup": lambda: tvm_ffi.get_global_func("testing.nop")(),
}


@interpreter.memory_is_freed_at_once
@pytest.mark.parametrize("name", WORK)
def test_memory_does_not_grow(name):
    # One block of 28 bytes a call would be 2,800 bytes.
    assert grown_by(100, WORK[name]) < 1400


def test_native_memory_does_not_grow():
    resource = pytest.importorskip("resource")

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def work(count):
        for i in range(count):
            echo(["a text of some length", b"bytes of some length", {"k": [i]}, 2**70])
            tvm_ffi.List([i]).append("another text of some length")

    work(2000)
    before = peak()
    work(5_000)
    # One object of 64 bytes that each round leaves would be 312 KiB; a round makes eight.
    assert peak() - before < 256
