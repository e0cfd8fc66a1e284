# SPDX-License-Identifier: Apache-2.0
"""Helpers: file locks, keyword wrappers, dataclass unpacking, cubin embedding."""

from . import kwargs_wrapper, lockfile, unpack_dataclass
from .lockfile import FileLock

__all__ = ["FileLock", "kwargs_wrapper", "lockfile", "unpack_dataclass"]
