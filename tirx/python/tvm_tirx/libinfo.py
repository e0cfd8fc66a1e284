# SPDX-License-Identifier: Apache-2.0
"""Where the libraries and headers of the package are. Loads nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__version__ = "0.1.0"

_PACKAGE = Path(__file__).resolve().parent


def file_name(name: str) -> str:
    """The file name of a shared library on this platform."""
    if sys.platform == "win32":
        return f"{name}.dll"
    return f"lib{name}.dylib" if sys.platform == "darwin" else f"lib{name}.so"


def library_folders() -> list[str]:
    """Folders that are searched, in order: TVM_TIRX_LIBRARY_PATH (a list, separated as PATH is),
    the package, a build beside a source checkout."""
    given = os.environ.get("TVM_TIRX_LIBRARY_PATH", "")
    folders = [folder for folder in given.split(os.pathsep) if folder]
    folders.append(str(_PACKAGE / "lib"))
    checkout = _PACKAGE.parent.parent
    if (checkout / "CMakeLists.txt").exists():
        folders += [
            str(checkout / "build" / "lib"),
            str(checkout.parent / "build" / "tirx" / "lib"),
        ]
    return folders


def find_library(name: str) -> str | None:
    """Path of a library of the package, None when there is none."""
    for folder in library_folders():
        path = os.path.join(folder, file_name(name))
        if os.path.exists(path):
            return path
    return None


def find_include_path() -> str:
    """The folder of the C headers that generated code includes."""
    for folder in (_PACKAGE / "include", _PACKAGE.parent.parent / "include"):
        if folder.is_dir():
            return str(folder)
    return str(_PACKAGE / "include")
