# SPDX-License-Identifier: Apache-2.0
"""The builder protocol for programs written without the parser: ``with T.function_(): ...``."""

from __future__ import annotations

import contextlib
from typing import Any

from ..._ffi_functions import Functions
from ...ir.expr import Var
from ...ir.op_builder import AlreadyEmitted
from ...script.ir_builder.base import MISSING
from ...script.parser import protocol
from ...script.parser.build import check_well_formed, parameter_type

_b = Functions("script.ir_builder.")
_tirx = Functions("script.ir_builder.tirx.")


def function_(
    *, private: bool = False, persistent: bool = False, decl: bool = False, loc: Any = None
) -> Any:
    """The frame of a function."""
    return _tirx.Function(private, persistent, decl)


def func_name_(name: str) -> None:
    """Name the open function."""
    _tirx.FuncName(name)


def arg_(name: str, annotation: Any, *, loc: Any = None) -> Any:
    """Add a parameter to the open function; returns its variable."""
    if isinstance(annotation, Var):
        return _tirx.ArgVar(name, annotation)
    return _tirx.Arg(name, parameter_type(annotation), 0)


def func_ret_type_(annotation: Any, *, loc: Any = None) -> None:
    """Set the result type of the open function."""
    _tirx.FuncRet(parameter_type(annotation))


func_ret = func_ret_type_


def func_attr(attrs: dict[str, Any]) -> None:
    """Set attributes of the open function."""
    _tirx.FuncAttrs(dict(attrs))


def bind_(
    value: Any = MISSING,
    *,
    ty: Any = None,
    name: str | None = None,
    loc: Any = None,
    value_loc: Any = None,
    name_loc: Any = None,
    frame_value: bool = False,
) -> Any:
    """Bind a value to a name; returns what stands for it from here on."""
    if value is MISSING:
        raise ValueError("An immutable binding requires an initializer")
    if ty is not None:
        return protocol.declare(protocol.LetAnnotation(ty), value, name or "v", 0)
    return protocol.bind(value, name or "v", 0)


def decl_mutable_cell_(
    value: Any = MISSING,
    *,
    ty: Any = None,
    name: str | None = None,
    loc: Any = None,
    name_loc: Any = None,
) -> Any:
    """Declare a mutable scalar."""
    if isinstance(value, AlreadyEmitted):
        return protocol.bind(value, name or "v", 0)
    return protocol.declare(ty, value, name or "v", 0)


def set_mutable_cell_(target: Any, value: Any, *, loc: Any = None) -> AlreadyEmitted:
    """Store into a mutable scalar."""
    return AlreadyEmitted(_b.StoreCell(target, protocol.as_expr(value), 0))


def setitem_(target: Any, key: Any, value: Any, *, loc: Any = None) -> AlreadyEmitted:
    """``target[key] = value``"""
    return AlreadyEmitted(protocol.setitem(target, key, value, 0))


def setattr_(target: Any, name: str, value: Any, *, loc: Any = None) -> Any:
    """``target.name = value``"""
    return protocol.setattr_(target, name, value, 0)


def emit_(value: Any, *, loc: Any = None) -> None:
    """A value as a statement."""
    protocol.emit(value, 0)


emit = emit_


def evaluate(value: Any) -> AlreadyEmitted:
    """Evaluate an expression for its effects."""
    if isinstance(value, AlreadyEmitted):
        return value
    return AlreadyEmitted(_b.Evaluate(protocol.as_expr(value), 0))


class _FrameScope:
    def __init__(self, frames: list[Any]) -> None:
        self._frames = frames
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> tuple[Any, ...]:
        values = [self._stack.enter_context(frame) for frame in self._frames]
        return tuple(tuple(v) if isinstance(v, list) else v for v in values)

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self._stack.__exit__(kind, value, trace)


def frame_scope(frames: list[Any]) -> _FrameScope:
    """Several frames as one context, the first one outermost; gives what each of them gives."""
    return _FrameScope(frames)


def resolve_global_info_(content: str) -> Any:
    """The entry of the module's global infos that a text names. There is no kind of them yet."""
    raise ValueError(f"Invalid global-info reference: {content!r}")


def add_to_parent(stmt: Any) -> None:
    """Add a statement to the innermost frame."""
    _b.AddToParent(stmt)


