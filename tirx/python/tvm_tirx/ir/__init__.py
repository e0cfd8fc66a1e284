# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""The nodes of programs: expressions, statements, types, functions, modules."""

from __future__ import annotations

import importlib
from typing import Any

from .attrs import Attrs, DictAttrs, make_node
from .base import (
    EnvFunc,
    Node,
    Scriptable,
    assert_structural_equal,
    load_json,
    save_json,
    structural_equal,
    structural_hash,
)
from .expr import (
    Call,
    CallEffectKind,
    Constant,
    DataTypeImm,
    Expr,
    ExprOperand,
    ExprWithOp,
    FloatImm,
    GenericConst,
    GlobalVar,
    IntImm,
    LambdaExpr,
    OpaqueExpr,
    Range,
    StagingExpr,
    StringImm,
    TensorLoad,
    TensorRegion,
    Tuple,
    TupleGetItem,
    Var,
    const,
    is_prim_expr,
    is_prim_var,
    reinfer_type,
)
from .function import BaseFunc, CallingConv
from .global_info import GlobalInfo
from .location import (
    UNKNOWN_LOC,
    CallSiteLoc,
    Location,
    SourceLoc,
    SourceName,
    UnknownLoc,
)
from .module import IRModule
from .op import Op, OpAttrMap, register_op_attr
from .stmt import (
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
from .type import (
    AnyType,
    FuncType,
    MissingType,
    NoneType,
    OpaqueType,
    PrimType,
    PtrType,
    StringType,
    TensorRegionType,
    TupleType,
    Type,
)

from . import prim  # isort: skip  (needs the names above)

_LAZY = ("transform",)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    name
    for name in globals()
    if not name.startswith("_") and name not in ("Any", "importlib", "annotations")
]
