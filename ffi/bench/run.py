# SPDX-License-Identifier: Apache-2.0
"""Costs of Kiln's FFI: beside the published package, and beside raw CPython functions and nanobind. ``./dev bench ffi``.

``--alone`` leaves the published package out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

import peer  # noqa: E402


def torch_folder() -> Path | None:
    """The packages of the environment that ``./dev test --torch`` has made, if it has and they are for this Python."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache / "kiln" / "torch-jax" / "lib" / version / "site-packages"
    return folder if (folder / "torch").is_dir() else None


def measure(python: str, torch: Path | None) -> dict[str, float]:
    """The figures of one installation, with those of torch when there is one."""

    def run(*options: str, **variables: str) -> dict[str, float]:
        command = [python, str(HERE / "measure.py"), *options]
        told = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **variables}
        )
        return json.loads(told.stdout)

    return {**run(), **(run("--torch", PYTHONPATH=str(torch)) if torch is not None else {})}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    torch = torch_folder()
    if torch is None:
        print("no torch here (./dev test --torch): its rows are left out", file=sys.stderr)
    ours = measure(sys.executable, torch)
    other = None if options.alone else peer.python("ffi")
    theirs = measure(str(other), torch) if other is not None else {}
    print(f"{'nanoseconds unless said':32}{'kiln':>10}{'peer':>10}{'ratio':>9}")
    for name, value in ours.items():
        base = theirs.get(name)
        shown = f"{base:10.1f}{value / base:9.3f}" if base else f"{'-':>10}{'-':>9}"
        print(f"{name:32}{value:10.1f}{shown}")
    print("\nbeside raw CPython functions and nanobind", flush=True)
    beside = subprocess.run([sys.executable, str(HERE / "python_calls.py")], check=False)
    print("\nfrom C++", flush=True)
    alone = ["--alone"] if options.alone else []
    native = subprocess.run([sys.executable, str(HERE / "cpp_costs.py"), *alone], check=False)
    print("\nfrom Rust", flush=True)
    rust = subprocess.run([sys.executable, str(HERE / "rust_costs.py"), *alone], check=False)
    code = beside.returncode or native.returncode or rust.returncode
    if options.alone:
        return code
    print("\ngeneric algorithms, beside the published package", flush=True)
    generic = subprocess.run([sys.executable, str(HERE / "algorithms.py")], check=False)
    return code or generic.returncode


if __name__ == "__main__":
    sys.exit(main())
