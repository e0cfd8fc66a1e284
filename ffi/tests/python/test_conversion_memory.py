# SPDX-License-Identifier: Apache-2.0
"""No conversion leaves memory behind: neither of Python nor of native code."""

from __future__ import annotations

import ctypes
import gc
import importlib
import itertools
import os
import sys
import tracemalloc
from pathlib import Path

import pytest
import tvm_ffi

sys.path.insert(0, str(Path(__file__).parent))
interpreter = importlib.import_module("interpreter")
steps = importlib.import_module("conversion_steps")
apply = steps.apply

# With malloc for Python's objects, as under AddressSanitizer, neither measure tells them apart.
pytestmark = pytest.mark.skipif(
    os.environ.get("PYTHONMALLOC") == "malloc", reason="measures Python's own allocator"
)

ROUNDS, CALLS = 6, 50


class MallocInfo(ctypes.Structure):
    """``struct mallinfo2`` of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"),
            *("uordblks", "fordblks", "keepcost"),
        )
    ]


def native_bytes():
    """Bytes that C code holds. Python's own objects are elsewhere."""
    info = ctypes.CDLL(None).mallinfo2
    info.restype = MallocInfo
    return info().uordblks


try:
    native_bytes()
    HAS_MALLINFO = True
except AttributeError:
    HAS_MALLINFO = False


def fails(error, call, *args):
    with pytest.raises(error):
        call(*args)


RESULTS = {
    "many results": lambda: tvm_ffi.get_global_func("testing.make_unregistered_object")(),
    "moved": lambda: steps.echo(tvm_ffi.List(["a text of some length"])._move()),
    "result of a callback": lambda: apply(lambda: ["a text of some length", {"k": {1}}]),
    "error of a callback": lambda: fails(ZeroDivisionError, apply, lambda: 1 // 0),
    "error of a conversion": lambda: fails(UnicodeEncodeError, steps.echo, [1, "\ud800"]),
}
WORK = {
    f"{step}: {name}": lambda make=make: [
        way(make()) for way in (steps.by_argument, steps.by_callback_result, steps.by_field)
    ]
    for step, name, make, _ in steps.STEPS
} | RESULTS


def grown_by(work, measure):
    """Bytes that ``CALLS`` calls add every time. Caches and lists of free memory grow now and then,
    a leak in each round."""
    for _ in range(CALLS):
        work()
    sizes = []
    gc.collect()
    gc.freeze()  # a collection then looks at what the calls made, not at all of pytest
    try:
        for _ in range(ROUNDS):
            for _ in range(CALLS):
                work()
            gc.collect()
            sizes.append(measure())
    finally:
        gc.unfreeze()
    return min(after - before for before, after in itertools.pairwise(sizes))


@interpreter.memory_is_freed_at_once
@pytest.mark.parametrize("name", WORK)
def test_memory_of_python(name):
    tracemalloc.start()
    try:
        # One object of 16 bytes a call is 800 bytes.
        assert grown_by(WORK[name], lambda: tracemalloc.get_traced_memory()[0]) < 16 * CALLS
    finally:
        tracemalloc.stop()


@interpreter.memory_is_freed_at_once
@pytest.mark.skipif(not HAS_MALLINFO, reason="needs mallinfo2 of glibc")
@pytest.mark.parametrize("name", WORK)
def test_memory_of_native_code(name):
    # A block of malloc is 24 bytes at least.
    assert grown_by(WORK[name], native_bytes) < 24 * CALLS


@pytest.mark.skipif(not HAS_MALLINFO, reason="needs mallinfo2 of glibc")
def test_a_leak_is_seen():
    """The measurement above finds one lost block a call."""
    lost = ctypes.CDLL(None).malloc
    lost.argtypes, lost.restype = [ctypes.c_size_t], ctypes.c_void_p
    assert grown_by(lambda: lost(24), native_bytes) >= 24 * CALLS
