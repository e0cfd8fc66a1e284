# SPDX-License-Identifier: Apache-2.0
"""Operators and types that are written in Rust."""

from __future__ import annotations

import ctypes
import os

#: Names of the function that registers operators, newest first.
_HOOKS = ("tirx_register_ir", "tirx_register_ops")


def register_backend() -> None:
    """Load ``libtvm_tirx_rust`` from beside the runtime library, when it is there, and let it
    register its operators. The library stays loaded. Its absence is no error."""
    import tvm_ffi

    from ... import base, libinfo

    if "tvm_tirx_rust" in base._LOADED_LIBS:
        return
    runtime = libinfo.find_library("tvm_runtime")
    name = libinfo.file_name("tvm_tirx_rust")
    path = os.path.join(os.path.dirname(runtime), name) if runtime else None
    if path is None or not os.path.exists(path):
        path = libinfo.find_library("tvm_tirx_rust")
        if path is None:
            return
    module = tvm_ffi.load_module(path)
    for hook in _HOOKS:
        try:
            function = module.get_function(hook)
        except AttributeError:
            function = None
        if function is not None:
            function()
            break
    else:
        raise AttributeError(f"{path} exports none of the functions {', '.join(_HOOKS)}")
    base._LOADED_LIBS["tvm_tirx_rust"] = ctypes.CDLL(path, ctypes.RTLD_LOCAL)
