# SPDX-License-Identifier: Apache-2.0
"""Dataclasses over native types, and native types defined by Python classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import MISSING, Object
from .c_class import c_class
from .common import asdict, astuple, fields, is_dataclass, replace
from .field import KW_ONLY, Field, field, init_property

# Not on first use: its module has the same name, and would be found instead of the function once
# somebody imported it.
from .gen_abi_cpp import gen_abi_cpp
from .py_class import method, py_class

if TYPE_CHECKING:
    from .enum import Enum, EnumAttrMap, EnumState, IntEnum, StrEnum, auto, entry

_LAZY = {
    **dict.fromkeys(
        ("Enum", "EnumAttrMap", "EnumState", "IntEnum", "StrEnum", "auto", "entry"), "enum"
    ),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


__all__ = [
    "KW_ONLY",
    "MISSING",
    "Enum",
    "EnumAttrMap",
    "EnumState",
    "Field",
    "IntEnum",
    "Object",
    "StrEnum",
    "asdict",
    "astuple",
    "auto",
    "c_class",
    "entry",
    "field",
    "fields",
    "gen_abi_cpp",
    "init_property",
    "is_dataclass",
    "method",
    "py_class",
    "replace",
]
