# SPDX-License-Identifier: Apache-2.0
"""Two libraries that register one name or one type key: an error that says who has it, or one
warning when they agree."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from library_folder import GOOD, Folder, load, run
from tvm_ffi import libinfo

if shutil.which("g++") is None or not sys.platform.startswith("linux"):
    pytest.skip("needs g++ and Linux", allow_module_level=True)

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("libraries"))


def refused(path: Path, clash: str) -> str:
    return f"RuntimeError: Failed to initialize shared library {path}: {clash}"


def test_global_name_of_another_library(folder: Folder) -> None:
    good, other = folder.library("good", GOOD), folder.library("same_name", SAME_NAME)
    lines, error = load(good, other, other)
    clash = f"global function `bad_libraries.twice` is already registered by {good}; "
    clash += "rename one of the two, or load only one of them"
    assert lines == ["loaded", refused(other, clash), refused(other, clash), "twice: 8 [8]"]
    assert error == ""


OWNED = """
#include <tvm/ffi/reflection/registry.h>
namespace ffi = tvm::ffi;
struct OwnedObj : ffi::Object {
  FIELDS
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bad_libraries.Owned", OwnedObj, ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::ObjectDef<OwnedObj>().def_ro("a", &OwnedObj::a);
  ffi::reflection::GlobalDef().def("bad_libraries.own", [](int64_t x) { return NUMBER * x; });
}
"""


def test_a_refused_library_leaves_no_names_behind(folder: Folder) -> None:
    """Its own names are free again: the library may come back under another name, mended."""
    half = OWNED.replace("NUMBER", "2").replace("FIELDS", "int64_t a;") + SAME_NAME
    mended = OWNED.replace("NUMBER", "3").replace("FIELDS", "int64_t b = 1; int64_t a;")
    paths = [folder.library("half_good", half), folder.library("mended", mended)]
    script = f"""
import tvm_ffi
tvm_ffi.load_module({str(folder.library("good", GOOD))!r})
for path in {list(map(str, paths))!r}:
    try:
        tvm_ffi.load_module(path)
    except RuntimeError as error:
        print(str(error).partition(" is already")[0].partition(": ")[2])
    own = tvm_ffi.get_global_func("bad_libraries.own", allow_missing=True)
    print(own and own(4))
@tvm_ffi.register_object("bad_libraries.Owned")
class Owned(tvm_ffi.Object):
    pass
print(Owned(7).a)
"""
    lines, error = run(script)
    assert lines == ["global function `bad_libraries.twice`", "None", "12", "7"]
    assert error == ""


def test_global_name_of_python_code(folder: Folder) -> None:
    path = folder.library("good", GOOD)
    script = f"""
import tvm_ffi
tvm_ffi.register_global_func("bad_libraries.twice", lambda x: -x)
try:
    tvm_ffi.load_module({str(path)!r})
except RuntimeError as error:
    print(error)
