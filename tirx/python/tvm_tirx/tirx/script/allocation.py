# SPDX-License-Identifier: Apache-2.0
"""Builders of tensors and of mutable scalars."""

from __future__ import annotations

import functools
from typing import Any

from ..._ffi_functions import Functions, optional
from ...ir.attrs import DictAttrs
from ...ir.expr import Call, Expr, TensorLoad, Tuple, Var, convert_to
from ...ir.op import Op
from ...ir.op_builder import AlreadyEmitted
from ...ir.type import MemoryScope, as_scope, as_type
from ...script.ir_builder.base import MISSING
from ...script.parser.protocol import as_expr
from ..tensor import TensorType

_b = Functions("script.ir_builder.")
_is_in_scope = optional("script.ir_builder.IRBuilderIsInScope")
_PLAIN_SCOPES = ("global", "shared", "shared.dyn", "local")


def _attrs(attrs: Any, annotations: Any) -> Any:
    if annotations:
        attrs = {**(attrs or {}), **{k: _annotation(v) for k, v in annotations.items()}}
    if not attrs:
        return None
    return attrs if isinstance(attrs, DictAttrs) else DictAttrs(attrs)


def _annotation(value: Any) -> Any:
    """Numbers of annotations are typed constants."""
    if isinstance(value, bool):
        return convert_to(value, as_type("bool"))
    if isinstance(value, (int, float)):
        return as_expr(value)
    return value


def alloc_tensor(
    placement: Any = None,
    *,
    ty_args: Any,
    attrs: Any = None,
    annotations: Any = None,
    loc: Any = None,
    ty: Any = None,
) -> Any:
    """Allocate a tensor of the type ``ty_args[0]``; its elements are undefined.

    ``placement`` is a tuple of addresses in scopes that take one. Under a builder the allocation is
    part of the program at once."""
    types = list(ty_args)
    if len(types) != 1 or not isinstance(types[0], TensorType):
        raise TypeError("Tensor allocation and declaration require exactly one TensorType argument")
    args = [] if placement is None else [Tuple(placement)]
    call = Call(Op.get("tirx.alloc_tensor"), args, _attrs(attrs, annotations), types, types[0], loc)
    if not _is_in_scope():
        return call
    return AlreadyEmitted(_b.Bind(call, "v", None, 0))


def decl_tensor(
    data: Any, *, ty_args: Any, attrs: Any = None, loc: Any = None, ty: Any = None
) -> Any:
    """A tensor of the type ``ty_args[0]`` over the memory that the pointer ``data`` leads to."""
    types = list(ty_args)
    if len(types) != 1 or not isinstance(types[0], TensorType):
        raise TypeError("Tensor allocation and declaration require exactly one TensorType argument")
    return Call(Op.get("tirx.decl_tensor"), [data], _attrs(attrs, None), types, types[0], loc)


def _allocate(
    shape: Any,
    dtype: Any = "float32",
    data: Any = None,
    *,
    scope: Any,
    align: int = -1,
    layout: Any = MISSING,
    allocated_addr: Any = None,
    annotations: Any = None,
) -> AlreadyEmitted:
    """Allocate a tensor in ``scope``; with ``data``, a view over that pointer."""
    name = scope.name if isinstance(scope, MemoryScope) else str(scope)
    if allocated_addr is not None and name in _PLAIN_SCOPES:
        raise ValueError(f"{name} does not support allocation placement")
    tensor = TensorType(shape, dtype, scope, max(align, 0), None if layout is MISSING else layout)
    if data is not None:
        call = decl_tensor(data, ty_args=[tensor])
        return AlreadyEmitted(_b.Bind(call, "v", None, 0))
    placement = None
    if allocated_addr is not None:
        many = isinstance(allocated_addr, (tuple, list))
        placement = tuple(allocated_addr) if many else (allocated_addr,)
    return alloc_tensor(placement, ty_args=[tensor], annotations=annotations)


alloc_local = functools.partial(_allocate, scope="local")
alloc_shared = functools.partial(_allocate, scope="shared")
smem = functools.partial(_allocate, scope="shared")
tmem = functools.partial(_allocate, scope="tmem")


def alloc_scalar(dtype: Any = "float32", scope: Any = None, *, annotations: Any = None) -> Any:
    """A tensor of one element, used as a mutable scalar; ``value`` of the result is its load."""
    return _cell(dtype, scope, None, "v", annotations)


def local_scalar(
    dtype: Any = "float32", init: Any = None, *, name: str | None = None, annotations: Any = None
) -> Any:
    """A mutable scalar of one thread, with its first value."""
    return _cell(dtype, "local", init, name or "v", annotations)


def shared_scalar(dtype: Any = "float32", *, annotations: Any = None) -> Any:
    """A mutable scalar that a thread block shares."""
    return _cell(dtype, "shared", None, "v", annotations)


def _cell(dtype: Any, scope: Any, init: Any, name: str, annotations: Any) -> AlreadyEmitted:
    initial = None if init is None else as_expr(init)
    marks = {key: _annotation(value) for key, value in (annotations or {}).items()}
    return AlreadyEmitted(_b.DeclareCell(as_type(dtype), name, as_scope(scope), initial, marks, 0))


def decl_scalar(dtype: Any, data: Any, scope: Any, layout: Any = None) -> AlreadyEmitted:
    """A mutable scalar over the memory that the pointer ``data`` leads to."""
    tensor = TensorType((1,), dtype, scope, 0, layout)
    var = _b.Bind(decl_tensor(data, ty_args=[tensor]), "v", None, 0)
    return AlreadyEmitted(TensorLoad(var, [0]))


def assign(dst: Any, value: Any) -> AlreadyEmitted:
    """Store a value into a mutable scalar."""
    if isinstance(dst, AlreadyEmitted):
        dst = dst.value
    if not isinstance(dst, (TensorLoad, Var)):
        raise TypeError("A mutable assignment requires scalar storage")
    return AlreadyEmitted(_b.StoreCell(dst, as_expr(value), 0))


def tensor_indices(tensor: Any, index: Any) -> Any:
    """An index of a subscript as a list of expressions, with full slices for what is left out."""
    items = list(index) if isinstance(index, (tuple, list)) else [index]
    if len(items) > len(tensor.shape):
        raise IndexError(f"Too many indices for a {len(tensor.shape)}-dimensional tensor")
    return items + [slice(None)] * (len(tensor.shape) - len(items))


def tensor_store(dest: Any, indices: Any, value: Any) -> AlreadyEmitted:
    """``dest[indices] = value``"""
    from ...script.parser.protocol import setitem

    if isinstance(value, Expr) or not isinstance(value, AlreadyEmitted):
        value = as_expr(value)
    return AlreadyEmitted(setitem(dest, tuple(indices), value, 0))
