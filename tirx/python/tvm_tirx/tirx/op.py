# SPDX-License-Identifier: Apache-2.0
"""Builders of calls of the operators of kernels; generated ones come from the registry."""

from __future__ import annotations

from typing import Any

import tvm_ffi

from .._ffi_functions import Functions
from ..ir.expr import Call, Expr, StringImm, Var, const
from ..ir.op import Op, register_op_attr
from ..ir.op_builder import as_operands, emit_void, is_void, make_builder
from ..ir.prim import op as prim_op
from ..ir.type import as_dtype, as_type
from .attrs import CallFFIKernelAttr as CallFFIKernelAttr

_builder = Functions("script.ir_builder.")


def _emit(call: Any) -> Any:
    if is_void(call.ty) and _builder.IRBuilderIsInScope():
        return emit_void(call)
    return call


def call_intrin(func_name: Any, *args: Any, ty: Any, attrs: Any = None, loc: Any = None) -> Any:
    """A call of any operator, with its result type."""
    return _emit(Call(func_name, as_operands(args), attrs, None, ty, loc))


def _named_call(op_name: str) -> Any:
    def build(*args: Any, loc: Any = None, ty: Any = None) -> Any:
        if not args:
            raise TypeError(f"{op_name}: missing operand 'func_name'")
        name, *rest = args
        if isinstance(name, str):
            name = StringImm(name)
        for value in rest:
            if type(value).__name__ == "TensorRegion":
                raise TypeError(
                    f"{op_name} does not accept TensorRegion arguments; construct a TensorLoad "
                    "with explicit indices"
                )
        return _emit(Call(Op.get(op_name), as_operands([name, *rest]), ty=ty, loc=loc))

    build.__name__ = build.__qualname__ = op_name.rsplit(".", 1)[-1]
    build.__doc__ = str(Op.get(op_name).doc)
    return build


call_packed = _named_call("tirx.call_packed")
call_cpacked = _named_call("tirx.call_cpacked")
call_packed_lowered = _named_call("tirx.call_packed_lowered")
call_cpacked_lowered = _named_call("tirx.call_cpacked_lowered")


def llvm_lookup_intrinsic_id(name: str) -> int:
    """The number of an LLVM intrinsic in the LLVM that is loaded; 0 for an unknown one."""
    return int(tvm_ffi.get_global_func("target.llvm_lookup_intrinsic_id")(name))


def _llvm_call(op_name: str, name: Any, args: Any, ty: Any, loc: Any) -> Any:
    if isinstance(name, str):
        name = StringImm(name)
    return _emit(Call(Op.get(op_name), as_operands([name, *args]), ty=ty, loc=loc))


def call_llvm_intrin(name: Any, *args: Any, ty: Any, loc: Any = None) -> Any:
    """A call of an LLVM intrinsic by name or number."""
    return _llvm_call("tirx.call_llvm_intrin", name, args, ty, loc)


def call_llvm_pure_intrin(name: Any, *args: Any, ty: Any, loc: Any = None) -> Any:
    """A call of an LLVM intrinsic without effects."""
    return _llvm_call("tirx.call_llvm_pure_intrin", name, args, ty, loc)


def address_of(obj: Any, loc: Any = None, *, ty: Any = None) -> Any:
    """A pointer to a tensor element or to a scalar variable."""
    if not isinstance(obj, (Var, Expr)) or type(obj).__name__ not in ("Var", "TensorLoad"):
        raise TypeError(
            f"address_of needs a variable or a tensor element, got {type(obj).__name__}"
        )
    return Call(Op.get("tirx.address_of"), [obj], ty=ty, loc=loc)


def isnullptr(x: Any, loc: Any = None, *, ty: Any = None) -> Any:
    """Whether a pointer is null."""
    return Call(Op.get("tirx.isnullptr"), [x], ty=ty, loc=loc)


def logaddexp(a: Any, b: Any, loc: Any = None) -> Any:
    """The logarithm of the sum of the exponentials."""
    total = prim_op.exp(_as_float(a), loc=loc) + prim_op.exp(_as_float(b), loc=loc)
    return prim_op.log(total, loc=loc)


def _as_float(value: Any) -> Any:
    """A number as a constant."""
    return value if isinstance(value, Expr) else const(value)


def get_vscale_expr(dtype: Any, min_size: int = 128) -> Any:
    """How many lanes a scalable vector has whose smallest size is ``min_size`` bits."""
    element = as_dtype(as_type(str(dtype)))
    return (min_size // int(element.bits)) * make_builder("prim.vscale")()


def register_intrin_lowering(
    op_name: str, target: str, *, f: Any = None, override: bool = False
) -> Any:
    """Register how a target replaces calls of an operator. Without ``f`` a decorator."""
    return register_op_attr(op_name, f"{target}.FLowerIntrinsic", f, override)


def undef(*, ty: Any = None, loc: Any = None) -> Any:
    """An undefined value of a type (int32 without one)."""
    return Call(Op.get("tirx.undef"), [], ty=ty, loc=loc)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(prim_op, name)
    except AttributeError:
        pass
    try:
        function = make_builder(f"tirx.{name}")
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = function
    return function
