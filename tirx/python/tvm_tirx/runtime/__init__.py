# SPDX-License-Identifier: Apache-2.0
"""Devices, tensors and modules at run time. Works without the compiler."""

from __future__ import annotations

import importlib
from typing import Any

from tvm_ffi import Module, load_module, system_lib

from .. import base
from .._ffi_functions import Functions, optional
from . import device
from ._tensor import Tensor, empty, tensor
from .device import Device

_runtime = Functions("runtime.")


def _constructor(name: str) -> Any:
    def make(dev_id: int = 0) -> Device:
        return Device(name, dev_id)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The {name} device of that index."
    return make


cpu = _constructor("cpu")
cuda = _constructor("cuda")
rocm = _constructor("rocm")
opencl = _constructor("opencl")
metal = _constructor("metal")
vpi = _constructor("vpi")
vulkan = _constructor("vulkan")
ext_dev = _constructor("ext_dev")
hexagon = _constructor("hexagon")

_OPTIONAL = {"cuda", "rocm", "opencl", "metal", "vpi", "vulkan", "ext_dev", "hexagon", "webgpu"}


def enabled(target: str) -> bool:
    """Whether the device or code generator of that name is there."""
    if target == "cpu":
        return True
    if target == "llvm":
        return optional("target.build.llvm") is not None
    if target in _OPTIONAL:
        return optional(f"device_api.{target}") is not None
    raise ValueError(f"Unknown optional runtime {target}")


def num_threads() -> int:
    """Number of threads that parallel loops use."""
    return int(_runtime.NumThreads())


def __getattr__(name: str) -> Any:
    if name == "MemoryScope" and not base._RUNTIME_ONLY:
        return importlib.import_module(".memory_scope", __name__).MemoryScope
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Device",
    "Module",
    "Tensor",
    "cpu",
    "cuda",
    "device",
    "empty",
    "enabled",
    "ext_dev",
    "hexagon",
    "load_module",
    "metal",
    "num_threads",
    "opencl",
    "rocm",
    "system_lib",
    "tensor",
    "vpi",
    "vulkan",
]
