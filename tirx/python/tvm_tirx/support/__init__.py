# SPDX-License-Identifier: Apache-2.0
"""Compilers, archives and temporary folders."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("cc", "nvcc", "rocm", "tar", "utils")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = list(_MODULES)
