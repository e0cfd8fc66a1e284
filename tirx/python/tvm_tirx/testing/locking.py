# SPDX-License-Identifier: Apache-2.0
"""One process at a time on the accelerator."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any, TypeVar

_R = TypeVar("_R")


def run_with_gpu_lock(func: Callable[..., _R], /, *args: Any, **kwargs: Any) -> _R:
    """Call ``func`` while no other process of this user is inside this function."""
    try:
        import fcntl
    except ImportError:  # no locks of this kind on this system
        return func(*args, **kwargs)
    name = f"tvm_tirx_gpu_{os.getuid()}.lock"
    with open(os.path.join(tempfile.gettempdir(), name), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return func(*args, **kwargs)
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)


__all__ = ["run_with_gpu_lock"]
