# SPDX-License-Identifier: Apache-2.0
"""Equality, hashes, visits and rewriting by structure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from . import _ffi_api, core
from .core import Object
from .registry import register_object

if TYPE_CHECKING:
    from .access_path import AccessPath

__all__ = [
    "DefRegionKind",
    "InplaceMode",
    "StructuralKey",
    "StructuralMutator",
    "StructuralVisitor",
    "VisitInterrupt",
    "WalkOrder",
    "WalkResult",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
    "structural_map",
    "structural_mutate",
    "structural_visit",
    "structural_walk",
]


class WalkOrder(IntEnum):
    """When a walk reports a value: before or after its children."""

    PREORDER = 0
    POSTORDER = 1


class WalkResult(IntEnum):
    """What a walk does next: go on, or (in preorder) leave out the children."""

    ADVANCE = 0
    SKIP = 1


class InplaceMode(IntEnum):
    """Whether a mutation may change a value in place."""

    DISALLOW = 0
    ALLOW = 1


class DefRegionKind(IntEnum):
    """Kind of definition region a value lies in."""

    NONE = 0
    DEF_PATTERN = 1
    DEF_SIMPLE = 2


def structural_equal(
    lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> bool:
    """Whether two values have the same structure.

    Parameters
    ----------
    map_free_vars
        Lets a free variable of one side stand for one of the other.
    skip_tensor_content
        Compares shapes and types of tensors only.
    """
    return _ffi_api.StructuralEqual(lhs, rhs, map_free_vars, skip_tensor_content)


def get_first_structural_mismatch(
    lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> tuple[AccessPath, AccessPath] | None:
    """Paths to the first difference in both values, None when they are structurally equal."""
    return _ffi_api.GetFirstStructuralMismatch(lhs, rhs, map_free_vars, skip_tensor_content)


def structural_hash(
    value: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> int:
    """A hash in [0, 2**64) that is the same for structurally equal values."""
    return _ffi_api.StructuralHash(value, map_free_vars, skip_tensor_content) & (2**64 - 1)


@register_object("ffi.StructuralKey")
class StructuralKey(Object):
    """A value as a key that compares by structure. ``hash_i64`` is its structural hash."""

    if TYPE_CHECKING:
        key: Any
        hash_i64: int

    def __init__(self, key: Any) -> None:
        self.__ffi_init__(key)

    def __hash__(self) -> int:
        return self.hash_i64

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, StructuralKey) and _ffi_api.StructuralKeyEqual(self, other)


@register_object("ffi.VisitInterrupt")
class VisitInterrupt(Object):
    """Ends a walk or visit, which then returns this object."""

    if TYPE_CHECKING:
        value: Any

    def __init__(self, value: Any = None) -> None:
        self.__init_handle_by_constructor__(_ffi_api.VisitInterrupt, value)


@register_object("ffi.StructuralVisitor")
class StructuralVisitor(Object):
    """Passed to the callbacks of ``structural_visit``."""

    def visit(self, value: Any) -> VisitInterrupt | None:
        """Visits a child, callbacks included."""
        return _ffi_api.StructuralVisitorVisit(self, value)

    def default_visit(self, value: Any) -> VisitInterrupt | None:
        """Visits the children of a value without the callback for the value itself."""
        return _ffi_api.StructuralVisitorDefaultVisit(self, value)

    def def_region_kind(self) -> DefRegionKind:
        """Kind of the definition region that is being visited."""
        return DefRegionKind(_ffi_api.StructuralVisitorDefRegionKind(self))

    def with_def_region_kind(self, kind: int, callback: Callable[[], Any]) -> Any:
        """Calls ``callback`` inside a definition region and returns its result."""
        return _ffi_api.StructuralVisitorWithDefRegionKind(self, int(kind), callback)


@register_object("ffi.StructuralMutator")
class StructuralMutator(Object):
    """Passed to the callbacks of ``structural_mutate``."""

    def mutate(self, value: Any) -> Any:
        """The mutated child, callbacks included."""
        return _ffi_api.StructuralMutatorMutate(self, value)

    def default_mutate(self, value: Any) -> Any:
        """The value with mutated children, without the callback for the value itself."""
        return _ffi_api.StructuralMutatorDefaultMutate(self, value)

    def var_remap_get(self, var: Object) -> Any | None:
        """What a variable was mapped to, None when it was not."""
        return _ffi_api.StructuralMutatorVarRemapGet(self, var)

    def var_remap_set(self, var: Object, mapped_value: Any) -> None:
        """Maps a variable for the rest of the mutation."""
        _ffi_api.StructuralMutatorVarRemapSet(self, var, mapped_value)

    def def_region_kind(self) -> DefRegionKind:
        """Kind of the definition region that is being mutated."""
        return DefRegionKind(_ffi_api.StructuralMutatorDefRegionKind(self))

    def with_def_region_kind(self, kind: int, callback: Callable[[], Any]) -> Any:
        """Calls ``callback`` inside a definition region and returns its result."""
        return _ffi_api.StructuralMutatorWithDefRegionKind(self, int(kind), callback)


def _type_index(cls: Any) -> int:
    if cls is Any or cls is object:
        return -1
    index = core.TypeSchema.from_annotation(cls).origin_type_index
    if index < -1:
        raise TypeError(f"callbacks can't be chosen by {cls!r}")
    return index


def _is_type_filter(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(_is_type_filter(item) for item in value)
    return value is None or value is Any or isinstance(value, type)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and _is_type_filter(value[0])
        and callable(value[1])
        and not isinstance(value[1], tuple)
    )


def _pairs(callbacks: Any) -> list[tuple[int, Callable[..., Any]]]:
    """Callbacks as (type index, function); the first match wins."""
    if callable(callbacks):
        return [(-1, callbacks)]
    if _is_pair(callbacks):
        callbacks = [callbacks]
    if not isinstance(callbacks, (tuple, list, Sequence)) or isinstance(callbacks, str):
        raise TypeError(
            "callbacks must be a callable, (type, callable), or a sequence of such pairs; got "
            f"{type(callbacks).__name__}"
        )
    result = []
    for item in callbacks:
        if not _is_pair(item):
            raise TypeError(f"expected a pair (type, callable), got {item!r}")
        types, function = item
        for cls in types if isinstance(types, tuple) else (types,):
            result.append((_type_index(cls), function))
    return result


def _order(order: str | WalkOrder) -> int:
    if isinstance(order, WalkOrder):
        return int(order)
    by_name = {"pre": WalkOrder.PREORDER, "post": WalkOrder.POSTORDER}
    if order not in by_name:
        raise ValueError(f"Unknown structural walk order: {order!r}")
    return int(by_name[order])


def _with_kind(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, kind: function(value, DefRegionKind(kind))


def structural_walk(
    root: Any,
    callbacks: Any = (),
    with_def_region_kind: Any = (),
    order: str | WalkOrder = "post",
) -> VisitInterrupt | None:
    """Calls callbacks on every value below ``root``, ``root`` included.

    Parameters
    ----------
    callbacks
        A callable, ``(type, callable)`` or a sequence of such pairs, called with the value. They
        return None, a ``WalkResult``, or a ``VisitInterrupt`` to stop.
    with_def_region_kind
        The same, called with the value and its ``DefRegionKind``; tried after ``callbacks``.
    order
        ``"pre"``, ``"post"`` or a ``WalkOrder``.

    Returns
    -------
    The interrupt that ended the walk, else None.
    """
    plain = _pairs(callbacks)
    kinds = [(index, _with_kind(function)) for index, function in _pairs(with_def_region_kind)]
    return _ffi_api.StructuralWalk(root, plain, kinds, _order(order))


def structural_visit(root: Any, callbacks: Any = ()) -> VisitInterrupt | None:
    """Visits values; a callback ``(value, visitor)`` decides how to go on below its value."""
    return _ffi_api.StructuralVisit(root, _pairs(callbacks))


def structural_map(
    root: Any,
    callbacks: Any = (),
    with_def_region_kind: Any = (),
    order: str | WalkOrder = "post",
) -> Any:
    """Replaces values by what the callbacks return. What does not change is shared with the input.

    The arguments are those of ``structural_walk``.
    """
    plain = _pairs(callbacks)
    kinds = [(index, _with_kind(function)) for index, function in _pairs(with_def_region_kind)]
    return _ffi_api.StructuralMap(root, plain, kinds, _order(order))


def _takes_mode(function: Callable[..., Any]) -> bool:
    message = (
        "structural_mutate callback must accept (value, mutator) or (value, mutator, inplace_mode)"
    )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    for count in (3, 2):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count == 3
    raise TypeError(message)


def _with_mode(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, mutator, mode: function(value, mutator, InplaceMode(mode))


def structural_mutate(root: Any, callbacks: Any = ()) -> Any:
    """Rewrites values; a callback ``(value, mutator[, inplace_mode])`` returns the new value.

    Passing ``root._move()`` lets values that nobody else holds be changed in place.
    """
    entries = []
    for index, function in _pairs(callbacks):
        takes_mode = _takes_mode(function)
        entries.append((index, _with_mode(function) if takes_mode else function, takes_mode))
    return _ffi_api.StructuralMutate(root, entries)
