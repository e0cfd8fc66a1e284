# SPDX-License-Identifier: Apache-2.0
"""Instructions on whole tiles: ``T.cuda.tile``."""

from __future__ import annotations

from typing import Any

from ..._ffi_functions import Functions
from ...ir.expr import LambdaExpr, Tuple
from ...ir.op import Op
from ...ir.op_builder import as_attrs
from ...tirx.function import Function, renew_def
from ...tirx.op import call_intrin
from ...tirx.thread_scope import as_thread_scope
from .ptx import instruction_name

_ir = Functions("ir.")
_builder = Functions("script.ir_builder.")


def _attrs(op: Any, scope: Any) -> Any:
    return as_attrs(op, {"scope": as_thread_scope(scope, "cuda")})


def apply(instruction: Any, *operands: Any, scope: Any = "thread", **parameters: Any) -> Any:
    """Apply one PTX instruction (``T.ptx["mov.b32"]`` or its text) to tiles and scalars.

    The printed form gives the operands as one tuple, and the parameters as another."""
    op = Op.get("tirx.cuda.tile.apply")
    pairs: Any = parameters.items()
    if len(operands) == 2 and all(isinstance(value, (tuple, Tuple)) for value in operands):
        operands, pairs = operands
    return call_intrin(
        op,
        instruction_name(instruction),
        operands if isinstance(operands, Tuple) else Tuple(operands),
        pairs if isinstance(pairs, Tuple) else Tuple([Tuple(pair) for pair in pairs]),
        ty="void",
        attrs=_attrs(op, scope),
    )


def _as_lambda(function: Any) -> Any:
    if isinstance(function, LambdaExpr):
        return function
    body: Any = function.body.seq if isinstance(function, Function) and function.body else []
    if len(body) != 1 or type(body[0]).__name__ != "Return":
        raise TypeError("ewise requires a scalar TIRx Function")
    renewed = renew_def(function)
    for index, param in enumerate(renewed.params):
        _builder.IRBuilderName(f"arg{index}", param)
    return _ir.LambdaExpr(renewed.params, renewed.body.seq[0].value, None)


def ewise(function: Any, dst: Any, *inputs: Any, scope: Any = "thread", **kwargs: Any) -> Any:
    """Apply a scalar function to the elements of tiles."""
    if not isinstance(function, (Function, LambdaExpr)):
        raise TypeError("ewise requires a scalar TIRx Function")
    op = Op.get("tirx.cuda.tile.ewise")
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = tuple(inputs[0])
    return call_intrin(
        op, _as_lambda(function), dst, Tuple(inputs), ty="void", attrs=_attrs(op, scope)
    )


__all__ = ["apply", "ewise"]
