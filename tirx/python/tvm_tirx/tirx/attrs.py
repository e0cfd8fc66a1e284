# SPDX-License-Identifier: Apache-2.0
"""Attribute records of tile instructions."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from ..ir.attrs import Attrs, make_node


@register_object("tirx.tensor.ScopeAttrs")
class ScopeAttrs(Attrs):
    """The thread scope of a tile instruction."""


@register_object("tirx.tensor.TrnAttrs")
class TrnAttrs(Attrs):
    """Scope and parameters of a Trainium tile instruction."""


def CallFFIKernelAttr(
    launch_params: Any = (),
    launch_fields: Any = (),
    num_kernel_args: int = -1,
    kernel_attrs: Any = None,
) -> Any:
    """How a kernel is launched: names of the launch operands behind the kernel arguments."""
    return make_node(
        "tirx.CallFFIKernelAttr",
        launch_params=list(launch_params),
        launch_fields=list(launch_fields),
        num_kernel_args=num_kernel_args,
        kernel_attrs=dict(kernel_attrs or {}),
    )
