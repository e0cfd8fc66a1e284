# SPDX-License-Identifier: Apache-2.0
"""Loads the extension library once; everything else in the package uses ``LIB``."""

from pathlib import Path

import tvm_ffi

LIB = tvm_ffi.load_module(str(Path(__file__).parent / "libmy_ffi_extension.so"))
