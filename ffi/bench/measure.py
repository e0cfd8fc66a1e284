# SPDX-License-Identifier: Apache-2.0
"""Measures one installation of ``tvm_ffi`` through its public API and prints a JSON object; ``run.py`` runs it for Kiln and for the
peer. With ``--torch`` it measures calls with tensors of torch instead. Times are nanoseconds an operation, the best of many rounds with the loop's own cost taken off."""

from __future__ import annotations

import json
import subprocess
import sys
import timeit
from collections.abc import Callable
from typing import Any

ROUNDS = 15


def cost(
    statement: str, names: dict[str, Any], number: int = 20_000, rounds: int = ROUNDS
) -> float:
    """Nanoseconds of `statement`."""
    timer = timeit.Timer(statement, globals=names)
    empty = timeit.Timer("pass")
    base = min(empty.repeat(rounds, number))
    return (min(timer.repeat(rounds, number)) - base) / number * 1e9


def import_cost() -> tuple[float, float]:
    """Milliseconds and resident megabytes of ``import tvm_ffi`` in a fresh process, beyond those of Python itself."""
    program = (
        "import resource, sys, time; m = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; t = time.perf_counter();"
        "import tvm_ffi; print((time.perf_counter() - t) * 1e3, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - m) / 1024)"
    )
    runs = [
        tuple(
            map(
                float,
                subprocess.run(
                    [sys.executable, "-c", program], capture_output=True, text=True, check=True
                ).stdout.split(),
            )
        )
        for _ in range(7)
    ]
    return min(r[0] for r in runs), min(r[1] for r in runs)


def torch_calls() -> dict[str, float]:
    """Calls with tensors of torch, which must be installed."""
    import torch
    import tvm_ffi
    import tvm_ffi.testing

    names = {
        "nop": tvm_ffi.get_global_func("testing.nop"),
        "echo": tvm_ffi.get_global_func("testing.echo"),
        **{name: torch.zeros(8) for name in "abc"},
    }
    out = {
        "three torch tensors": cost("nop(a, b, c)", names),
        "torch tensor echo": cost("echo(a)", names),
    }
    names["nop"].release_gil = False
    out["three torch tensors, GIL kept"] = cost("nop(a, b, c)", names)
    return out


def calls() -> dict[str, float]:
    import numpy as np
    import tvm_ffi
    import tvm_ffi.testing

    find: Callable[[str], Any] = tvm_ffi.get_global_func
    nop, echo = find("testing.nop"), find("testing.echo")
    arrays = [np.zeros(8, "float32") for _ in range(3)]
    names = {
        "nop": nop,
        "echo": echo,
        "a": arrays[0],
        "b": arrays[1],
        "c": arrays[2],
        "x": tvm_ffi.from_dlpack(arrays[0]),
        "y": tvm_ffi.from_dlpack(arrays[1]),
        "z": tvm_ffi.from_dlpack(arrays[2]),
        "array": tvm_ffi.convert(list(range(100))),
        "map": tvm_ffi.convert({str(i): i for i in range(100)}),
        "fail": find("testing.test_raise_error"),
        "pair": tvm_ffi.testing.create_object("testing.TestIntPair", a=1, b=2),
        "Array": tvm_ffi.Array,
        "Map": tvm_ffi.Map,
        "numbers": list(range(100)),
        "entries": {str(i): i for i in range(100)},
    }
    exec(
        "def catch():\n    try:\n        fail('ValueError', 'x')\n    except ValueError:\n        pass",
        names,
    )
    out = {
        "empty call": cost("nop()", names),
        "three ints": cost("nop(1, 2, 3)", names),
        "int echo": cost("echo(1)", names),
        "str echo, 5 bytes": cost("echo('hello')", names),
        "three numpy arrays": cost("nop(a, b, c)", names),
        "three tensors": cost("nop(x, y, z)", names),
        "raise and catch": cost("catch()", names, 1000),
        "Array[i]": cost("array[50]", names),
        "Array iteration, an element": cost("for _ in array: pass", names, 200) / 100,
        "attribute read, int": cost("pair.a", names),
        "Map[key]": cost("map['50']", names),
        "Array of 100 ints": cost("Array(numbers)", names, 500),
        "Map of 100 entries": cost("Map(entries)", names, 500),
    }
    nop.release_gil = False
    for name, call in [
        ("empty call", "nop()"),
        ("three ints", "nop(1, 2, 3)"),
        ("three numpy arrays", "nop(a, b, c)"),
        ("three tensors", "nop(x, y, z)"),
    ]:
        out[f"{name}, GIL kept"] = cost(call, names)
    return out


if __name__ == "__main__":
    if sys.argv[1:] == ["--torch"]:
        print(json.dumps(torch_calls()))
        sys.exit()
    milliseconds, megabytes = import_cost()  # first: a process starts with the peak of its parent
    import measure_classes

    figures = {"import, ms": milliseconds, "import, MB": megabytes, **calls()}
    print(json.dumps({**figures, **measure_classes.figures()}))
