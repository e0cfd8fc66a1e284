# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""Tensor kernels: functions, tensor types, layouts, and their compiler."""

from __future__ import annotations

import importlib
from typing import Any

from ..ir.expr import (
    Call,
    DataTypeImm,
    Expr,
    FloatImm,
    GlobalVar,
    IntImm,
    Range,
    StringImm,
    TensorLoad,
    TensorRegion,
    Var,
)
from ..ir.op import Op
from ..ir.prim import (
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Add,
    And,
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    Broadcast,
    Cast,
    Div,
    FloorDiv,
    FloorMod,
    Let,
    LShift,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Ramp,
    RShift,
    Select,
    Shuffle,
    Sub,
)
from ..ir.stmt import (
    AssertStmt,
    Bind,
    Break,
    Continue,
    Evaluate,
    For,
    ForKind,
    If,
    RegionStmt,
    Return,
    SeqStmt,
    Stmt,
    TensorStore,
    While,
    stmt_seq,
)
from .function import Function, renew_def
from .index_map import IndexMap
from .layout import Axis, ComposeLayout, Iter, Layout, R, S, TileLayout
from .tensor import TensorType, is_tensor_var, tensor_data_ptr
from .thread_scope import ThreadScope
from .type import TensorMapType

_MODULES = ("analysis", "expr", "op", "script", "transform", "tile", "compilation_pipeline")
_BACKENDS = frozenset(
    ("adreno", "cuda", "hexagon", "metal", "opencl", "rocm", "rust", "trn", "vulkan", "webgpu")
)
_ELSEWHERE = {
    "compile": ".compilation_pipeline",
    "lower": ".compilation_pipeline",
    "get_tir_pipeline": ".compilation_pipeline",
    "get_default_tir_pipeline": ".compilation_pipeline",
    "register_tir_pipeline": ".compilation_pipeline",
    "Executable": "..codegen.executable",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _BACKENDS:
        try:
            return importlib.import_module(f"..backend.{name}", __name__)
        except ModuleNotFoundError as error:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error
    if name in _ELSEWHERE:
        module = importlib.import_module(_ELSEWHERE[name], __name__)
        value = getattr(module, name)
        globals()[name] = value
        return value
    from . import op

    try:
        return getattr(op, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
