# SPDX-License-Identifier: Apache-2.0
"""Iteration specifications: what a ``for`` of a script may run over."""

from __future__ import annotations

from typing import Any

from ..._ffi_functions import Functions
from ...ir.expr import Expr, convert_to
from ...ir.type import as_type
from ...script.parser.protocol import range_

_b = Functions("script.ir_builder.")

_SERIAL, _PARALLEL, _VECTORIZED, _UNROLLED = range(4)


def _loop(kind: int, start: Any, stop: Any, step: Any, annotations: Any, dtype: str | None) -> Any:
    begin, end = (0, start) if stop is None else (start, stop)
    if dtype is not None:
        if dtype not in ("int32", "uint32"):
            raise ValueError(f"The dtype of a loop is int32 or uint32, got {dtype!r}")
        ty = as_type(dtype)
        begin, end = convert_to(begin, ty), convert_to(end, ty)
        step = None if step is None else convert_to(step, ty)
    return _b.For(begin, end, step, kind, dict(annotations or {}))


def serial(
    start: Any,
    stop: Any = None,
    *,
    annotations: Any = None,
    step: Any = None,
    unroll: bool | int | None = None,
    dtype: str | None = None,
) -> Any:
    """A loop in order. ``unroll``: a hint, False to forbid it, or a factor."""
    annotations = dict(annotations or {})
    if unroll is not None:
        if isinstance(unroll, bool):
            annotations["tirx.pragma_unroll" if unroll else "tirx.disable_unroll"] = True
        elif isinstance(unroll, int):
            if unroll <= 0:
                raise ValueError("unroll must be a positive integer")
            annotations["tirx.pragma_unroll"] = unroll
        else:
            raise TypeError("unroll must be a bool, a positive integer, or None")
    return _loop(_SERIAL, start, stop, step, annotations, dtype)


def parallel(
    start: Any,
    stop: Any = None,
    *,
    annotations: Any = None,
    step: Any = None,
    dtype: str | None = None,
) -> Any:
    """A loop whose iterations run on several threads."""
    return _loop(_PARALLEL, start, stop, step, annotations, dtype)


def vectorized(
    start: Any,
    stop: Any = None,
    *,
    annotations: Any = None,
    step: Any = None,
    dtype: str | None = None,
) -> Any:
    """A loop whose iterations become the lanes of vectors."""
    return _loop(_VECTORIZED, start, stop, step, annotations, dtype)


def unroll(
    start: Any,
    stop: Any = None,
    *,
    annotations: Any = None,
    step: Any = None,
    dtype: str | None = None,
) -> Any:
    """A loop that is written out."""
    return _loop(_UNROLLED, start, stop, step, annotations, dtype)


def grid(*extents: Any, dtype: str | None = None) -> Any:
    """Nested loops in order; an extent may be a pair (begin, extent)."""
    begins: list[Any] = []
    ends: list[Any] = []
    for extent in extents:
        if isinstance(extent, (tuple, list)):
            begin, size = extent
            begins.append(begin)
            ends.append(size + begin if isinstance(begin, Expr) else begin + size)
        else:
            begins.append(0)
            ends.append(extent)
    if dtype is not None:
        ty = as_type(dtype)
        begins = [convert_to(b, ty) for b in begins]
        ends = [convert_to(e, ty) for e in ends]
    if not begins:
        raise ValueError("T.grid needs at least one extent")
    return _b.Grid(begins, ends)


__all__ = ["grid", "parallel", "range_", "serial", "unroll", "vectorized"]
