# SPDX-License-Identifier: Apache-2.0
"""Fields typed with an enumeration of payloads accept the raw int or str in its place.

Fields of Python-defined classes convert by their schema; this is for types of native code, whose
setters only take the variant.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import core
from ..core import TypeField, TypeInfo

_PAYLOAD_ENUMS = (("ffi.IntEnum", int), ("ffi.StrEnum", str))


def _payload_of(field: TypeField) -> type | None:
    """``int`` or ``str`` when the field holds variants of such an enumeration, else None."""
    index = getattr(field.ty, "origin_type_index", -1)
    if index < 64:
        return None
    for key, payload in _PAYLOAD_ENUMS:
        base = core._object_type_key_to_index(key)
        if base is not None and index != base and core._is_native_subtype(index, base):
            return payload
    return None


def _variant(field: TypeField, payload: type, value: Any) -> Any:
    """The variant of a raw payload; any other value comes back unchanged. ValueError when there is
    no such variant."""
    if isinstance(value, (bool, core.CObject)):
        return value
    if payload is int and hasattr(type(value), "__index__"):
        value = value.__index__()
    if not isinstance(value, payload):
        return value
    assert field.ty is not None
    index = field.ty.origin_type_index
    state = core._lookup_type_attr(index, "__ffi_enum__")
    found = None if state is None else state.indexes.get(value)
    if found is None:
        cls = core._get_class(index)
        name = cls.__name__ if cls is not None else field.ty.origin
        raise ValueError(f"{value!r} is not a valid {name}")
    return found


def payload_fields(fields: list[TypeField]) -> dict[str, Callable[[Any], Any]]:
    """Name -> function that turns a raw payload into the variant, for the fields that need one."""
    found: dict[str, Callable[[Any], Any]] = {}
    for field in fields:
        payload = _payload_of(field)
        if payload is not None:
            found[field.name] = functools.partial(_variant, field, payload)
    return found


def wrap_setter(field: TypeField) -> None:
    """Makes the setter of a field take raw payloads, when the field holds such variants."""
    payload = _payload_of(field)
    if payload is None or field.setter is None or hasattr(field.setter, "__ffi_payload__"):
        return
    native = field.setter

    def set_field(obj: Any, value: Any) -> None:
        try:
            value = _variant(field, payload, value)
        except ValueError as error:
            raise TypeError(str(error)) from None
        native(obj, value)

    set_field.__ffi_payload__ = True  # type: ignore[attr-defined]
    field.setter = set_field  # type: ignore[assignment]


def convert_arguments(
    info: TypeInfo,
    names: list[str],
    converters: dict[str, Callable[[Any], Any]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a generated constructor with raw payloads replaced by variants."""

    def convert(name: str, value: Any) -> Any:
        if name not in converters:
            return value
        try:
            return converters[name](value)
        except ValueError as error:
            raise TypeError(f"{info.type_key}.__ffi_init__() field '{name}':\n  {error}") from None

    # More arguments than names are left to the native constructor, which says so.
    positional = [convert(names[i], v) if i < len(names) else v for i, v in enumerate(args)]
    return positional, {name: convert(name, value) for name, value in kwargs.items()}
