# SPDX-License-Identifier: Apache-2.0
"""The library of the wheel in C, C++ and Rust programs, and with a libtvm_ffi made from source."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi import libinfo

HERE = Path(__file__).resolve().parent
LIBDIR = str(Path(libinfo.find_libtvm_ffi()).parent)
INCLUDE = [f"-I{path}" for path in libinfo.include_paths()]
LINK = [f"-L{LIBDIR}", "-ltvm_ffi", "-ldl"]


def expected(language: str) -> list[str]:
    return [
        "2 3 4",
        "ValueError: Check failed: (x.size(0) == y.size(0)) is false: x has 3 elements and y has 2",
        "second = 2",
        f"RuntimeError: from {language}",
    ]


def run(program: Path, library: Path, libdir: str = LIBDIR) -> list[str]:
    environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": libdir}
    command = [str(program), str(library)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def compile_program(compiler: str, *arguments: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on PATH")
    subprocess.run([compiler, *arguments], check=True)


def test_c(installed, tmp_path):
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    program = tmp_path / "use_c"
    compile_program("cc", *flags, str(HERE / "programs/use.c"), *INCLUDE, *LINK, "-o", str(program))
    assert run(program, installed.library) == expected("C")


def test_cpp_without_python_in_the_process(installed, tmp_path):
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]
    program = tmp_path / "use_cpp"
    compile_program(
        "c++", *flags, str(HERE / "programs/use.cc"), *INCLUDE, *LINK, "-o", str(program)
    )
    assert run(program, installed.library) == [*expected("C++"), "Python in the process: no"]


def test_rust(installed):
    if shutil.which("cargo") is None:
        pytest.skip("no cargo on PATH (https://rustup.rs)")
    # The folder of the crates' own tests: they are compiled once for both.
    target = HERE.parent.parent / "rust" / "target"
    environment = {**os.environ, "TVM_FFI_LIB_DIR": LIBDIR}
    command = ["cargo", "build", "--quiet", "--locked", "--target-dir", str(target)]
    subprocess.run(command, cwd=HERE / "programs" / "rust", env=environment, check=True)
    assert run(target / "debug" / "use-extension", installed.library) == expected("Rust")


def configure_from_source(build: Path) -> None:
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        pytest.skip("needs cmake and ninja")
    # Quick to compile: what is tested is the way of building, not the code.
    quick = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    source = ["-DMY_FFI_EXTENSION_BUILD_TVM_FFI=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    command = ["cmake", "-G", "Ninja", "-S", str(HERE), "-B", str(build), *quick, *source]
    configured = subprocess.run(command, capture_output=True, text=True)
    assert configured.returncode == 0, configured.stdout + configured.stderr


def make(build: Path, target: str) -> None:
    command = ["cmake", "--build", str(build), "-j", "2", "--target", target]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr


def test_project_compiles_against_the_sources_of_tvm_ffi(tmp_path):
    configure_from_source(tmp_path)
    make(tmp_path, "CMakeFiles/my_ffi_extension.dir/src/extension.cc.o")
    commands = subprocess.run(
        ["ninja", "-C", str(tmp_path), "-t", "commands", "my_ffi_extension"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "tvm_ffi/src/object.cc" in commands
    assert "tvm_ffi/lib/libtvm_ffi.so" in commands.splitlines()[-1]


@pytest.mark.skipif(
    "KILN_LONG_TESTS" not in os.environ, reason="compiles all of libtvm_ffi: run by `./dev wheels`"
)
def test_libtvm_ffi_from_source(installed, tmp_path):
    build = tmp_path / "build"
    configure_from_source(build)
    make(build, "my_ffi_extension")
    library = build / "tvm_ffi" / "lib" / "libtvm_ffi.so"
    program = tmp_path / "use_cpp"
    source = str(HERE / "programs/use.cc")
    link = [f"-L{library.parent}", "-ltvm_ffi"]
    compile_program("c++", "-std=c++17", source, *INCLUDE, *link, "-o", str(program))
    # The wheel's library runs on the other libtvm_ffi as well: nothing but the ABI joins them.
    for extension in (build / "libmy_ffi_extension.so", installed.library):
        assert run(program, extension, str(library.parent))[:4] == expected("C++")
