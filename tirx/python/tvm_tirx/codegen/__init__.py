# SPDX-License-Identifier: Apache-2.0
"""From lowered modules to machine code and source text."""

from __future__ import annotations

from typing import Any

from .._ffi_functions import Functions
from ..target import Target
from . import executable, llvm
from .executable import Executable, load_static_library

_driver = Functions("tirx.driver.")


def build_module(mod: Any, target: Any) -> Any:
    """Generate code for a module that the passes have lowered."""
    return _driver.Generate(mod, target if isinstance(target, Target) else Target(target))


def target_has_features(cpu_features: Any, target: Any = None) -> bool:
    """Whether the target, that of the context by default, has all the CPU features."""
    return llvm.cpu_has_features(cpu_features, target)


__all__ = [
    "Executable",
    "Target",
    "build_module",
    "executable",
    "llvm",
    "load_static_library",
    "target_has_features",
]
