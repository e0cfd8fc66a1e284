# SPDX-License-Identifier: Apache-2.0
"""Structured operators: device code, thread bindings, CPU teams."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Var, as_argument
from ...ir.op_builder import region_frame
from ...ir.type import PrimType
from ...script.parser.protocol import as_expr


def region(op: Any, args: Any, body_params: Any = None, attrs: Any = None) -> Any:
    """A region of any registered region operator."""
    return region_frame(op, [as_argument(a) for a in args], body_params, attrs)


def launch_thread(
    thread_tag: str, extent: Any, *, attrs: Any = None, body_params: Any = None
) -> Any:
    """Bind a thread index ("blockIdx.x", "threadIdx.y", ...) that runs over ``extent`` values."""
    if body_params is None:
        extent = as_expr(extent)
        ty = extent.ty if isinstance(extent.ty, PrimType) else "int32"
        body_params = [Var("v", ty)]
    return region_frame("tirx.launch_thread", [thread_tag, extent], body_params, attrs)


def device_entry(
    *launch_values: Any,
    launch: Any = None,
    kernel_attrs: Any = None,
    backend_config: Any = None,
    attrs: Any = None,
    body_params: Any = None,
) -> Any:
    """The body of a kernel. ``launch`` and ``kernel_attrs``: see ``T.cuda.LaunchConfig`` and
    ``T.cuda.KernelAttributes``."""
    given = dict(attrs or {})
    if launch is not None:
        if launch_values or attrs:
            raise ValueError("launch cannot be combined with positional launch values or attrs")
        launch_values, fields = launch.operands()
        given["cuda.launch_fields"] = fields
        if kernel_attrs is not None:
            given["cuda.kernel_attrs"] = kernel_attrs.values()
    elif kernel_attrs is not None:
        raise ValueError("kernel_attrs require launch")
    if backend_config is not None:
        given["backend_config"] = backend_config
    if launch_values and "cuda.launch_fields" not in given:
        raise ValueError("device_entry configuration operands require cuda.launch_fields")
    return region_frame("tirx.device_entry", list(launch_values), body_params or [], given)


def device_context(
    device_type: Any, device_id: Any, *, attrs: Any = None, body_params: Any = None
) -> Any:
    """Code that runs on a device of a type and number."""
    return region_frame("tirx.device_context", [device_type, device_id], body_params or [], attrs)


def compute_scope(name: str, *, attrs: Any = None, body_params: Any = None) -> Any:
    """A part of the host code that becomes a helper function."""
    return region_frame("tirx.compute_scope", [name], body_params or [], attrs)


def parallel_launch(*, attrs: Any = None, body_params: Any = None) -> Any:
    """A team of CPU threads that run the body together."""
    return region_frame("tirx.parallel_launch", [], body_params or [], attrs)


__all__ = [
    "compute_scope",
    "device_context",
    "device_entry",
    "launch_thread",
    "parallel_launch",
    "region",
]
