# SPDX-License-Identifier: Apache-2.0
"""The c backend; it is part of the compiler and adds nothing to the script."""

from __future__ import annotations


def register_backend() -> None:
    """Raise ImportError, with the reason, when the target is not there."""
    from ... import base

    if base._RUNTIME_ONLY:
        raise ImportError("this is a runtime-only installation")
