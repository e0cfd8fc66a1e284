# SPDX-License-Identifier: Apache-2.0
"""Names of data types in C++."""

from __future__ import annotations

import sys
from typing import Any

CPU_DTYPE_MAP = {
    **{f"int{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
    "float32": "float",
    "float64": "double",
    "bool": "bool",
}

CUDA_DTYPE_MAP = {
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
    "float8_e8m0fnu": "__nv_fp8_e8m0",
    "float4_e2m1": "__nv_fp4_e2m1",
    "float4_e2m1fn_x2": "__nv_fp4x2_e2m1",
}

ROCM_DTYPE_MAP = {
    "float16": "__half",
    "bfloat16": "__hip_bfloat16",
    "float8_e4m3fn": "__hip_fp8_e4m3",
    "float8_e4m3fnuz": "__hip_fp8_e4m3_fnuz",
    "float8_e5m2": "__hip_fp8_e5m2",
    "float8_e5m2fnuz": "__hip_fp8_e5m2_fnuz",
    "float4_e2m1": "__hip_fp4_e2m1",
    "float4_e2m1fn_x2": "__hip_fp4x2_e2m1",
}


def _backend() -> str:
    """``"cuda"`` or ``"hip"`` when torch is imported and sees such a GPU, else ``"cpu"``."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return "cpu"
    return "hip" if torch.version.hip is not None else "cuda"


def to_cpp_dtype(dtype_str: str | Any) -> str:
    """The C++ type of a dtype, given as text, ``tvm_ffi.dtype`` or ``torch.dtype``.

    Types that only GPU headers declare, such as ``float16``, need a GPU; ``ValueError`` otherwise.
    """
    name = str(dtype_str).removeprefix("torch.")
    if name in CPU_DTYPE_MAP:
        return CPU_DTYPE_MAP[name]
    backend = _backend()
    table = {"cuda": CUDA_DTYPE_MAP, "hip": ROCM_DTYPE_MAP}.get(backend, {})
    if name not in table:
        raise ValueError(f"Unsupported dtype string: {name} for backend = {backend!r}")
    return table[name]
