# SPDX-License-Identifier: Apache-2.0
"""Compilation of CUDA source in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def _bindings() -> tuple[Any, Any]:
    try:
        from cuda.bindings import driver, nvrtc
    except ImportError as error:
        raise RuntimeError(
            "CUDA bindings not available. Install with: pip install cuda-python"
        ) from error
    return driver, nvrtc


def _architecture(driver: Any) -> str:
    """``sm_XY`` of the first device."""

    def call(function: Any, *args: Any) -> Any:
        status, *values = function(*args)
        if int(status) != 0:
            raise RuntimeError(f"{function.__name__} failed with {status}; pass arch='sm_XY'")
        return values[0] if values else None

    call(driver.cuInit, 0)
    device = call(driver.cuDeviceGet, 0)
    attribute = driver.CUdevice_attribute
    major, minor = (
        call(driver.cuDeviceGetAttribute, name, device)
        for name in (
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    return f"sm_{major}{minor}"


def nvrtc_compile(
    source: str,
    *,
    name: str = "kernel.cu",
    arch: str | None = None,
    extra_opts: Sequence[str] | None = None,
) -> bytes:
    """Compiles CUDA source to a cubin.

    Parameters
    ----------
    source
        The program.
    name
        Its file name in messages.
    arch
        ``"sm_XY"``; that of the first device when left out.
    extra_opts
        More options of the compiler.

    Raises
    ------
    RuntimeError
        The CUDA bindings for Python are missing, or the source does not compile.
    """
    driver, nvrtc = _bindings()

    def check(status: Any) -> None:
        if int(status) != 0:
            raise RuntimeError(f"NVRTC failed: {nvrtc.nvrtcGetErrorString(status)[1].decode()}")

    options = [
        f"--gpu-architecture={arch or _architecture(driver)}",
        "-default-device",
        *(extra_opts or ()),
    ]
    status, program = nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], [])
    check(status)
    try:
        (status,) = nvrtc.nvrtcCompileProgram(
            program, len(options), [option.encode() for option in options]
        )
        if int(status) != 0:
            _, size = nvrtc.nvrtcGetProgramLogSize(program)
            log = b" " * size
            nvrtc.nvrtcGetProgramLog(program, log)
            text = log.rstrip(b"\0 ").decode(errors="replace")
            raise RuntimeError(f"NVRTC compilation failed:\n{text}")
        status, size = nvrtc.nvrtcGetCUBINSize(program)
        check(status)
        cubin = b" " * size
        (status,) = nvrtc.nvrtcGetCUBIN(program, cubin)
        check(status)
        return cubin
    finally:
        nvrtc.nvrtcDestroyProgram(program)
