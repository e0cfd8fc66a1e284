# SPDX-License-Identifier: Apache-2.0
"""The PTX dialect, made from the compiler's table of instructions."""

from __future__ import annotations

from typing import Any

from .engine import PTXNamespace, instruction_forms, instruction_name


def __getattr__(name: str) -> Any:
    if name == "TABLE":
        from .table import table

        return table()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["TABLE", "PTXNamespace", "instruction_forms", "instruction_name"]
