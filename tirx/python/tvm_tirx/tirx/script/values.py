# SPDX-License-Identifier: Apache-2.0
"""Names of the language that are neither operators nor statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._ffi_functions import Functions, optional
from ...ir.expr import DataTypeImm, Expr, LambdaExpr, Var
from ...ir.prim.expr import Let as _LetNode
from ...ir.prim.expr import Select
from ...ir.type import PrimType, PtrType, TupleType, Type, as_type
from ...script.parser.protocol import LetAnnotation, as_expr, let
from ..index_map import IndexMap
from ..type import TensorMapType

_op = Functions("prim._op.")
_is_in_scope = optional("script.ir_builder.IRBuilderIsInScope")


def constexpr(value: object) -> Any:
    """Marks a value that is known while the program is built: the condition of an ``if`` or of a
    conditional expression that selects a branch, and parameters of T.jit."""
    raise TypeError("constexpr is a parser syntax marker, not a runtime operation")


def meta_var(value: Any) -> Any:
    """The value itself, as Python has it."""
    return value


def dynamic(name: str, dtype: Any = "int32", *, loc: Any = None) -> Any:
    """A symbolic size: a scalar variable that the shapes of arguments define."""
    ty = as_type(dtype)
    if not isinstance(ty, PrimType) or not ty.is_scalar():
        raise TypeError(f"A symbolic size has a scalar type, got {ty!r}")
    return Var(name, ty)


def dtype(value: Any) -> DataTypeImm:
    """A dtype as an expression."""
    return DataTypeImm(value)


def handle(dtype: Any = None, storage_scope: Any = "global") -> Any:
    """A pointer: opaque, or to elements of a dtype. "tensormap" gives a tensor-map descriptor."""
    if dtype is None:
        return Var("v", as_type("handle"))
    if isinstance(dtype, str) and dtype == "tensormap":
        return Var("v", TensorMapType())
    return Var("v", PtrType(dtype, storage_scope))


def ptr(dtype: Any, storage_scope: Any = "global") -> Any:
    """A pointer to elements of a dtype."""
    return handle(dtype, storage_scope)


def Tuple(*fields: Any) -> Type:
    """The type of a tuple; without fields that of no result."""
    return TupleType(list(fields))


def Let(expr: Any, where: dict[Any, Any]) -> Any:
    """``expr`` with variables standing for values."""
    result = as_expr(expr)
    for var, value in reversed(list(where.items())):
        result = _LetNode(var, as_expr(value), result)
    return result


def Lambda(parameter_types: Any, function: Callable, *, ret_type: Any = None) -> LambdaExpr:
    """A function value: a Python function of expressions, with the types of its parameters."""
    return LambdaExpr(parameter_types, function, ret_type=ret_type)


def index_map(
    mapping: Callable, *, inverse_index_map: Any = None, index_dtype: str = "int64"
) -> IndexMap:
    """A renaming of coordinates."""
    return IndexMap.from_func(mapping, inverse_index_map=inverse_index_map, index_dtype=index_dtype)


def select(condition: Any, true_value: Any, false_value: Any) -> Any:
    """One of two values, promoted to one type; both are evaluated."""
    return _op.select(condition, true_value, false_value, None)


def logical_and(*values: Any) -> Any:
    """Whether all values hold."""
    from ...ir.prim.op import all as all_

    return all_(*values)


def logical_or(*values: Any) -> Any:
    """Whether one value holds."""
    from ...ir.prim.op import any as any_

    return any_(*values)


def logical_not(value: Any) -> Any:
    """Whether the value does not hold."""
    return _op.logical_not(value, None)


def static_assert(x: Any, message: str = "") -> None:
    """AssertionError while the program is built, unless the value is true."""
    if isinstance(x, Expr) and not hasattr(x, "value"):
        raise TypeError("static_assert needs a value that is known while the program is built")
    if not x:
        raise AssertionError(message)


def target(target_config: Any, host: Any = None) -> Any:
    """A compilation target, for function attributes."""
    from ...target import Target

    return Target(target_config, host)


def module_attrs(attrs: dict[str, Any], allow_overwrite: bool = False) -> None:
    """Set attributes of the open module."""
    if _is_in_scope():
        Functions("script.ir_builder.").ModuleAttrs(dict(attrs), allow_overwrite)
        return
    # Python runs the class body once before it is parsed.
    import sys

    if "__qualname__" not in sys._getframe(1).f_locals:
        raise RuntimeError("module_attrs stands inside a module class")


def module_get_attr(attr_key: str) -> Any:
    """An attribute of the open module, None when absent."""
    return Functions("script.ir_builder.").ModuleGetAttr(attr_key)


def module_set_attr(attr_key: str, attr_value: Any, allow_overwrite: bool = False) -> None:
    """Set one attribute of the open module."""
    module_attrs({attr_key: attr_value}, allow_overwrite)


def module_global_infos(global_infos: dict[str, Any]) -> None:
    """Set the global infos of the open module."""
    if _is_in_scope():
        Functions("script.ir_builder.").ModuleGlobalInfos(dict(global_infos))


__all__ = [
    "Lambda",
    "Let",
    "LetAnnotation",
    "Select",
    "Tuple",
    "constexpr",
    "dtype",
    "dynamic",
    "handle",
    "index_map",
    "let",
    "logical_and",
    "logical_not",
    "logical_or",
    "meta_var",
    "module_attrs",
    "module_get_attr",
    "module_global_infos",
    "module_set_attr",
    "ptr",
    "select",
    "static_assert",
    "target",
]
