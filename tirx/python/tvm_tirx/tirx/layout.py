# SPDX-License-Identifier: Apache-2.0
"""Layouts: how coordinates of a tensor map to positions in memory and to threads.

``S[shape : strides]`` spreads, ``R[extent : stride]`` replicates, ``stride @ axis`` places an
iterator on an axis, ``+`` joins specifications and adds an offset."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from ..ir.base import Node
from ..ir.expr import Expr
from ..ir.scope import NamedEntry

_tirx = Functions("tirx.")
_script = Functions("script.")


class OnAxis:
    """``stride @ axis``"""

    __slots__ = ("axis", "stride")

    def __init__(self, stride: Any, axis: Axis) -> None:
        self.stride = stride
        self.axis = axis


@register_object("tirx.Axis")
class Axis(NamedEntry):
    """A named axis: the memory axis "m", or one of threads such as "laneid"."""

    def __init__(self, name: Any) -> None:
        self.__init_handle_by_constructor__(_script.Axis, str(name))

    @classmethod
    def get(cls, name: str) -> Axis:
        """The axis of the name."""
        return cls(name)

    def __repr__(self) -> str:
        return f"tirx.Axis.{self.name}"

    def __rmatmul__(self, stride: Any) -> OnAxis:
        return OnAxis(stride, self)


def as_axis(value: Any) -> Axis:
    """An axis from an axis or its name."""
    return value if isinstance(value, Axis) else Axis(value)


class Axes:
    """Axes of a backend as attributes: ``T.cuda.Axis.laneid``."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> Axis:
        if name in self._names:
            return Axis(name)
        raise AttributeError(f"No axis {name!r}; there are: {', '.join(self._names)}")

    def get(self, name: str) -> Axis:
        """The axis of the name."""
        return Axis(name)

    def __dir__(self) -> list[str]:
        return list(self._names)


@register_object("tirx.Iter")
class Iter(Node):
    """``extent`` steps of ``stride`` on an axis."""

    def __init__(self, extent: Any, stride: Any, axis: Any) -> None:
        self.__init_handle_by_constructor__(_tirx.Iter, extent, stride, as_axis(axis))

    def __repr__(self) -> str:
        return f'T.Iter({self.extent!r}, {self.stride!r}, "{self.axis.name}")'


@register_object("tirx.Layout")
class Layout(Node):
    """Base of layouts."""

    def apply(self, *coord: Any, shape: Any = None) -> Any:
        """Positions by axis name of a coordinate: one number is a linear position, else there is
        one number for each iterator, or for each dimension of ``shape``."""
        return _tirx.LayoutApply(self, list(coord), None if shape is None else list(shape))

    def size(self, axis: Any = None) -> Any:
        """The number of positions, of one axis when it is given."""
        return _tirx.LayoutGetSize(self, _axis_name(axis))

    def span(self, axis: Any = None) -> Any:
        """The distance from the first position to behind the last one."""
        return _tirx.LayoutGetSpan(self, _axis_name(axis))

    def canonicalize(self) -> Any:
        """The same mapping with the fewest iterators."""
        return _tirx.LayoutCanonicalize(self)

    def is_trivial(self) -> bool:
        """Whether it is the identity on memory."""
        return bool(_tirx.LayoutIsTrivial(self))

    def is_contiguous(self) -> bool:
        """Whether it covers memory without gaps."""
        return bool(_tirx.LayoutIsContiguous(self))

    def get_scope(self) -> Any:
        """The thread scopes that it spreads over."""
        return _tirx.LayoutGetScope(self)

    def tile(self, outer: Any, outer_shape: Any, inner_shape: Any) -> Any:
        """The layout of ``outer_shape`` blocks of this one."""
        return _tirx.LayoutTile(self, outer, list(outer_shape), list(inner_shape))

    def tile_to(self, to_shape: Any, current_shape: Any) -> Any:
        """Repeat the layout up to a larger shape."""
        return _tirx.LayoutTileTo(self, list(to_shape), list(current_shape))

    def group(self, shape: Any) -> Any:
        """Split the iterators so that they group by the dimensions of ``shape``."""
        return _tirx.LayoutGroup(self, list(shape))

    def permute_dims(self, dims: Any) -> Any:
        """The layout with its iterators in another order."""
        return _tirx.LayoutPermuteDims(self, list(dims))

    def permute_by_groups(self, seps: Any, perm: Any) -> Any:
        """The layout with groups of its iterators in another order. ``seps`` holds where each
        group begins, and the number of iterators at the end."""
        return _tirx.LayoutPermuteByGroups(self, list(seps), list(perm))

    def pack(self, num: int, axis: Any = "m") -> Any:
        """Positions on ``axis`` in units of ``num`` neighbouring elements; ValueError when the
        innermost iterator does not divide."""
        return _tirx.LayoutPack(self, num, _axis_name(axis))

    def unpack(self, num: int, axis: Any = "m") -> Any:
        """The layout of elements of which ``num`` neighbours make up one position."""
        return _tirx.LayoutUnpack(self, num, _axis_name(axis))

    def check_well_formed(self) -> None:
        """ValueError when extents or strides make no sense."""
        _tirx.LayoutCheckWellFormed(self)


