# SPDX-License-Identifier: Apache-2.0
"""One test at a time on the GPU, across the processes of a user."""

from __future__ import annotations

import getpass
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..utils.lockfile import FileLock

_R = TypeVar("_R")


def _lock_folder() -> Path:
    named = os.environ.get("TVM_FFI_TEST_LOCK_DIR")
    if named:
        return Path(named)
    return Path(tempfile.gettempdir()) / f"tvm-ffi-test-locks-{getpass.getuser()}"


def run_with_gpu_lock(func: Callable[..., _R], /, *args: Any, **kwargs: Any) -> _R:
    """Calls ``func`` while this process holds the GPU lock, and returns its result.

    The lock file is ``gpu.lock`` in ``TVM_FFI_TEST_LOCK_DIR``, or in a folder of the user below the
    temporary one.
    """
    folder = _lock_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(str(folder / "gpu.lock")):
        return func(*args, **kwargs)
