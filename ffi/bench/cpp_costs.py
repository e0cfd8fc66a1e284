# SPDX-License-Identifier: Apache-2.0
"""Costs of the FFI from C++: compile time and size of an extension, calls, maps and errors, for Kiln, the published package
and, where it applies, nanobind or the standard library. ``run.py`` runs it last.

    python ffi/bench/cpp_costs.py [--alone]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

import peer  # noqa: E402

EXTENSION = HERE.parent / "examples" / "packaging" / "src" / "extension.cc"
OPTIMISE = ["-O2", "-fPIC", "-fvisibility=hidden"]
COMPILES = 3
RUNS = 3


@dataclass
class Side:
    """One way to build an extension."""

    name: str
    source: Path
    flags: list[str]
    link: list[str] = field(default_factory=list)
    library: Path | None = None


def _config(python: str, option: str) -> list[str]:
    command = [python, "-m", "tvm_ffi.config", option]
    environment = dict(os.environ)
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)  # it may lead to Kiln
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return result.stdout.split()


def _tvm_ffi(name: str, python: str) -> Side:
    """The flags that an installation of ``tvm_ffi`` reports for extensions."""
    folder = _config(python, "--libdir")[0]
    return Side(
        name,
        EXTENSION,
        _config(python, "--cxxflags"),
        [*_config(python, "--ldflags"), *_config(python, "--libs"), f"-Wl,-rpath,{folder}"],
        Path(folder) / "libtvm_ffi.so",
    )


def _nanobind(compiler: str, folder: Path) -> Side | None:
    """nanobind, whose core is compiled once, outside the measurement; None when it isn't installed."""
    spec = importlib.util.find_spec("nanobind")
    if spec is None or spec.origin is None:
        return None
    base = Path(spec.origin).parent
    flags = [
        "-std=c++17",
        "-DNDEBUG",
        "-fno-strict-aliasing",
        f"-I{sysconfig.get_paths()['include']}",
        f"-I{base / 'include'}",
        f"-I{base / 'ext' / 'robin_map' / 'include'}",
    ]
    core = folder / "nanobind_core.o"
    combined = str(base / "src" / "nb_combined.cpp")
    subprocess.run([compiler, *OPTIMISE, *flags, "-c", combined, "-o", str(core)], check=True)
    return Side("nanobind", HERE / "cpp_nanobind.cc", flags, [str(core)])


def _user_seconds(command: list[str]) -> float:
    """User seconds of a command and of what it starts."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime


def _text_bytes(path: Path) -> int:
    """Machine code and read-only data, as ``size`` counts them."""
    result = subprocess.run(["size", str(path)], stdout=subprocess.PIPE, text=True, check=True)
    return int(result.stdout.splitlines()[1].split()[0])


def _stripped_bytes(path: Path, folder: Path) -> int:
    copy = folder / f"stripped_{path.name}"
    subprocess.run(["strip", "-o", str(copy), str(path)], check=True)
    return copy.stat().st_size


def extension_costs(compiler: str, sides: list[Side], folder: Path) -> dict[str, dict[str, float]]:
    """Compile time and size of the packaging example. The sides take turns, so that a busy machine slows all of them."""
    seconds: dict[str, list[float]] = {side.name: [] for side in sides}
    for _ in range(COMPILES):
        for side in sides:
            out = str(folder / f"{side.name}.o")
            command = [compiler, *OPTIMISE, *side.flags, "-c", str(side.source), "-o", out]
            seconds[side.name].append(_user_seconds(command))
    costs: dict[str, dict[str, float]] = {}
    for side in sides:
        compiled = folder / f"{side.name}.o"
        shared = folder / f"{side.name}.so"
        link = [compiler, "-shared", str(compiled), "-o", str(shared), *side.link]
        subprocess.run(link, check=True)
        row = {
            "compile, user s": min(seconds[side.name]),
            "code and read-only data, KB": _text_bytes(compiled) / 1000,
            "stripped .so, KB": _stripped_bytes(shared, folder) / 1000,
        }
        if side.library is not None:
            row["stripped libtvm_ffi.so, KB"] = _stripped_bytes(side.library, folder) / 1000
        costs[side.name] = row
    return costs


def call_costs(compiler: str, sides: list[Side], folder: Path) -> dict[str, dict[str, float]]:
    """The best of several runs of cpp_calls.cc for each side, in turns."""
    for side in sides:
        place = folder / side.name
        place.mkdir()
        flags = ["-O2", "-DNDEBUG", *side.flags]
        throws = [compiler, *flags, "-fPIC", "-shared", str(HERE / "cpp_throws.cc"), *side.link]
        subprocess.run([*throws, "-o", str(place / "throws.so")], check=True)
        calls = [compiler, *flags, str(HERE / "cpp_calls.cc"), *side.link, "-ldl"]
        subprocess.run([*calls, "-o", str(place / "calls")], check=True)
    best: dict[str, dict[str, float]] = {side.name: {} for side in sides}
    for _ in range(RUNS):
        for side in sides:
            program = folder / side.name / "calls"
            command = [str(program), str(program.with_name("throws.so"))]
            result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            for name, value in json.loads(result.stdout).items():
                best[side.name][name] = min(value, best[side.name].get(name, value))
    return best


def _table(title: str, rows: dict[str, dict[str, float]], columns: list[str]) -> None:
    """`rows` by side; the ratio is Kiln to the peer."""
    print(f"\n{title:32}" + "".join(f"{column:>10}" for column in columns) + f"{'ratio':>9}")
    for name, value in rows["kiln"].items():
        cells = [rows.get(column, {}).get(name) for column in columns]
        text = "".join(f"{'-':>10}" if cell is None else f"{cell:10.2f}" for cell in cells)
        base = rows.get("peer", {}).get(name)
        print(f"{name:32}{text}" + (f"{value / base:9.3f}" if base else f"{'-':>9}"))


def main() -> int:
    """Builds, measures and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", action="store_true", help="leave the published package out")
    options = parser.parse_args()
    compiler = shutil.which("c++")
    missing = [tool for tool in ("c++", "size", "strip") if shutil.which(tool) is None]
    if compiler is None or missing:
        print(f"not measured from C++: no {', '.join(missing)}", file=sys.stderr)
        return 0
    sides = [_tvm_ffi("kiln", sys.executable)]
    other = None if options.alone else peer.python("ffi")
    if other is not None:
        sides.append(_tvm_ffi("peer", str(other)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bound = _nanobind(compiler, folder)
        built = sides if bound is None else [*sides, bound]
        sizes = extension_costs(compiler, built, folder)
        calls = call_costs(compiler, sides, folder)
    _table("an extension", sizes, [side.name for side in built])
    _table("nanoseconds", calls, [side.name for side in sides])
    kiln = calls["kiln"]
    for what in ("no arguments", "3 ints"):
        ratio = kiln[f"call, {what}"] / kiln[f"std::function, {what}"]
        print(f"ffi::Function to std::function and packing, {what}: {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
