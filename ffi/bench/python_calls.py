# SPDX-License-Identifier: Apache-2.0
"""Cost of a call from Python beside raw CPython functions (``METH_FASTCALL``) and nanobind.

The same functions are compiled three times on the spot: against Python alone, with nanobind, and as typed functions of
this library. Needs a C++ compiler, and nanobind in the same environment (left out when it is missing). Every row is
measured in turns within one run; a ratio below 1 means that this library is faster.

    python ffi/bench/python_calls.py [--rounds 30]
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def _compile(source: Path, output: Path, flags: list[str]) -> Path:
    compiler = shutil.which("c++") or "c++"
    command = [compiler, "-O2", "-DNDEBUG", "-fPIC", "-shared", "-std=c++17", "-fvisibility=hidden"]
    subprocess.run([*command, str(source), "-o", str(output), *flags], check=True)
    return output


def _import(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_raw(folder: Path) -> Any:
    """The functions written against the C API of Python."""
    output = folder / f"raw_calls{sysconfig.get_config_var('EXT_SUFFIX')}"
    flags = [f"-I{sysconfig.get_paths()['include']}"]
    return _import(_compile(HERE / "calls_raw.cc", output, flags), "raw_calls")


def floors(bench: Bench) -> None:
    """What Python itself takes for a call of an object that is no builtin function, and for an attribute in C."""
    import tvm_ffi.testing

    pair = tvm_ffi.testing.create_object("testing.TestIntPair", a=1, b=2)
    fields = bench.raw.Fields()
    rows = {
        "empty call of an object, GIL dropped": [
            _timer(bench.native.get_function("empty"), ()),
            _timer(bench.raw.CalledNoGil(), ()),
        ],
        "empty call of an object, GIL kept": [
            _timer(bench.kept("empty"), ()),
            _timer(bench.raw.Called(), ()),
        ],
        "int attribute (PyGetSetDef)": [
            timeit.Timer("x.a", globals={"x": pair}),
            timeit.Timer("x.getset", globals={"x": fields}),
        ],
        "int attribute (PyMemberDef)": [
            timeit.Timer("x.a", globals={"x": pair}),
            timeit.Timer("x.member", globals={"x": fields}),
        ],
    }
    print(
        f"\n{'the least that Python takes, ns':38s}{'tvm_ffi':>10s}{'CPython':>10s}{'ratio':>10s}"
    )
    for title, timers in rows.items():
        ours, least = measure(timers, bench.rounds, 10_000)
        print(f"{title:38s}{ours:10.1f}{least:10.1f}{ours / least:10.2f}", flush=True)


def build_nanobind(folder: Path) -> Any:
    """The functions bound with nanobind, or None when it is not installed."""
    try:
        import nanobind
    except ImportError:
        print("nanobind is not installed: its columns are left out", file=sys.stderr)
        return None
    base = Path(nanobind.__file__).parent
    flags = [
        f"-I{sysconfig.get_paths()['include']}",
        "-fno-strict-aliasing",
        f"-I{base / 'include'}",
        f"-I{base / 'ext' / 'robin_map' / 'include'}",
        f"-I{base / 'src'}",
        str(base / "src" / "nb_combined.cpp"),
    ]
    output = folder / f"nb_calls{sysconfig.get_config_var('EXT_SUFFIX')}"
    return _import(_compile(HERE / "calls_nanobind.cc", output, flags), "nb_calls")


def build_native(folder: Path) -> Any:
    """The functions as a module of this library."""
    import tvm_ffi

    library = Path(tvm_ffi.libinfo.find_libtvm_ffi()).parent
    flags = [*(f"-I{path}" for path in tvm_ffi.libinfo.include_paths())]
    flags += [f"-L{library}", "-ltvm_ffi", f"-Wl,-rpath,{library}"]
    return tvm_ffi.load_module(_compile(HERE / "calls_native.cc", folder / "calls.so", flags))


def _timer(function: Callable[..., Any], args: tuple[Any, ...]) -> timeit.Timer:
    names = {"f": function, **{f"a{i}": arg for i, arg in enumerate(args)}}
    return timeit.Timer(f"f({', '.join(f'a{i}' for i in range(len(args)))})", globals=names)


def _catcher(function: Callable[..., Any]) -> Callable[[], None]:
    def catch() -> None:
        try:
            function()
        except ValueError:
            pass

    return catch


def measure(timers: list[timeit.Timer], rounds: int, number: int) -> list[float]:
    """Nanoseconds of one statement of each timer, measured in turns; the cost of the loop is taken off."""
    timers = [timeit.Timer("pass"), *timers]
    best = [float("inf")] * len(timers)
    for _ in range(rounds):
        for i, timer in enumerate(timers):
            best[i] = min(best[i], timer.timeit(number))
    return [(value - best[0]) / number * 1e9 for value in best[1:]]


class Bench:
    def __init__(self, folder: Path, rounds: int) -> None:
        self.raw = build_raw(folder)
        self.nanobind = build_nanobind(folder)
        self.native = build_native(folder)
        self.rounds = rounds

    def kept(self, name: str) -> Any:
        """A function that keeps the GIL."""
        function = self.native.get_function(name)
        function.release_gil = False
        return function

    def row(
        self,
        title: str,
        ours: Any,
        raw: str | None,
        nanobind: str | None,
        args: tuple[Any, ...] = (),
        *,
        catch: bool = False,
        extra: float = 0.0,
    ) -> tuple[float, float, float]:
        """Measures and prints a row. `extra` is added to the time of nanobind before the ratio is taken."""
        functions = [ours]
        for module, name in ((self.raw, raw), (self.nanobind, nanobind)):
            functions.append(getattr(module, name) if module is not None and name else None)
        known = [i for i, function in enumerate(functions) if function is not None]
        used = [_catcher(functions[i]) if catch else functions[i] for i in known]
        number = 500 if catch else 10_000
        cells = [float("nan")] * 3
        for i, value in zip(
            known, measure([_timer(f, args) for f in used], self.rounds, number), strict=True
        ):
            cells[i] = value
        cells[2] += extra
        ratios = [cells[0] / cells[1], cells[0] / cells[2]]
        text = "".join(f"{'-' if c != c else f'{c:.1f}':>10}" for c in cells)
        text += "".join(f"{'-' if r != r else f'{r:.2f}':>10}" for r in ratios)
        print(f"{title:34s}{text}", flush=True)
        return cells[0], cells[1], cells[2]


def main() -> None:
    """Builds, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    import numpy as np
    import tvm_ffi

    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), rounds)
        arrays = tuple(np.zeros((4, 4), np.float32) for _ in range(3))
        tensors = tuple(tvm_ffi.from_dlpack(array) for array in arrays)
        ints = (1, 2, 3)
        print(
            f"{'ns per call':34s}{'tvm_ffi':>10s}{'CPython':>10s}{'nanobind':>10s}{'/CPython':>10s}{'/nanobind':>10s}"
        )
        dropped = bench.native.get_function
        bench.row("empty, GIL dropped", dropped("empty"), "empty_nogil", "empty_nogil")
        bench.row("three ints, GIL dropped", dropped("three"), "three_nogil", "three_nogil", ints)
        bench.row("empty, GIL kept", bench.kept("empty"), "empty", "empty")
        bench.row("three ints, GIL kept", bench.kept("three"), "three", "three", ints)
        bench.row("int echo, GIL kept", bench.kept("int_"), "int_", "int_", (12345,))
        for size in (5, 40):
            title = f"str echo, {size} bytes, GIL kept"
            bench.row(title, bench.kept("str"), "str", "str", ("x" * size,))
        bench.row("numpy array, GIL kept", bench.kept("array"), "array", "array", arrays[:1])
        bench.row("three numpy arrays, GIL kept", bench.kept("arrays"), None, "arrays", arrays)
        empty, with_drop = measure(
            [_timer(bench.raw.empty, ()), _timer(bench.raw.empty_nogil, ())], rounds, 10_000
        )
        bench.row(
            "three numpy arrays, GIL dropped (*)",
            dropped("arrays"),
            None,
            "arrays",
            arrays,
            extra=with_drop - empty,
        )
        bench.row("three tensors, GIL kept", bench.kept("arrays"), None, None, tensors)
        bench.row("raise and catch", dropped("fail"), "fail", "fail", catch=True)
        print(f"(*) nanobind with the cost of dropping the GIL ({with_drop - empty:.1f} ns) added")
        floors(bench)


if __name__ == "__main__":
    main()
