# SPDX-License-Identifier: Apache-2.0
"""Faults that bindings of this kind tend to have, one test for each kind. What has tests of its own
is named in the docstring of the kind.

========================  =====================================================================
kind                      settled by
========================  =====================================================================
depth and cycles          here; test_cycles (collection); test_serialization, test_structural
exceptions                test_error, test_native_frames; here: text that can't be encoded
numbers                   here; test_numpy_scalars; test_conversion_rules (what protocols return)
the process               here; test_threads (signals); test_native_frames (sub-interpreters)
versions                  here: registering twice
arrays                    test_interop (all layouts, read-only, ml_dtypes); test_tensor_views
Python habits             here; test_cycles; test_copy; test_function (names, signatures, keywords)
mutation                  here; test_stress (from several threads)
build cache               test_cpp (edited headers, stale locks, the compiler's own words)
========================  =====================================================================
"""

from __future__ import annotations

import copy
import ctypes
import gc
import importlib
import pickle
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.cpp
from tvm_ffi import dataclasses as dc

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")

NARROW = tvm_ffi.cpp.load_inline(
    "test_traps_numbers",
    cpp_sources="\n".join(
        f"{kind} id_{kind}({kind} x) {{ return x; }}"
        for kind in (
            "int8_t",
            "uint8_t",
            "int16_t",
            "uint16_t",
            "int32_t",
            "uint32_t",
            "int64_t",
            "uint64_t",
            "double",
            "float",
            "bool",
        )
    ),
    functions=[
        "id_int8_t",
        "id_uint8_t",
        "id_int16_t",
        "id_uint16_t",
        "id_int32_t",
        "id_uint32_t",
        "id_int64_t",
        "id_uint64_t",
        "id_double",
        "id_float",
        "id_bool",
    ],
)

# ---- depth and cycles ------------------------------------------------------------------------

DEPTH = 1_000_000


@pytest.fixture(scope="module")
def deep():
    value = tvm_ffi.Array([])
    for _ in range(DEPTH):
        value = tvm_ffi.Array([value])
    return value


def list_in_itself():
    values = []
    values.append(values)
    return values


def dict_in_itself():
    table = {}
    table["self"] = [table]
    return table


@pytest.mark.parametrize("make", [list_in_itself, dict_in_itself])
@pytest.mark.parametrize(
    "use", [echo, tvm_ffi.convert, lambda v: tvm_ffi.Array([v]), lambda v: tvm_ffi.List().append(v)]
)
def test_python_values_that_hold_themselves(make, use):
    with pytest.raises(RecursionError, match="or contains itself"):
        use(make())


def test_python_lists_of_any_depth():
    value = []
    for _ in range(DEPTH):
        value = [value]
    with pytest.raises(RecursionError, match="nested more than"):
        echo(value)
    while value:  # CPython's own destructor of lists is safe; this is only quicker
        value = value[0]


@pytest.mark.parametrize(
    "walk",
    [
        repr,
        hash,
        lambda v: v == tvm_ffi.Array([v]),
        copy.deepcopy,
        copy.copy,
        pickle.dumps,
        tvm_ffi.structural.structural_hash,
        lambda v: tvm_ffi.structural.structural_equal(v, tvm_ffi.Array([v])),
        lambda v: tvm_ffi.structural.structural_walk(v, lambda item: None),
        lambda v: tvm_ffi.structural.structural_map(v, lambda item: item),
        echo,
        lambda v: [v] == v,
        lambda v: gc.collect(),
    ],
)
def test_native_values_of_any_depth(deep, walk):
    """Each walk ends: with a result, or with an error that Python code can catch."""
    try:
        walk(deep)
    except (RecursionError, ValueError, RuntimeError) as error:
        assert str(error)


