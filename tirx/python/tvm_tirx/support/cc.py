# SPDX-License-Identifier: Apache-2.0
"""The system's C and C++ compilers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

_NAMES = ("g++", "gcc", "clang++", "clang", "c++", "cc")


def get_cc() -> str | None:
    """The C++ compiler: CXX, CC, or the first of the usual names on the path."""
    for variable in ("CXX", "CC"):
        given = os.environ.get(variable)
        if given:
            return given
    for name in _NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    return None


def _required(cc: str | None) -> str:
    cc = cc or get_cc()
    if cc is None:
        raise ValueError("Cannot find a C++ compiler: install one or set CXX")
    return cc


def _run(command: list[str], cwd: str | None, ccache_env: dict[str, str] | None = None) -> None:
    env = None
    if ccache_env is not None and shutil.which("ccache"):
        command = ["ccache", *command]
        env = {**os.environ, **ccache_env}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, env=env, check=False
    )
    if done.returncode != 0:
        text = done.stdout.decode("utf-8", "replace")
        raise RuntimeError(f"Compilation error:\n{text}\nCommand line: {' '.join(command)}")


def _as_list(objects: Any) -> list[str]:
    return (
        [os.fspath(objects)]
        if isinstance(objects, (str, os.PathLike))
        else [os.fspath(item) for item in objects]
    )


def create_shared(
    output: Any,
    objects: Any,
    options: Sequence[str] | None = None,
    cc: str | None = None,
    cwd: str | None = None,
    ccache_env: dict[str, str] | None = None,
) -> None:
    """Compile and link objects and sources into a shared library. C sources are compiled as C.
    Symbols of other libraries (those of tvm_ffi) are found when the library is loaded."""
    command = [_required(cc), "-shared", "-fPIC", "-O2", "-o", os.fspath(output)]
    if sys.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    options = list(options or [])
    sources = [path for path in _as_list(objects) if path.endswith(".c")]
    others = [path for path in _as_list(objects) if not path.endswith(".c")]
    command += [flag for flag in options if flag.startswith(("-I", "-D", "-std", "-O"))]
    command += others
    if sources:
        command += ["-x", "c", *sources, "-x", "none"]
    command += [flag for flag in options if not flag.startswith(("-I", "-D", "-std", "-O"))]
    command += ["-lm"]
    _run(command, cwd, ccache_env)


create_shared.output_format = "so"  # type: ignore[attr-defined]


def create_executable(
    output: Any,
    objects: Any,
    options: Sequence[str] | None = None,
    cc: str | None = None,
    cwd: str | None = None,
    ccache_env: dict[str, str] | None = None,
) -> None:
    """Compile and link objects and sources into a program."""
    command = [_required(cc), "-O2", "-o", os.fspath(output), *_as_list(objects)]
    _run([*command, *(options or [])], cwd, ccache_env)


def create_staticlib(output: Any, inputs: Any, ar: str | None = None) -> None:
    """Put objects, and the content of tar files, into an archive."""
    from . import tar, utils

    ar = ar or shutil.which("ar")
    if ar is None:
        raise ValueError("Cannot find `ar`")
    with utils.tempdir() as temp:
        files = tar.normalize_file_list_by_unpacking_tars(temp, _as_list(inputs))
        _run([ar, "rcs", os.fspath(output), *files], None)


create_staticlib.output_format = "a"  # type: ignore[attr-defined]


def get_target_by_dump_machine(compiler: str) -> Callable[[], str | None]:
    """A function that asks a compiler for the triple that it makes code for."""

    def ask() -> str | None:
        done = subprocess.run(
            [compiler, "-dumpmachine"], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else None

    return ask


def cross_compiler(
    compile_func: Any,
    options: Sequence[str] | None = None,
    output_format: str | None = None,
    get_target_triple: Any = None,
    add_files: Sequence[str] | None = None,
) -> Any:
    """A function for ``export_library(fcompile=...)`` from a compiler's name or a function."""
    base = list(options or [])
    files = list(add_files or [])
    if isinstance(compile_func, str):
        name = compile_func
        get_target_triple = get_target_triple or get_target_by_dump_machine(name)
        output_format = output_format or "so"

        def call(outputs: Any, objects: Any, **kwargs: Any) -> None:
            create_shared(outputs, objects, cc=name, **kwargs)

        compile_func = call
    if output_format is None:
        output_format = getattr(compile_func, "output_format", "so")

    def linker(
        outputs: Any, objects: Any, options: Sequence[str] | None = None, **kwargs: Any
    ) -> Any:
        return compile_func(
            outputs, [*_as_list(objects), *files], options=[*base, *(options or [])], **kwargs
        )

    linker.output_format = output_format  # type: ignore[attr-defined]
    linker.get_target_triple = get_target_triple  # type: ignore[attr-defined]
    return linker


def get_global_symbol_section_map(path: str, *, nm: str | None = None) -> dict[str, str]:
    """The global symbols that a library defines, with the letter of their section."""
    nm = nm or shutil.which("nm")
    if nm is None:
        raise ValueError("Cannot find `nm`")
    done = subprocess.run(
        [nm, "-gU" if sys.platform == "darwin" else "-gD", "--defined-only", os.fspath(path)]
        if sys.platform != "darwin"
        else [nm, "-gU", os.fspath(path)],
        stdout=subprocess.PIPE,
        check=True,
    )
    symbols = {}
    for line in done.stdout.decode().splitlines():
        parts = line.split()
        if len(parts) == 3:
            symbols[parts[2]] = parts[1]
    return symbols
