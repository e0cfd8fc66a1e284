# SPDX-License-Identifier: Apache-2.0
"""Modules loaded from shared libraries, and where the files of the package are."""

from __future__ import annotations

import ctypes
import importlib
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import libinfo

SOURCE = r"""
#include <tvm/ffi/c_api.h>
int __tvm_ffi_add_one(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* result) {
  (void)self;
  if (n != 1 || args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add_one wants one int");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 1;
  return 0;
}
int __tvm_ffi_main(void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* result) {
  (void)self; (void)args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = n;
  return 0;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("module")
    (folder / "lib.c").write_text(SOURCE)
    output = folder / "lib.so"
    include = libinfo.find_include_path()
    directory = Path(libinfo.find_libtvm_ffi()).parent
    flags = [f"-I{include}", f"-L{directory}", "-ltvm_ffi", f"-Wl,-rpath,{directory}"]
    subprocess.run(
        [compiler, "-shared", "-fPIC", str(folder / "lib.c"), "-o", str(output), *flags],
        check=True,
    )
    return output


def test_functions_of_a_library(library):
    module = tvm_ffi.load_module(library)
    assert module.kind == "library"
    assert repr(module) == "ffi.Module(kind='library', imports_=())"
    assert module.add_one(41) == 42 and module["add_one"](1) == 2
    assert module(1, 2, 3) == 3
    assert module.get_function("add_one")(2) == 3
    assert "add_one" in module.__dict__
    assert module.implements_function("add_one") and not module.implements_function("nope")
    with pytest.raises(AttributeError, match="Module has no function 'nope'"):
        module.nope  # noqa: B018
    with pytest.raises(ValueError, match="Can only take string as function name"):
        module[3]
    with pytest.raises(AttributeError) as caught:
        module.ad_one  # noqa: B018
    assert str(caught.value) == (
        f"Module has no function 'ad_one' in {library}. Did you mean: 'add_one'?"
    )
    with pytest.raises(AttributeError) as caught:
        module["hidden"]
    assert str(caught.value) == (
        f"Module has no function 'hidden' in {library}. "
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(hidden, ...) in C++ exports one."
    )
    with pytest.raises(TypeError, match="add_one wants one int"):
        module.add_one("text")


def test_properties(library):
    module = tvm_ffi.load_module(str(library), keep_module_alive=False)
    assert module.get_property_mask() == 3
    assert module.is_binary_serializable() and module.is_runnable()
    assert not module.is_compilation_exportable()
    assert list(module.imports) == [] and list(module.get_write_formats()) == []
    assert module.inspect_source() == ""
    assert module.get_function_metadata("add_one") is None
    assert module.get_function_doc("add_one") is None
    with pytest.raises(RuntimeError, match="does not support WriteToFile"):
        module.write_to_file("out.o")
    with pytest.raises(TypeError):
        type(module)()
    with pytest.raises(TypeError):
        pickle.dumps(module)


def test_function_outlives_its_module(library):
    function = tvm_ffi.load_module(library, keep_module_alive=False).add_one
    assert function(1) == 2


def test_imports(library, tmp_path):
    parent = tvm_ffi.load_module(library)
    copy = tmp_path / "copy.so"
    shutil.copy(library, copy)
    child = tvm_ffi.load_module(copy)
    parent.import_module(child)
    assert len(parent.imports) == 1 and parent.imports[0].same_as(child)
    with pytest.raises(RuntimeError, match="Cyclic"):
        child.import_module(parent)
    parent.clear_imports()
    assert len(parent.imports) == 0


def test_load_errors(tmp_path):
    with pytest.raises(RuntimeError, match=r"Failed to get file format from .*folder\.d/x"):
        tvm_ffi.load_module(tmp_path / "folder.d" / "x")
    with pytest.raises(RuntimeError, match="Failed to get file format from x"):
        tvm_ffi.load_module("x")
    with pytest.raises(RuntimeError, match=r"Loader for `\.foo` files is not registered"):
        tvm_ffi.load_module("x.foo")
    expected = "a shared library (.so, .dylib or .dll)"
    (tmp_path / "libbank.so").write_bytes(b"")
    for name, text in {
        "libbank": f"it has no extension. Did you mean `{tmp_path}/libbank.so`?",
        "other": f"it has no extension; name {expected}.",
        "other.": f"it has no extension; name {expected}.",
        ".": f"it is a folder; name {expected} in it.",
    }.items():
        path = f"{tmp_path}/{name}"
        with pytest.raises(RuntimeError) as caught:
            tvm_ffi.load_module(path)
        assert str(caught.value) == f"Failed to get file format from {path}: {text}"
    (tmp_path / "folder.v2").mkdir()
    for name, text in {
        "bank.cc": f"`{tmp_path}/bank.cc` is source text; name the shared library "
        "(.so, .dylib or .dll) that is built from it.",
        "folder.v2": f"It is a folder; name {expected} in it.",
    }.items():
        with pytest.raises(RuntimeError) as caught:
            tvm_ffi.load_module(tmp_path / name)
        ending = name.partition(".")[2]
        assert str(caught.value) == (
            f"Loader for `.{ending}` files is not registered, resolved to "
            f"(ffi.Module.load_from_file.{ending}) in the global registry. "
            f"Import the package that registers it. {text}"
        )
    bad = tmp_path / "bad.so"
    bad.write_bytes(b"not a library")
    with pytest.raises(RuntimeError, match=r"bad\.so"):
        tvm_ffi.load_module(bad)


def test_testing_library():
    sys.path.insert(0, str(Path(__file__).parent))
    path = importlib.import_module("native_testing").library_path()
    module = tvm_ffi.load_module(path)
    assert module.testing_dll_schema_id_int(5) == 5
    doc = module.get_function_doc("testing_dll_test_add_with_docstring")
    assert doc is not None and doc.startswith("Add two integers and return the sum.")
    assert "type_schema" in module.get_function_metadata("testing_dll_schema_id_int")


def test_system_lib():
    module = tvm_ffi.system_lib()
    assert module.kind == "library" and module.same_as(tvm_ffi.system_lib())


def test_finders():
    assert Path(libinfo.find_libtvm_ffi()).is_file()
    assert (Path(libinfo.find_include_path()) / "tvm" / "ffi" / "c_api.h").is_file()
    assert (Path(libinfo.find_dlpack_include_path()) / "dlpack" / "dlpack.h").is_file()
    assert libinfo.include_paths() == sorted(set(libinfo.include_paths()))
    assert isinstance(tvm_ffi.LIB, ctypes.CDLL)


def test_find_library_by_basename(tmp_path):
    name = libinfo._library_names("my_thing")[0]
    (tmp_path / name).write_bytes(b"")
    found = libinfo._find_library_by_basename("no-such-package", "my_thing", [tmp_path])
    assert found == (tmp_path / name).resolve()
    with pytest.raises(TypeError, match=r"extra_lib_paths\[0\] must be a pathlib\.Path, got str"):
        libinfo._find_library_by_basename("no-such-package", "my_thing", [str(tmp_path)])
    with pytest.raises(RuntimeError, match=f"Cannot find library {name}; searched directories:"):
        libinfo._find_library_by_basename("no-such-package", "my_thing")


def test_config_command():
    def run(*flags):
        return subprocess.run(
            [sys.executable, "-m", "tvm_ffi.config", *flags],
            capture_output=True,
            text=True,
            check=False,
        )

    lines = run("--libs", "--includedir").stdout.splitlines()
    assert lines == [libinfo.find_include_path(), "-ltvm_ffi"]
    assert run("--cxxflags").stdout.strip().endswith("-std=c++17")
    assert run().returncode == 0 and "usage" in run().stdout
    assert run("--nope").returncode == 2


def test_a_bare_name_finds_a_file_of_the_current_folder(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(library, tmp_path / "bare_name.so")
    (tmp_path / "no_library.so").write_bytes(b"text")
    monkeypatch.chdir(tmp_path)
    assert tvm_ffi.load_module("bare_name.so").implements_function("add_one")
    assert tvm_ffi.load_module(Path("bare_name.so")).implements_function("add_one")
    with pytest.raises(RuntimeError, match=r"no_library\.so"):
        tvm_ffi.load_module("no_library.so")
    with pytest.raises(RuntimeError, match=r"missing\.so"):
        tvm_ffi.load_module("missing.so")
