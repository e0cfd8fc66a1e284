# SPDX-License-Identifier: Apache-2.0
"""Exception classes for the kinds of native errors."""

from __future__ import annotations

import types
from typing import Any

from . import core


class TracebackManager:
    """Adds frames of native code to tracebacks."""

    def append_traceback(
        self, tb: types.TracebackType | None, filename: str, lineno: int, func: str
    ) -> types.TracebackType:
        """The traceback ``tb`` with one more frame around it."""
        return core._append_traceback(tb, f'  File "{filename}", line {lineno}, in {func}\n')


_TRACEBACK_MANAGER = TracebackManager()


def register_error(name_or_cls: Any = None, cls: type | None = None) -> Any:
    """Makes an exception class the Python side of an error kind.

    ``@register_error``, ``@register_error("Kind")`` and ``register_error("Kind", cls)`` are the
    accepted forms; without a name the kind is the name of the class.

    Raises ``TypeError`` for a name that is no str and for what is no exception class.
    """
    if isinstance(name_or_cls, type):
        cls, name_or_cls = name_or_cls, name_or_cls.__name__

    if name_or_cls is not None and not isinstance(name_or_cls, str):
        raise TypeError(f"the kind of an error must be str, got {type(name_or_cls).__name__}")

    def register(exception: type) -> type:
        if not isinstance(exception, type) or not issubclass(exception, BaseException):
            raise TypeError(f"expected an exception class, got {exception!r}")
        name = exception.__name__ if name_or_cls is None else name_or_cls
        core.ERROR_NAME_TO_TYPE[name] = exception
        core.ERROR_TYPE_TO_NAME[exception] = name
        return exception

    return register if cls is None else register(cls)
