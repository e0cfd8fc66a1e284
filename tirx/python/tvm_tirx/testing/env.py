# SPDX-License-Identifier: Apache-2.0
"""What this machine and this build can do."""

from __future__ import annotations

import functools
import re
import subprocess
from typing import Any


@functools.cache
def _device_exists(name: str, index: int = 0) -> bool:
    from .. import runtime

    try:
        return bool(getattr(runtime, name)(index).exist)
    except (AttributeError, RuntimeError, ValueError):
        return False


def has_cuda() -> bool:
    """Whether there is a CUDA device."""
    return _device_exists("cuda")


def has_rocm() -> bool:
    """Whether there is a ROCm device."""
    return _device_exists("rocm")


def has_metal() -> bool:
    """Whether there is a Metal device."""
    return _device_exists("metal")


def has_opencl() -> bool:
    """Whether there is an OpenCL device."""
    return _device_exists("opencl")


def has_vulkan() -> bool:
    """Whether there is a Vulkan device."""
    return _device_exists("vulkan")


def has_gpu() -> bool:
    """Whether there is a device of any of these kinds."""
    return has_cuda() or has_rocm() or has_metal() or has_opencl() or has_vulkan()


@functools.cache
def has_multi_gpu(count: int = 2) -> bool:
    """Whether there are that many devices of one kind."""
    kinds = ("cuda", "rocm", "metal", "opencl", "vulkan")
    return any(_device_exists(kind, count - 1) for kind in kinds)


@functools.cache
def cuda_arch(device_id: int = 0) -> str | None:
    """The architecture of a CUDA device, such as "sm_90a"; None without one."""
    if not _device_exists("cuda", device_id):
        return None
    from ..runtime import cuda
    from ..target import Target

    arch = Target.from_device(cuda(device_id)).attrs.get("arch")
    return None if arch is None else str(arch)


def _compute(device_id: int = 0) -> tuple[int, int]:
    match = re.match(r"sm_(\d+)(\d)", cuda_arch(device_id) or "")
    return (int(match[1]), int(match[2])) if match else (0, 0)


def has_cuda_arch(*arches: str, device_id: int = 0) -> bool:
    """Whether the CUDA device is of one of the architectures."""
    return cuda_arch(device_id) in arches


def has_cuda_compute(major: int, minor: int = 0, exact: bool = False) -> bool:
    """Whether the CUDA device has at least, or exactly, this compute capability."""
    found = _compute()
    return found == (major, minor) if exact else found >= (major, minor) and found != (0, 0)


@functools.cache
def has_cudagraph() -> bool:
    """Whether CUDA graphs work here."""
    return has_cuda()


@functools.cache
def has_matrixcore() -> bool:
    """Whether the ROCm device has matrix cores."""
    return False


@functools.cache
def _nvcc_version() -> tuple[int, int, int]:
    try:
        text = subprocess.run(
            ["nvcc", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return (0, 0, 0)
    match = re.search(r"V(\d+)\.(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else (0, 0, 0)


def has_nvcc_version(major: int, minor: int = 0, release: int = 0) -> bool:
    """Whether nvcc is there, of at least this version."""
    return _nvcc_version() >= (major, minor, release)


def has_llvm() -> bool:
    """Whether the LLVM backend is there."""
    from .. import backend

    return backend.status().get("llvm") == "loaded"


def has_llvm_min_version(major: int) -> bool:
    """Whether the LLVM backend is there, of at least this version."""
    from ..codegen.llvm import version_major

    return has_llvm() and (version_major(allow_none=True) or 0) >= major


def has_nvptx() -> bool:
    """Whether LLVM can make code for NVIDIA devices, and there is one."""
    from ..codegen.llvm import get_targets

    return has_cuda() and has_llvm() and "nvptx64" in get_targets()


def _cpu_features() -> frozenset[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            match = re.search(r"^(?:flags|Features)\s*:(.*)$", info.read(), re.MULTILINE)
    except OSError:
        return frozenset()
    return frozenset(match[1].split()) if match else frozenset()


def has_cpu_feature(features: Any) -> bool:
    """Whether the processor has the feature, or all of them, as Linux names them."""
    wanted = [features] if isinstance(features, str) else list(features)
    return _cpu_features().issuperset(wanted)


def has_x86_avx512() -> bool:
    """Whether the processor has AVX-512 (foundation, byte and word, double and quad word)."""
    return has_cpu_feature(["avx512f", "avx512bw", "avx512dq"])


def has_x86_vnni() -> bool:
    """Whether the processor has the AVX-512 instructions for neural networks."""
    return has_cpu_feature("avx512_vnni")


__all__ = [
    "cuda_arch",
    "has_cpu_feature",
    "has_cuda",
    "has_cuda_arch",
    "has_cuda_compute",
    "has_cudagraph",
    "has_gpu",
    "has_llvm",
    "has_llvm_min_version",
    "has_matrixcore",
    "has_metal",
    "has_multi_gpu",
    "has_nvcc_version",
    "has_nvptx",
    "has_opencl",
    "has_rocm",
    "has_vulkan",
    "has_x86_avx512",
    "has_x86_vnni",
]
