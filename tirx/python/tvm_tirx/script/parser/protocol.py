# SPDX-License-Identifier: Apache-2.0
"""What the rewritten program calls. The names with ``@`` of ``rewrite.py`` are bound to these.

``loc`` is a packed location; the builder keeps the current file.
"""

from __future__ import annotations

import sys
from types import CellType, FunctionType
from typing import Any

from ..._ffi_functions import Functions
from ...ir.expr import (
    Expr,
    ExprOperand,
    GlobalVar,
    IntImm,
    TensorLoad,
    TensorRegion,
    Tuple,
    Var,
    _Deferred,
    _eq,
    _ne,
    const,
)
from ...ir.op_builder import AlreadyEmitted
from ...ir.type import PrimType, TupleType, VectorAnnotation
from ..ir_builder.base import MISSING, IRBuilderFrame
from ..ir_builder.frame import ForFrame

_b = Functions("script.ir_builder.")
_tirx = Functions("script.ir_builder.tirx.")
_op = Functions("prim._op.")

_NUMBERS = (int, float)


class LetAnnotation:
    """``T.let`` and ``T.let[type]``: marks an immutable binding."""

    def __init__(self, type_spec: Any = None) -> None:
        self.type_spec = type_spec

    def __getitem__(self, type_spec: Any) -> LetAnnotation:
        return LetAnnotation(type_spec)


let = LetAnnotation()


# ---- values


def _aliases(value: Any) -> bool:
    """Whether binding a name to the expression needs no variable of its own."""
    return isinstance(value, (Var, GlobalVar, TensorRegion)) or not isinstance(value, ExprOperand)


def as_expr(value: Any) -> Any:
    """A value of the program: numbers and texts as constants, tuples of them as Tuples."""
    if isinstance(value, _Deferred):
        return value.asobject()
    if isinstance(value, Expr):
        return value
    if isinstance(value, (tuple, list)):
        return Tuple([as_expr(v) for v in value])
    if isinstance(value, AlreadyEmitted):
        return as_expr(value.value)
    if isinstance(value, (bool, int, float)) or hasattr(value, "dtype"):
        return const(value)
    return value


def _is_program_value(value: Any) -> bool:
    return isinstance(value, (Expr, _Deferred))


def bind(value: Any, name: str, loc: int) -> Any:
    """``name = value``: what the name stands for from here on."""
    if isinstance(value, Expr):
        if _aliases(value):
            return value
        return _b.Bind(value, name, None, loc)
    if type(value) in _CONSTANT_TYPES:
        return _b.Bind(_bound_constant(value), name, None, loc)
    if isinstance(value, AlreadyEmitted):
        found = value.value
        if isinstance(found, (Var, TensorLoad)):
            _b.IRBuilderName(name, found)
        return found
    if isinstance(value, IRBuilderFrame):
        return _enter_implicit(value, name, loc)
    if isinstance(value, _Deferred):
        return _b.Bind(value.asobject(), name, None, loc)
    return value


def _bound_constant(value: Any) -> Any:
    if type(value) is int:
        # A name has the default integer type; a wider constant needs to say so.
        return IntImm("int32", value)
    return const(value) if type(value) is not str else value


_CONSTANT_TYPES = frozenset({bool, int, float, str})


def _enter_implicit(frame: Any, names: Any, loc: int) -> Any:
    """A region written as a plain statement: the rest of the block is its body."""
    _b.FrameEnterImplicit(frame, loc)
    found = frame.entered()
    if found is not frame:
        _name_variables(found, names)
    return found


def _name_variables(found: Any, names: Any) -> None:
    if names is None:
        return
    if isinstance(names, str):
        names = (names,)
    variables = found if isinstance(found, list) else [found]
    if len(names) != len(variables):
        if len(names) == 1:
            return  # one name for the whole list
        raise ValueError(f"{len(names)} names for a region with {len(variables)} parameters")
    for name, variable in zip(names, variables):
        _b.IRBuilderName(name, variable)


def rebind(old: Any, value: Any, name: str, loc: int) -> Any:
    """``name = value`` for a name that may stand for a mutable scalar."""
    if type(old) is not TensorLoad or isinstance(value, (AlreadyEmitted, IRBuilderFrame)):
        return bind(value, name, loc)
    _b.StoreCell(old, as_expr(value), loc)
    return old


