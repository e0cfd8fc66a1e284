# SPDX-License-Identifier: Apache-2.0
"""Layouts: how coordinates of a tensor map to positions in memory and to threads.

``S[shape : strides]`` spreads, ``R[extent : stride]`` replicates, ``stride @ axis`` places an
iterator on an axis, ``+`` joins specifications and adds an offset."""

from __future__ import annotations

from typing import Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions
from ..ir.expr import Expr
from ..ir.scope import NamedEntry
from . import layout_algebra as algebra

_tirx = Functions("tirx.")
_script = Functions("script.")


MEMORY_AXES = ("m", "TCol", "TLane", "P", "F", "Bank")
#: Scope and scope of one position of the axes of threads.
THREAD_AXES = {
    "bx": ("cuda.kernel", "cuda.cta"),
    "by": ("cuda.kernel", "cuda.cta"),
    "bz": ("cuda.kernel", "cuda.cta"),
    "cbx": ("cuda.cluster", "cuda.cta"),
    "cby": ("cuda.cluster", "cuda.cta"),
    "cbz": ("cuda.cluster", "cuda.cta"),
    "tx": ("cuda.cta", "cuda.thread"),
    "warpid": ("cuda.cta", "cuda.warp"),
    "laneid": ("cuda.warp", "cuda.thread"),
    "wgid": ("cuda.cta", "cuda.warpgroup"),
    "tid_in_wg": ("cuda.warpgroup", "cuda.thread"),
    "wid_in_wg": ("cuda.warpgroup", "cuda.warp"),
}
#: Thread scopes from the outermost to the innermost.
THREAD_LEVELS = (
    "cuda.kernel",
    "cuda.cluster",
    "cuda.cta",
    "cuda.warpgroup",
    "cuda.warp",
    "cuda.thread",
)


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

    @property
    def is_memory(self) -> bool:
        """Whether positions on it are addresses; else they are threads."""
        return self.name in MEMORY_AXES

    @property
    def scopes(self) -> tuple[str, str] | None:
        """The thread scope that it spreads over and the one of its positions; None for memory."""
        return THREAD_AXES.get(self.name)

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

    def __dir__(self) -> list[str]:
        return list(self._names)


@register_object("tirx.Iter")
class Iter(Object):
    """``extent`` steps of ``stride`` on an axis."""

    def __init__(self, extent: Any, stride: Any, axis: Any) -> None:
        self.__init_handle_by_constructor__(_tirx.Iter, extent, stride, as_axis(axis))

    def __repr__(self) -> str:
        return f'T.Iter({self.extent!r}, {self.stride!r}, "{self.axis.name}")'


@register_object("tirx.Layout")
class Layout(Object):
    """Base of layouts."""


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

    def apply(self, *coord: Any, shape: Any = None) -> dict[str, Any]:
        """Positions by axis name of a coordinate: one number is a linear position, else there is
        one number for each iterator, or for each dimension of ``shape``."""
        return algebra.positions(self, list(coord), None if shape is None else list(shape))

    def size(self, axis: Any = None) -> Any:
        """The number of coordinates, those on one axis when it is given."""
        return algebra.size(self.shard, _axis_name(axis))

    def span(self, axis: Any = None) -> Any:
        """The largest position plus one, on memory or on one axis."""
        return algebra.span(self, _axis_name(axis))

    def canonicalize(self) -> TileLayout:
        """The same mapping with the fewest iterators."""
        shard = [Iter(*part) for part in algebra.canonical(self.shard)]
        replica = [Iter(*part) for part in algebra.canonical(self.replica)]
        return TileLayout(LayoutSpec(shard, replica, dict(self.offset.items())))

    def is_trivial(self) -> bool:
        """Whether it maps every linear position to itself."""
        parts = algebra.canonical(self.shard)
        plain = not len(self.replica) and not len(self.offset)
        return plain and (
            not parts or (len(parts) == 1 and parts[0][1] == 1 and parts[0][2].name == "m")
        )

    def is_contiguous(self) -> bool:
        """Whether it covers memory from 0 on without gaps or copies."""
        return algebra.is_contiguous(self)

    def get_scope(self) -> Any:
        """The innermost and the outermost thread scope that it spreads over, None for none."""
        axes = [it.axis for it in [*self.shard, *self.replica] if it.axis.scopes is not None]
        if not axes:
            return None
        order = THREAD_LEVELS.index
        inner = max((axis.scopes[1] for axis in axes), key=order)
        outer = min((axis.scopes[0] for axis in axes), key=order)
        from .thread_scope import ThreadScope

        return ThreadScope(inner), ThreadScope(outer)

    def permute_dims(self, dims: Any) -> TileLayout:
        """The layout with its iterators in another order."""
        shard = list(self.shard)
        if sorted(dims) != list(range(len(shard))):
            raise ValueError(f"permute_dims needs each of the {len(shard)} iterators once")
        return TileLayout(
            LayoutSpec([shard[dim] for dim in dims], list(self.replica), dict(self.offset.items()))
        )

    def check_well_formed(self) -> None:
        """ValueError when an extent is not positive."""
        for it in [*self.shard, *self.replica]:
            extent = algebra.number(it.extent)
            if isinstance(extent, int) and extent <= 0:
                raise ValueError(f"The extent of an iterator must be positive, got {extent}")


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

    def apply(self, *coord: Any, shape: Any = None) -> dict[str, Any]:
        """Positions by axis name; that on memory is swizzled."""
        found = self.tile_layout.apply(*coord, shape=shape)
        found["m"] = algebra.swizzled(self, found.get("m", 0))
        return found

    def size(self, axis: Any = None) -> Any:
        """The number of coordinates, those on one axis when it is given."""
        return self.tile_layout.size(axis)

    def span(self, axis: Any = None) -> Any:
        """The largest position plus one, on memory or on one axis."""
        return self.tile_layout.span(axis)

    def canonicalize(self) -> ComposeLayout:
        """The same mapping over the canonical tile layout."""
        return ComposeLayout(
            self.per_element,
            self.swizzle_len,
            self.atom_len,
            self.tile_layout.canonicalize(),
            self.swizzle_inner,
        )

    def is_trivial(self) -> bool:
        """Whether it maps every linear position to itself."""
        return self.swizzle_len == 0 and self.tile_layout.is_trivial()

    def check_well_formed(self) -> None:
        """ValueError when an extent is not positive."""
        self.tile_layout.check_well_formed()


def default_layout(shape: list[Any]) -> TileLayout:
    """The row-major layout of a shape."""
    return TileLayout(S[tuple(shape) : tuple(_row_major(shape))])
