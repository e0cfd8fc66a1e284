# SPDX-License-Identifier: Apache-2.0
"""The functions that the extension registered under ``my_ffi_extension.``."""

import tvm_ffi

from . import base  # noqa: F401  (loading the library registers the functions)

tvm_ffi.init_ffi_api("my_ffi_extension", __name__)
