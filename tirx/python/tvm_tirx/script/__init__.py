# SPDX-License-Identifier: Apache-2.0
"""TVMScript: kernels written as Python functions.

``from tvm_tirx.script import ir as I, tirx as T``"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "tirx": "tvm_tirx.tirx.script",
    "ir": "tvm_tirx.script.parser.ir",
    "ir_builder": "tvm_tirx.script.ir_builder",
    "parser": "tvm_tirx.script.parser",
    "printer": "tvm_tirx.script.printer",
}
_NAMES = ("from_source", "parse")


def register_dialect(name: str, module_path: str, *, builder_path: str | None = None) -> None:
    """Make ``from tvm_tirx.script import <name>`` give the module ``module_path``."""
    _MODULES[name] = module_path


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        module = importlib.import_module(_MODULES[name])
        globals()[name] = module
        return module
    if name in _NAMES:
        from . import parser

        return getattr(parser, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
