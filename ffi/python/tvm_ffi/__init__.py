# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""Functions, objects, tensors and errors shared between Python and native code."""

from __future__ import annotations

import sys as _sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.15.post2"
__version_tuple__ = (0, 1, 15, "post2")


def _is_config_run() -> Any:
    """Whether this process only prints build flags, which must work without the libraries."""
    argv = getattr(_sys, "orig_argv", None) or []
    if _sys.argv and _sys.argv[0].endswith("tvm-ffi-config"):
        return True
    return "-m" in argv and "tvm_ffi.config" in argv[argv.index("-m") :][1:2]


if TYPE_CHECKING or not _is_config_run():
    from . import _dtype, container, core, error, module, registry
    from ._convert import convert, convert_func
    from ._dtype import (
        bfloat16,
        bool,
        dtype,
        float4_e2m1fn,
        float4_e2m1fnx2,
        float6_e2m3fn,
        float6_e3m2fn,
        float8_e3m4,
        float8_e4m3,
        float8_e4m3b11fnuz,
        float8_e4m3fn,
        float8_e4m3fnuz,
        float8_e5m2,
        float8_e5m2fnuz,
        float8_e8m0fnu,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
    )
    from ._tensor import Device, DLDeviceType, Shape, Tensor, device, from_dlpack
    from .container import Array, Dict, List, Map
    from .core import CAny, CContainerBase, Function, Object, ObjectConvertible
    from .error import register_error
    from .module import Module, load_module, system_lib
    from .registry import (
        get_global_func,
        get_global_func_metadata,
        init_ffi_api,
        register_global_func,
        register_object,
        remove_global_func,
    )

if TYPE_CHECKING:
    from . import (  # type: ignore[attr-defined]
        access_path,
        cpp,
        dataclasses,
        libinfo,
        serialization,
        stream,
        structural,
    )
    from .dataclasses import method
    from .stream import StreamContext, get_raw_stream, use_raw_stream, use_torch_stream
    from .structural import (
        DefRegionKind,
        InplaceMode,
        StructuralKey,
        StructuralMutator,
        StructuralVisitor,
        VisitInterrupt,
        WalkOrder,
        WalkResult,
        get_first_structural_mismatch,
        structural_equal,
        structural_hash,
        structural_map,
        structural_mutate,
        structural_visit,
        structural_walk,
    )

# Names that are imported when they are first used: most programs need none of them.
_LAZY = {
    **dict.fromkeys(
        ("StreamContext", "get_raw_stream", "use_raw_stream", "use_torch_stream"), "stream"
    ),
    **dict.fromkeys(
        (
            "DefRegionKind",
            "InplaceMode",
            "StructuralKey",
            "StructuralMutator",
            "StructuralVisitor",
            "VisitInterrupt",
            "WalkOrder",
            "WalkResult",
            "get_first_structural_mismatch",
            "structural_equal",
            "structural_hash",
            "structural_map",
            "structural_mutate",
            "structural_visit",
            "structural_walk",
        ),
        "structural",
    ),
    "method": "dataclasses",
}
_LAZY_MODULES = (
    "_ffi_api",
    "access_path",
    "cpp",
    "dataclasses",
    "libinfo",
    "serialization",
    "stream",
    "structural",
    "stub",
    "testing",
    "utils",
)


def __getattr__(name: str) -> Any:
    import importlib

    if name == "LIB":
        libinfo = importlib.import_module(f"{__name__}.libinfo")
        value: Any = libinfo.load_lib_ctypes("kiln-ffi", "tvm_ffi", "RTLD_GLOBAL")
    elif name in _LAZY:
        value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    elif name in _LAZY_MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LAZY_MODULES})


__all__ = [
    "LIB",
    "Array",
    "DLDeviceType",
    "DefRegionKind",
    "Device",
    "Dict",
    "Function",
    "InplaceMode",
    "List",
    "Map",
    "Module",
    "Object",
    "ObjectConvertible",
    "Shape",
    "StreamContext",
    "StructuralKey",
    "StructuralMutator",
    "StructuralVisitor",
    "Tensor",
    "VisitInterrupt",
    "WalkOrder",
    "WalkResult",
    "__version__",
    "__version_tuple__",
    "access_path",
    "convert",
    "convert_func",
    "cpp",
    "dataclasses",
    "device",
    "dtype",
    "from_dlpack",
    "get_first_structural_mismatch",
    "get_global_func",
    "get_global_func_metadata",
    "get_raw_stream",
    "init_ffi_api",
    "load_module",
    "method",
    "register_error",
    "register_global_func",
    "register_object",
    "remove_global_func",
    "serialization",
    "structural",
    "structural_equal",
    "structural_hash",
    "structural_map",
    "structural_mutate",
    "structural_visit",
    "structural_walk",
    "system_lib",
    "use_raw_stream",
    "use_torch_stream",
]
