# SPDX-License-Identifier: Apache-2.0
"""Building and loading C++ and CUDA sources at run time."""

from .dtype import to_cpp_dtype
from .extension import build, build_inline, load, load_inline

__all__ = ["build", "build_inline", "load", "load_inline", "to_cpp_dtype"]
