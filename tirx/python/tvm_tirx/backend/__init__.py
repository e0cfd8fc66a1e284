# SPDX-License-Identifier: Apache-2.0
"""Backends: packages that add operators, script namespaces, target tags and code generators."""

from __future__ import annotations

from .loader import BUILT_IN, is_loaded, load, status

__all__ = ["BUILT_IN", "is_loaded", "load", "status"]
