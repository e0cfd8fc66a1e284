# SPDX-License-Identifier: Apache-2.0
"""Loads the native libraries, once, when the package is imported."""

from __future__ import annotations

import ctypes
import os

import tvm_ffi  # noqa: F401  (the libraries need its symbols)

from . import libinfo

# Loaded libraries by name, kept for the life of the process.
_LOADED_LIBS: dict[str, ctypes.CDLL] = {}


def _load(name: str, mode: int, required: bool) -> bool:
    path = libinfo.find_library(name)
    if path is None:
        if required:
            searched = "\n  ".join(libinfo.library_folders())
            raise ImportError(
                f"Cannot find the library {libinfo.file_name(name)} of tvm_tirx; searched:\n"
                f"  {searched}"
            )
        return False
    try:
        _LOADED_LIBS[name] = ctypes.CDLL(path, mode)
    except OSError as error:
        if required:
            raise ImportError(f"Cannot load {path}: {error}") from error
        _FAILED_LIBS[name] = str(error)
        return False
    return True


# Libraries that were found but could not be loaded, and why.
_FAILED_LIBS: dict[str, str] = {}

_load("tvm_runtime", ctypes.RTLD_GLOBAL, required=True)

#: True when only the runtime is there: tensors, devices and module loading work, the compiler not.
_RUNTIME_ONLY = os.environ.get("TVM_TIRX_USE_RUNTIME_LIB", "0") in ("1", "ON", "on") or not _load(
    "tvm_tirx_compiler", ctypes.RTLD_LOCAL, required=False
)
if _RUNTIME_ONLY:
    from tvm_ffi import registry as _registry

    _registry._SKIP_UNKNOWN_OBJECTS = True
else:
    # Its LLVM symbols stay out of the way of other copies of LLVM in the process.
    _load("tvm_tirx_llvm_backend", ctypes.RTLD_LOCAL, required=False)