@pytest.mark.parametrize(
    "walk",
    [
        repr,
        hash,
        lambda v: v == tvm_ffi.List([v]),
        copy.deepcopy,
        pickle.dumps,
        tvm_ffi.structural.structural_hash,
        lambda v: tvm_ffi.structural.structural_equal(v, tvm_ffi.List([v])),
        lambda v: tvm_ffi.structural.structural_walk(v, lambda item: None),
    ],
)
def test_native_values_that_hold_themselves(walk):
    values = tvm_ffi.List([1])
    values.append(values)
    try:
        walk(values)
    except (RecursionError, ValueError, RuntimeError, TypeError) as error:
        assert str(error)


def test_text_of_json_of_any_depth():
    for text in ("[" * 200_000, '{"a":' * 200_000):
        with pytest.raises(ValueError):
            tvm_ffi.serialization.from_json_graph_str(text)


# ---- exceptions --------------------------------------------------------------------------------


def test_text_that_can_not_be_encoded():
    def fail():
        raise ValueError("\ud800 and \udfff")

    with pytest.raises(ValueError) as caught:
        tvm_ffi.convert(fail)()
    assert caught.value.args == ("\ud800 and \udfff",)


# ---- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        (
            f"{sign}int{bits}_t",
            0 if sign else -(2 ** (bits - 1)),
            2 ** (bits if sign else bits - 1) - 1,
        )
        for bits in (8, 16, 32, 64)
        for sign in ("", "u")
    ],
)
def test_integers_are_never_cut(kind, low, high):
    function = NARROW[f"id_{kind}"]
    for value in (low, high, 0, 1):
        assert function(value) == value and type(function(value)) is int
    for value in (low - 1, high + 1, 2**70, -(2**70), high + 2**40):
        with pytest.raises(OverflowError, match=r"argument #0.*Expected `.*` in \[.*\] but got"):
            function(value)


def test_numbers_for_floats_and_bools():
    assert NARROW["id_double"](2**70) == 2.0**70 and NARROW["id_double"](2**63) == 2.0**63
    assert NARROW["id_float"](3) == 3.0 and NARROW["id_double"](True) == 1.0
    assert NARROW["id_bool"](True) is True
    for name in ("id_int64_t", "id_uint8_t"):
        for value in (1.5, 2.0, float("nan"), "1", None, [1]):
            with pytest.raises(TypeError, match="argument #0"):
                NARROW[name](value)


# ---- the process -------------------------------------------------------------------------------


def run(program):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_import_leaves_the_process_alone():
    program = """
import signal, sys
numbers = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
before = {s: signal.getsignal(s) for s in numbers}
import subprocess, threading
started = []
subprocess.Popen.__init__ = lambda self, *args, **kwargs: started.append(args)
count = threading.active_count()
import tvm_ffi
after = {s: signal.getsignal(s) for s in before}
print(before == after, started, threading.active_count() - count)
print("numpy" in sys.modules, "torch" in sys.modules)
import faulthandler
print(faulthandler.is_enabled())
"""
    assert run(program) == "True [] 0\nFalse False\nTrue\n"


def test_a_fault_is_still_reported():
    program = "import tvm_ffi, ctypes; ctypes.string_at(0)"
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0 and "string_at" in done.stderr
    assert done.returncode in (-signal.SIGSEGV, 128 + signal.SIGSEGV, 1)


# ---- versions ----------------------------------------------------------------------------------


def test_registering_twice_raises_or_replaces():
    name = "test_traps.twice"
    tvm_ffi.register_global_func(name, lambda: 1)
    with pytest.raises(RuntimeError, match="already registered"):
        tvm_ffi.register_global_func(name, lambda: 2)
    assert tvm_ffi.get_global_func(name)() == 1
    tvm_ffi.register_global_func(name, lambda: 2, override=True)
    assert tvm_ffi.get_global_func(name)() == 2
    tvm_ffi.remove_global_func(name)


# ---- Python habits -----------------------------------------------------------------------------


def test_containers_equal_those_of_python():
    for value in ([], [1, "a", [None]], {"a": 1}, {}, {"k": {"n": [1.5]}}, (1, (2,))):
        native = tvm_ffi.convert(value)
        assert native == value and value == native
        assert native != [0] and native != {"other": 0} and not native != value
    assert tvm_ffi.List([1]) == [1] == tvm_ffi.Array([1]) and tvm_ffi.Dict({"a": 1}) == {"a": 1}
    assert tvm_ffi.Map({"a": 1}) == tvm_ffi.Dict({"a": 1})


