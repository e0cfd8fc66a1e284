# SPDX-License-Identifier: Apache-2.0
"""Directives of Rust files: what reflection does not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..file_utils import MarkerError
from .consts import RUST_KEYWORDS, RUST_NOT_RAW_IDENTIFIERS, RUST_SCALAR_WIDTHS
from .syntax import is_identifier, is_new_type_name, is_path, is_type

_ENUM = re.compile(r"(?P<field>[\w.]+)\s*->\s*(?P<name>\w+)\s*\((?P<repr>\w+)\)\s*\{(?P<body>.*)\}")
_INTEGERS = frozenset(name for name in RUST_SCALAR_WIDTHS if name[0] in "iu")
# What generated enumerations have besides their members.
_ENUM_FUNCTIONS = frozenset({"from_raw", "as_raw", "try_from"})
# Directives on a field; others are on a type.
FIELD_DIRECTIVES = frozenset({"field", "nullable", "enum"})


@dataclass(frozen=True)
class EnumSpec:
    """A field whose integers are the values of a Rust enum."""

    name: str
    repr: str
    members: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Place:
    """Where a directive is. ``key`` is what it is about, ``target`` what follows the arrow."""

    name: str
    key: str
    target: str
    lineno: int


@dataclass
class Directives:
    """The directives of one file, by type key or ``<type key>.<field>``."""

    field_types: dict[str, str] = field(default_factory=dict)
    nullable: set[str] = field(default_factory=set)
    enums: dict[str, EnumSpec] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    upcasts: dict[str, list[str]] = field(default_factory=dict)
    custom_new: set[str] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)

    __hash__ = None  # type: ignore[assignment]

    def add(self, name: str, payload: str, lineno: int) -> None:
        """Takes one directive. ``MarkerError`` when its payload is malformed or told before."""
        payload = payload.strip()
        if name == "enum":
            self._add_enum(payload, lineno)
            return
        key, arrow, target = (part.strip() for part in payload.partition("->"))
        wants_target = name in ("field", "upcast")
        if not key or bool(arrow) != wants_target or bool(target) != wants_target:
            raise MarkerError(f"Invalid directive `{name}`: {payload}", lineno)
        if name == "field" and not is_type(target):
            raise MarkerError(f"Invalid directive `field`: `{target}` is no Rust type", lineno)
        if name == "upcast" and not is_path(target):
            text = f"Invalid directive `upcast`: `{target}` is no path of a Rust type"
            raise MarkerError(text, lineno)
        self._note(Place(name, key, target, lineno))
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

    def _note(self, place: Place) -> None:
        """Remembers a directive, unless it says again, or otherwise, what another one says."""
        for other in self.places:
            if other.key != place.key:
                continue
            same = other.name == place.name
            if place.name == "upcast" and same:
                same = other.target == place.target
            types = {"field", "enum"}
            nullable = {"field", "enum", "nullable"}
            clash = {other.name, place.name} in (types, nullable - {"enum"}, nullable - {"field"})
            if same or clash:
                text = f"a second directive on `{place.key}`, after `{other.name}` in line "
                raise MarkerError(f"{text}{other.lineno}", place.lineno)
        self.places.append(place)

    def _add_enum(self, payload: str, lineno: int) -> None:
        def invalid(why: str = "") -> MarkerError:
            example = "Example: `a.B.kind -> Kind(i32) { X=0, Y=1 }`"
            return MarkerError(f"Invalid directive `enum`{why and f': {why}'}. {example}", lineno)

        match = _ENUM.fullmatch(payload)
        if match is None:
            raise invalid()
        name, number = match["name"], match["repr"]
        if not is_new_type_name(name):
            raise invalid(f"Rust can't have a type `{name}`")
        if any(spec.name == name for spec in self.enums.values()):
            raise invalid(f"a second enumeration `{name}` in the file")
        if number not in _INTEGERS:
            raise invalid(f"`{number}` is none of {', '.join(sorted(_INTEGERS))}")
        bits = 8 * RUST_SCALAR_WIDTHS[number]
        lowest = 0 if number[0] == "u" else -(1 << bits - 1)
        members: dict[str, int] = {}
        for entry in filter(None, (part.strip() for part in match["body"].split(","))):
            member, equals, text = (part.strip() for part in entry.partition("="))
            if not equals or re.fullmatch(r"-?[0-9]{1,40}", text) is None:
                raise invalid()
            if member in RUST_KEYWORDS and member not in RUST_NOT_RAW_IDENTIFIERS:
                member = f"r#{member}"
            if not is_identifier(member) or member in _ENUM_FUNCTIONS:
                raise invalid(f"a member can't be named `{member}`")
            if member in members:
                raise invalid(f"a second member `{member}`")
            if not lowest <= int(text) < lowest + (1 << bits):
                raise invalid(f"{text} does not fit {number}")
            members[member] = int(text)
        self._note(Place("enum", match["field"], name, lineno))
        self.enums[match["field"]] = EnumSpec(name, number, tuple(members.items()))
