# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""Expressions and functions on primitive values."""

from __future__ import annotations

from typing import Any

import tvm_ffi as _tvm_ffi

from ..expr import Expr, const
from . import op
from .expr import (
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Add,
    And,
    BinaryOpExpr,
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    Cast,
    CmpExpr,
    Div,
    FloorDiv,
    FloorMod,
    Let,
    LogicalExpr,
    LShift,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    RShift,
    Select,
    Sub,
)
from .op import (
    abs,
    all,
    any,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    ceildiv,
    convert,
    div,
    floordiv,
    floormod,
    if_then_else,
    indexdiv,
    indexmod,
    infinity,
    isfinite,
    isinf,
    isnan,
    max,
    max_value,
    min,
    min_value,
    power,
    shift_left,
    shift_right,
    truncdiv,
    truncmod,
)
from .vector_expr import Broadcast, Ramp, Shuffle


def expr_deep_equal(lhs: Any, rhs: Any) -> bool:
    """Structural equality with variables compared by identity."""
    return bool(_tvm_ffi.get_global_func("prim.expr_deep_equal")(lhs, rhs))


def __getattr__(name: str) -> Any:
    # Elementary functions, generated on first use.
    if name in op._GENERATED:
        return getattr(op, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
