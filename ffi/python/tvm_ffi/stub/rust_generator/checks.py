# SPDX-License-Identifier: Apache-2.0
"""Whether the directives of a Rust file are about something that the file has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from ..file_utils import MarkerError
from ..utils import NamedTypeSchema, ObjectInfo
from . import consts as C
from .directives import FIELD_DIRECTIVES, Directives, Place
from .syntax import is_new_type_name


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), 1, 0.8)
    return f"; did you mean `{near[0]}`?" if near else ""


def check_directives(
    directives: Directives, own: Mapping[str, ObjectInfo], ancestors: Mapping[str, ObjectInfo]
) -> Iterator[MarkerError]:
    """An error for every directive that says nothing, or what can't be, about the types of a file.

    ``own`` are the types of its object blocks. Directives on fields of their ancestors count too:
    a type that Rust may derive from repeats the fields of those.
    """
    types = {**ancestors, **own}
    for place in directives.places:
        try:
            if place.name in FIELD_DIRECTIVES:
                _check_field(directives, place, types)
            else:
                _check_type(place, own, types)
        except MarkerError as error:
            yield error
    names = {name for key in own for name in _names_of(key)}
    for place in directives.places:
        if place.name == "enum" and place.target in names:
            text = f"`enum`: the file has a type `{place.target}` already"
            yield MarkerError(text, place.lineno)


def check_types(keys: Iterable[tuple[str, int]]) -> Iterator[MarkerError]:
    """An error for every object block, given with its line, whose structs would have a name that
    Rust has, or that another block of the file has."""
    owners: dict[str, str] = {}
    for key, lineno in keys:
        leaf = key.rpartition(".")[2]
        if not is_new_type_name(leaf):
            text = (
                f"`object/{key}`: Rust can't have a type `{leaf}`; delete the block and leave the "
            )
            yield MarkerError(f"{text}type out with `skip: {key}`", lineno)
            continue
        taken = next((name for name in _names_of(key) if name in owners), None)
        if taken is not None:
            text = f"`object/{key}`: the file has a type `{taken}` already, of `{owners[taken]}`"
            yield MarkerError(text, lineno)
        owners |= dict.fromkeys(_names_of(key), key)


def _names_of(type_key: str) -> tuple[str, str]:
    leaf = type_key.rpartition(".")[2]
    return leaf, f"{leaf}Obj"


def _check_type(
    place: Place, own: Mapping[str, ObjectInfo], types: Mapping[str, ObjectInfo]
) -> None:
    known = types if place.name == "opaque" else own
    if place.key not in known:
        text = f"`{place.name}`: the file has no block `object/{place.key}`"
        raise MarkerError(text + _near(place.key, known), place.lineno)
    info = known[place.key]
    if place.name == "custom-new" and not info.has_init:
        text = f"`custom-new`: the type `{place.key}` has no constructor"
        raise MarkerError(text, place.lineno)
    if place.name == "upcast":
        taken = {name.rpartition(".")[2] for name in (*info.ancestors, place.key)}
        if "::" not in place.target and place.target in taken:
            text = f"`upcast`: `{place.key}` is converted to `{place.target}` anyhow"
            raise MarkerError(text, place.lineno)


def _check_field(directives: Directives, place: Place, types: Mapping[str, ObjectInfo]) -> None:
    owner, _, name = place.key.rpartition(".")
    if owner not in types:
        text = f"`{place.name}`: the file has no block `object/{owner or place.key}`"
        raise MarkerError(text + _near(owner or place.key, types), place.lineno)
    fields = {field.name: field for field in types[owner].fields}
    if name not in fields:
        text = f"`{place.name}`: the type `{owner}` has no field `{name}` of its own"
        raise MarkerError(text + _near(name, fields), place.lineno)
    why = _misfit(directives, place, fields[name])
    if why is not None:
        raise MarkerError(f"`{place.name}`: the field `{place.key}` {why}", place.lineno)


def _misfit(directives: Directives, place: Place, field: NamedTypeSchema) -> str | None:
    """Why a directive can't be about a field."""
    width = None
    if place.name == "enum":
        if field.origin != "int":
            return f"is no integer but `{field.origin}`"
        number = directives.enums[place.key].repr
        width = C.RUST_SCALAR_WIDTHS[number]
    elif place.name == "field":
        number = place.target
        width = C.RUST_SCALAR_WIDTHS.get(number)
        scalar = field.origin in ("int", "float", "bool")
        if width is not None and not scalar:
            return f"is no number but `{field.origin}`"
    elif field.origin == "Optional":
        return "is optional already"
    elif field.size != C.RUST_POINTER_SIZE or field.origin in ("int", "float", "Device"):
        return f"holds no object but `{field.origin}`, which can't be null"
    if width is not None and field.size is not None and width != field.size:
        return f"has {field.size} bytes, `{number}` has {width}"
    return None
