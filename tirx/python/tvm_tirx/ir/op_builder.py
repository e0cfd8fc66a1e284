# SPDX-License-Identifier: Apache-2.0
"""Python functions that build calls of registered operators, made from the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._ffi_functions import Functions, optional
from .attrs import DictAttrs
from .expr import Tuple
from .op import Op
from .type import as_type

_ir = Functions("ir.")
_builder = Functions("script.ir_builder.")
_is_in_scope = optional("script.ir_builder.IRBuilderIsInScope")
_call = optional("ir.Call")


class AlreadyEmitted:
    """What a builder returns for something that is part of the program already: ``value`` is the
    variable, load, call or statement."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __repr__(self) -> str:
        return f"AlreadyEmitted({self.value!r})"


def is_void(ty: Any) -> bool:
    """Whether a call of this type has no value."""
    return type(ty).__name__ == "PrimType" and str(ty.dtype) in ("void", "")


def emit_void(call: Any) -> AlreadyEmitted:
    """Add a call without a value to the program under construction."""
    _builder.Evaluate(call, 0)
    return AlreadyEmitted(call)


def auto_emit_void_call(func: Callable) -> Callable:
    """Make ``func``, which builds calls, emit those without a value under an active builder."""
    import functools

    from .expr import Call

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        if isinstance(result, Call) and is_void(result.ty) and _is_in_scope():
            return emit_void(result)
        return result

    return wrapper


def as_operands(values: Any) -> Any:
    """Operands of a call: Python tuples and lists become Tuples, receipts are refused."""
    for value in values:
        if type(value) in (tuple, list, AlreadyEmitted):
            return [_operand(v) for v in values]
    return values


def _operand(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return Tuple([_operand(v) for v in value])
    if isinstance(value, AlreadyEmitted):
        raise TypeError(
            "A value that is part of the program already cannot be an operand; use its `.value`"
        )
    return value


def make_builder(op_name: str) -> Callable:
    """The builder of a registered operator. Operands by position or by registered name."""
    op = Op.get(op_name)
    if op.has_attr("FRegionGetBodyParams"):
        return _make_region_builder(op)
    names = tuple(str(info.name) for info in op.args_info)
    variadic = op.var_args_info is not None
    count = len(names)
    attrs_key = str(op.attrs_type_key)
    # Whether a call without `ty` has no value; known after the first one.
    void_by_rule: list[bool] = []

    def build(
        *args: Any,
        attrs: Any = None,
        ty_args: Any = None,
        loc: Any = None,
        ty: Any = None,
        **operands: Any,
    ) -> Any:
        if attrs_key and attrs is None and operands:
            # The printed form gives the fields of the attributes like operands.
            fields = {key: operands.pop(key) for key in [*operands] if key not in names}
            attrs = fields or None
        if operands or len(args) != count:
            args = _bind_operands(op_name, names, variadic, args, operands)
        if attrs is not None:
            attrs = as_attrs(op, attrs)
        if ty is not None:
            ty = as_type(ty)
        ty_args = () if ty_args is None else [as_type(t) for t in ty_args]
        call = _call(op, as_operands(args), attrs, ty_args, ty, loc)
        if ty is not None:
            void = is_void(ty)
        else:
            if not void_by_rule:
                void_by_rule.append(is_void(call.ty))
            void = void_by_rule[0]
        if void and _is_in_scope():
            return emit_void(call)
        return call

    short = op_name.rsplit(".", 1)[-1]
    build.__name__ = build.__qualname__ = short
    build.__doc__ = str(op.doc) or f"A call of {op_name}."
    build.__signature__ = _signature(names, op.var_args_info)  # type: ignore[attr-defined]
    return build


def _bind_operands(
    op_name: str, names: tuple[str, ...], variadic: bool, args: tuple, operands: dict[str, Any]
) -> tuple:
    values = list(args)
    for name in names[: len(args)]:
        if name in operands:
            raise TypeError(f"{op_name}: multiple values for {name!r}")
    for name in names[len(args) :]:
        if name not in operands:
            raise TypeError(f"{op_name}: missing operand {name!r}")
        values.append(operands.pop(name))
    if operands:
        raise TypeError(f"{op_name}: unexpected keyword operands {tuple(operands)}")
    if len(values) > len(names) and not variadic:
        raise TypeError(f"{op_name}: takes {len(names)} operands, but {len(values)} were given")
    return tuple(values)


def as_attrs(op: Any, attrs: Any) -> Any:
    """Attributes of a call from a dict, in the attribute class that the operator names."""
    if not isinstance(attrs, dict):
        return attrs
    key = str(op.attrs_type_key)
    if key in ("", "ir.DictAttrs"):
        return DictAttrs(attrs)
    from .attrs import make_node

    return make_node(key, **attrs)


def _make_region_builder(op: Any) -> Callable:
    names = tuple(str(info.name) for info in op.args_info)
    variadic = op.var_args_info is not None
    op_name = str(op.name)

    def build(*args: Any, attrs: Any = None, body_params: Any = None, **operands: Any) -> Any:
        args = _bind_operands(op_name, names, variadic, args, operands)
        return region_frame(op, args, body_params, attrs)

    build.__name__ = build.__qualname__ = op_name.rsplit(".", 1)[-1]
    build.__doc__ = str(op.doc) or f"A region of {op_name}."
    return build


def region_frame(op: Any, args: Any, body_params: Any = None, attrs: Any = None) -> Any:
    """The frame of a region operator. Without ``body_params`` the operator says which there are."""
    if isinstance(op, str):
        op = Op.get(op)
    if not op.has_attr("FRegionGetBodyParams"):
        raise TypeError(
            f"{op.name} does not support region construction: FRegionGetBodyParams is required"
        )
    args = as_operands(args)
    if isinstance(attrs, dict):
        attrs = DictAttrs(attrs)
    if body_params is None:
        body_params = _builder.RegionBodyParams(op, args, attrs)
    return _builder.Region(op, args, body_params, attrs)


def _signature(names: tuple[str, ...], var_args: Any) -> Any:
    from inspect import Parameter, Signature

    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    if var_args is not None:
        parameters = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in names]
        parameters.append(Parameter(str(var_args.name), Parameter.VAR_POSITIONAL))
    for name in ("attrs", "ty_args", "loc", "ty"):
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None))
    try:
        return Signature(parameters)
    except ValueError:
        return None
