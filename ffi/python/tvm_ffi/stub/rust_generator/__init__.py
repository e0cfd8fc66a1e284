# SPDX-License-Identifier: Apache-2.0
"""Rust mirrors of native types."""

from .generator import RustGenerator

__all__ = ["RustGenerator"]
