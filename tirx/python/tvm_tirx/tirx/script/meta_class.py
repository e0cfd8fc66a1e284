# SPDX-License-Identifier: Apache-2.0
"""Python classes whose instances hold parts of the program."""

from __future__ import annotations

import functools
import sys
from typing import Any

from ..._ffi_functions import optional
from ...ir.expr import TensorLoad, Var
from ...ir.op_builder import AlreadyEmitted

_is_in_scope = optional("script.ir_builder.IRBuilderIsInScope")
_frames_of = optional("script.ir_builder.IRBuilderCurrent")


def _statements() -> Any:
    frames = _frames_of().frames
    return frames[len(frames) - 1].stmts if len(frames) else ()


def _owned(value: Any, found: list[Any], depth: int = 0) -> None:
    """Collect the tensors that are reachable from a field."""
    if depth > 16:
        return
    if isinstance(value, AlreadyEmitted):
        value = value.value
    if isinstance(value, TensorLoad):
        found.append(value.source)
    elif isinstance(value, Var):
        found.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            _owned(item, found, depth + 1)
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            _owned(item, found, depth + 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        for item in vars(value).values():
            _owned(item, found, depth + 1)


def meta_class(cls: type) -> type:
    """Decorator: instances of the class are values of the script that own tensors and scalars.

    Every tensor that the constructor allocates must be reachable from a field; RuntimeError
    otherwise."""
    original: Any = cls.__init__  # type: ignore[misc]

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if not _is_in_scope():
            original(self, *args, **kwargs)
            return
        before = len(_statements())
        original(self, *args, **kwargs)
        owned: list[Any] = []
        _owned(vars(self), owned)
        statements = _statements()
        for index in range(before, len(statements)):
            statement = statements[index]
            if type(statement).__name__ != "Bind":
                continue
            call = statement.value
            op = getattr(call, "op", None)
            if str(getattr(op, "name", "")) != "tirx.alloc_tensor":
                continue
            if not any(statement.var.same_as(var) for var in owned):
                raise RuntimeError(_unowned(cls, sys._getframe(1)))

    cls.__init__ = __init__  # type: ignore[misc]
    cls.__tirx_meta_class__ = True  # type: ignore[attr-defined]
    return cls


def _unowned(cls: type, frame: Any) -> str:
    import linecache

    filename, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(filename, line).strip()
    column = 1
    source = linecache.getline(filename, line)
    if source:
        column = len(source) - len(source.lstrip()) + 1
    return (
        f"TIRx meta_class constructor created an unowned resource: class {cls.__qualname__} at "
        f"{filename}:{line}:{column}: {text}\n"
        "Every tensor that the constructor allocates must be reachable from a field of the instance"
    )
