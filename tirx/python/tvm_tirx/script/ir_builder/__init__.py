# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""Programs built without the parser."""

from __future__ import annotations

from typing import Any

from .base import (
    MISSING,
    AlreadyEmitted,
    IRBuilder,
    IRBuilderFrame,
    LocationEntry,
    at_,
    resolve_global_info_args,
    with_at_group_,
)
from .frame import (
    AssertFrame,
    ElseFrame,
    ForFrame,
    FunctionFrame,
    IfFrame,
    IRModuleFrame,
    RegionFrame,
    StmtFrame,
    ThenFrame,
    WhileFrame,
)


def ir_module() -> Any:
    """The frame of a module."""
    from ..._ffi_functions import Functions

    return Functions("script.ir_builder.").IRModule()


def __getattr__(name: str) -> Any:
    # The names of the module level are the same as those of the script.
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("decl_function", "module_member_", "resolve_global_info_"):
        from ...tirx.script import builder

        return getattr(builder, name)
    from ..parser import ir

    try:
        return getattr(ir, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
