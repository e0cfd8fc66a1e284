# SPDX-License-Identifier: Apache-2.0
"""Libraries that can't be used: each is one clear error, and the process goes on.

Every case loads a real extension in a process of its own, which afterwards still has to work.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi import libinfo, load_module

if shutil.which("g++") is None or not sys.platform.startswith("linux"):
    pytest.skip("needs g++ and Linux", allow_module_level=True)

GOOD = """
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
static int64_t Twice(int64_t x) { return 2 * x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice);
TVM_FFI_STATIC_INIT_BLOCK() { tvm::ffi::reflection::GlobalDef().def("bad_libraries.twice", Twice); }
"""

# The same names as GOOD with other meanings.
SAME_NAME = """
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
static int64_t Thrice(int64_t x) { return 3 * x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Thrice);
TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::GlobalDef().def("bad_libraries.twice", Thrice);
}
"""

TYPE = """
#include <tvm/ffi/reflection/registry.h>
namespace ffi = tvm::ffi;
struct PairObj : ffi::Object {
  FIELDS
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bad_libraries.Pair", PairObj, ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::ObjectDef<PairObj>().def_ro("a", &PairObj::a);
}
"""

THROWS = """
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
static int64_t One() { return 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, One);
TVM_FFI_STATIC_INIT_BLOCK() { TVM_FFI_THROW(ValueError) << "no licence file"; }
"""

NEWER = """
#include <tvm/ffi/c_api.h>
extern int TVMFFIFromTheFuture(int);
int __tvm_ffi_f(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* out) {
  return TVMFFIFromTheFuture(n);
}
"""

# Loads libraries in turn and says what came of each, then that the runtime still works.
DRIVER = """
import sys, tvm_ffi
modules = []
for path in sys.argv[1:]:
    try:
        modules.append(tvm_ffi.load_module(path))
        print("loaded")
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
twice = tvm_ffi.get_global_func("bad_libraries.twice", allow_missing=True)
own = [module.twice(4) for module in modules if module.implements_function("twice")]
print("twice:", None if twice is None else twice(4), own)
print("alive:", list(tvm_ffi.convert([1, 2])))
"""


class Folder:
    """Compiled libraries, made when they are first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def library(self, name: str, source: str, *flags: str) -> Path:
        out = self.path / f"{name}.so"
        if not out.exists():
            file = self.path / (f"{name}.c" if source is NEWER else f"{name}.cc")
            file.write_text(source)
            compiler = ["gcc"] if source is NEWER else ["g++", "-std=c++17", "-O0"]
            include = [f"-I{folder}" for folder in libinfo.include_paths()]
            libdir = str(Path(libinfo.find_libtvm_ffi()).parent)
            command = [*compiler, "-shared", "-fPIC", str(file), *include]
            command += [*flags, f"-L{libdir}", "-ltvm_ffi", "-o", str(out)]
            subprocess.run(command, check=True)
        return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("bad_libraries"))


