# SPDX-License-Identifier: Apache-2.0
"""Helpers of tests."""

from __future__ import annotations

from typing import Any

from . import env, locking, utils
from .locking import run_with_gpu_lock
from .utils import (
    assert_allclose,
    device_enabled,
    generate_random_array,
    identity_after,
    main,
    np_dtype_from_str,
    terminate_self,
)


def __getattr__(name: str) -> Any:
    if name == "ml_dtypes_dict":
        return utils.ml_dtypes_dict
    if name in ("echo", "object_use_count", "test_raise_error"):
        # In the native library for tests, when that is loaded.
        import tvm_ffi

        function = tvm_ffi.get_global_func(f"testing.{name}", allow_missing=True)
        if function is not None:
            return function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "assert_allclose",
    "device_enabled",
    "env",
    "generate_random_array",
    "identity_after",
    "locking",
    "main",
    "np_dtype_from_str",
    "run_with_gpu_lock",
    "terminate_self",
    "utils",
]
