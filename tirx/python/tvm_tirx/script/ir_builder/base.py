# SPDX-License-Identifier: Apache-2.0
"""The builder of programs and its frames, for use without the parser."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tvm_ffi import Object, register_object

from ..._ffi_functions import Functions
from ...ir.op_builder import AlreadyEmitted, auto_emit_void_call

_b = Functions("script.ir_builder.")


class _Missing:
    def __repr__(self) -> str:
        return "<MISSING>"


MISSING = _Missing()
"""Stands for an argument that was not given."""


@register_object("script.ir_builder.IRBuilder")
class IRBuilder(Object):
    """Collects a program. ``with IRBuilder() as b:`` makes it the current one; inside, frames are
    entered with ``with`` and statements go to the innermost frame."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_b.IRBuilder)

    def __enter__(self) -> IRBuilder:
        _b.IRBuilderEnter(self)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        _b.IRBuilderExit(self)

    @staticmethod
    def current() -> IRBuilder:
        """The innermost entered builder of this thread; RuntimeError without one."""
        return _b.IRBuilderCurrent()

    @staticmethod
    def is_in_scope() -> bool:
        """Whether a builder is entered."""
        return bool(_b.IRBuilderIsInScope())

    def get(self) -> Any:
        """The finished function or module; RuntimeError when there is none."""
        return _b.IRBuilderGet(self)

    @staticmethod
    def name(s: str, v: Any) -> Any:
        """Name a variable; returns it."""
        _b.IRBuilderName(s, v.value if isinstance(v, AlreadyEmitted) else v)
        return v

    @staticmethod
    def name_many(s: list[str], vs: list[Any]) -> list[Any]:
        """Name several variables."""
        if len(s) != len(vs):
            raise ValueError(f"{len(s)} names for {len(vs)} values")
        return [IRBuilder.name(name, value) for name, value in zip(s, vs)]

    @contextlib.contextmanager
    def with_loc(self, loc: Any) -> Iterator[IRBuilder]:
        """Inside, ``loc`` is the location of the statements."""
        _b.PushLocation(loc.loc if isinstance(loc, LocationEntry) else loc)
        try:
            yield self
        finally:
            _b.PopSource()

    def line_trace_scope(self, *, exclude_paths: Any = ()) -> Any:
        """Inside, the line of Python that runs is the location of the statements that it makes.
        Lines of files whose path starts with one of ``exclude_paths`` count for their caller."""
        from .tracing import LineTraceScope

        return LineTraceScope(self, exclude_paths=exclude_paths)


@register_object("script.ir_builder.IRBuilderFrame")
class IRBuilderFrame(Object):
    """An open construct of the program; ends with its ``with`` block."""

    if TYPE_CHECKING:
        # The fields of the native object.
        def __getattr__(self, name: str) -> Any: ...

    def __enter__(self) -> Any:
        _b.FrameEnter(self, 0)
        return self.entered()

    def entered(self) -> Any:
        """What ``as`` gives: the frame itself, or its variables."""
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, trace: Any) -> None:
        # After an error the program is given up as a whole.
        if exc_type is None:
            _b.FrameExit(self)

    def add_callback(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the frame ends."""
        _b.FrameAddCallback(self, callback)


class LocationEntry:
    """A location that is given to values."""

    def __init__(self, loc: Any) -> None:
        self.loc = loc

    def __call__(self, value: Any) -> Any:
        return at(self, value)

    def ctx(self, thunk: Callable[[], Any], *, attach_result: bool = True) -> Any:
        """The result of ``thunk``; what it builds has this location."""
        return with_at_group_(self, thunk, attach_result=attach_result)


def at(loc: Any, value: Any) -> Any:
    """``value``, an expression, with a location."""
    return value


at_ = at


def with_at_group_(location: Any, thunk: Callable[[], Any], *, attach_result: bool = True) -> Any:
    """The result of ``thunk``; statements that it adds have the location."""
    if isinstance(location, LocationEntry):
        location = location.loc
    if location is None:
        return thunk()
    _b.PushLocation(location)
    try:
        return thunk()
    finally:
        _b.PopSource()


def resolve_global_info_args(*fields: str, resolver: Callable[[str], Any]) -> Callable:
    """A decorator that passes text arguments named by ``fields`` through ``resolver``."""

    def decorate(function: Callable) -> Callable:
        import functools
        import inspect

        signature = inspect.signature(function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            for field in fields:
                if isinstance(bound.arguments.get(field), str):
                    bound.arguments[field] = resolver(bound.arguments[field])
            return function(*bound.args, **bound.kwargs)

        return wrapper

    return decorate


__all__ = [
    "MISSING",
    "AlreadyEmitted",
    "IRBuilder",
    "IRBuilderFrame",
    "LocationEntry",
    "at",
    "at_",
    "auto_emit_void_call",
    "resolve_global_info_args",
    "with_at_group_",
]
