# SPDX-License-Identifier: Apache-2.0
"""``tvm-tirx-config``: flags for building against the package. Loads no native library."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .libinfo import __version__, file_name, find_include_path, library_folders

_COMPONENTS = {"compiler": "tvm_tirx_compiler", "runtime": "tvm_runtime"}
_DEVICES = ("cuda", "metal", "opencl", "vulkan", "rocm")
_STATIC = (
    "Static linking is unavailable: this package does not provide a complete static dependency "
    "closure (including TVM FFI and its dependencies)"
)


class ConfigError(Exception):
    """What was asked for is not part of the installation."""


def _library(name: str, folder: str | None) -> Path | None:
    for place in [folder] if folder else library_folders():
        path = Path(place) / file_name(name)
        if path.exists():
            return path.resolve()
    return None


def _available(folder: str | None) -> list[str]:
    names = [name for name, lib in _COMPONENTS.items() if _library(lib, folder)]
    names += [name for name in _DEVICES if _library(f"tvm_runtime_{name}", folder)]
    return [*names, "ffi"]


def _ffi_libinfo():  # type: ignore[no-untyped-def]
    import importlib.util

    spec = importlib.util.find_spec("tvm_ffi")
    if spec is None or spec.origin is None:
        raise ConfigError("The package tvm_ffi is not installed")
    path = Path(spec.origin).parent / "libinfo.py"
    inner = importlib.util.spec_from_file_location("tvm_ffi_libinfo", path)
    assert inner is not None and inner.loader is not None
    module = importlib.util.module_from_spec(inner)
    inner.loader.exec_module(module)
    return module


def _component_library(name: str, folder: str | None) -> Path:
    available = _available(folder)
    if name not in available:
        raise ConfigError(f"Component {name!r} is unavailable; available: {' '.join(available)}")
    if name == "ffi":
        return Path(_ffi_libinfo().find_libtvm_ffi())
    path = _library(_COMPONENTS.get(name, f"tvm_runtime_{name}"), folder)
    assert path is not None
    return path


def _library_name(path: Path) -> str:
    stem = path.name.split(".")[0]
    return stem[3:] if stem.startswith("lib") else stem


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tvm-tirx-config", description="Flags for building against tvm_tirx."
    )
    parser.add_argument("component", nargs="*", help="compiler runtime cuda ... ffi all")
    for flag, text in (
        ("version", "the version"),
        ("prefix", "the folder of the package"),
        ("includedir", "the folder of the headers"),
        ("libdir", "the folder of the libraries"),
        ("cmakedir", "the folder of the CMake files"),
        ("components", "the components that are there"),
        ("cflags", "flags for C"),
        ("cxxflags", "flags for C++"),
        ("ldflags", "flags for the linker"),
        ("libs", "libraries as linker options"),
        ("libnames", "names of the libraries"),
        ("libfiles", "paths of the libraries"),
        ("json", "all of it as JSON"),
    ):
        parser.add_argument(f"--{flag}", action="store_true", help=f"print {text}")
    parser.add_argument("--install-prefix", help="the folder to take instead of the package")
    parser.add_argument("--library-dir", help="the folder of the libraries to take")
    parser.add_argument("--link-shared", action="store_true", help="link shared libraries")
    parser.add_argument("--link-static", action="store_true", help="link static libraries")
    return parser


def _report(options: argparse.Namespace) -> list[str]:
    if options.link_static:
        raise ConfigError(_STATIC)
    prefix = Path(options.install_prefix or Path(__file__).parent).resolve()
    include = Path(find_include_path())
    if options.install_prefix:
        include = prefix / "include"
    folder = options.library_dir or (str(prefix / "lib") if options.install_prefix else None)
    wanted = options.component or ["compiler", "runtime"]
    if "all" in wanted:
        wanted = _available(folder)
    lines: list[str] = []
    if options.version:
        lines.append(__version__)
    if options.prefix:
        lines.append(str(prefix))
    if options.includedir:
        lines.append(str(include))
    first = _library("tvm_runtime", folder)
    libdir = first.parent if first else prefix / "lib"
    if options.libdir:
        lines.append(str(libdir))
    if options.cmakedir:
        lines.append(str(prefix / "lib" / "cmake" / "tvm_tirx"))
    if options.components:
        lines.append(" ".join(_available(folder)))
    if options.cflags or options.cxxflags:
        ffi = _ffi_libinfo()
        places = [str(include), str(ffi.find_include_path()), str(ffi.find_dlpack_include_path())]
        flags = [f"-I{place}" for place in dict.fromkeys(places)]
        flags.append("-DTVM_INDEX_DEFAULT_I64=1")
        if options.cflags:
            lines.append(" ".join(flags))
        if options.cxxflags:
            lines.append(" ".join(["-std=c++20", *flags]))
    if options.ldflags or options.libs or options.libnames or options.libfiles:
        paths = [_component_library(name, folder) for name in wanted]
        if options.ldflags:
            places = list(dict.fromkeys(str(path.parent) for path in paths))
            lines.append(" ".join(f"-L{p} -Wl,-rpath,{p}" for p in places))
        if options.libs:
            lines.append(" ".join(f"-l{_library_name(path)}" for path in paths))
        if options.libnames:
            lines.append(" ".join(_library_name(path) for path in paths))
        if options.libfiles:
            lines.append(" ".join(str(path) for path in paths))
    if options.json:
        libraries = {}
        for lib in _COMPONENTS.values():
            path = _library(lib, folder)
            if path is not None:
                libraries[lib] = {"location": str(path), "implib": None}
        lines.append(
            json.dumps(
                {
                    "version": __version__,
                    "include_dir": str(include),
                    "library_dir": str(libdir),
                    "cmake_dir": str(prefix / "lib" / "cmake" / "tvm_tirx"),
                    "libraries": libraries,
                },
                indent=2,
            )
        )
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Entry point of ``tvm-tirx-config``; the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        lines = _report(options)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 1
    if not lines:
        parser.print_help()
    for line in lines:
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