def declare(annotation: Any, value: Any, name: str, loc: int) -> Any:
    """``name: annotation`` or ``name: annotation = value``."""
    if isinstance(annotation, LetAnnotation):
        if value is MISSING:
            raise ValueError("An immutable binding requires an initializer")
        if isinstance(value, AlreadyEmitted):
            return bind(value, name, loc)
        value = as_expr(value)
        ty = annotation.type_spec
        if ty is not None:
            value, ty = _typed(value, ty)
        return _b.Bind(value, name, ty, loc)
    if isinstance(annotation, VectorAnnotation):
        if value is not MISSING:
            raise ValueError("Vector annotation does not support an initializer")
        from ...tirx.script.allocation import alloc_tensor
        from ...tirx.tensor import TensorType

        ty = TensorType(annotation.shape, annotation.dtype, scope="local")
        return bind(alloc_tensor(ty_args=[ty]), name, loc)
    if not isinstance(annotation, PrimType):
        from ...ir.type import Type

        if value is MISSING:
            raise ValueError("An uninitialized binding requires a scalar type annotation")
        if isinstance(annotation, Type):
            raise TypeError("Mutable scalar annotations require a primitive scalar type")
        raise TypeError("ty must be a Type or primitive dtype string")
    if not annotation.is_scalar():
        raise TypeError("Mutable scalar annotations require a primitive scalar type")
    initial = None if value is MISSING else as_expr(value)
    return _b.DeclareCell(annotation, name, _local_scope(), initial, {}, loc)


def _local_scope() -> Any:
    from ...ir.scope import MemoryScope

    return MemoryScope("local")


def _typed(value: Any, ty: Any) -> Any:
    """A bound value in the type that its annotation names."""
    from ...ir.type import as_type

    ty = as_type(ty)
    if isinstance(ty, PrimType) and isinstance(value.ty, PrimType) and value.ty != ty:
        value = _op.cast(value, ty.dtype, None)
    return value, ty


def unpack(value: Any, count: int, star: int, stores_memory: bool, loc: int) -> Any:
    """The right side of a tuple assignment as ``count`` values; ``star`` is the starred target.

    When a target is memory, what is read from memory is bound first, so that ``a, b = b, a``
    exchanges."""
    if isinstance(value, AlreadyEmitted):
        value = value.value
    if isinstance(value, Expr) and isinstance(value.ty, TupleType):
        if not _aliases(value) and not isinstance(value, Tuple):
            value = _b.Bind(value, "v", None, loc)
        value = [value[i] for i in range(len(value.ty.fields))]
    values = list(value)
    if star >= 0:
        after = count - star - 1
        if len(values) < count - 1:
            raise ValueError(
                f"not enough values to unpack (expected at least {count - 1}, got {len(values)})"
            )
        end = len(values) - after
        values = [*values[:star], values[star:end], *values[end:]]
    if len(values) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(values)})")
    if len(values) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if stores_memory:
        values = [
            _b.Bind(v, "v", None, loc)
            if isinstance(v, Expr) and not _aliases(v) and _b.ReadsMemory(v)
            else v
            for v in values
        ]
    return values


# ---- statements


def setitem(target: Any, key: Any, value: Any, loc: int) -> Any:
    """``target[key] = value``"""
    if isinstance(target, Expr):
        if type(key) is not tuple:
            key = (key,)
        for item in key:
            if type(item) is slice:
                key = [(i.start, i.stop, i.step) if type(i) is slice else i for i in key]
                break
        if isinstance(target, TensorRegion):
            raise TypeError("A region of a tensor cannot be indexed for a store")
        if isinstance(value, (AlreadyEmitted, tuple, list)):
            value = as_expr(value)
        return _tirx.TensorStore(target, key, value, loc)
    if isinstance(target, AlreadyEmitted):
        return setitem(target.value, key, value, loc)
    target[key] = value  # an ordinary Python container
    return None


def setattr_(target: Any, name: str, value: Any, loc: int) -> Any:
    """``target.name = value``: a store when the field is a mutable scalar."""
    old = getattr(target, name, None)
    if type(old) is TensorLoad and not isinstance(value, AlreadyEmitted):
        return _b.StoreCell(old, as_expr(value), loc)
    if isinstance(value, AlreadyEmitted):
        value = value.value
    setattr(target, name, value)
    return None


def emit(value: Any, loc: int) -> None:
    """An expression as a statement."""
    if isinstance(value, Expr):
        if isinstance(value, (Var, GlobalVar)):
            return
        _b.Evaluate(value, loc)
    elif isinstance(value, IRBuilderFrame):
        _enter_implicit(value, None, loc)
    elif isinstance(value, _Deferred):
        _b.Evaluate(value.asobject(), loc)
    elif isinstance(value, _NUMBERS):
        _b.Evaluate(const(value), loc)


