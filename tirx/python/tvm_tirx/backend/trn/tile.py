# SPDX-License-Identifier: Apache-2.0
"""Tile instructions of Trainium: ``T.trn.tile``."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ...ir.expr import Expr, Tuple
from ...ir.op import Op
from ...ir.op_builder import as_attrs
from ...script.parser.protocol import as_expr
from ...tirx.op import call_intrin
from ...tirx.tensor import TensorType
from ...tirx.thread_scope import as_thread_scope

# Defaults of trailing operands (None: an empty tuple), and the attributes with their defaults.
_Spec = tuple[dict[str, Any], dict[str, Any]]
_SPECS: dict[str, _Spec] = {
    "activation": (
        {"scale": 1.0, "bias": 0.0, "const_bias": None},
        {"opcode": "exp", "max_inst_size": 512},
    ),
    "activation_reduce": (
        {"scale": 1.0, "bias": 0.0, "const_bias": None, "partial_reduce": None},
        {"opcode": "exp", "reduce_op": "sum", "axes": [-1], "max_inst_size": None},
    ),
    "affine_select": ({}, {}),
    "load": ({}, {}),
    "matmul": (
        {
            "C": None,
            "transpose_A": False,
            "transpose_B": False,
            "alpha": 1.0,
            "beta": 0.0,
            "acc_psum": None,
        },
        {},
    ),
    "memset": ({}, {"max_inst_size": 512}),
    "reciprocal": ({}, {"max_inst_size": 512}),
    "scalar_tensor_scalar": (
        {},
        {"op0": "mul", "op1": "add", "reverse1": False, "max_inst_size": 512},
    ),
    "scalar_tensor_tensor": (
        {},
        {"op0": "mul", "op1": "add", "reverse1": False, "max_inst_size": 512},
    ),
    "store": ({}, {}),
    "tensor_copy": ({}, {"max_inst_size": 512}),
    "tensorreduce": (
        {"partial_reduce": None},
        {"reduce_op": "sum", "axes": [-1], "negate": False, "max_inst_size": None},
    ),
    "tensorscalar": ({}, {"opcode": "add", "max_inst_size": 512}),
    "tensorscalar_reduce": (
        {"partial_reduce": None},
        {"opcode": "add", "reduce_op": "sum", "axes": [-1], "max_inst_size": None},
    ),
    "tensortensor": ({}, {"opcode": "add", "max_inst_size": 512}),
}


def _operand(value: Any) -> Any:
    if value is None:
        return Tuple([])
    if isinstance(value, Expr) and isinstance(value.ty, TensorType):
        return value[tuple(slice(None) for _ in value.ty.shape)]
    return as_expr(value)


def _builder(name: str, defaults: dict[str, Any], attributes: dict[str, Any]) -> Callable:
    op_name = f"tirx.trn.tile.{name}"
    names = [str(info.name) for info in Op.get(op_name).args_info]

    def build(*args: Any, scope: Any = "thread", **given: Any) -> Any:
        if len(args) > len(names):
            raise TypeError(f"{name}() takes {len(names)} operands but {len(args)} were given")
        operands = dict(zip(names, args))
        for key in names:
            if key in given:
                if key in operands:
                    raise TypeError(f"{name}() got multiple values for {key!r}")
                operands[key] = given.pop(key)
            elif key not in operands:
                if key not in defaults:
                    raise TypeError(f"{name}() is missing operand {key!r}")
                operands[key] = defaults[key]
        if name == "matmul" and operands["C"] is None:
            operands["C"] = operands["D"]
        attrs = {"scope": as_thread_scope(scope, "trn"), **attributes}
        for key, value in given.items():
            if key not in attributes:
                raise TypeError(f"{name}() got an unexpected keyword {key!r}")
            attrs[key] = value
        op = Op.get(op_name)
        return call_intrin(
            op,
            *[_operand(operands[key]) for key in names],
            ty="void",
            attrs=as_attrs(op, {k: v for k, v in attrs.items() if v is not None}),
        )

    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"The tile instruction {op_name} with operands {', '.join(names)}."
    return build


def tile_namespace() -> SimpleNamespace:
    """A new ``T.trn.tile``."""
    return SimpleNamespace(**{name: _builder(name, *spec) for name, spec in _SPECS.items()})
