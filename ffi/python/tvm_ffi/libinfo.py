# SPDX-License-Identifier: Apache-2.0
"""Where the libraries, headers and CMake files of the package are.

Every finder tries the installed layout first, then a source checkout two levels above the package.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

    from .module import Module

_PACKAGE = Path(__file__).resolve().parent


def _first_existing(what: str, *candidates: Path) -> Path:
    for candidate in candidates:
        if candidate.exists():
            return candidate.resolve()
    raise RuntimeError(f"Cannot find {what}")


def _checkout() -> Path:
    return _PACKAGE.parent.parent


def find_libtvm_ffi() -> str:
    """Path of the core library. RuntimeError when it is missing."""
    for name in _library_names("tvm_ffi"):
        for folder in _package_library_dirs():
            if (folder / name).is_file():
                return str((folder / name).resolve())
    try:
        return str(_find_library_by_basename("kiln-ffi", "tvm_ffi"))
    except RuntimeError:
        raise RuntimeError("Cannot find libtvm_ffi") from None


def find_windows_implib() -> str:
    """Path of the import library that Windows linkers need."""
    path = Path(find_libtvm_ffi()).with_name("tvm_ffi.lib")
    if not path.is_file():
        raise RuntimeError(f"Cannot find the import library {path}")
    return str(path)


def find_include_path() -> str:
    """Directory that holds ``tvm/ffi``."""
    path = _first_existing(
        "the headers of tvm_ffi",
        _PACKAGE / "include" / "tvm" / "ffi",
        _checkout() / "include" / "tvm" / "ffi",
    )
    return str(path.parent.parent)


def find_dlpack_include_path() -> str:
    """Directory that holds ``dlpack/dlpack.h``."""
    path = _first_existing(
        "dlpack/dlpack.h",
        _PACKAGE / "include" / "dlpack" / "dlpack.h",
        _checkout() / "include" / "dlpack" / "dlpack.h",
    )
    return str(path.parent.parent)


def find_python_helper_include_path() -> str:
    """Directory of headers for extensions that use Python objects."""
    return find_include_path()


def include_paths() -> list[str]:
    """All header directories, sorted and unique."""
    return sorted(
        {find_include_path(), find_dlpack_include_path(), find_python_helper_include_path()}
    )


def find_cmake_path() -> str:
    """Directory of the CMake package file."""
    return str(
        _first_existing(
            "the CMake files of tvm_ffi",
            _PACKAGE / "share" / "cmake" / "tvm_ffi",
            _checkout() / "cmake",
        )
    )


def find_source_path() -> str:
    """Directory that holds ``src``."""
    path = _first_existing("the sources of tvm_ffi", _PACKAGE / "src", _checkout() / "src")
    return str(path.parent)


def find_cython_lib() -> str:
    """Path of the extension module ``tvm_ffi.core``, found without importing it."""
    folders = [_PACKAGE, _checkout() / "build" / "python", _checkout() / "build"]
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = folder / f"core{suffix}"
            if path.is_file():
                return str(path.resolve())
    raise RuntimeError("Cannot find the extension module tvm_ffi.core")


def _library_names(target_name: str) -> list[str]:
    if sys.platform.startswith("win32"):
        return [f"{target_name}.dll"]
    if sys.platform.startswith("darwin"):
        return [f"lib{target_name}.dylib", f"lib{target_name}.so"]
    return [f"lib{target_name}.so"]


def _package_library_dirs() -> list[Path]:
    return [
        _PACKAGE / "build" / "lib",
        _PACKAGE / "lib",
        _checkout() / "build" / "lib",
        _checkout() / "lib",
    ]


def _environment_dirs() -> Iterator[Path]:
    if sys.platform.startswith("win32"):
        variables = ["PATH"]
    elif sys.platform.startswith("darwin"):
        variables = ["DYLD_LIBRARY_PATH", "PATH"]
    else:
        variables = ["LD_LIBRARY_PATH", "PATH"]
    for variable in variables:
        for entry in os.environ.get(variable, "").split(os.pathsep):
            if entry:
                yield Path(entry)


def _recorded_library(package: str, names: list[str]) -> Path | None:
    """The library as the RECORD of an installed distribution names it."""
    import importlib.metadata

    try:
        distribution = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in distribution.files or ():
        path = Path(str(file.locate())).resolve()
        if path.name in names:
            return path
    return None


def _find_library_by_basename(
    package: str,
    target_name: str,
    extra_lib_paths: list[Path] | None = None,
    *,
    use_fallback_build_path: bool = True,
    use_env_path: bool = True,
) -> Path:
    """Path of the shared library ``target_name`` of a distribution.

    Looked for in the RECORD of the distribution, ``extra_lib_paths``, the build folders of this
    package, and the search paths of the environment. RuntimeError lists where it was looked for.
    """
    extra = list(extra_lib_paths or ())
    for i, entry in enumerate(extra):
        if not isinstance(entry, Path):
            raise TypeError(
                f"extra_lib_paths[{i}] must be a pathlib.Path, got {type(entry).__name__}: {entry}"
            )
    names = _library_names(target_name)
    recorded = _recorded_library(package, names)
    if recorded is not None:
        return recorded
    folders = list(extra)
    if use_fallback_build_path:
        folders += _package_library_dirs()
    if use_env_path:
        folders += _environment_dirs()
    for folder in folders:
        for name in names:
            path = folder / name
            if path.is_file():
                return path.resolve()
    raise RuntimeError(
        f"Cannot find library {', '.join(names)}; searched directories:\n"
        + "\n".join(str(folder) for folder in folders)
    )


def load_lib_ctypes(
    package: str, target_name: str, mode: str, extra_lib_paths: list[Path] | None = None
) -> ctypes.CDLL:
    """Finds a shared library and loads it by ctypes.

    ``mode`` is ``"RTLD_LOCAL"`` or ``"RTLD_GLOBAL"``. RuntimeError when it isn't found, OSError
    when it can't be opened; an initialiser that fails raises its error, as in ``load_module``.
    """
    return open_ctypes(_find_library_by_basename(package, target_name, extra_lib_paths), mode)


def open_ctypes(path: Path, mode: str) -> ctypes.CDLL:
    """Loads a shared library by ctypes, with the checks and errors of ``load_lib_ctypes``."""
    import ctypes

    if sys.platform.startswith("win32"):
        os.add_dll_directory(str(path.parent))
        return ctypes.CDLL(str(path), getattr(ctypes, mode))
    from .registry import get_global_func

    flag = getattr(ctypes, mode)
    try:
        handle = get_global_func("ffi._OpenSharedLibrary")(str(path), flag == ctypes.RTLD_GLOBAL)
    except RuntimeError as error:
        if str(error).startswith("Failed to load "):
            raise OSError(str(error)) from None
        raise
    return ctypes.CDLL(str(path), flag, handle=handle.value)


def load_lib_module(
    package: str,
    target_name: str,
    keep_module_alive: bool = True,
    extra_lib_paths: list[Path] | None = None,
) -> Module:
    """Loads a shared library as a ``Module``; see ``load_module``."""
    from .module import load_module

    path = _find_library_by_basename(package, target_name, extra_lib_paths)
    if sys.platform.startswith("win32"):
        os.add_dll_directory(str(path.parent))
    return load_module(path, keep_module_alive)