def return_(value: Any, loc: int) -> Any:
    """``return value``"""
    if value is None:
        raise TypeError("A primitive function return requires an expression")
    return _b.Return(as_expr(value), loc)


def assert_(condition: Any, message: Any, loc: int) -> None:
    """``assert condition, message``"""
    if isinstance(message, str):
        kind, parts = "RuntimeError", [message]
    elif isinstance(message, (tuple, list)) and len(message) == 2 and isinstance(message[0], str):
        kind, parts = message
        if isinstance(parts, str):
            parts = [parts]
        if not isinstance(parts, (tuple, list)):
            raise TypeError("Assertion metadata must be (error_kind, message_parts)")
        if not all(isinstance(part, str) for part in parts):
            raise TypeError("Assertion metadata must be (error_kind, message_parts)")
    else:
        raise TypeError("Assertion metadata must be (error_kind, message_parts)")
    _b.AssertStmt(as_expr(condition), kind, list(parts), loc)


def break_(loc: int) -> None:
    """``break``"""
    _b.Break(loc)


def continue_(loc: int) -> None:
    """``continue``"""
    _b.Continue(loc)


# ---- blocks


def range_(*args: Any, annotations: Any = None) -> Any:
    """``range(...)`` of a for statement."""
    if len(args) == 1:
        begin, end, step = 0, args[0], None
    elif 2 <= len(args) <= 3:
        begin, end = args[:2]
        step = args[2] if len(args) == 3 else None
    else:
        raise TypeError("range expects one to three arguments")
    return _b.For(begin, end, step, 0, annotations or {})


def for_(iterable: Any, names: Any, loc: int) -> Any:
    """Begins a loop; its variable, or the tuple of them."""
    if type(iterable) is not ForFrame:
        raise TypeError("A primitive for loop requires an iteration specification")
    if type(names) is str:
        return _b.BeginForOne(iterable, names, loc)
    return tuple(_b.BeginFor(iterable, names, loc))


def while_(condition: Any, loc: int) -> None:
    """Begins a while loop."""
    _b.BeginWhile(as_expr(condition), loc)


def if_(condition: Any, loc: int) -> None:
    """Begins an if with its first branch."""
    if condition is None or isinstance(condition, str):
        raise TypeError(f"Cannot infer a constant type from {type(condition).__name__}")
    _b.BeginIf(as_expr(condition), loc)


def else_(loc: int) -> None:
    """Ends the first branch and begins the other one."""
    _b.BeginElse(loc)


def end_if() -> None:
    """Ends an if."""
    _b.EndIf()


def end() -> None:
    """Ends the innermost block."""
    _b.EndBlock()


# Python context managers entered by `with` of the program; None for a region.
_open_with: list[Any] = []


def with_(context: Any, names: Any, loc: int) -> Any:
    """Begins ``with context as names``."""
    if isinstance(context, IRBuilderFrame):
        _b.FrameEnter(context, loc)
        _open_with.append(None)
        found = context.entered()
        if found is not context:
            _name_variables(found, names)
        return tuple(found) if isinstance(names, tuple) else found
    entered = type(context).__enter__(context)
    _open_with.append(context)
    return entered


def end_with() -> None:
    """Ends the innermost with."""
    context = _open_with.pop()
    if context is None:
        _b.EndBlock()
    else:
        type(context).__exit__(context, None, None, None)


def abandon_with(depth: int) -> None:
    """Leave the Python context managers above ``depth`` after an error."""
    kind, value, trace = sys.exc_info()
    while len(_open_with) > depth:
        context = _open_with.pop()
        if context is not None:
            type(context).__exit__(context, kind, value, trace)


# ---- what Python does not let a class overload


def _value_of(thunk: Any) -> Any:
    return thunk() if type(thunk) is FunctionType else thunk


def and_(left: Any, right: Any) -> Any:
    """``left and right``; ``right`` is a function, or a constant."""
    if not _is_program_value(left):
        if not left:
            return left
        value = _value_of(right)
        if _is_program_value(value) and isinstance(left, bool):
            return _op.logical_and(left, value, None)
        return value
    return _op.logical_and(as_expr(left), as_expr(_value_of(right)), None)


def or_(left: Any, right: Any) -> Any:
    """``left or right``; ``right`` is a function, or a constant."""
    if not _is_program_value(left):
        if left:
            return left
        value = _value_of(right)
        if _is_program_value(value) and isinstance(left, bool):
            return _op.logical_or(left, value, None)
        return value
    return _op.logical_or(as_expr(left), as_expr(_value_of(right)), None)


