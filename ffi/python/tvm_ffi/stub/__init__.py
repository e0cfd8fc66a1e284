# SPDX-License-Identifier: Apache-2.0
"""``tvm-ffi-stubgen``: typed bindings from what native libraries register."""

from . import consts, file_utils, layout, lib_state, python_generator, rust_generator, utils

__all__ = [
    "consts",
    "file_utils",
    "layout",
    "lib_state",
    "python_generator",
    "rust_generator",
    "utils",
]
