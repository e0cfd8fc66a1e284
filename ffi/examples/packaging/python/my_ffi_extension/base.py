# SPDX-License-Identifier: Apache-2.0
"""Loads the library once; importing it registers the functions and types of the library."""

from tvm_ffi.libinfo import load_lib_module

LIB = load_lib_module("my-ffi-extension", "my_ffi_extension")
