# SPDX-License-Identifier: Apache-2.0
"""Global functions of the native libraries as attributes: ``Functions("ir.").Var``."""

from __future__ import annotations

from typing import Any

import tvm_ffi


class Functions:
    """Functions whose names start with ``prefix``, looked up on first use."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            function = tvm_ffi.get_global_func(self._prefix + name)
        except ValueError:
            from .base import _RUNTIME_ONLY

            reason = " (this is a runtime-only installation)" if _RUNTIME_ONLY else ""
            raise AttributeError(f"No native function {self._prefix}{name}{reason}") from None
        setattr(self, name, function)
        return function


def optional(name: str) -> Any:
    """The global function, None when no library provides it."""
    return tvm_ffi.get_global_func(name, allow_missing=True)
