# SPDX-License-Identifier: Apache-2.0
"""Attribute records of tile instructions."""

from __future__ import annotations

from tvm_ffi import register_object

from ..ir.attrs import Attrs


@register_object("tirx.tensor.ScopeAttrs")
class ScopeAttrs(Attrs):
    """The thread scope of a tile instruction."""


@register_object("tirx.tensor.TrnAttrs")
class TrnAttrs(Attrs):
    """Scope and parameters of a Trainium tile instruction."""
