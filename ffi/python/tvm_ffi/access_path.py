# SPDX-License-Identifier: Apache-2.0
"""Paths from a root object to a value inside it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from .core import Object
from .registry import register_object


class AccessKind(IntEnum):
    """How one step enters a value; the MISSING kinds name what is not there."""

    ATTR = 0
    ARRAY_ITEM = 1
    MAP_ITEM = 2
    ATTR_MISSING = 3
    ARRAY_ITEM_MISSING = 4
    MAP_ITEM_MISSING = 5


@register_object("ffi.reflection.AccessStep")
class AccessStep(Object):
    """One step: a kind, and the field name, index or key."""

    if TYPE_CHECKING:
        kind: int
        key: Any


@register_object("ffi.reflection.AccessPath")
class AccessPath(Object):
    """A path; begin with ``AccessPath.root()`` and extend it.

    ``parent`` and ``step`` are None at the root. Paths compare by their steps.
    """

    if TYPE_CHECKING:
        parent: AccessPath | None
        step: AccessStep | None
        depth: int
        _root: Any
        _attr: Any
        _array_item: Any
        _map_item: Any
        _attr_missing: Any
        _array_item_missing: Any
        _map_item_missing: Any
        _is_prefix_of: Any
        _to_steps: Any
        _path_equal: Any

    def __init__(self) -> None:
        raise ValueError("AccessPath has no constructor; begin with AccessPath.root()")

    @staticmethod
    def root() -> AccessPath:
        """The empty path."""
        return AccessPath._root()

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, AccessPath):
            return False
        return self._path_equal(other)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = Object.__hash__

    def is_prefix_of(self, other: AccessPath) -> bool:
        """Whether ``other`` begins with this path."""
        return self._is_prefix_of(other)

    def attr(self, attr_key: str) -> AccessPath:
        """This path, then a field."""
        return self._attr(attr_key)

    def attr_missing(self, attr_key: str) -> AccessPath:
        """This path, then a field that is not there."""
        return self._attr_missing(attr_key)

    def array_item(self, index: int) -> AccessPath:
        """This path, then an element."""
        return self._array_item(index)

    def array_item_missing(self, index: int) -> AccessPath:
        """This path, then an element that is not there."""
        return self._array_item_missing(index)

    def map_item(self, key: Any) -> AccessPath:
        """This path, then the value of a key."""
        return self._map_item(key)

    def map_item_missing(self, key: Any) -> AccessPath:
        """This path, then the value of a key that is not there."""
        return self._map_item_missing(key)

    def to_steps(self) -> Sequence[AccessStep]:
        """The steps, from the root on."""
        return self._to_steps()
