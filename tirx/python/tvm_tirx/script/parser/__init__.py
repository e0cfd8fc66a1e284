# SPDX-License-Identifier: Apache-2.0
"""The parser of scripts."""

from __future__ import annotations

from .entry import ir_module, parse, pyfunc
from .namespaces import register_namespace

from_source = parse

__all__ = ["from_source", "ir_module", "parse", "pyfunc", "register_namespace"]
