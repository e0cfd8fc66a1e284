# SPDX-License-Identifier: Apache-2.0
"""What the loaded libraries have registered."""

from __future__ import annotations

import functools
import json

from .._ffi_api import GetRegisteredTypeKeys
from ..core import (
    TypeSchema,
    _lookup_or_register_type_info_from_type_key,
    _object_type_key_to_index,
)
from ..registry import get_global_func_metadata, list_global_func_names
from . import consts as C
from .utils import FuncInfo, NamedTypeSchema, ObjectInfo

__all__ = [
    "C",
    "FuncInfo",
    "GetRegisteredTypeKeys",
    "NamedTypeSchema",
    "ObjectInfo",
    "TypeSchema",
    "collect_global_funcs",
    "collect_type_keys",
    "get_global_func_metadata",
    "is_registered",
    "list_global_func_names",
    "object_info_from_type_key",
    "toposort_objects",
]


def _skip(name: str, reason: str) -> None:
    print(f"{C.TERM_YELLOW}[Skipped] Function `{name}`: {reason}{C.TERM_RESET}")


def collect_global_funcs() -> dict[str, list[FuncInfo]]:
    """Prefix -> its functions, sorted by name. A function without schema or dot is left out."""
    found: dict[str, list[FuncInfo]] = {}
    for name in sorted(list_global_func_names()):
        prefix, dot, leaf = name.rpartition(".")
        if not dot:
            _skip(name, "its name has no prefix")
            continue
        metadata = get_global_func_metadata(name)
        text = metadata.get("type_schema")
        try:
            schema = TypeSchema.from_json_str(text) if text else None
        except (ValueError, json.JSONDecodeError) as error:
            _skip(name, f"its schema is malformed: {error}")
            continue
        if schema is None:
            if prefix != "ffi":  # there it is a hook of this package
                _skip(name, "it has no type schema")
            continue
        found.setdefault(prefix, []).append(FuncInfo.from_schema(leaf, schema, metadata=metadata))
    return found


def collect_type_keys() -> dict[str, list[str]]:
    """Prefix -> the type keys directly below it, sorted."""
    found: dict[str, list[str]] = {}
    for key in sorted(map(str, GetRegisteredTypeKeys())):
        prefix, dot, _ = key.rpartition(".")
        if dot:
            found.setdefault(prefix, []).append(key)
    return found


def is_registered(type_key: str) -> bool:
    """Whether a loaded library has registered the type."""
    return _object_type_key_to_index(type_key) is not None


@functools.cache
def object_info_from_type_key(type_key: str) -> ObjectInfo:
    """Facts of a type. ``ValueError`` when it is not registered."""
    return ObjectInfo.from_type_info(_lookup_or_register_type_info_from_type_key(type_key))


def toposort_objects(type_keys: list[str]) -> list[ObjectInfo]:
    """The types, each behind its parent; those of one depth by name."""
    infos = [object_info_from_type_key(key) for key in dict.fromkeys(type_keys)]
    wanted = {info.type_key for info in infos}
    children: dict[str | None, list[ObjectInfo]] = {}
    for info in infos:
        parent = info.parent_type_key if info.parent_type_key in wanted else None
        children.setdefault(parent, []).append(info)
    ordered: list[ObjectInfo] = []
    pending = sorted(children.get(None, ()), key=lambda info: info.type_key or "")
    while pending:
        info = pending.pop(0)
        ordered.append(info)
        pending = sorted(
            [*pending, *children.get(info.type_key, ())], key=lambda item: item.type_key or ""
        )
    return ordered
