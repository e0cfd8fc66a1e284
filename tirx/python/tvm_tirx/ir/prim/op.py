# SPDX-License-Identifier: Apache-2.0
"""Functions on primitive values: arithmetic with promotion and folding, and calls of the
elementary functions (``exp``, ``sin``, ...), which are generated from the operator registry."""

from __future__ import annotations

import functools
from typing import Any

from ..._ffi_functions import Functions
from ..expr import Call
from ..op_builder import make_builder
from ..type import as_dtype, as_type

_op = Functions("prim._op.")


def div(a: Any, b: Any, loc: Any = None) -> Any:
    """Division: of floats exact, of integers rounded toward zero."""
    return _op.truncdiv(a, b, loc) if _both_integer(a, b) else _op.div(a, b, loc)


def _both_integer(a: Any, b: Any) -> bool:
    from ..type import PrimType

    def is_integer(value: Any) -> bool:
        if isinstance(value, bool) or isinstance(value, int):
            return True
        ty = getattr(value, "ty", None)
        return isinstance(ty, PrimType) and int(ty.dtype.type_code) in (0, 1, 6)

    return is_integer(a) and is_integer(b)


def truncdiv(a: Any, b: Any, loc: Any = None) -> Any:
    """Integer division rounded toward zero."""
    return _op.truncdiv(a, b, loc)


def truncmod(a: Any, b: Any, loc: Any = None) -> Any:
    """The remainder of `truncdiv`, with the sign of ``a``."""
    return _op.truncmod(a, b, loc)


def floordiv(a: Any, b: Any, loc: Any = None) -> Any:
    """Integer division rounded down."""
    return _op.floordiv(a, b, loc)


def floormod(a: Any, b: Any, loc: Any = None) -> Any:
    """The remainder of `floordiv`, with the sign of ``b``."""
    return _op.floormod(a, b, loc)


def indexdiv(a: Any, b: Any, loc: Any = None) -> Any:
    """Division of indices, which are not negative."""
    return _op.floordiv(a, b, loc)


def indexmod(a: Any, b: Any, loc: Any = None) -> Any:
    """The remainder of indices, which are not negative."""
    return _op.floormod(a, b, loc)


def ceildiv(lhs: Any, rhs: Any, loc: Any = None) -> Any:
    """Integer division rounded up, as ``(lhs + rhs - 1) // rhs``."""
    return _op.ceildiv(lhs, rhs, loc)


def min(a: Any, b: Any, loc: Any = None) -> Any:
    """The smaller of two."""
    return _op.min(a, b, loc)


def max(a: Any, b: Any, loc: Any = None) -> Any:
    """The larger of two."""
    return _op.max(a, b, loc)


def bitwise_and(x: Any, y: Any, loc: Any = None) -> Any:
    """``x & y``"""
    return _op.bitwise_and(x, y, loc)


def bitwise_or(x: Any, y: Any, loc: Any = None) -> Any:
    """``x | y``"""
    return _op.bitwise_or(x, y, loc)


def bitwise_xor(x: Any, y: Any, loc: Any = None) -> Any:
    """``x ^ y``"""
    return _op.bitwise_xor(x, y, loc)


def bitwise_not(x: Any, loc: Any = None) -> Any:
    """``~x``"""
    return _op.bitwise_not(x, loc)


def shift_left(x: Any, y: Any, loc: Any = None) -> Any:
    """``x << y``"""
    return _op.shift_left(x, y, loc)


def shift_right(x: Any, y: Any, loc: Any = None) -> Any:
    """``x >> y``; of signed values arithmetic."""
    return _op.shift_right(x, y, loc)


def abs(x: Any, loc: Any = None) -> Any:
    """The absolute value."""
    return _op.abs(x, loc)


def isnan(x: Any, loc: Any = None, *, ty: Any = None) -> Any:
    """Whether a float is NaN."""
    return _op.isnan(x, loc)


def isinf(x: Any, loc: Any = None) -> Any:
    """Whether a float is infinite."""
    return _op.isinf(x, loc)


def isfinite(x: Any, loc: Any = None) -> Any:
    """Whether a float is neither infinite nor NaN."""
    return _op.isfinite(x, loc)


def if_then_else(cond: Any, t: Any, f: Any, loc: Any = None) -> Any:
    """One of two values; only that one is evaluated."""
    return _op.if_then_else(cond, t, f, loc)


def all(*args: Any, loc: Any = None) -> Any:
    """Whether all hold."""
    if not args:
        raise ValueError("Any take at least 1 argument")
    return functools.reduce(lambda a, b: _op.logical_and(a, b, loc), args)


def any(*args: Any, loc: Any = None) -> Any:
    """Whether one holds."""
    if not args:
        raise ValueError("Any take at least 1 argument")
    return functools.reduce(lambda a, b: _op.logical_or(a, b, loc), args)


def convert(expr: Any) -> Any:
    """A number or an expression as an expression."""
    return _op.convert(expr)


def max_value(*, ty: Any, loc: Any = None) -> Any:
    """The largest finite value of a type."""
    return _op.max_value(as_dtype(as_type(ty)), loc)


def min_value(*, ty: Any, loc: Any = None) -> Any:
    """The smallest finite value of a type."""
    return _op.min_value(as_dtype(as_type(ty)), loc)


def infinity(*, ty: Any, loc: Any = None) -> Any:
    """Infinity of a float type."""
    return _op.infinity(as_dtype(as_type(ty)), loc)


def cast(value: Any, dtype: Any = None, *, ty: Any = None, loc: Any = None) -> Any:
    """``value`` in another element format; constants fold when the value fits."""
    if dtype is None:
        dtype = ty
    if dtype is None:
        raise TypeError("cast needs a type")
    target = as_type(dtype)
    return _op.cast(value, target.dtype, loc)


def power(x: Any, y: Any, loc: Any = None) -> Any:
    """``x`` to the power ``y``."""
    return Call("prim.pow", [x, y], loc=loc)


_GENERATED = (
    "acos acosh asin asinh assume atan atan2 atanh ceil clz copysign cos cosh erf exp exp10 exp2 "
    "fabs floor fma fmod hypot ldexp likely log log10 log1p log2 nearbyint nextafter popcount pow "
    "round rsqrt sigmoid sin sinh sqrt tan tanh trunc vscale"
).split()


def __getattr__(name: str) -> Any:
    if name in _GENERATED:
        function = make_builder(f"prim.{name}")
        globals()[name] = function
        return function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_GENERATED])
