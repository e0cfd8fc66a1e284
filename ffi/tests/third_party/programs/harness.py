# SPDX-License-Identifier: Apache-2.0
"""What every program starts with: the runtime it was asked to run under, and the extension.

Arguments of a program: the folder of the ``tvm_ffi`` package, the extension, the object file of
the extension, the object file made from plain C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import tvm_ffi

RUNTIME, EXTENSION, EXTENSION_OBJECT, C_OBJECT = (Path(path).resolve() for path in sys.argv[1:5])

assert Path(tvm_ffi.__file__).resolve().is_relative_to(RUNTIME), tvm_ffi.__file__


def check_loaded() -> None:
    """One runtime library in the process, and it is the one under test."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return
    paths = {line.split(maxsplit=5)[5].strip() for line in maps.open() if "libtvm_ffi.so" in line}
    assert paths == {str(RUNTIME / "tvm_ffi" / "lib" / "libtvm_ffi.so")}, paths


def outcome(function: Callable, *arguments: object) -> str:
    """The result as text, or the kind and message of the error."""
    try:
        return repr(function(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def finish() -> None:
    check_loaded()
    print("done")
