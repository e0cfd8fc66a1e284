# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""The script namespace ``T``: ``from tvm_tirx.script import tirx as T``.

Builders of operators, dtypes and backend namespaces are made on first use."""

from __future__ import annotations

import re
import sys
from typing import Any

from ..._ffi_functions import Functions
from ...ir.attrs import make_node
from ...ir.expr import (
    Call,
    CallEffectKind,
    DataTypeImm,
    FloatImm,
    GenericConst,
    IntImm,
    Range,
    StringImm,
    TensorLoad,
    TensorRegion,
    Var,
)
from ...ir.op import Op
from ...ir.op_builder import AlreadyEmitted, auto_emit_void_call
from ...ir.prim import (
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
    abs,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    ceildiv,
    floordiv,
    floormod,
    if_then_else,
    infinity,
    isfinite,
    isinf,
    isnan,
    max,
    max_value,
    min,
    min_value,
    shift_left,
    shift_right,
    truncdiv,
    truncmod,
)
from ...ir.prim.op import cast
from ...ir.scope import MemoryScope
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
from ...script.ir_builder.base import MISSING, IRBuilder, at_, resolve_global_info_args
from ...script.ir_builder.base import with_at_group_ as with_at_group_
from ...script.ir_builder.frame import IRModuleFrame
from ...script.parser.entry import function, inline, ir_module, macro, pyfunc
from ...script.parser.namespaces import register_namespace
from ..attrs import CallFFIKernelAttr
from ..layout import Axis, ComposeLayout, Iter, Layout, R, S, TileLayout
from ..op import (
    address_of,
    call_cpacked,
    call_cpacked_lowered,
    call_intrin,
    call_llvm_intrin,
    call_llvm_pure_intrin,
    call_packed,
    call_packed_lowered,
    isnullptr,
    llvm_lookup_intrinsic_id,
    undef,
)
from ..tensor import TensorType, tensor_data_ptr
from ..thread_scope import ThreadScope
from ..type import TensorMapType
from .allocation import (
    alloc_local,
    alloc_scalar,
    alloc_shared,
    alloc_tensor,
    assign,
    decl_scalar,
    decl_tensor,
    local_scalar,
    shared_scalar,
    smem,
    tensor_indices,
    tensor_store,
    tmem,
)
from .builder import (
    add_to_parent,
    and_,
    arg_,
    assert_,
    bind_,
    break_,
    call_global_var_,
    check_well_formed_,
    continue_,
    decl_function,
    decl_mutable_cell_,
    else_,
    emit,
    emit_,
    eq_,
    evaluate,
    for_,
    frame_scope,
    func_attr,
    func_name_,
    func_ret,
    func_ret_type_,
    function_,
    ge_,
    gt_,
    if_,
    if_then_else_,
    le_,
    lt_,
    module_member_,
    ne_,
    not_,
    or_,
    resolve_global_info_,
    return_,
    set_mutable_cell_,
    setattr_,
    setitem_,
    then_,
    unpack_,
    while_,
)
from .jit import OptionalAnnotation as Optional
from .jit import jit
from .loops import grid, parallel, range_, serial, unroll, vectorized
from .meta_class import meta_class
from .op_namespace import OpNamespace
from .regions import (
    compute_scope,
    device_context,
    device_entry,
    launch_thread,
    parallel_launch,
    region,
)
from .values import (
    Lambda,
    Let,
    LetAnnotation,
    Tuple,
    constexpr,
    dtype,
    dynamic,
    handle,
    index_map,
    let,
    logical_and,
    logical_not,
    logical_or,
    meta_var,
    module_attrs,
    module_get_attr,
    module_global_infos,
    module_set_attr,
    ptr,
    select,
    static_assert,
    target,
)

Any_ = Any
Tensor = TensorType
Ptr = PtrType
Prim = PrimType
Func = FuncType
TensorMap = TensorMapType
String = StringType
Missing = MissingType
Opaque = OpaqueType
broadcast = Broadcast
ramp = Ramp
supports_mutable_declarations = True

_ir = Functions("ir.")

_SHORT_DTYPES = {
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "bfloat16",
    "boolean": "bool",
}
_DTYPE = re.compile(
    r"(?:u?int(?:8|16|32|64)|float(?:16|32|64)|bfloat16|float8_\w+?|float6_\w+?|float4_\w+?)"
    r"(?:x(?:2|4|8|16|32|64))?|bool|void"
)
_namespaces: dict[str, Any] = {}


def register_script_namespace(name: str, namespace: Any) -> Any:
    """Make ``T.<name>`` stand for ``namespace``."""
    _namespaces[name] = namespace
    globals()[name] = namespace
    return namespace


def expose_script_op(name: str) -> Any:
    """Bind the generated builder of a registered operator as ``T.<last part of its name>``; a
    callable of that name is kept."""
    short = name.rsplit(".", 1)[-1]
    found = globals().get(short)
    if callable(found):
        return found
    from ...ir.op_builder import make_builder

    globals()[short] = make_builder(name)
    return globals()[short]


def expose_script_type(type_key: str) -> Any:
    """Bind a builder of objects of a registered type as ``T.<last part of its key>``."""
    short = type_key.rsplit(".", 1)[-1]

    def build(**fields: Any) -> Any:
        return make_node(type_key, **fields)

    build.__name__ = build.__qualname__ = short
    build.__doc__ = f"An object of type {type_key} from its fields."
    globals()[short] = build
    return build


def _make(name: str) -> Any:
    """What ``T.<name>`` stands for when it is used first, None when it is nothing."""
    if name in _SHORT_DTYPES:
        return PrimType(_SHORT_DTYPES[name])
    if _DTYPE.fullmatch(name):
        return PrimType(name)
    from .. import op

    try:
        return getattr(op, name)
    except AttributeError:
        return None


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = _make(name)
    if value is None:
        _load_backends()
        if name in globals():
            return globals()[name]
        raise AttributeError(f"No script namespace {name!r}")
    globals()[name] = value
    return value


_backends_loaded = False


def _load_backends() -> None:
    """Backends add their namespaces when one is asked for first."""
    global _backends_loaded
    if not _backends_loaded:
        _backends_loaded = True
        from ...backend import loader

        loader.autoload()


register_namespace("T", sys.modules[__name__])
# T.Any is the type, not typing.Any of this file.
globals()["Any"] = AnyType