def not_(value: Any) -> Any:
    """``not value``"""
    if _is_program_value(value):
        return _op.logical_not(as_expr(value), None)
    return not value


def select(condition: Any, true_value: Any, false_value: Any) -> Any:
    """``true_value if condition else false_value``; the values are functions, or constants."""
    if not _is_program_value(condition):
        return _value_of(true_value) if condition else _value_of(false_value)
    return _op.if_then_else(
        as_expr(condition), as_expr(_value_of(true_value)), as_expr(_value_of(false_value)), None
    )


def eq(left: Any, right: Any) -> Any:
    """``left == right``"""
    if _compares(left, right):
        return _eq(as_expr(left), as_expr(right), None)
    return left == right


def ne(left: Any, right: Any) -> Any:
    """``left != right``"""
    if _compares(left, right):
        return _ne(as_expr(left), as_expr(right), None)
    return left != right


def contains(value: Any, values: Any) -> bool:
    """``value in values``, which Python decides while the program is built.

    TypeError where it would compare a value of the program with constants, which is always
    false."""
    if isinstance(values, ExprOperand):
        raise TypeError("`in` does not look into values of the program")
    if isinstance(value, ExprOperand) and isinstance(values, _COLLECTIONS):
        if values and not any(isinstance(item, ExprOperand) for item in values):
            raise TypeError(
                "`in` is decided while the program is built, so it cannot compare values of the "
                "program; write `x == a or x == b`, or `a <= x and x < b`"
            )
    return value in values


_COLLECTIONS = (tuple, list, set, frozenset, dict, range)
_NOT_VALUES = (type(None), str, dict, set, type)


def _compares(left: Any, right: Any) -> bool:
    """Whether a comparison is one of program values: one side is, and the other may be one."""
    if isinstance(left, ExprOperand):
        return not isinstance(right, _NOT_VALUES)
    return isinstance(right, ExprOperand) and not isinstance(left, _NOT_VALUES)


def static(condition: Any) -> bool:
    """The condition of ``if T.constexpr(...)``."""
    if isinstance(condition, IntImm):
        return bool(condition)
    if isinstance(condition, _Deferred) or not isinstance(condition, Expr):
        return bool(condition)
    raise TypeError(
        "constexpr needs a value that is known while the program is built, got "
        f"`{condition.script()}`"
    )


# ---- helpers


def call_location(depth: int) -> Any:
    """Where the code ``depth`` frames up is, None when it is no part of a program."""
    frame = sys._getframe(depth + 1)
    code = frame.f_code
    if not is_rewritten(code):
        return None
    from ...ir.location import SourceLoc

    return SourceLoc(code.co_filename, frame.f_lineno, 1, frame.f_lineno, 1)


def is_rewritten(code: Any) -> bool:
    """Whether the code was made by the rewriter."""
    return (
        any(name[0] == "@" for name in code.co_freevars)
        or code.co_name == "@signature"
        or id(code) in running_directly
    )


# Codes of functions that run as Python compiled them (direct.py), by id.
running_directly: dict[int, Any] = {}


def helper(function: FunctionType) -> Any:
    """A helper whose statements carry its own location and that of the call."""
    filename = function.__code__.co_filename

    def expand(*args: Any, **kwargs: Any) -> Any:
        _b.PushSource(filename, call_location(1))
        try:
            return function(*args, **kwargs)
        finally:
            _b.PopSource()

    expand.__name__ = function.__name__
    expand.__qualname__ = function.__qualname__
    expand.__doc__ = function.__doc__
    expand.__wrapped__ = function  # type: ignore[attr-defined]
    return expand


_FUNCTIONS = {
    "@bind": bind,
    "@rebind": rebind,
    "@declare": declare,
    "@missing": MISSING,
    "@unpack": unpack,
    "@setitem": setitem,
    "@setattr": setattr_,
    "@emit": emit,
    "@return_": return_,
    "@assert_": assert_,
    "@break_": break_,
    "@continue_": continue_,
    "@range": range_,
    "@for_": for_,
    "@while_": while_,
    "@if_": if_,
    "@else_": else_,
    "@end_if": end_if,
    "@end": end,
    "@with_": with_,
    "@end_with": end_with,
    "@and_": and_,
    "@or_": or_,
    "@not_": not_,
    "@select": select,
    "@eq": eq,
    "@ne": ne,
    "@contains": contains,
    "@slice": slice,
    "@static": static,
    "@helper": helper,
}
CELLS = {name: CellType(function) for name, function in _FUNCTIONS.items()}
"""A cell for each function of the protocol, for the closures of rewritten code."""