def test_repr_keeps_all_digits():
    for number in (1 / 3, 0.1, 1e300, 5e-324, 123456789.123456789, -0.0):
        assert float(repr(tvm_ffi.Array([number]))[1:-2]) == number


def test_weak_references_of_every_kind():
    for value in (
        tvm_ffi.Array([1]),
        tvm_ffi.Dict(),
        tvm_ffi.convert(lambda: 1),
        tvm_ffi.convert(object()),
        tvm_ffi.core.Error("ValueError", "text", ""),
    ):
        ref = weakref.ref(value)
        assert ref() is value
    del value
    gc.collect()
    assert ref() is None


def test_a_class_that_is_defined_again():
    def cell(default):
        @dc.py_class("test_traps.Again")
        class Again(tvm_ffi.Object):
            value: int = default

        return Again

    first, second = cell(1), cell(2)
    assert first().value == 1 and second().value == 2
    assert type(echo(second())) is second


def test_frozen_native_classes():
    @dc.c_class("testing.TestCxxClassBase", frozen=True)
    class Frozen(tvm_ffi.Object):
        v_i64: int
        v_i32: int

    value = Frozen(v_i64=1, v_i32=2)
    with pytest.raises(AttributeError):
        value.v_i64 = 5
    assert value.v_i64 == 1


def test_a_stream_given_as_a_pointer():
    device = tvm_ffi.device("cuda:0")
    with tvm_ffi.use_raw_stream(device, ctypes.c_void_p(0x1234)):
        assert tvm_ffi.get_raw_stream(device) == 0x1234
    assert tvm_ffi.get_raw_stream(device) == 0


# ---- mutation ----------------------------------------------------------------------------------


def test_changes_while_iterating():
    values = tvm_ffi.List(range(5))
    seen = []
    for item in values:
        seen.append(item)
        if len(values) > 1:
            values.pop()
    assert seen == [0, 1, 2]
    values = tvm_ffi.List([1])
    for item, _ in zip(values, range(100)):
        values.append(item)
    assert len(values) >= 100
    table = tvm_ffi.Dict({i: i for i in range(10)})
    with pytest.raises(RuntimeError, match="changed size during iteration"):
        for key in table:
            del table[key]
    with pytest.raises(RuntimeError, match="changed size during iteration"):
        for key, value in table.items():
            table[f"{key}"] = value


def test_python_values_that_change_while_they_are_converted():
    values = [0] * 10

    class Shrinks:
        def __tvm_ffi_int__(self):
            values.clear()
            gc.collect()
            return 7

    values[3] = Shrinks()
    assert echo(values) == [0, 0, 0, 7]
    table = {i: i for i in range(5)}

    class Grows:
        def __tvm_ffi_int__(self):
            table["new"] = object()
            return 7

    table[2] = Grows()
    with pytest.raises(RuntimeError, match="changed size"):
        echo(table)


def test_containers_that_were_moved_from():
    for make in (
        lambda: tvm_ffi.List([1]),
        lambda: tvm_ffi.Dict({"a": 1}),
        lambda: tvm_ffi.Array([1]),
    ):
        moved = make()
        assert len(tvm_ffi.convert(lambda x: x)(moved._move())) == 1
        for use in (len, list, hash, lambda v: v[0], lambda v: 1 in v, bool, echo):
            with pytest.raises(ValueError, match="holds no object"):
                use(moved)
        assert "chandle=None" in repr(moved)
        assert (moved == make()) is False


def test_destructors_that_change_the_container():
    values = tvm_ffi.List()

    class Clears:
        def __del__(self):
            values.clear()

    for _ in range(5):
        values.append(Clears())
    values[1] = 3
    values.extend([Clears(), Clears()])
    values.pop()
    values.clear()
    gc.collect()
    assert len(values) == 0
