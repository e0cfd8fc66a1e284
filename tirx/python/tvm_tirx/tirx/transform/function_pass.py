# SPDX-License-Identifier: Apache-2.0
"""Passes over one function at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.module import IRModule
from ...ir.transform.core import Pass, PassContext, PassInfo, make_pass
from ..function import Function


class FunctionPass(Pass):
    """A pass that ``f(func, mod, ctx)`` does for each tirx function; None removes the function."""

    def __init__(self, pass_func: Callable, pass_info: PassInfo) -> None:
        self.pass_info = self.info = pass_info
        self._function = pass_func
        self.__doc__ = pass_func.__doc__

    def run(self, mod: Any, context: PassContext) -> Any:
        changed = {}
        for var, func in mod.functions.items():
            if isinstance(func, Function):
                func = self._function(func, mod, context)
            if func is not None:
                changed[var] = func
        return IRModule(changed, mod.attrs, mod.global_infos)


def function_pass(
    pass_func: Any = None, opt_level: int | None = None, name: str | None = None
) -> Any:
    """Make a pass from ``f(func, mod, ctx) -> func``, or from a class with
    ``transform_function``."""
    return make_pass(FunctionPass, "function", "transform_function", pass_func, opt_level, name)
