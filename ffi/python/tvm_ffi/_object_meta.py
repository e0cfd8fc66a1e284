# SPDX-License-Identifier: Apache-2.0
"""The metaclass of object classes."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any


def _check_one_native_type(name: str, bases: tuple[type, ...]) -> None:
    """One base must be of a native type below those of all others: an instance wraps one object."""
    infos = [getattr(base, "__tvm_ffi_type_info__", None) for base in bases]
    found = [info for info in infos if info is not None]
    if len(found) < 2:
        return
    deepest = max(found, key=lambda info: len(info.type_ancestors))
    for info in found:
        if info.type_index != deepest.type_index and info.type_index not in deepest.type_ancestors:
            raise TypeError(
                f"{name} can't derive from both `{info.type_key}` and `{deepest.type_key}`: "
                "an object has one native type"
            )


class _ObjectSlotsMeta(ABCMeta):
    """Gives every class body without ``__slots__`` an empty one.

    Instances then have no ``__dict__``: an attribute that is neither a field nor a property can't
    be set by mistake. A class opts out with ``__slots__ = ("__dict__",)``.
    """

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> Any:
        namespace.setdefault("__slots__", ())
        _check_one_native_type(name, bases)
        return super().__new__(mcls, name, bases, namespace, **kwargs)


def _shallow_copy(self: Any) -> Any:
    from ._copy import shallow_copy

    return shallow_copy(self)


def _deep_copy(self: Any, memo: Any = None) -> Any:
    from ._copy import deep_copy

    return deep_copy(self, memo)


_ObjectSlotsMeta.__module__ = "tvm_ffi.core"
