# SPDX-License-Identifier: Apache-2.0
"""Builds the examples in one CMake configuration and compares what each prints with its ``expected*.txt``."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi import libinfo

HERE = Path(__file__).resolve().parent
PYTHON_EXAMPLES = [
    "stable_c_abi",
    "kernel_library",
    "inline_module",
    "event_loop",
    "class_hierarchy",
    "errors",
]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        pytest.skip("needs cmake and ninja")
    build = tmp_path_factory.mktemp("examples")
    for command in (
        ["cmake", "-G", "Ninja", "-S", str(HERE), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"]
        + [f"-Dtvm_ffi_ROOT={libinfo.find_cmake_path()}", f"-DPython_EXECUTABLE={sys.executable}"],
        ["cmake", "--build", str(build), "-j", "2"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return build


def run(command: list[str], libraries: Path, cache: Path | None = None) -> str:
    environment = {
        **os.environ,
        "EXAMPLE_LIBRARIES": str(libraries),
        "LD_LIBRARY_PATH": str(Path(libinfo.find_libtvm_ffi()).parent),
    }
    if cache is not None:
        environment["TVM_FFI_CACHE_DIR"] = str(cache)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def expected(name: str) -> str:
    return (HERE / name).read_text()


@pytest.mark.parametrize("name", PYTHON_EXAMPLES)
def test_python(name: str, libraries: Path, tmp_path: Path) -> None:
    output = run([sys.executable, str(HERE / name / "main.py")], libraries, tmp_path)
    assert output == expected(f"{name}/expected.txt")


def test_c_program_with_c_library(libraries: Path) -> None:
    output = run([str(libraries / "stable_c_abi"), str(libraries / "libmatrix_c.so")], libraries)
    assert output == expected("stable_c_abi/expected_c.txt")


@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf on PATH")
def test_c_library_needs_no_cpp(libraries: Path) -> None:
    command = ["readelf", "--wide", "-d", str(libraries / "libmatrix_c.so")]
    section = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "libtvm_ffi.so" in section and "stdc++" not in section


def test_python_functions_in_a_cpp_host(libraries: Path) -> None:
    host = libraries / "embedding"
    if not host.exists():
        pytest.skip("this Python has no libpython to link with (Debian: python3-dev)")
    output = run([str(host), str(HERE / "embedding" / "plugin.py")], libraries)
    assert output == expected("embedding/expected.txt")


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_framework(framework: str, libraries: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    script = HERE / "frameworks" / f"use_{framework}.py"
    output = run([sys.executable, str(script)], libraries, tmp_path)
    assert output == expected(f"frameworks/expected_{framework}.txt")


def test_every_example_is_listed_and_explained() -> None:
    readme = expected("README.md")
    for folder in sorted(path for path in HERE.iterdir() if (path / "README.md").exists()):
        assert f"[`{folder.name}`]({folder.name})" in readme
