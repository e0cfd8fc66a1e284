# SPDX-License-Identifier: Apache-2.0
"""The shared library of test types and functions, for tests of the Python side."""

from __future__ import annotations

import ctypes
from pathlib import Path

from tvm_ffi import libinfo


def library_path() -> Path:
    """Path of ``libtvm_ffi_testing``. RuntimeError when it was not built."""
    return libinfo._find_library_by_basename("kiln-ffi", "tvm_ffi_testing")


LIBRARY = ctypes.CDLL(str(library_path()), ctypes.RTLD_GLOBAL)
