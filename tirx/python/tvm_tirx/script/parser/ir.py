# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""The script namespace ``I``: ``from tvm_tirx.script import ir as I``."""

from __future__ import annotations

import sys

from ...ir.attrs import make_node
from ...ir.expr import Call, DataTypeImm, GenericConst, Range, StringImm, TensorRegion, Var
from ...ir.op import Op
from ...ir.stmt import Bind
from ...ir.type import (
    AnyType,
    FuncType,
    MissingType,
    NoneType,
    OpaqueType,
    PrimType,
    PtrType,
    StringType,
    TensorRegionType,
    Type,
)
from ...tirx.script.values import (
    Lambda,
    Tuple,
    constexpr,
    dtype,
    dynamic,
    meta_var,
    module_attrs,
    module_get_attr,
    module_global_infos,
    module_set_attr,
)
from ..ir_builder.base import AlreadyEmitted, IRBuilder
from ..ir_builder.frame import IRModuleFrame
from .entry import ir_module, pyfunc
from .namespaces import register_namespace

Any = AnyType
Func = FuncType
Missing = MissingType
Opaque = OpaqueType
Prim = PrimType
Ptr = PtrType
String = StringType

register_namespace("I", sys.modules[__name__])
