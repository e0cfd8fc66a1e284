# SPDX-License-Identifier: Apache-2.0
"""Types of reshaped views of a tensor."""

from __future__ import annotations

import re
from typing import Any

from ..ir.expr import Expr, IntImm
from .layout import Iter, LayoutSpec, TileLayout, default_layout


def _value(extent: Any) -> int | None:
    if isinstance(extent, int):
        return extent
    return int(extent.value) if isinstance(extent, IntImm) else None


def _elements(shape: Any) -> int | None:
    total = 1
    for extent in shape:
        value = _value(extent)
        if value is None:
            return None
        total *= value
    return total


def view(ty: Any, *args: Any, layout: Any = None) -> Any:
    """The type of ``tensor.view(*shape)`` or ``tensor.view(dtype)``."""
    from .tensor import TensorType

    dtype: Any = ty.dtype
    shape: list[Any]
    if len(args) == 1 and not isinstance(args[0], (int, tuple, list, Expr)):
        from ..ir.type import as_type

        dtype = as_type(args[0])
        old, new = ty.dtype.dtype, dtype.dtype
        shape = list(ty.shape)
        if old.bits != new.bits:
            last = _value(shape[-1])
            bits = (last or 0) * old.bits
            if last is None or bits % new.bits:
                raise ValueError(
                    f"A tensor of {old} cannot be viewed as {new}: its last dimension does not "
                    "divide evenly"
                )
            shape[-1] = bits // new.bits
            if ty.layout is not None and not ty.has_default_layout():
                raise ValueError("A view with another element size needs the row-major layout")
            layout = default_layout(shape) if ty.layout is not None else layout
        elif layout is None:
            layout = ty.layout
        return TensorType(shape, dtype, ty.scope, ty.data_alignment, layout)
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    shape = list(args)
    if -1 in [s for s in shape if isinstance(s, int)]:
        known = _elements([s for s in shape if not (isinstance(s, int) and s == -1)])
        total = _elements(ty.shape)
        if known in (None, 0) or total is None or total % known:
            raise ValueError("The size of dimension -1 cannot be computed")
        shape = [total // known if isinstance(s, int) and s == -1 else s for s in shape]
    before, after = _elements(ty.shape), _elements(shape)
    if before is not None and after is not None and before != after:
        raise ValueError(f"A view needs the same number of elements, got {after} for {before}")
    if layout is None and ty.layout is not None:
        if ty.has_default_layout():
            layout = default_layout(shape)
        else:
            layout = _split(ty.effective_layout(), ty.shape, shape)
    return TensorType(shape, dtype, ty.scope, ty.data_alignment, layout)


def _by_dimension(layout: Any, shape: Any) -> list[list[Iter]]:
    """The shard iterators of each dimension; ValueError when they don't line up."""
    if not isinstance(layout, TileLayout):
        raise ValueError("Only tile layouts can be rearranged")
    groups: list[list[Iter]] = []
    iters = list(layout.shard)
    for extent in shape:
        group: list[Iter] = []
        left = _value(extent)
        if left is None:
            if not iters:
                raise ValueError("The layout has fewer iterators than dimensions")
            groups.append([iters.pop(0)])
            continue
        while left != 1:
            if not iters:
                raise ValueError("The layout has fewer elements than the tensor")
            part = iters.pop(0)
            size = _value(part.extent)
            if size is None or left % size:
                raise ValueError("The iterators of the layout do not line up with the dimensions")
            left //= size
            group.append(part)
        if not group and iters and _value(iters[0].extent) == 1:
            group.append(iters.pop(0))
        groups.append(group)
    return groups


def _with_shard(layout: Any, shard: list[Iter]) -> TileLayout:
    return TileLayout(LayoutSpec(shard, list(layout.replica), dict(layout.offset.items())))


def _split(layout: Any, old_shape: Any, shape: list[Any]) -> TileLayout:
    """The layout with iterators cut so that they line up with the dimensions of ``shape``."""
    iters = [it for group in _by_dimension(layout, old_shape) for it in group]
    shard: list[Iter] = []
    for extent in shape:
        left = _value(extent)
        if left is None:
            raise ValueError("A view of a tensor with a layout needs constant extents")
        taken: list[Iter] = []
        while left != 1:
            if not iters:
                raise ValueError("The layout has fewer elements than the view")
            part = iters.pop(0)
            size = _value(part.extent)
            if size is not None and left % size == 0:
                left //= size
                taken.append(part)
                continue
            if size is None or size % left:
                raise ValueError("The layout cannot be cut to the shape of the view")
            inner = size // left
            taken.append(Iter(left, part.stride * inner, part.axis))
            iters.insert(0, Iter(inner, part.stride, part.axis))
            left = 1
        shard += taken
    return _with_shard(layout, shard)


def permute(ty: Any, dims: tuple[int, ...]) -> Any:
    """The type of ``tensor.permute(*dims)``."""
    from .tensor import TensorType

    rank = len(ty.shape)
    if sorted(dims) != list(range(rank)):
        raise ValueError(f"permute needs each of the {rank} dimensions once, got {dims}")
    layout = ty.effective_layout()
    groups = _by_dimension(layout, ty.shape)
    shard = [part for dim in dims for part in groups[dim]]
    shape = [ty.shape[dim] for dim in dims]
    return TensorType(shape, ty.dtype, ty.scope, ty.data_alignment, _with_shard(layout, shard))


def _parse_side(text: str) -> list[list[str]]:
    groups: list[list[str]] = []
    for group, name in re.findall(r"\(([^)]*)\)|(\S+)", text):
        groups.append(group.split() if group or not name else [name])
    return groups


def rearrange(ty: Any, pattern: str, sizes: dict[str, int]) -> Any:
    """The type of ``tensor.rearrange("(a b) c -> a c b", b=4)``."""
    from .tensor import TensorType

    left_text, arrow, right_text = pattern.partition("->")
    if not arrow:
        raise ValueError(f"A pattern needs `->`, got {pattern!r}")
    left, right = _parse_side(left_text), _parse_side(right_text)
    if len(left) != len(ty.shape):
        raise ValueError(
            f"The pattern {pattern!r} has {len(left)} dimensions, the tensor {len(ty.shape)}"
        )
    extent_of: dict[str, Any] = dict(sizes)
    for group, extent in zip(left, ty.shape):
        unknown = [name for name in group if name not in extent_of]
        if len(unknown) > 1:
            raise ValueError(f"The sizes of {unknown} are not known")
        if unknown:
            known = 1
            for name in group:
                known *= extent_of.get(name, 1)
            value = _value(extent)
            if len(group) == 1:
                extent_of[unknown[0]] = extent if value is None else value
            elif value is None or value % known:
                raise ValueError(f"{extent} is no multiple of {known} in {pattern!r}")
            else:
                extent_of[unknown[0]] = value // known
    names = [name for group in left for name in group]
    if sorted(names) != sorted(name for group in right for name in group):
        raise ValueError(f"Both sides of {pattern!r} must have the same names")
    cut = view(ty, *[extent_of[name] for name in names], layout=None)
    layout = cut.effective_layout()
    parts = dict(zip(names, _by_dimension(layout, cut.shape)))
    shape = []
    for group in right:
        extent = 1
        for name in group:
            extent = extent_of[name] * extent
        shape.append(extent)
    shard = [part for group in right for name in group for part in parts[name]]
    return TensorType(shape, ty.dtype, ty.scope, ty.data_alignment, _with_shard(layout, shard))
