# SPDX-License-Identifier: Apache-2.0
"""Attributes of CUDA operators, and functions made of several of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.attrs import make_node
from ...ir.expr import const
from ...ir.op_builder import make_builder


def _record(type_key: str, names: tuple[str, ...], values: tuple, fields: dict[str, Any]) -> Any:
    if len(values) > len(names):
        raise TypeError(f"{type_key} takes {len(names)} values, but {len(values)} were given")
    given = dict(zip(names, values))
    for name, value in fields.items():
        if name not in names or name in given:
            raise TypeError(f"{type_key} got an unexpected or repeated field {name!r}")
        given[name] = value
    return make_node(type_key, **given)


def TCGen05InstrDescriptorAttrs(*values: Any, **fields: Any) -> Any:
    """Fields of a tcgen05 instruction descriptor: d_dtype, a_dtype, b_dtype, M, N, K, trans_a,
    trans_b; optional n_cta_groups, neg_a, neg_b, sat_d, is_sparse."""
    names = "d_dtype a_dtype b_dtype M N K trans_a trans_b n_cta_groups neg_a neg_b sat_d is_sparse"
    return _record("tirx.cuda.TCGen05InstrDescriptorAttrs", tuple(names.split()), values, fields)


def TCGen05InstrDescriptorBlockScaledAttrs(*values: Any, **fields: Any) -> Any:
    """Fields of a tcgen05 descriptor with scaled blocks: d_dtype, a_dtype, b_dtype, sfa_dtype,
    sfb_dtype, M, N, K, trans_a, trans_b; optional n_cta_groups, neg_a, neg_b, is_sparse."""
    names = (
        "d_dtype a_dtype b_dtype sfa_dtype sfb_dtype M N K trans_a trans_b n_cta_groups "
        "neg_a neg_b is_sparse"
    )
    return _record(
        "tirx.cuda.TCGen05InstrDescriptorBlockScaledAttrs", tuple(names.split()), values, fields
    )


def TensorMapEncodeTiledAttr(*values: Any, **fields: Any) -> Any:
    """Fields of a tensor map: descriptor_dtype, rank; optional interleave, swizzle, l2_promotion,
    oob_fill, force_cu_dtype."""
    names = "descriptor_dtype rank interleave swizzle l2_promotion oob_fill force_cu_dtype"
    return _record("tirx.cuda.TensorMapEncodeTiledAttr", tuple(names.split()), values, fields)


def _warp(kind: str) -> Callable[..., Any]:
    def reduce(value: Any, width: int = 32) -> Any:
        return make_builder("tirx.cuda.warp_reduce")(value, kind, width)

    reduce.__name__ = reduce.__qualname__ = f"warp_{kind}"
    reduce.__doc__ = f"The {kind} over groups of `width` lanes."
    return reduce


def _cta(kind: str) -> Callable[..., Any]:
    def reduce(value: Any, num_warps: int, scratch: Any) -> Any:
        return make_builder("tirx.cuda.cta_reduce")(value, kind, num_warps, scratch)

    reduce.__name__ = reduce.__qualname__ = f"cta_{kind}"
    reduce.__doc__ = f"The {kind} over the thread block; `scratch` is shared memory."
    return reduce


def reductions() -> dict[str, Callable[..., Any]]:
    """``warp_sum`` ... ``cta_min`` by name."""
    found = {}
    for kind in ("sum", "max", "min"):
        found[f"warp_{kind}"] = _warp(kind)
        found[f"cta_{kind}"] = _cta(kind)
    return found


def sm100_2sm_leader_smem_addr(ptr: Any) -> Any:
    """The address of the same shared memory in the leading one of a pair of blocks."""
    address = make_builder("tirx.cuda.cvta_generic_to_shared")(ptr)
    return address & const(0xFEFFFFFF, "uint32")


__all__ = [
    "TCGen05InstrDescriptorAttrs",
    "TCGen05InstrDescriptorBlockScaledAttrs",
    "TensorMapEncodeTiledAttr",
    "reductions",
    "sm100_2sm_leader_smem_addr",
]
