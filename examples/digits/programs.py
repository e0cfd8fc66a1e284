# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the C++ and Rust programs that load the exported kernels, and shows lowered kernels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class ToolMissing(Exception):
    """A compiler is not on this machine; the text names it."""


def ffi_config(*flags: str) -> list[str]:
    """What ``tvm-ffi-config`` prints, as words."""
    command = [sys.executable, "-m", "tvm_ffi.config", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def lowered_text(module: Any, name: str) -> str:
    """The kernel as the code generator gets it, with the argument checks left out."""
    import tvm_tirx

    lines = tvm_tirx.tirx.lower(module, target="llvm")[name].script().splitlines()
    shown = [line for line in lines if not line.lstrip().startswith("assert ")]
    return "\n".join([*shown, f"({len(lines) - len(shown)} argument checks not shown)"])


def build_cpp(out: Path) -> Path:
    """Compile ``cpp/classify.cc`` against the FFI headers and library."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise ToolMissing("no C++ compiler on PATH")
    program = out / "classify_cpp"
    libdir = ffi_config("--libdir")[0]
    subprocess.run(
        [compiler, "-O2", str(HERE / "cpp" / "classify.cc"), "-o", str(program)]
        + ffi_config("--cxxflags", "--ldflags", "--libs")
        + [f"-Wl,-rpath,{libdir}"],
        check=True,
    )
    return program


def build_rust(out: Path) -> Path:
    """Compile the crate in ``rust/``."""
    if shutil.which("cargo") is None:
        raise ToolMissing("no cargo on PATH (https://rustup.rs)")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    target = out / "rust"
    subprocess.run(
        ["cargo", "build", "--release", "--target-dir", str(target)],
        cwd=HERE / "rust",
        env={**os.environ, "PATH": path},
        check=True,
    )
    return target / "release" / "classify"


def run(name: str, program: Path, arguments: list[str]) -> bool:
    """Run a program; True when it failed."""
    libdir = ffi_config("--libdir")[0]
    search = os.pathsep.join(filter(None, [libdir, os.environ.get("LD_LIBRARY_PATH")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": search}
    result = subprocess.run(
        [str(program), *arguments], env=environment, text=True, capture_output=True
    )
    sys.stdout.write(f"{name}: {result.stdout}{result.stderr}")
    return result.returncode != 0
