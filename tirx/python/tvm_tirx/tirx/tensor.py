# SPDX-License-Identifier: Apache-2.0
"""Tensor types, and what their expressions offer: ``A.shape``, ``A.data``, ``A.view(...)``."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions, optional
from ..ir.expr import Call, Expr, Var
from ..ir.op import Op
from ..ir.op_builder import AlreadyEmitted
from ..ir.type import PrimType, Type, as_scope, as_type
from .layout import TileLayout, default_layout

_tirx = Functions("tirx.")
_b = Functions("script.ir_builder.")
_is_in_scope = optional("script.ir_builder.IRBuilderIsInScope")


def _shape(shape: Any) -> list[Any]:
    if isinstance(shape, (int, Expr)):
        return [shape]
    return list(shape)


def _prim(dtype: Any) -> PrimType:
    ty = as_type(dtype)
    if not isinstance(ty, PrimType):
        raise TypeError(f"The element type of a tensor must be primitive, got {ty!r}")
    return ty


@register_object("tirx.TensorType")
class TensorType(Type):
    """A tensor of primitive elements.

    ``layout="default"`` is the row-major layout of the shape; without a layout the tensor is
    compact and row-major. ``data_alignment`` (or ``align``) is in bytes, 64 when it is not given.
    ValueError for an unknown dtype or scope."""

    def __init__(
        self,
        shape: Any,
        dtype: Any,
        scope: Any = "global",
        align: int = 0,
        layout: Any = None,
        *,
        data: Any = None,
        loc: Any = None,
        data_alignment: int | None = None,
    ) -> None:
        shape = _shape(shape)
        if isinstance(layout, str):
            if layout != "default":
                raise ValueError(f"Unknown layout {layout!r}; 'default' is the only name")
            layout = default_layout(shape)
        self.__init_handle_by_constructor__(
            _tirx.TensorType,
            shape,
            _prim(dtype),
            as_scope(scope),
            int(data_alignment or align or 0),
            layout,
        )

    def is_scalar(self, expr: Any = None, alloc_or_decl: bool = True) -> bool:
        """Whether it has exactly one element."""
        return (
            len(self.shape) == 1
            and isinstance(self.shape[0], Expr)
            and (getattr(self.shape[0], "value", None) == 1)
        )

    def has_default_layout(self, analyzer: Any = None) -> bool:
        """Whether the layout is the row-major one, or there is none."""
        import tvm_ffi

        return self.layout is None or bool(
            tvm_ffi.structural_equal(self.layout, default_layout(list(self.shape)))
        )

    def effective_layout(self) -> Any:
        """The layout; the row-major one when there is none."""
        return self.layout if self.layout is not None else default_layout(list(self.shape))

    def ptr_to(self, expr: Any, indices: Any) -> Any:
        """A pointer to an element of ``expr``."""
        if not isinstance(indices, (tuple, list)):
            indices = [indices]
        return Call(Op.get("tirx.address_of"), [expr[tuple(indices)]])

    def view(self, expr: Any, *args: Any, **kwargs: Any) -> Any:
        """``expr`` with another shape or element type over the same memory."""
        from .view import view

        return _declare(expr, view(self, *args, **kwargs))

    def permute(self, expr: Any, *dims: int) -> Any:
        """``expr`` with its dimensions in another order."""
        from .view import permute

        if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
            dims = tuple(dims[0])
        return _declare(expr, permute(self, dims))

    def rearrange(self, expr: Any, pattern: str, /, **sizes: int) -> Any:
        """``expr`` rearranged as a pattern such as ``"(a b) c -> a c b"`` says."""
        from .view import rearrange

        return _declare(expr, rearrange(self, pattern, sizes))

    # Attributes of expressions of the type.
    expr_attributes = {
        "shape": lambda expr: expr.ty.shape,
        "dtype": lambda expr: expr.ty.dtype.dtype,
        "scope": lambda expr: expr.ty.scope,
        "layout": lambda expr: expr.ty.layout,
        "data_alignment": lambda expr: expr.ty.data_alignment,
        "data": lambda expr: tensor_data_ptr(expr),
        "ptr_to": lambda expr: lambda indices: expr.ty.ptr_to(expr, indices),
        "view": lambda expr: lambda *a, **k: expr.ty.view(expr, *a, **k),
        "permute": lambda expr: lambda *dims: expr.ty.permute(expr, *dims),
        "rearrange": lambda expr: lambda pattern, **s: expr.ty.rearrange(expr, pattern, **s),
        "is_scalar": lambda expr: lambda: expr.ty.is_scalar(),
        "has_default_layout": lambda expr: lambda: expr.ty.has_default_layout(),
        "effective_layout": lambda expr: lambda: expr.ty.effective_layout(),
    }


def _declare(source: Any, ty: TensorType) -> Any:
    """A tensor of type ``ty`` over the memory of ``source``; a variable under a builder."""
    call = Call(Op.get("tirx.decl_tensor"), [tensor_data_ptr(source)], None, [ty], ty)
    return _b.Bind(call, "v", None, 0) if _is_in_scope() else call


def tensor_data_ptr(tensor: Any, *, ty: Any = None, loc: Any = None) -> Any:
    """The pointer to the first element of a tensor, ``A.data``."""
    if isinstance(tensor, AlreadyEmitted):
        tensor = tensor.value
    return Call(Op.get("tirx.tensor_data_ptr"), [tensor], ty=ty, loc=loc)


def is_tensor_var(value: Any) -> bool:
    """Whether the value is a variable of a tensor type."""
    return isinstance(value, Var) and isinstance(value.ty, TensorType)


__all__ = ["TensorType", "TileLayout", "is_tensor_var", "tensor_data_ptr"]
