# SPDX-License-Identifier: Apache-2.0
"""The metaclass of object classes."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any


class _ObjectSlotsMeta(ABCMeta):
    """Gives every class body without ``__slots__`` an empty one.

    Instances then have no ``__dict__``: an attribute that is neither a field nor a property can't
    be set by mistake. A class opts out with ``__slots__ = ("__dict__",)``.
    """

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> Any:
        namespace.setdefault("__slots__", ())
        return super().__new__(mcls, name, bases, namespace, **kwargs)


def _shallow_copy(self: Any) -> Any:
    from ._copy import shallow_copy

    return shallow_copy(self)


def _deep_copy(self: Any, memo: Any = None) -> Any:
    from ._copy import deep_copy

    return deep_copy(self, memo)


_ObjectSlotsMeta.__module__ = "tvm_ffi.core"
