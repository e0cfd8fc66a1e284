# SPDX-License-Identifier: Apache-2.0
"""The frames of the builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm_ffi import register_object

from ..._ffi_functions import Functions
from .base import IRBuilderFrame

_b = Functions("script.ir_builder.")


def one_or_many(variables: Any) -> Any:
    """The variable when there is one, else a list of them."""
    found = list(variables)
    return found[0] if len(found) == 1 else found


@register_object("script.ir_builder.IRModuleFrame")
class IRModuleFrame(IRBuilderFrame):
    """A module. Members are attributes once they are declared."""

    def __getattr__(self, name: str) -> Any:
        if name[:2] != "__":
            members = self.global_vars
            if name in members:
                return members[name]
        raise AttributeError(f"IRModuleFrame has no attribute {name!r}")


@register_object("script.ir_builder.StmtFrame")
class StmtFrame(IRBuilderFrame):
    """A frame that collects statements."""


@register_object("script.ir_builder.ForFrame")
class ForFrame(StmtFrame):
    """A loop, or a nest of loops."""

    def set_names(self, names: str | Sequence[str] | None) -> None:
        """Name the loop variables; None keeps the names."""
        if names is None:
            return
        found = [names] if isinstance(names, str) else list(names)
        if len(found) != len(self.vars):
            raise ValueError(f"{len(found)} names for {len(self.vars)} loop variables")
        for name, var in zip(found, self.vars):
            _b.IRBuilderName(name, var)

    def entered(self) -> Any:
        return one_or_many(self.vars)

    def __iter__(self) -> Any:
        from ..parser.direct import iterate

        return iterate(self)


@register_object("script.ir_builder.WhileFrame")
class WhileFrame(StmtFrame):
    """A while loop."""


@register_object("script.ir_builder.IfFrame")
class IfFrame(StmtFrame):
    """An if: holds ``then_()`` and possibly ``else_()``."""


@register_object("script.ir_builder.ThenFrame")
class ThenFrame(StmtFrame):
    """The first branch of an if."""


@register_object("script.ir_builder.ElseFrame")
class ElseFrame(StmtFrame):
    """The other branch of an if."""


@register_object("script.ir_builder.AssertFrame")
class AssertFrame(StmtFrame):
    """An assertion."""


@register_object("script.ir_builder.RegionFrame")
class RegionFrame(StmtFrame):
    """A structured operator around a body."""

    def entered(self) -> Any:
        params = self.body_params
        return self if len(params) == 0 else one_or_many(params)


@register_object("script.ir_builder.tirx.FunctionFrame")
class FunctionFrame(StmtFrame):
    """A function."""
