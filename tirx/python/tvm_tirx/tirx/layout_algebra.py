# SPDX-License-Identifier: Apache-2.0
"""Questions about layouts: positions, sizes, simpler forms. Extents and strides may be symbolic
where the question allows it."""

from __future__ import annotations

from typing import Any

from ..ir.expr import IntImm


def number(value: Any) -> Any:
    """A constant as a Python int; a symbolic expression as it is."""
    return int(value.value) if isinstance(value, IntImm) else value


def _add(a: Any, b: Any) -> Any:
    return b if isinstance(a, int) and a == 0 else a + b


def size(iters: Any, axis: str | None = None) -> Any:
    """The number of coordinates, those on one axis when it is given."""
    total: Any = 1
    for it in iters:
        if axis is None or it.axis.name == axis:
            total = number(it.extent) * total
    return total


def span(layout: Any, axis: str | None = None) -> Any:
    """The largest position plus one, on the memory axes or on one axis."""
    total: Any = 1
    for it in [*layout.shard, *layout.replica]:
        on_axis = it.axis.name == axis if axis is not None else it.axis.is_memory
        if on_axis:
            total = _add((number(it.extent) - 1) * number(it.stride), total)
    return total


def linear_index(coord: list[Any], shape: list[Any]) -> Any:
    """The row-major position of a coordinate in a shape."""
    if len(coord) != len(shape):
        raise ValueError(f"{len(coord)} coordinates for {len(shape)} dimensions")
    index: Any = 0
    for value, extent in zip(coord, shape):
        scaled = 0 if isinstance(index, int) and index == 0 else index * extent
        index = _add(scaled, value)
    return index


def positions(layout: Any, coord: list[Any], shape: list[Any] | None) -> dict[str, Any]:
    """Positions by axis name of a coordinate; a single number is a linear position."""
    extents = [number(it.extent) for it in layout.shard]
    coord = [number(value) for value in coord]
    if shape is not None:
        coord = _digits(linear_index(coord, [number(s) for s in shape]), extents)
    elif len(coord) == 1 and len(extents) != 1:
        coord = _digits(coord[0], extents)
    elif len(coord) != len(extents):
        raise ValueError(
            f"{len(coord)} coordinates for a layout of {len(extents)} iterators; give the shape"
        )
    found: dict[str, Any] = {}
    for value, it in zip(coord, layout.shard):
        step = value * number(it.stride)
        name = it.axis.name
        found[name] = _add(found.get(name, 0), step)
    for axis, value in layout.offset.items():
        found[axis.name] = _add(found.get(axis.name, 0), number(value))
    return found


def _digits(index: Any, extents: list[Any]) -> list[Any]:
    """The row-major coordinate of a linear position."""
    digits: list[Any] = []
    for place, extent in enumerate(reversed(extents)):
        if place == len(extents) - 1:
            digits.append(index)
        else:
            digits.append(index % extent)
            index = index // extent
    return digits[::-1]


def canonical(iters: Any) -> list[tuple[Any, Any, Any]]:
    """(extent, stride, axis) with iterators of extent 1 dropped and neighbours fused."""
    fused: list[tuple[Any, Any, Any]] = []
    for it in iters:
        extent, stride = number(it.extent), number(it.stride)
        if isinstance(extent, int) and extent == 1:
            continue
        if fused:
            before, step, axis = fused[-1]
            joins = extent * stride
            if axis == it.axis and isinstance(joins, int) and joins == step:
                fused[-1] = (before * extent, stride, axis)
                continue
        fused.append((extent, stride, it.axis))
    return fused


def is_contiguous(layout: Any) -> bool:
    """Whether the positions on memory are exactly 0 ... size - 1, without copies."""
    if len(layout.replica) or len(layout.offset):
        return False
    reach = 1
    parts = canonical(layout.shard)
    if not all(isinstance(e, int) and isinstance(s, int) for e, s, _ in parts):
        return False
    for extent, stride, axis in sorted(parts, key=lambda part: part[1]):
        if axis.name != "m" or stride != reach:
            return False
        reach *= extent
    return True


def swizzled(layout: Any, address: Any) -> Any:
    """The address of a ComposeLayout for an address of its tile layout."""
    low, length, atom = layout.per_element, layout.swizzle_len, layout.atom_len
    mask = (1 << length) - 1
    if layout.swizzle_inner:
        return address ^ (((address >> (low + atom)) & mask) << low)
    return address ^ (((address >> low) & mask) << (low + atom))
