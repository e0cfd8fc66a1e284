# SPDX-License-Identifier: Apache-2.0
"""Containers: ``Array`` and ``Map`` can't change, ``List`` and ``Dict`` can.

Reading (length, indexing, iteration, ``in``, equality, hash) is done by the base class in C++,
straight from the memory of the native container.
"""

from __future__ import annotations

import operator
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
)
from collections.abc import ItemsView as ItemsViewBase
from collections.abc import KeysView as KeysViewBase
from collections.abc import ValuesView as ValuesViewBase
from typing import Any, SupportsIndex, TypeVar

from . import core
from .core import MISSING, CContainerBase, Object
from .registry import register_object

__all__ = ["Array", "Dict", "List", "Map"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
_DefaultT = TypeVar("_DefaultT")

_init = core._init_container
_iter = core._container_iter
_get = core._container_get


# Values of these classes lead to no other object, so storing one can't close a cycle.
_PLAIN = frozenset({int, float, bool, str, bytes, type(None), core.String, core.Bytes})
_note_stored = core._note_stored
_note_copied = core._note_copied


def _native(name: str) -> Any:
    """A function that changes a container; none of them waits, so the GIL stays."""
    function = core._get_global_func(f"ffi.{name}", False)
    function.release_gil = False
    return core._locked(function)


_list_set_item = _native("ListSetItem")
_list_append = _native("ListAppend")
_list_insert = _native("ListInsert")
_list_erase = _native("ListErase")
_list_erase_range = _native("ListEraseRange")
_list_replace_slice = _native("ListReplaceSlice")
_list_reverse = _native("ListReverse")
_list_clear = _native("ListClear")
_dict_set_item = _native("DictSetItem")
_dict_erase = _native("DictErase")
_dict_clear = _native("DictClear")
_deep_copy = core._get_global_func("ffi.DeepCopy", False)


def normalize_index(length: int, idx: SupportsIndex) -> int:
    """The index counted from the start. IndexError when it is out of range."""
    index = operator.index(idx)
    at = index + length if index < 0 else index
    if not 0 <= at < length:
        raise IndexError(f"Index out of range. size: {length}, got index {index}")
    return at


def getitem_helper(
    obj: Any, elem_getter: Callable[[Any, int], T], length: int, idx: SupportsIndex | slice
) -> T | list[T]:
    """Indexing of a sequence by an element getter: an element, or the list of a slice."""
    if isinstance(idx, slice):
        return [elem_getter(obj, i) for i in range(*idx.indices(length))]
    return elem_getter(obj, normalize_index(length, idx))


def _check_index(idx: Any) -> None:
    if not hasattr(type(idx), "__index__"):
        raise TypeError(f"indices must be integers or slices, not {type(idx).__name__}")


def _index_of(values: Any, value: Any, start: int, stop: int | None) -> int:
    """First position of ``value`` in a range whose ends count from the back when negative."""
    length = len(values)
    first = max(length + start, 0) if start < 0 else start
    last = length if stop is None else stop + length if stop < 0 else stop
    for position, item in enumerate(values):  # ends early when a comparison makes a list shorter
        if position >= last:
            break
        if position >= first and (item is value or item == value):
            return position
    raise ValueError(f"{value!r} is not in the {type(values).__name__}")


@register_object("ffi.Array", init=False)
class Array(CContainerBase, Object, Sequence[T]):
    """An immutable sequence, equal to any sequence with the same elements."""

    def __init__(self, input_list: Iterable[T]) -> None:
        _init(self, "Array", input_list)

    def __class_getitem__(cls, item: Any) -> Any:
        from types import GenericAlias

        return GenericAlias(cls, item)

    def __reversed__(self) -> Iterator[T]:
        return _iter(self, 0, True)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:  # type: ignore[override]
        """First position of ``value``. ValueError when there is none."""
        return _index_of(self, value, start, stop)

    def __add__(self, other: Iterable[T]) -> Array[T]:
        if isinstance(other, (str, bytes)) or not isinstance(other, Iterable):
            return NotImplemented
        return type(self)([*self, *other])

    def __radd__(self, other: Iterable[T]) -> Array[T]:
        if isinstance(other, (str, bytes)) or not isinstance(other, Iterable):
            return NotImplemented
        return type(self)([*other, *self])

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Array[T]:
        return _note_copied(_deep_copy(self))


@register_object("ffi.List", init=False)
class List(CContainerBase, Object, MutableSequence[T]):
    """A mutable sequence; all references to it see a change."""

    def __init__(self, input_list: Iterable[T] = ()) -> None:
        _init(self, "List", input_list)

    def __class_getitem__(cls, item: Any) -> Any:
        from types import GenericAlias

        return GenericAlias(cls, item)

    def __reversed__(self) -> Iterator[T]:
        return _iter(self, 0, True)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:  # type: ignore[override]
        """First position of ``value``. ValueError when there is none."""
        return _index_of(self, value, start, stop)

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:  # type: ignore[override]
        if not isinstance(index, slice):
            _check_index(index)
            if type(value) not in _PLAIN:
                _note_stored(self)
            _list_set_item(self, normalize_index(len(self), index), value)
            return
        values = list(value)  # first: the iterable may change this list
        start, stop, step = index.indices(len(self))
        _note_stored(self)
        if step == 1:
            _list_replace_slice(self, start, max(start, stop), List(values))
            return
        positions = range(start, stop, step)
        if len(values) != len(positions):
            raise ValueError(
                f"attempt to assign sequence of size {len(values)} to extended slice of size "
                f"{len(positions)}"
            )
        for position, item in zip(positions, values):
            _list_set_item(self, position, item)

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        if not isinstance(index, slice):
            _check_index(index)
            _list_erase(self, normalize_index(len(self), index))
            return
        start, stop, step = index.indices(len(self))
        if step == 1:
            _list_erase_range(self, start, max(start, stop))
            return
        for position in sorted(range(start, stop, step), reverse=True):
            _list_erase(self, position)

    def insert(self, index: SupportsIndex, value: T) -> None:
        """Inserts before ``index``, which is clamped to the list."""
        length = len(self)
        at = operator.index(index)
        if at < 0:
            at += length
        if type(value) not in _PLAIN:
            _note_stored(self)
        _list_insert(self, min(max(at, 0), length), value)

    def append(self, value: T) -> None:
        """Adds one element at the end."""
        if type(value) not in _PLAIN:
            _note_stored(self)
        _list_append(self, value)

    def extend(self, values: Iterable[T]) -> None:
        """Adds the elements of an iterable, also of the list itself."""
        items = list(values) if values is self else values
        _note_stored(self)
        for value in items:
            _list_append(self, value)

    def pop(self, index: SupportsIndex = -1) -> T:
        """Removes an element and returns it. IndexError when there is none."""
        _check_index(index)
        return core._list_take(self, index)

    def clear(self) -> None:
        """Removes all elements."""
        _list_clear(self)

    def reverse(self) -> None:
        """Reverses the list in place."""
        _list_reverse(self)

    def __iadd__(self, values: Iterable[T]) -> List[T]:  # type: ignore[misc, override]
        self.extend(values)
        return self

    def __add__(self, other: Iterable[T]) -> List[T]:
        if isinstance(other, (str, bytes)) or not isinstance(other, Iterable):
            return NotImplemented
        return type(self)([*self, *other])

    def __radd__(self, other: Iterable[T]) -> List[T]:
        if isinstance(other, (str, bytes)) or not isinstance(other, Iterable):
            return NotImplemented
        return type(self)([*other, *self])

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> List[T]:
        return _note_copied(_deep_copy(self))


class KeysView(KeysViewBase):
    """Live view of the keys."""

    __slots__ = ()
    _mapping: Any

    def __init__(self, backend_map: Any, iter_functor_getter: Any = None) -> None:
        super().__init__(backend_map)

    def __iter__(self) -> Iterator[Any]:
        return _iter(self._mapping, 0)

    def __contains__(self, key: object) -> bool:
        return key in self._mapping

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


class ValuesView(ValuesViewBase):
    """Live view of the values."""

    __slots__ = ()
    _mapping: Any

    def __init__(self, backend_map: Any, iter_functor_getter: Any = None) -> None:
        super().__init__(backend_map)

    def __iter__(self) -> Iterator[Any]:
        return _iter(self._mapping, 1)

    def __contains__(self, value: object) -> bool:
        return any(item == value for item in self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


class ItemsView(ItemsViewBase):
    """Live view of the pairs of key and value."""

    __slots__ = ()
    _mapping: Any

    def __init__(self, backend_map: Any, iter_functor_getter: Any = None) -> None:
        super().__init__(backend_map)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return _iter(self._mapping, 2)

    def __contains__(self, item: object) -> bool:
        if not isinstance(item, tuple) or len(item) != 2:
            return False
        value = _get(self._mapping, item[0], MISSING)
        return value is not MISSING and value == item[1]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


@register_object("ffi.Map", init=False)
class Map(CContainerBase, Object, Mapping[K, V]):
    """An immutable mapping that keeps the order of insertion.

    Keys match by type and value: ``1``, ``1.0`` and ``True`` are three keys.
    """

    def __init__(self, input_dict: Mapping[K, V]) -> None:
        _init(self, "Map", input_dict)

    def __class_getitem__(cls, item: Any) -> Any:
        from types import GenericAlias

        return GenericAlias(cls, item)

    def __reversed__(self) -> Iterator[K]:
        return reversed(list(self))

    def get(self, key: K, default: Any = None) -> Any:  # type: ignore[override]
        """The value of ``key``, or ``default``."""
        return _get(self, key, default)

    def keys(self) -> KeysView:
        """Live view of the keys."""
        return KeysView(self)

    def values(self) -> ValuesView:
        """Live view of the values."""
        return ValuesView(self)

    def items(self) -> ItemsView:
        """Live view of the pairs of key and value."""
        return ItemsView(self)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Map[K, V]:
        return _note_copied(_deep_copy(self))


@register_object("ffi.Dict", init=False)
class Dict(CContainerBase, Object, MutableMapping[K, V]):
    """A mutable mapping; all references to it see a change."""

    def __init__(self, input_dict: Mapping[K, V] | None = None) -> None:
        _init(self, "Dict", {} if input_dict is None else input_dict)

    def __class_getitem__(cls, item: Any) -> Any:
        from types import GenericAlias

        return GenericAlias(cls, item)

    def __reversed__(self) -> Iterator[K]:
        return reversed(list(self))

    def __setitem__(self, key: K, value: V) -> None:
        if type(value) not in _PLAIN:
            _note_stored(self)
        _dict_set_item(self, key, value)

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        _dict_erase(self, key)

    def get(self, key: K, default: Any = None) -> Any:  # type: ignore[override]
        """The value of ``key``, or ``default``."""
        return _get(self, key, default)

    def pop(self, key: K, *args: Any) -> Any:  # type: ignore[override]
        """Removes ``key`` and returns its value; the optional argument is what to return when it
        is missing (else KeyError)."""
        if len(args) > 1:
            raise TypeError(f"pop expected at most 2 arguments, got {1 + len(args)}")
        value = core._dict_take(self, key, args[0] if args else MISSING)
        if value is MISSING:
            raise KeyError(key)
        return value

    def popitem(self) -> tuple[K, V]:
        """Removes the first entry and returns it. KeyError when there is none."""
        taken = core._dict_take_first(self)
        if taken is None:
            raise KeyError(f"popitem from an empty {type(self).__name__}")
        return taken

    def clear(self) -> None:
        """Removes all entries."""
        _dict_clear(self)

    def update(self, other: Any = (), /, **kwargs: V) -> None:  # type: ignore[override]
        """Sets the entries of a mapping, of an iterable of pairs, and of keywords."""
        pairs = other.items() if hasattr(other, "items") else other
        _note_stored(self)
        for key, value in list(pairs):
            _dict_set_item(self, key, value)
        for name, value in kwargs.items():
            _dict_set_item(self, name, value)

    def keys(self) -> KeysView:
        """Live view of the keys."""
        return KeysView(self)

    def values(self) -> ValuesView:
        """Live view of the values."""
        return ValuesView(self)

    def items(self) -> ItemsView:
        """Live view of the pairs of key and value."""
        return ItemsView(self)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Dict[K, V]:
        return _note_copied(_deep_copy(self))
