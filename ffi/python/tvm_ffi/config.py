# SPDX-License-Identifier: Apache-2.0
"""``tvm-ffi-config``: paths and flags for building against the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import libinfo


def _cflags() -> str:
    folders = dict.fromkeys([libinfo.find_include_path(), libinfo.find_dlpack_include_path()])
    return " ".join(f"-I{folder}" for folder in folders)


def _libs() -> str:
    if sys.platform.startswith("win32"):
        return libinfo.find_windows_implib()
    return "-ltvm_ffi"


def _ldflags() -> str:
    return f"-L{Path(libinfo.find_libtvm_ffi()).parent}"


def __main__() -> None:
    """Prints one line per flag, in a fixed order."""
    flags = {
        "includedir": ("directory of the headers", libinfo.find_include_path),
        "dlpack-includedir": ("directory of the DLPack header", libinfo.find_dlpack_include_path),
        "cmakedir": ("directory of the CMake package", libinfo.find_cmake_path),
        "libdir": ("directory of the library", lambda: str(Path(libinfo.find_libtvm_ffi()).parent)),
        "libfiles": ("the library", libinfo.find_libtvm_ffi),
        "sourcedir": ("directory that holds the sources", libinfo.find_source_path),
        "cython-lib-path": ("the extension module", libinfo.find_cython_lib),
        "cxxflags": ("flags of the C++ compiler", lambda: f"{_cflags()} -std=c++17"),
        "cflags": ("flags of the C compiler", _cflags),
        "libs": ("libraries to link", _libs),
        "ldflags": ("flags of the linker", _ldflags),
    }
    parser = argparse.ArgumentParser(
        prog="tvm-ffi-config", description="Paths and flags for building against tvm_ffi."
    )
    for name, (text, _) in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    args = vars(parser.parse_args())
    if not any(args.values()):
        parser.print_help()
        return
    for name, (_, value) in flags.items():
        if args[name.replace("-", "_")]:
            if name == "ldflags" and sys.platform.startswith("win32"):
                continue
            print(value())


if __name__ == "__main__":
    __main__()