def load(*paths: Path | str) -> tuple[list[str], str]:
    """What loading each of ``paths`` in one process printed, and its standard error."""
    command = [sys.executable, "-c", DRIVER, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"status {done.returncode}\\n{done.stdout}{done.stderr}"
    lines = done.stdout.splitlines()
    assert lines[-1] == "alive: [1, 2]"
    return lines[:-1], done.stderr


def test_missing(tmp_path: Path) -> None:
    path = tmp_path / "nothing.so"
    (line, _), _ = load(path)
    assert line == (
        f"RuntimeError: Failed to load dynamic shared library {path}: "
        "cannot open shared object file: No such file or directory"
    )


def test_zero_byte_in_the_name(folder: Folder) -> None:
    path = folder.library("good", GOOD)
    with pytest.raises(ValueError) as caught:
        load_module(f"{path}\0.so")
    assert str(caught.value) == (
        f"File name holds a zero byte at position {len(str(path))}, after `{path}`"
    )


def test_missing_from_a_package() -> None:
    with pytest.raises(RuntimeError) as caught:
        libinfo.load_lib_module("no-such-package", "nothing")
    text = str(caught.value)
    assert text.startswith("Cannot find library libnothing.so; searched directories:\n")
    assert str(Path(libinfo.find_libtvm_ffi()).parent) in text.splitlines()


def test_missing_dependency(folder: Folder) -> None:
    helper = folder.library("libhelper", "int helper() { return 1; }")
    source = GOOD + "int helper(); int use = helper();"
    path = folder.library("needs_helper", source, str(helper))
    helper.rename(helper.with_suffix(".gone"))
    (line, _), _ = load(path)
    helper.with_suffix(".gone").rename(helper)
    assert str(path) in line and "libhelper.so" in line
    assert "cannot open shared object file" in line


def test_another_architecture(folder: Folder) -> None:
    good = folder.library("good", GOOD).read_bytes()
    aarch64 = folder.path / "aarch64.so"
    aarch64.write_bytes(good[:18] + struct.pack("<H", 183) + good[20:])
    (first, second, twice), _ = load(aarch64, folder.library("good", GOOD))
    assert first.startswith(f"RuntimeError: Failed to load dynamic shared library {aarch64}: ")
    assert "is built for AArch64" in first and "build it for this machine" in first
    assert (second, twice) == ("loaded", "twice: 8 [8]")


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("empty", b"", "the file is empty; build or copy it again"),
        ("text", b"not a library" * 100, "the file is not a shared library (it has no ELF header)"),
        ("archive", b"!<arch>\n" + bytes(100), "static archive; link it with `c++ -shared`"),
        ("windows", b"MZ" + bytes(200), "Windows library; build it for this system"),
    ],
)
def test_not_a_library(tmp_path: Path, name: str, content: bytes, text: str) -> None:
    path = tmp_path / f"{name}.so"
    path.write_bytes(content)
    (line, _), _ = load(path)
    assert str(path) in line and text in line


def test_cut_short(folder: Folder) -> None:
    good = folder.library("good", GOOD).read_bytes()
    path = folder.path / "short.so"
    path.write_bytes(good[: len(good) // 2])
    (line, _), _ = load(path)
    assert f"{path}: the file is truncated or damaged: it has {len(good) // 2} bytes" in line


def test_built_against_a_newer_abi(folder: Folder) -> None:
    path = folder.library("newer", NEWER)
    (line, _), _ = load(path)
    assert f"{path}: undefined symbol: TVMFFIFromTheFuture" in line
    assert "was built with a newer version of tvm_ffi than this (0.1.16)" in line
    assert line.endswith("update tvm_ffi, or build the library again")


def test_duplicate_global_name_keeps_the_first_and_says_so(folder: Folder) -> None:
    good, other = folder.library("good", GOOD), folder.library("same_name", SAME_NAME)
    lines, error = load(good, other)
    # Exported symbols belong to their file, so both libraries keep their own.
    assert lines == ["loaded", "loaded", "twice: 8 [8, 12]"]
    assert "Global Function `bad_libraries.twice` is already registered" in error
    assert f"that of {other} is left out: rename one of the two, or load only one copy" in error


def test_duplicate_type_key_keeps_the_first_and_says_so(folder: Folder) -> None:
    one = folder.library("pair", TYPE.replace("FIELDS", "int64_t a = 1;"))
    two = folder.library("other_pair", TYPE.replace("FIELDS", "int64_t b = 2; int64_t a = 1;"))
    lines, error = load(one, two)
    assert lines == ["loaded", "loaded", "twice: None []"]
    assert "Overriding bad_libraries.Pair" in error
    assert f"that of {two} is left out: rename one of the two, or load only one copy" in error


def test_static_initializer_that_throws(folder: Folder) -> None:
    path = folder.library("throws", THROWS)
    (first, again, good, twice), error = load(path, path, folder.library("good", GOOD))
    assert first == (
        f"ValueError: Failed to initialize shared library {path}: ValueError: no licence file"
    )
    assert again == first
    assert (good, twice, error) == ("loaded", "twice: 8 [8]", "")
