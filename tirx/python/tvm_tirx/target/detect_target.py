# SPDX-License-Identifier: Apache-2.0
"""The target of a device that is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .target import Target


def _detect_cpu(device: Any) -> Target:
    from .._ffi_functions import optional

    cpu = optional("target.llvm_get_system_cpu")
    if cpu is None:
        return Target("c")
    triple = optional("target.llvm_get_system_triple")
    return Target({"kind": "llvm", "mcpu": str(cpu()), "mtriple": str(triple())})


def _attributes(kind: str, **names: str) -> Callable[[Any], Target]:
    def detect(device: Any) -> Target:
        config: dict[str, Any] = {"kind": kind}
        for option, attribute in names.items():
            value = getattr(device, attribute)
            if value is not None:
                config[option] = value
        return Target(config)

    return detect


def _detect_cuda(device: Any) -> Target:
    config: dict[str, Any] = {"kind": "cuda"}
    version = device.compute_version
    if version is not None:
        config["arch"] = "sm_" + str(version).replace(".", "")
    for option, attribute in (
        ("max_shared_memory_per_block", "max_shared_memory_per_block"),
        ("max_threads_per_block", "max_threads_per_block"),
        ("thread_warp_size", "warp_size"),
    ):
        value = getattr(device, attribute)
        if value is not None:
            config[option] = value
    return Target(config)


_GPU = {
    "max_shared_memory_per_block": "max_shared_memory_per_block",
    "max_threads_per_block": "max_threads_per_block",
    "thread_warp_size": "warp_size",
}

SUPPORTED_DEVICE: dict[str, Callable[[Any], Target]] = {
    "cpu": _detect_cpu,
    "cuda": _detect_cuda,
    "metal": _attributes("metal", **_GPU),
    "rocm": _attributes("rocm", **_GPU),
    "vulkan": _attributes(
        "vulkan",
        max_threads_per_block="max_threads_per_block",
        thread_warp_size="warp_size",
    ),
    "opencl": _attributes("opencl", max_threads_per_block="max_threads_per_block"),
}


def register_device_target_detector(device_type: str, detector: Callable[[Any], Target]) -> None:
    """Use ``detector`` for devices of this type."""
    SUPPORTED_DEVICE[device_type] = detector


def detect_target_from_device(dev: Any) -> Target:
    """The target of ``dev``, a Device or a name such as ``cuda:0``.

    ValueError when the device is not there."""
    from ..runtime.device import Device

    if isinstance(dev, str):
        dev = Device(dev)
    name = dev.type
    if name not in SUPPORTED_DEVICE:
        known = ", ".join(SUPPORTED_DEVICE)
        raise ValueError(f"Auto detection for device `{name}` is not supported: {known}")
    if not dev.exist:
        raise ValueError(
            f"Cannot detect device `{dev}`. Please make sure the device and its driver are there"
        )
    return SUPPORTED_DEVICE[name](dev)