def _axis_name(axis: Any) -> str | None:
    if axis is None:
        return None
    return axis.name if isinstance(axis, Axis) else str(axis)


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _row_major(shape: list[Any]) -> list[Any]:
    strides: list[Any] = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = shape[i + 1] * strides[i + 1]
    return strides


class LayoutSpec:
    """What ``S[...]``, ``R[...]`` and their sums say."""

    __slots__ = ("offset", "replica", "shard")

    def __init__(self, shard: list[Iter], replica: list[Iter], offset: dict[Axis, Any]) -> None:
        self.shard = shard
        self.replica = replica
        self.offset = offset

    def __add__(self, other: Any) -> LayoutSpec:
        if isinstance(other, LayoutSpec):
            offset = dict(self.offset)
            for axis, value in other.offset.items():
                offset[axis] = offset[axis] + value if axis in offset else value
            return LayoutSpec(self.shard + other.shard, self.replica + other.replica, offset)
        axis, value = Axis("m"), other
        if isinstance(other, OnAxis):
            axis, value = other.axis, other.stride
        if not isinstance(value, (int, Expr)):
            return NotImplemented
        total = self.offset[axis] + value if axis in self.offset else value
        return LayoutSpec(self.shard, self.replica, {**self.offset, axis: total})

    __radd__ = __add__


class _SpecBuilder:
    """``S`` and ``R``."""

    __slots__ = ("_replica",)

    def __init__(self, replica: bool) -> None:
        self._replica = replica

    def __getitem__(self, key: Any) -> LayoutSpec:
        if isinstance(key, slice):
            if key.step is not None:
                raise ValueError("A layout is written as [shape : strides]")
            shape = _items(key.start)
            strides = _row_major(shape) if key.stop is None else _items(key.stop)
        else:
            shape = _items(key)
            strides = _row_major(shape)
        if len(shape) != len(strides):
            raise ValueError(
                f"A layout needs one stride for each extent, got {len(shape)} and {len(strides)}"
            )
        iters = [
            Iter(extent, stride.stride, stride.axis)
            if isinstance(stride, OnAxis)
            else Iter(extent, stride, "m")
            for extent, stride in zip(shape, strides)
        ]
        return LayoutSpec([], iters, {}) if self._replica else LayoutSpec(iters, [], {})


S = _SpecBuilder(replica=False)
R = _SpecBuilder(replica=True)


@register_object("tirx.TileLayout")
class TileLayout(Layout):
    """Iterators: ``shard`` spreads coordinates, ``replica`` copies, ``offset`` moves."""

    def __init__(self, spec: LayoutSpec) -> None:
        if not isinstance(spec, LayoutSpec):
            raise TypeError(
                f"TileLayout needs a specification such as S[(4, 8) : (8, 1)], got {spec!r}"
            )
        self.__init_handle_by_constructor__(
            _tirx.TileLayout, spec.shard, spec.replica, dict(spec.offset)
        )

    @staticmethod
    def from_iters(shard: Any, replica: Any = (), offset: Any = None) -> TileLayout:
        """The layout of the iterators; ``offset`` maps axes, or their names, to numbers."""
        offsets = {as_axis(axis): value for axis, value in dict(offset or {}).items()}
        return TileLayout(LayoutSpec(list(shard), list(replica), offsets))


@register_object("tirx.ComposeLayout")
class ComposeLayout(Layout):
    """An XOR swizzle after a tile layout; the three numbers are exponents of two."""

    def __init__(
        self,
        per_element: int,
        swizzle_len: int,
        atom_len: int,
        tile_layout: TileLayout,
        swizzle_inner: bool = True,
    ) -> None:
        self.__init_handle_by_constructor__(
            _tirx.ComposeLayout, per_element, swizzle_len, atom_len, tile_layout, swizzle_inner
        )


def default_layout(shape: list[Any]) -> TileLayout:
    """The row-major layout of a shape."""
    return TileLayout(S[tuple(shape) : tuple(_row_major(shape))])
