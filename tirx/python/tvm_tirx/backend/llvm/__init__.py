# SPDX-License-Identifier: Apache-2.0
"""The llvm backend; it is part of the compiler and adds nothing to the script."""

from __future__ import annotations


def register_backend() -> None:
    """Raise ImportError, with the reason, when the target is not there."""
    from ... import base

    if "tvm_tirx_llvm_backend" not in base._LOADED_LIBS:
        reason = base._FAILED_LIBS.get("tvm_tirx_llvm_backend", "its library was not built")
        raise ImportError(reason)
