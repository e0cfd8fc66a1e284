# SPDX-License-Identifier: Apache-2.0
"""Libraries that can't be used: each is one clear error, and the process goes on.

Every case loads a real extension in a process of its own, which afterwards still has to work.
"""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path

import pytest
from library_folder import GOOD, Folder, load, run
from tvm_ffi import libinfo, load_module

if shutil.which("g++") is None or not sys.platform.startswith("linux"):
    pytest.skip("needs g++ and Linux", allow_module_level=True)

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("libraries"))


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


def test_static_initializer_that_throws(folder: Folder) -> None:
    path = folder.library("throws", THROWS)
    (first, again, good, twice), error = load(path, path, folder.library("good", GOOD))
    assert first == (
        f"ValueError: Failed to initialize shared library {path}: ValueError: no licence file"
    )
    assert again == first
    assert (good, twice, error) == ("loaded", "twice: 8 [8]", "")


def test_file_that_changed_after_it_was_refused(folder: Folder) -> None:
    path = folder.library("rebuilt", THROWS)
    good = folder.library("good", GOOD)
    script = f"""
import os, tvm_ffi
for source in [None, {str(good)!r}]:
    if source:
        os.replace(source, {str(path)!r})
    try:
        tvm_ffi.load_module({str(path)!r})
    except ValueError as error:
        print(error)
"""
    lines, _ = run(script)
    path.rename(good)
    first = f"Failed to initialize shared library {path}: ValueError: no licence file"
    assert lines == [
        first,
        first,
        "The file has changed since it was refused, but a process reads a file of one name once: "
        "start a new process, or load it under another name",
    ]
