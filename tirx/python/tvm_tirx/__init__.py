# SPDX-License-Identifier: Apache-2.0
"""A compiler for tensor kernels written in Python.

Modules are imported when they are used first."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from . import base, libinfo
from .libinfo import __version__

_MODULES = (
    "backend",
    "codegen",
    "config",
    "ir",
    "runtime",
    "script",
    "support",
    "sym",
    "target",
    "testing",
    "tirx",
)
_ELSEWHERE = {
    "IRModule": ("ir.module", "IRModule"),
    "prim": ("ir.prim", None),
    "transform": ("ir.transform", None),
    "device_from_target": ("target.target", "device_from_target"),
    "cpu": ("runtime", "cpu"),
    "cuda": ("runtime", "cuda"),
    "ext_dev": ("runtime", "ext_dev"),
    "metal": ("runtime", "metal"),
    "opencl": ("runtime", "opencl"),
    "rocm": ("runtime", "rocm"),
    "vpi": ("runtime", "vpi"),
    "vulkan": ("runtime", "vulkan"),
    "device": ("runtime", "device"),
}


def tvm_wrap_excepthook(exception_hook: Callable[..., Any]) -> Callable[..., None]:
    """An exception hook that calls another one, then ends the child processes of this one."""

    def wrapper(exctype: Any, value: Any, trbk: Any) -> None:
        import multiprocessing

        exception_hook(exctype, value, trbk)
        for child in multiprocessing.active_children():
            child.terminate()

    return wrapper


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _ELSEWHERE:
        module_name, attribute = _ELSEWHERE[name]
        module = importlib.import_module(f"{__name__}.{module_name}")
        value = module if attribute is None else getattr(module, attribute)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, *_ELSEWHERE])


__all__ = ["__version__", "base", "libinfo", "tvm_wrap_excepthook", *_MODULES, *_ELSEWHERE]
