# SPDX-License-Identifier: Apache-2.0
"""Calls without growth: ``python many_calls.py [--calls N]``, N empty calls, and fewer of what
takes longer.

``test_many_calls.py`` makes fewer; ``./dev test --sanitize python`` makes ten million.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import resource
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
import tvm_ffi

importlib.import_module("native_testing")

nop = tvm_ffi.get_global_func("testing.nop")
echo = tvm_ffi.get_global_func("testing.echo")
add_one = tvm_ffi.get_global_func("testing.add_one")
apply = tvm_ffi.get_global_func("testing.apply")
array = tvm_ffi.Array([1, "a text of some length", [2]])


def empty(count: int) -> None:
    for _ in range(count):
        nop()


def integers(count: int) -> None:
    for i in range(count):
        add_one(i)


def texts(count: int) -> None:
    for _ in range(count):
        echo("a text of some length")


def big_integers(count: int) -> None:
    for _ in range(count):
        echo(1 << 70)


def lists(count: int) -> None:
    for i in range(count):
        echo([i, "a text of some length", {"k": i}])


def elements(count: int) -> None:
    for _ in range(count):
        array[2]


def callbacks(count: int) -> None:
    for i in range(count):
        apply(lambda x: x, i)


def errors(count: int) -> None:
    for _ in range(count):
        try:
            add_one("text")
        except TypeError:
            pass


def mutation(count: int) -> None:
    values = tvm_ffi.List()
    for i in range(count):
        values.append([i])
        if len(values) > 100:
            values.clear()


def values_of_every_kind() -> list[object]:
    """What the steps of argument conversion take, as far as the packages for it are installed."""
    steps = importlib.import_module("conversion_steps")
    made = []
    for _, _, make, _ in steps.STEPS:
        try:
            made.append(make())
        except pytest.skip.Exception:
            continue
    return made


def conversions(count: int) -> None:
    values = values_of_every_kind()
    for _ in range(count // len(values) + 1):
        for value in values:
            echo(value)


def fields(count: int) -> None:
    steps = importlib.import_module("conversion_steps")
    holder, values = steps.Holder(), values_of_every_kind()
    for _ in range(count // len(values) + 1):
        for value in values:
            holder.value = value
            assert holder.value is not holder


# kind -> how much slower than an empty call it is
KINDS: dict[Callable[[int], None], int] = {
    empty: 1,
    integers: 1,
    elements: 2,
    texts: 2,
    big_integers: 10,
    callbacks: 5,
    conversions: 10,
    fields: 20,
    lists: 20,
    mutation: 20,
    errors: 50,
}


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def growth(kind: Callable[[int], None], count: int) -> int:
    """KiB of memory that ``count`` calls add after as many as fill every cache."""
    kind(max(count // 10, 2000))
    gc.collect()
    before = peak_kib()
    kind(count)
    return peak_kib() - before


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--limit", type=int, default=1024, help="KiB that one kind may add")
    options = parser.parse_args()
    worst = 0
    for kind, cost in KINDS.items():
        calls = max(options.calls // cost, 1000)
        added = growth(kind, calls)
        worst = max(worst, added)
        print(f"{kind.__name__:>13} {calls:>10} calls, {added} KiB more", flush=True)
    sys.exit(worst > options.limit)