print(tvm_ffi.get_global_func("bad_libraries.twice")(1))
"""
    lines, error = run(script)
    assert lines == [
        f"Failed to initialize shared library {path}: global function `bad_libraries.twice` is "
        "already registered by Python code; rename one of the two, or call "
        "tvm_ffi.remove_global_func before the library is loaded",
        "-1",
    ]


def test_global_name_of_the_runtime_and_one_that_comes_twice(folder: Folder) -> None:
    source = GOOD.replace("TVM_FFI_STATIC_INIT_BLOCK() {", "TVM_FFI_STATIC_INIT_BLOCK() { NAMES;")
    names = 'tvm::ffi::reflection::GlobalDef().def("ffi.Array", Twice)'
    names += '.def("bad_libraries.twice", Twice)'
    path = folder.library("taken", source.replace("NAMES", names))
    (text, *rest), _ = load(path)
    assert text == refused(path, "")
    assert rest[:2] == [
        "- global function `ffi.Array` is already registered by tvm_ffi 0.1.16 itself; "
        "rename it, or build the library for this release",
        "- global function `bad_libraries.twice` is already registered by the same file; "
        "it has two definitions of it, or one in a header that several of its sources include",
    ]


OTHER_LAYOUTS = {
    "size": ("int64_t b = 2; int64_t a = 1;", "", "32 bytes there, 40 here"),
    "place": (
        "int64_t b = 2; int64_t a = 1;",
        "int64_t a = 1; int64_t c = 2;",
        "field `a` lies at byte 24 there, 32 here",
    ),
    "kind": ("double a = 1;", "", "field `a` is of another type"),
    "final": ("int64_t a = 1;", "", "final there, but not here"),
    "parent": (
        "int64_t a = 1;",
        "",
        "its parent is `ffi.Object` there, and `bad_libraries.Base` here",
    ),
}


@pytest.mark.parametrize("case", OTHER_LAYOUTS)
def test_type_key_with_another_layout(folder: Folder, case: str) -> None:
    fields, first_fields, difference = OTHER_LAYOUTS[case]
    first = TYPE.replace("FIELDS", first_fields or "int64_t a = 1;")
    second = TYPE.replace("FIELDS", fields)
    if case == "final":
        second = second.replace("INFO_FINAL", "INFO")
    if case == "parent":
        base = "struct BaseObj : ffi::Object {\n"
        base += '  TVM_FFI_DECLARE_OBJECT_INFO("bad_libraries.Base", BaseObj, ffi::Object);\n};\n'
        second = second.replace("struct PairObj : ffi::Object", base + "struct PairObj : BaseObj")
        second = second.replace("PairObj, ffi::Object", "PairObj, BaseObj")
    one = folder.library(f"pair_{len(first_fields)}", first)
    # Hidden, because the index of a type would be one variable of both libraries.
    two = folder.library(f"pair_{case}", second, "-fvisibility=hidden")
    lines, error = load(one, two)
    clash = f"type `bad_libraries.Pair` is already registered by {one} with another layout "
    clash += f"({difference}); give one of the two another key, build both with one definition, "
    clash += "or load only one of them"
    assert lines == ["loaded", refused(two, clash), "twice: None []"]
    assert error == ""


def test_copies_of_one_library_share_the_first(folder: Folder) -> None:
    path = folder.library("good_and_pair", GOOD + TYPE.replace("FIELDS", "int64_t a = 1;"))
    copy = folder.path / "copy.so"
    copy.write_bytes(path.read_bytes())
    lines, error = load(path, copy)
    assert lines == ["loaded", "loaded", "twice: 8 [8, 8]"]
    assert error == (
        f"[WARNING] {copy} registers again what {path} has registered: global function "
        "`bad_libraries.twice` and 1 more. The first registration stays in force; "
        "load only one copy.\n"
    )


def test_one_class_of_two_libraries_keeps_the_first(folder: Folder) -> None:
    """As when a header brings a class along with its definition."""
    one = folder.library("header_one", TYPE.replace("FIELDS", "int64_t a = 1;"))
    methods = '.def("own", [](const PairObj* self) { return self->a; });'
    source = TYPE.replace("FIELDS", "int64_t a = 1;").replace(";\n}\n", methods + "\n}\n")
    two = folder.library("header_two", source)
    lines, error = load(one, two)
    assert lines == ["loaded", "loaded", "twice: None []"]
    assert error == (
        f"[WARNING] {two} registers again what {one} has registered: type `bad_libraries.Pair`. "
        "The first registration stays in force; load only one copy.\n"
    )


def test_another_loader_can_only_warn(folder: Folder) -> None:
    good, other = folder.library("good", GOOD), folder.library("same_name", SAME_NAME)
    script = f"""
import ctypes, tvm_ffi
for path in {[str(good), str(other)]!r}:
    ctypes.CDLL(path)
print(tvm_ffi.get_global_func("bad_libraries.twice")(4))
"""
    lines, error = run(script)
    assert lines == ["8"]
    assert error == (
        f"[WARNING] {other}: global function `bad_libraries.twice` is already registered by "
        f"{good}; rename one of the two, or load only one of them. "
        "The first registration stays in force.\n"
    )


def test_another_loader_warns_of_another_layout(folder: Folder) -> None:
    first = TYPE.replace("FIELDS", "int64_t a = 1; int64_t c = 2;")
    second = TYPE.replace("FIELDS", "int64_t b = 2; int64_t a = 1;")
    paths = [folder.library("plain_one", first), folder.library("plain_two", second)]
    _, error = run(f"import ctypes, tvm_ffi\nfor p in {list(map(str, paths))!r}: ctypes.CDLL(p)")
    # The sizes are equal, so the field is the first that tells.
    start = f"[WARNING] {paths[1]}: type `bad_libraries.Pair` is already registered by {paths[0]} "
    start += "with another layout (field `a` lies at byte 24 there, 32 here); "
    assert error.splitlines()[-1].startswith(start)
    assert error.count("another layout") == 1


def test_library_of_ctypes_is_checked_like_a_module(folder: Folder) -> None:
    folder.library("libgood", GOOD)
    folder.library("libsame_name", SAME_NAME)
    (folder.path / "libtext.so").write_text("text")
    for target in ("good", "good"):
        libinfo.load_lib_ctypes("none", target, "RTLD_LOCAL", [folder.path])
    with pytest.raises(
        RuntimeError, match=r"`bad_libraries\.twice` is already registered by .*/libgood"
    ):
        libinfo.load_lib_ctypes("none", "same_name", "RTLD_LOCAL", [folder.path])
    with pytest.raises(OSError, match=r"libtext\.so: the file is not a shared library"):
        libinfo.load_lib_ctypes("none", "text", "RTLD_LOCAL", [folder.path])


def test_registered_functions_outlive_a_module_that_is_let_go(folder: Folder) -> None:
    script = f"""
import tvm_ffi
module = tvm_ffi.load_module({str(folder.library("good", GOOD))!r}, keep_module_alive=False)
del module
print(tvm_ffi.get_global_func("bad_libraries.twice")(4))
"""
    lines, error = run(script)
    assert lines == ["8"]
