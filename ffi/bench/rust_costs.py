# SPDX-License-Identifier: Apache-2.0
"""Costs of the FFI from Rust: calls in both directions, containers, fields, for Kiln's crates and the published ones, as ratios
of one run. ``run.py`` runs it last.

    python ffi/bench/rust_costs.py [--alone]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import peer  # noqa: E402

RUNS = 3
PUBLISHED = "0.1.15"


@dataclass
class Side:
    """One set of crates with its library."""

    name: str
    crate: str
    python: str

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "bench-rust" / self.name

    def config(self, option: str) -> list[str]:
        environment = dict(os.environ)
        if self.python != sys.executable:
            environment.pop("PYTHONPATH", None)  # it may lead to Kiln
        command = [self.python, "-m", "tvm_ffi.config", option]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env=environment
        )
        return done.stdout.split()


def build(side: Side, compiler: str) -> list[str] | None:
    """Builds the program and its library. Returns the command to run, None when the crates can't be had."""
    shutil.copytree(HERE / "rust", side.folder, dirs_exist_ok=True)
    manifest = (side.folder / "Cargo.toml.in").read_text().replace("@crate@", side.crate)
    (side.folder / "Cargo.toml").write_text(manifest)
    libdir = side.config("--libdir")[0]
    library = side.folder / "rust_calls.so"
    flags = ["-O2", "-DNDEBUG", "-fPIC", "-shared", *side.config("--cxxflags")]
    link = [*side.config("--ldflags"), *side.config("--libs"), f"-Wl,-rpath,{libdir}"]
    subprocess.run(
        [compiler, *flags, str(HERE / "rust_calls.cc"), *link, "-o", str(library)], check=True
    )
    environment = os.environ | {
        "PATH": f"{Path(side.python).parent}{os.pathsep}{os.environ['PATH']}",
        "BENCH_LIBDIR": libdir,
    }
    environment.pop("LD_LIBRARY_PATH", None)
    features = ["--features", "kiln"] if side.name == "kiln" else []
    command = ["cargo", "build", "--quiet", "--release", *features]
    done = subprocess.run(command, cwd=side.folder, env=environment, check=False)
    if done.returncode != 0:
        return None
    return [str(side.folder / "target" / "release" / "rust_costs"), str(library)]


def main() -> int:
    """Builds, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", action="store_true", help="leave the published crates out")
    options = parser.parse_args()
    compiler = shutil.which("c++")
    if compiler is None or shutil.which("cargo") is None:
        print("not measured from Rust: needs c++ and cargo", file=sys.stderr)
        return 0
    sides = [Side("kiln", f'{{ path = "{ROOT / "ffi" / "rust" / "tvm-ffi"}" }}', sys.executable)]
    other = None if options.alone else peer.python("ffi")
    if other is not None:
        sides.append(Side("published", f'"={PUBLISHED}"', str(other)))
    commands = {side.name: build(side, compiler) for side in sides}
    if commands["kiln"] is None:
        return 1
    best: dict[str, dict[str, float]] = {}
    for _ in range(RUNS):
        for name, command in commands.items():
            if command is None:
                continue
            environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, check=True, env=environment
            )
            row = best.setdefault(name, {})
            for what, value in json.loads(done.stdout).items():
                row[what] = min(value, row.get(what, value))
    ours, theirs = best["kiln"], best.get("published", {})
    print(f"{'nanoseconds':40}{'kiln':>10}{'published':>11}{'ratio':>9}")
    for what, value in ours.items():
        base = theirs.get(what)
        print(
            f"{what:40}{value:10.2f}"
            + (f"{base:11.2f}{value / base:9.3f}" if base else f"{'-':>11}{'-':>9}")
        )
    pairs = [
        ("Rust to C++, no arguments", "C++ to C++, no arguments"),
        ("Rust to C++, 3 ints", "C++ to C++, 3 ints"),
        ("Rust closure from C++, no arguments", "C++ lambda from C++, no arguments"),
        ("Rust closure from C++, 3 ints", "C++ lambda from C++, 3 ints"),
        ("field, generated getter", "field, direct"),
    ]
    for one, base_name in pairs:
        print(f"{one} to {base_name}: {ours[one] / ours[base_name]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