def return_(value: Any = None, *, loc: Any = None) -> AlreadyEmitted:
    """``return value``"""
    return AlreadyEmitted(protocol.return_(value, 0))


def break_(*, loc: Any = None) -> AlreadyEmitted:
    """``break``"""
    return AlreadyEmitted(_b.Break(0))


def continue_(*, loc: Any = None) -> AlreadyEmitted:
    """``continue``"""
    return AlreadyEmitted(_b.Continue(0))


def assert_(condition: Any, message: Any = "", *, loc: Any = None) -> None:
    """``assert condition, message``"""
    protocol.assert_(condition, message, 0)


def for_(iterable: Any, *, names: Any = None, loc: Any = None) -> Any:
    """The frame of a loop, its variables named."""
    if not hasattr(iterable, "vars"):
        raise TypeError("A primitive for loop requires an iteration specification")
    if names is not None:
        wanted = [names] if isinstance(names, str) else list(names)
        if len(wanted) != len(iterable.vars):
            raise ValueError(
                "Check failed: (targets.size() == vars.size()) is false: Loop target count "
                "differs from iteration dimensions"
            )
        for name, var in zip(wanted, iterable.vars):
            _b.IRBuilderName(name, var)
    return iterable


def while_(condition: Any, *, loc: Any = None) -> Any:
    """The frame of a while loop."""
    return _b.While(protocol.as_expr(condition))


def if_(condition: Any, *, loc: Any = None) -> Any:
    """The frame of an if; its branches are `then_` and `else_`."""
    return _b.If(protocol.as_expr(condition))


def then_(*, loc: Any = None) -> Any:
    """The frame of the first branch of an if."""
    return _b.Then()


def else_(*, loc: Any = None) -> Any:
    """The frame of the other branch of an if."""
    return _b.Else()


def and_(*values: Any) -> Any:
    """Whether all values hold."""
    result = values[0]
    for value in values[1:]:
        result = protocol.and_(result, value)
    return result


def or_(*values: Any) -> Any:
    """Whether one value holds."""
    result = values[0]
    for value in values[1:]:
        result = protocol.or_(result, value)
    return result


def not_(value: Any) -> Any:
    """Whether the value does not hold."""
    return protocol.not_(value)


def if_then_else_(condition: Any, true_value: Any, false_value: Any) -> Any:
    """``true_value if condition else false_value``"""
    return protocol.select(condition, true_value, false_value)


def eq_(lhs: Any, rhs: Any, *, loc: Any = None) -> Any:
    """``lhs == rhs``"""
    return protocol.eq(lhs, rhs)


def ne_(lhs: Any, rhs: Any, *, loc: Any = None) -> Any:
    """``lhs != rhs``"""
    return protocol.ne(lhs, rhs)


def lt_(lhs: Any, rhs: Any, *, loc: Any = None) -> Any:
    """``lhs < rhs``"""
    return protocol.as_expr(lhs) < rhs


def le_(lhs: Any, rhs: Any, *, loc: Any = None) -> Any:
    """``lhs <= rhs``"""
    return protocol.as_expr(lhs) <= rhs


def gt_(lhs: Any, rhs: Any, *, loc: Any = None) -> Any:
    """``lhs > rhs``"""
    return protocol.as_expr(lhs) > rhs


def ge_(lhs: Any, rhs: Any, *, loc: Any = None) -> Any:
    """``lhs >= rhs``"""
    return protocol.as_expr(lhs) >= rhs


def unpack_(value: Any) -> Any:
    """The fields of a tuple value."""
    from ...ir.type import TupleType

    if isinstance(getattr(value, "ty", None), TupleType):
        return tuple(value[i] for i in range(len(value.ty.fields)))
    return tuple(value)


def check_well_formed_(function: Any) -> None:
    """ValueError unless the function is well-formed."""
    check_well_formed(function)


def call_global_var_(function: Any, args: Any) -> Any:
    """A call of a function of the module."""
    return function(*args)


def decl_function(func_name: str, func_signature: Any) -> Any:
    """Declare a function of the open module; returns its GlobalVar."""
    return _b.DeclFunction(func_name, func_signature.ty)


def module_member_(name: str, value: Any) -> Any:
    """A member of the open module that is no function."""
    return value
