# SPDX-License-Identifier: Apache-2.0
"""Directives of Rust files: what reflection does not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..file_utils import MarkerError

_ENUM = re.compile(r"(?P<field>[\w.]+)\s*->\s*(?P<name>\w+)\s*\((?P<repr>\w+)\)\s*\{(?P<body>.*)\}")


@dataclass(frozen=True)
class EnumSpec:
    """A field whose integers are the values of a Rust enum."""

    name: str
    repr: str
    members: tuple[tuple[str, int], ...]


@dataclass
class Directives:
    """The directives of one file, by type key or ``<type key>.<field>``."""

    field_types: dict[str, str] = field(default_factory=dict)
    nullable: set[str] = field(default_factory=set)
    enums: dict[str, EnumSpec] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    upcasts: dict[str, list[str]] = field(default_factory=dict)
    custom_new: set[str] = field(default_factory=set)

    __hash__ = None  # type: ignore[assignment]

    def add(self, name: str, payload: str, lineno: int) -> None:
        """Takes one directive. ``MarkerError`` when its payload is malformed."""
        payload = payload.strip()
        if name == "enum":
            self._add_enum(payload, lineno)
            return
        key, arrow, target = (part.strip() for part in payload.partition("->"))
        wants_target = name in ("field", "upcast")
        if not key or bool(arrow) != wants_target or bool(target) != wants_target:
            raise MarkerError(f"Invalid directive `{name}`: {payload}", lineno)
        if name == "field":
            self.field_types[key] = target
        elif name == "upcast":
            self.upcasts.setdefault(key, []).append(target)
        elif name == "nullable":
            self.nullable.add(key)
        elif name == "opaque":
            self.opaque.add(key)
        elif name == "custom-new":
            self.custom_new.add(key)
        else:
            raise MarkerError(f"Unknown directive `{name}`", lineno)

    def _add_enum(self, payload: str, lineno: int) -> None:
        example = "Example: `a.B.kind -> Kind(i32) { X=0, Y=1 }`"
        match = _ENUM.fullmatch(payload)
        if match is None:
            raise MarkerError(f"Invalid directive `enum`. {example}", lineno)
        members = []
        for entry in filter(None, (part.strip() for part in match["body"].split(","))):
            name, equals, value = (part.strip() for part in entry.partition("="))
            if not equals or not name.isidentifier() or re.fullmatch(r"-?\d+", value) is None:
                raise MarkerError(f"Invalid directive `enum`. {example}", lineno)
            members.append((name, int(value)))
        self.enums[match["field"]] = EnumSpec(match["name"], match["repr"], tuple(members))
