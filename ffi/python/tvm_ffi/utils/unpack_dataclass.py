# SPDX-License-Identifier: Apache-2.0
"""Dataclasses of the standard library as tuples."""

from __future__ import annotations

import dataclasses
from typing import Any

UNPACK = "unpack"


def unpack_dataclass_to_tuple(x: Any) -> Any:
    """``x`` with every dataclass instance in it replaced by the tuple of its fields.

    Lists, tuples and named tuples are rebuilt with their own type, dicts with the same keys. Any
    other value is passed on as it is, not copied.
    """
    cls = type(x)
    if dataclasses.is_dataclass(cls):
        return tuple(
            unpack_dataclass_to_tuple(getattr(x, field.name)) for field in dataclasses.fields(cls)
        )
    if isinstance(x, tuple):
        items = [unpack_dataclass_to_tuple(item) for item in x]
        return cls(*items) if hasattr(cls, "_fields") else cls(items)
    if isinstance(x, list):
        return cls([unpack_dataclass_to_tuple(item) for item in x])
    if isinstance(x, dict):
        rebuilt = {key: unpack_dataclass_to_tuple(value) for key, value in x.items()}
        return rebuilt if cls is dict else cls(rebuilt)
    return x
