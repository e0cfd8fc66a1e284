# SPDX-License-Identifier: Apache-2.0
"""Primitive expressions. Constructors check operand types and never promote or fold."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from ..._ffi_functions import Functions
from ..expr import ExprWithOp
from ..type import as_dtype

_prim = Functions("prim.")


class BinaryOpExpr(ExprWithOp):
    """An operation on two values ``a`` and ``b`` of one type."""


class CmpExpr(ExprWithOp):
    """A comparison of ``a`` and ``b``."""


class LogicalExpr(ExprWithOp):
    """An operation on truth values."""


def _binary(name: str, base: type, doc: str) -> Any:
    def __init__(self: Any, a: Any, b: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(getattr(_prim, name), a, b, loc)

    cls = type(base)(name, (base,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})
    return register_object(f"prim.{name}")(cls)


Add = _binary("Add", BinaryOpExpr, "a + b")
Sub = _binary("Sub", BinaryOpExpr, "a - b")
Mul = _binary("Mul", BinaryOpExpr, "a * b")
Div = _binary("Div", BinaryOpExpr, "a / b; for integers rounded toward zero")
Mod = _binary("Mod", BinaryOpExpr, "The remainder of Div of integers, with the sign of a")
FloorDiv = _binary("FloorDiv", BinaryOpExpr, "a // b, rounded down")
FloorMod = _binary("FloorMod", BinaryOpExpr, "The remainder of FloorDiv, with the sign of b")
Min = _binary("Min", BinaryOpExpr, "The smaller of two")
Max = _binary("Max", BinaryOpExpr, "The larger of two")
BitwiseAnd = _binary("BitwiseAnd", BinaryOpExpr, "a & b")
BitwiseOr = _binary("BitwiseOr", BinaryOpExpr, "a | b")
BitwiseXor = _binary("BitwiseXor", BinaryOpExpr, "a ^ b")
LShift = _binary("LShift", BinaryOpExpr, "a << b")
RShift = _binary("RShift", BinaryOpExpr, "a >> b; of a signed value arithmetic")
EQ = _binary("EQ", CmpExpr, "a == b")
NE = _binary("NE", CmpExpr, "a != b")
LT = _binary("LT", CmpExpr, "a < b")
LE = _binary("LE", CmpExpr, "a <= b")
GT = _binary("GT", CmpExpr, "a > b")
GE = _binary("GE", CmpExpr, "a >= b")
And = _binary("And", LogicalExpr, "Whether both hold")
Or = _binary("Or", LogicalExpr, "Whether one holds")


@register_object("prim.Not")
class Not(LogicalExpr):
    """Whether ``a`` does not hold."""

    def __init__(self, a: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Not, a, loc)


@register_object("prim.BitwiseNot")
class BitwiseNot(ExprWithOp):
    """All bits of ``a`` turned."""

    def __init__(self, a: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.BitwiseNot, a, loc)


@register_object("prim.Cast")
class Cast(ExprWithOp):
    """``value`` in another element format."""

    def __init__(self, ty: Any, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Cast, as_dtype(ty), value, loc)


@register_object("prim.Select")
class Select(ExprWithOp):
    """One of two values; both are evaluated."""

    def __init__(self, condition: Any, true_value: Any, false_value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Select, condition, true_value, false_value, loc)


@register_object("prim.Let")
class Let(ExprWithOp):
    """``body`` with ``var`` standing for ``value``."""

    def __init__(self, var: Any, value: Any, body: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Let, var, value, body, loc)
