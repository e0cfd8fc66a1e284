# SPDX-License-Identifier: Apache-2.0
"""Mistakes in calls of ``tvm_ffi.cpp`` and ``load_module``: each error names what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import cpp

SOURCE = "int f(int x) { return x + 1; }"
NAMES = "functions must be a name, a sequence of names, or a mapping from names to documentation"
TEXTS = "must be str or a sequence of str"
PATHS = "must be a path or a sequence of paths"

INLINE: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"name": 3}, TypeError, "name must be str, got int"),
    ({"name": Path("x")}, TypeError, f"name must be str, got {type(Path()).__name__}"),
    ({"name": ""}, ValueError, "name must be a file name without a folder, got ''"),
    ({"name": "a\0b"}, ValueError, "name must be a file name without a folder, got 'a\\x00b'"),
    ({"output": 3}, TypeError, "output must be str, got int"),
    ({"output": ".."}, ValueError, "output must be a file name without a folder, got '..'"),
    ({"output": ""}, ValueError, "output must be a file name without a folder, got ''"),
    ({"cpp_sources": None}, AssertionError, "sources must be provided."),
    ({"cpp_sources": []}, AssertionError, "sources must be provided."),
    ({"cpp_sources": ["", " \n"]}, AssertionError, "sources must be provided."),
    ({"cpp_sources": 3}, TypeError, f"cpp_sources {TEXTS}, got int"),
    ({"cpp_sources": b"int"}, TypeError, f"cpp_sources {TEXTS}, got bytes"),
    ({"cpp_sources": {"a": "b"}}, TypeError, f"cpp_sources {TEXTS}, got dict"),
    ({"cpp_sources": [SOURCE, 3]}, TypeError, f"cpp_sources {TEXTS}, got one of int"),
    ({"cuda_sources": 3}, TypeError, f"cuda_sources {TEXTS}, got int"),
    ({"functions": 3}, TypeError, f"{NAMES}, got 3"),
    ({"functions": [3]}, TypeError, f"{NAMES}, got [3]"),
    ({"functions": {3: ""}}, TypeError, "functions must be names, got int"),
    ({"functions": {"f": 3}}, TypeError, "the documentation of 'f' must be str, got int"),
    ({"functions": "a::f"}, ValueError, "functions must be names of C++ functions, got 'a::f'"),
    ({"extra_cflags": 1}, TypeError, f"extra_cflags {TEXTS}, got int"),
    ({"extra_ldflags": [1]}, TypeError, f"extra_ldflags {TEXTS}, got one of int"),
    ({"extra_cflags": "-D'x"}, ValueError, 'extra_cflags: No closing quotation in "-D\'x"'),
    ({"extra_include_paths": [1]}, TypeError, f"extra_include_paths {PATHS}, got one int"),
    ({"build_directory": 3}, TypeError, "build_directory must be a path, got int"),
    (
        {"build_directory": __file__},
        NotADirectoryError,
        f"build_directory must be a folder, but {Path(__file__).resolve()} is a file",
    ),
    ({"embed_cubin": ["a"]}, TypeError, "embed_cubin must be a mapping from names to bytes, got "),
    ({"embed_cubin": {"a": "text"}}, TypeError, "the cubin 'a' must be bytes, got str"),
    ({"embed_cubin": {3: b""}}, TypeError, "the name of a cubin must be str, got int"),
    ({"backend": "tpu"}, ValueError, "Invalid backend: tpu. It must be 'cuda', 'hip' or None"),
]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    INLINE,
    ids=[f"{i}-{next(iter(c[0]))}" for i, c in enumerate(INLINE)],
)
def test_inline(arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    arguments = {"name": "x", "cpp_sources": SOURCE, **arguments}
    with pytest.raises(kind) as caught:
        cpp.build_inline(**arguments)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(text)


def test_function_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError) as caught:
        cpp.load_inline("x", cpp_sources=SOURCE, functions=["f", "g"], build_directory=tmp_path)
    first, second = str(caught.value).splitlines()[:2]
    assert first == (
        "functions names 'g', but the sources define no function of that name at the outermost "
        "level"
    )
    assert second.startswith(f"{tmp_path}/main.cpp:11:") and "error: " in second


def test_name_that_the_sources_lack_themselves(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError) as caught:
        cpp.load_inline(
            "x", cpp_sources="int f() { return g(); }", functions="f", build_directory=tmp_path
        )
    assert str(caught.value).startswith(f"{tmp_path}/inline.cpp:1:")


@pytest.mark.parametrize("name", ['we\'ird "q"', "two words", "a$b;c", "new\nline", "größe"])
def test_unusual_names(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    module = cpp.load_inline(
        name,
        cpp_sources=SOURCE,
        functions={"f": 'say "x" \\ % ?'},
        build_directory=folder,
    )
    assert module.f(1) == 2


def test_flags_in_one_text(tmp_path: Path) -> None:
    module = cpp.load_inline(
        "flags",
        cpp_sources="int f() { return ONE + TWO; }",
        functions="f",
        extra_cflags="-DONE=1 '-DTWO=(1 + 1)'",
        extra_include_paths=tmp_path,
    )
    assert module.f() == 3


def test_files(tmp_path: Path) -> None:
    missing = tmp_path / "missing.cc"
    for sources, kind, text in [
        (None, AssertionError, "sources must be provided."),
        (missing, RuntimeError, f"building 'x' failed: no such source file: {missing}"),
        (tmp_path, RuntimeError, f"building 'x' failed: the source {tmp_path} is a folder"),
        ("", ValueError, "sources holds an empty path"),
        ([3], TypeError, f"sources {PATHS}, got one int"),
        (b"a.cc", TypeError, f"sources {PATHS}, got bytes"),
    ]:
        with pytest.raises(kind) as caught:
            cpp.build("x", sources=sources)  # type: ignore[arg-type]
        assert str(caught.value) == text


@pytest.mark.parametrize("file", ["source", "source.txt", "source.h", "source.c++", "Source.CC"])
def test_any_suffix_is_cpp(file: str, tmp_path: Path) -> None:
    """Compilers take files of unknown kinds for the linker, and headers for something else."""
    path = tmp_path / file
    include = "#include <tvm/ffi/function.h>\n"
    path.write_text(f"{include}{SOURCE}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(f, f);\n")
    assert cpp.load("any_suffix", sources=path, build_directory=tmp_path / "out").f(1) == 2


def test_load_module() -> None:
    for path, kind, text in [
        (
            "",
            RuntimeError,
            "Failed to get file format from : the file name is empty; name a shared ",
        ),
        (
            b"other",
            RuntimeError,
            "Failed to get file format from other: it has no extension; name ",
        ),
        (3, TypeError, "expected str, bytes or os.PathLike object, not int"),
        (None, TypeError, "expected str, bytes or os.PathLike object, not NoneType"),
    ]:
        with pytest.raises(kind) as caught:
            tvm_ffi.load_module(path)  # type: ignore[arg-type]
        assert str(caught.value).startswith(text)


def test_modules(tmp_path: Path) -> None:
    module = cpp.load_inline("arguments", cpp_sources=SOURCE, functions="f")
    with pytest.raises(AttributeError) as missing:
        module.get_function("")
    assert str(missing.value) == f"Module has no function '' in {module._file_name}"
    with pytest.raises(RuntimeError, match=r"^Module\[library\] does not support WriteToFile$"):
        module.write_to_file(tmp_path / "a.o")
    with pytest.raises(TypeError, match=r"os\.PathLike object, not int"):
        module.write_to_file(3)  # type: ignore[arg-type]
