# SPDX-License-Identifier: Apache-2.0
"""``tirx.compile``: from functions to something that runs."""

from __future__ import annotations

from typing import Any

from .._ffi_functions import Functions
from ..codegen.executable import Executable
from ..ir.module import IRModule
from ..target import Target
from .function import Function

_driver = Functions("tirx.driver.")


def _choose_target(mod: Any, target: Any) -> Target:
    if target is not None:
        return target if isinstance(target, Target) else Target(target)
    for _, function in mod.functions.items():
        attrs = getattr(function, "attrs", None)
        if attrs is not None and attrs.get("target") is not None:
            return attrs["target"]
    return Target.current() or Target("llvm")


def lower(mod: Any, target: Any = None) -> IRModule:
    """The module as the code generator gets it: every pass of :func:`compile` run, nothing
    generated. ``target`` is as for :func:`compile`."""
    assert isinstance(mod, (Function, IRModule)), "lower takes a Function or an IRModule"
    if isinstance(mod, Function):
        mod = IRModule.from_expr(mod)
    return _driver.Lower(mod, _choose_target(mod, target))


def compile(mod: Any, target: Any = None, pipeline: Any = "default") -> Executable:
    """Compile a function or a module. ``target`` is a Target or what makes one; without it, that
    of the first function that has one, of the context, or ``llvm``."""
    assert isinstance(mod, (Function, IRModule)), "compile takes a Function or an IRModule"
    if isinstance(mod, Function):
        mod = IRModule.from_expr(mod)
    return Executable(_driver.Compile(mod, _choose_target(mod, target)))
