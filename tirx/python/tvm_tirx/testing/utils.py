# SPDX-License-Identifier: Apache-2.0
"""Helpers of tests."""

from __future__ import annotations

import functools
import os
import sys
import time
from typing import Any

#: Element types that numpy has from the package ml_dtypes.
_ML_DTYPES = {
    "bfloat16": "bfloat16",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float4_e2m1fn": "float4_e2m1fn",
}


@functools.cache
def _ml_dtypes_dict() -> dict[str, Any]:
    import ml_dtypes

    return {
        name: getattr(ml_dtypes, attribute)
        for name, attribute in _ML_DTYPES.items()
        if hasattr(ml_dtypes, attribute)
    }


def np_dtype_from_str(dtype: str) -> Any:
    """The numpy type of an element type."""
    import numpy

    if dtype in _ML_DTYPES:
        return numpy.dtype(_ml_dtypes_dict()[dtype])
    return numpy.dtype(dtype)


def generate_random_array(dtype: str, shape: tuple) -> Any:
    """An array of small random values."""
    import numpy

    if dtype == "bool":
        return numpy.random.randint(0, 2, size=shape).astype(bool)
    if dtype.startswith("int"):
        return numpy.random.randint(-100, 100, size=shape).astype(dtype)
    if dtype.startswith("uint"):
        return numpy.random.randint(0, 100, size=shape).astype(dtype)
    return numpy.random.uniform(-1, 1, size=shape).astype(np_dtype_from_str(dtype))


def assert_allclose(
    actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7, verbose: bool = True
) -> None:
    """AssertionError unless the shapes are the same and the values close."""
    import numpy

    actual = numpy.asanyarray(actual)
    desired = numpy.asanyarray(desired)
    numpy.testing.assert_allclose(actual.shape, desired.shape)
    numpy.testing.assert_allclose(
        actual, desired, rtol=rtol, atol=atol, equal_nan=True, verbose=verbose
    )


def device_enabled(target: Any) -> bool:
    """Whether code for the target can be made and run here."""
    from ..target import Target, device_from_target
    from . import env

    if not isinstance(target, Target):
        target = Target(target)
    kind = str(target.kind.name)
    if kind == "llvm":
        return env.has_llvm()
    if kind == "c":
        return True
    return bool(device_from_target(target, 0).exist)


def identity_after(x: Any, sleep: float) -> Any:
    """``x``, some seconds later."""
    if sleep:
        time.sleep(sleep)
    return x


def terminate_self() -> None:
    """End this process at once."""
    os._exit(-1)


def main() -> None:
    """Run the tests of the calling file."""
    import pytest

    file = sys._getframe(1).f_globals["__file__"]
    sys.exit(pytest.main([file, *sys.argv[1:]]))


def __getattr__(name: str) -> Any:
    if name == "ml_dtypes_dict":
        return _ml_dtypes_dict()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "assert_allclose",
    "device_enabled",
    "generate_random_array",
    "identity_after",
    "main",
    "np_dtype_from_str",
    "terminate_self",
]
