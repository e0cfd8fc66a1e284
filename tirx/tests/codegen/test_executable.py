# SPDX-License-Identifier: Apache-2.0
"""Calls by name, written formats, static libraries, cross targets."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
import tvm_ffi
from tvm_tirx import codegen, tirx
from tvm_tirx.script import tirx as T


@T.function
def axpy(A: T.Tensor((4,), "float32"), B: T.Tensor((4,), "float32"), k: T.float32):
    for i in range(4):
        B[i] = A[i] * k + B[i]


def test_call_by_name():
    executable = tirx.compile(axpy, target="llvm")
    a, b = np.ones(4, "float32"), np.ones(4, "float32")
    executable(a, k=3, B=b)
    assert b.tolist() == [4] * 4
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        executable(a, b, z=1)
    with pytest.raises(TypeError, match="multiple values for argument 'A'"):
        executable(a, b, A=a)
    with pytest.raises(TypeError, match="takes 3 arguments"):
        executable(a, B=b)


@pytest.mark.parametrize(
    "suffix, start", [("ll", b"; ModuleID"), ("bc", b"BC"), ("o", b"\x7fELF"), ("s", b"\t.")]
)
def test_written_formats(tmp_path, suffix, start):
    path = tmp_path / f"kernel.{suffix}"
    tirx.compile(axpy, target="llvm").mod.write_to_file(str(path), suffix)
    assert path.read_bytes().startswith(start)


def test_load_llvm_text(tmp_path):
    path = tmp_path / "kernel.ll"
    tirx.compile(axpy, target="llvm").mod.write_to_file(str(path), "ll")
    module = tvm_ffi.load_module(path)
    b = np.zeros(4, "float32")
    module["axpy"](np.ones(4, "float32"), b, 2.0)
    assert b.tolist() == [2] * 4


def test_unknown_format(tmp_path):
    with pytest.raises(ValueError, match="o, ll, bc or s"):
        tirx.compile(axpy, target="llvm").mod.write_to_file(str(tmp_path / "x.png"), "png")


def test_static_library(tmp_path):
    path = tmp_path / "kernel.o"
    tirx.compile(axpy, target="llvm").mod.write_to_file(str(path), "o")
    library = codegen.load_static_library(path, ["axpy"])
    assert library.kind == "static_library"
    codegen.Executable(library).export_library(tmp_path / "kernel.so")
    b = np.zeros(4, "float32")
    tvm_ffi.load_module(tmp_path / "kernel.so")["axpy"](np.ones(4, "float32"), b, 2.0)
    assert b.tolist() == [2] * 4


def test_archive(tmp_path):
    import tarfile

    path = tmp_path / "kernel.tar"
    tirx.compile(axpy, target="llvm").export_library(path)
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["lib0.o"]


@pytest.mark.parametrize(
    "triple",
    ["aarch64-unknown-linux-gnu", "riscv64-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"],
)
def test_cross_targets_make_objects(tmp_path, triple):
    executable = tirx.compile(axpy, target={"kind": "llvm", "mtriple": triple})
    path = tmp_path / "kernel.o"
    executable.mod.write_to_file(str(path), "o")
    assert path.read_bytes().startswith(b"\x7fELF")
    with pytest.raises(RuntimeError, match="does not run here"):
        executable["axpy"]


def test_unknown_targets():
    with pytest.raises(ValueError, match="LLVM has no target for the triple"):
        tirx.compile(axpy, target={"kind": "llvm", "mtriple": "pdp11-dec-unix"})
    with pytest.raises(ValueError, match="LLVM knows no CPU `i9000`"):
        tirx.compile(axpy, target={"kind": "llvm", "mcpu": "i9000"})
    with pytest.raises(ValueError, match='Target kind "nokind" is not defined'):
        tirx.compile(axpy, target="nokind")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    "compiler", ["gcc -std=c99 -Wall -Wextra -Wno-unused-function", "g++ -x c++ -std=c++17 -Wall"]
)
def test_c_text_compiles_as_c_and_cpp(tmp_path, compiler):
    import tvm_ffi.libinfo as libinfo

    text = tirx.compile(axpy, target="c").mod.inspect_source()
    assert text.startswith("// tvm target: {")
    path = tmp_path / "kernel.c"
    path.write_text(text)
    command = [*compiler.split(), "-fsyntax-only", f"-I{libinfo.find_include_path()}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
