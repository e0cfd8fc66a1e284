# SPDX-License-Identifier: Apache-2.0
"""The registry of operators."""

from __future__ import annotations

from typing import Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions
from .base import Scriptable
from .expr import Expr

_ir = Functions("ir.")


def _load_backends() -> bool:
    """Load the backends, unless that was done before; whether it was done now."""
    from ..backend import loader

    if loader.is_autoloaded():
        return False
    loader.autoload()
    return True


@register_object("ir.ArgumentInfo")
class ArgumentInfo(Object):
    """Name and meaning of an operand."""


@register_object("ir.Op")
class Op(Scriptable, Expr):
    """An operator: one object for the whole process. ``name``, ``doc``, ``args_info`` (an
    ``ArgumentInfo`` for each operand) and ``index`` (dense) describe it."""

    def __init__(self) -> None:
        raise RuntimeError("Cannot create op, use get instead")

    @staticmethod
    def get(op_name: str) -> Op:
        """The operator of the name; AttributeError when it is not registered."""
        try:
            return _ir.OpGet(op_name)
        except AttributeError:
            # A backend that is not loaded yet may bring it.
            if not _load_backends():
                raise
            return _ir.OpGet(op_name)

    @staticmethod
    def list_op_names() -> list[str]:
        """Names of all operators."""
        _load_backends()
        return [str(name) for name in _ir.ListOpNames()]

    @staticmethod
    def list_attr_names() -> list[str]:
        """Names of all attribute columns."""
        return [str(name) for name in _ir.ListOpAttrNames()]

    @staticmethod
    def get_attr_map(attr_name: str) -> OpAttrMap | None:
        """The column of an attribute, None when there is none."""
        if attr_name not in Op.list_attr_names():
            return None
        return OpAttrMap(attr_name)

    def has_attr(self, attr_name: str) -> bool:
        """Whether the operator has a value in the column."""
        return bool(_ir.OpHasAttr(self, attr_name))

    def get_attr(self, attr_name: str) -> Any:
        """The value in the column, None when the operator has none; RuntimeError for an unknown
        column."""
        return _ir.OpGetAttr(self, attr_name)

    def set_attr(self, attr_name: str, value: Any, override: bool = False) -> None:
        """Set a value; ValueError when there is one and ``override`` is false."""
        _ir.OpSetAttr(self, attr_name, value, override)

    def reset_attr(self, attr_name: str) -> None:
        """Remove the value in the column."""
        _ir.OpResetAttr(self, attr_name)

    def set_signature(
        self,
        args: Any = (),
        *,
        ty_args: Any = (),
        var_args: str | None = None,
        var_ty_args: str | None = None,
    ) -> None:
        """Name the operands: texts, or (name, doc) pairs."""
        _ir.OpSetSignature(self, list(args), list(ty_args), var_args, var_ty_args)


class OpAttrMap:
    """The values of one attribute, by operator."""

    def __init__(self, attr_name: str) -> None:
        self.attr_name = attr_name

    def __contains__(self, op: object) -> bool:
        return isinstance(op, Op) and op.has_attr(self.attr_name)

    def __getitem__(self, op: Op) -> Any:
        if op not in self:
            raise KeyError(f"Attribute {self.attr_name} has not been registered for {op.name}")
        return op.get_attr(self.attr_name)

    def get(self, expr: Any, default: Any = None) -> Any:
        """The value, ``default`` when there is none."""
        return self[expr] if expr in self else default


def register_op_attr(op_name: str, attr_key: str, value: Any = None, override: bool = False) -> Any:
    """Set an attribute of an operator, creating the operator when it is new. Without a value, a
    decorator."""

    def register(item: Any) -> Any:
        _ir.RegisterOpAttr(op_name, attr_key, item, override)
        return item

    return register(value) if value is not None else register


def register_op(op_name: str, doc: str = "") -> Op:
    """The operator of the name, created when it is new."""
    return _ir.RegisterOp(op_name, doc)


__all__ = ["ArgumentInfo", "Op", "OpAttrMap", "register_op", "register_op_attr"]
