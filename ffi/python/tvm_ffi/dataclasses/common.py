# SPDX-License-Identifier: Apache-2.0
"""Functions over dataclass instances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .. import core
from ..container import Array, Dict, List, Map
from ._dunders import all_fields
from .c_class import _field_of
from .field import Field

__all__ = ["asdict", "astuple", "fields", "is_dataclass", "replace"]

_T = TypeVar("_T")


def is_dataclass(obj: Any) -> bool:
    """Whether ``obj`` is a ``py_class`` or ``c_class`` or an instance of one."""
    cls = obj if isinstance(obj, type) else type(obj)
    return bool(getattr(cls, "__ffi_is_dataclass__", False))


def fields(obj_or_cls: Any) -> tuple[Field, ...]:
    """The fields of a class or instance, those of the parents first."""
    cls = obj_or_cls if isinstance(obj_or_cls, type) else type(obj_or_cls)
    if not is_dataclass(cls):
        raise TypeError(f"must be called with a dataclass type or instance, got {cls!r}")
    result = []
    for native in all_fields(cls.__tvm_ffi_type_info__):  # type: ignore[attr-defined]
        if native.dataclass_field is None:
            native.dataclass_field = _field_of(native, None)
        result.append(native.dataclass_field)
    return tuple(result)


def _check_instance(obj: Any, name: str) -> None:
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError(f"{name}() should be called on dataclass instances")


def _convert(obj: Any, make: Callable[[Any], Any]) -> Any:
    if is_dataclass(obj) and not isinstance(obj, type):
        return make(obj)
    if isinstance(obj, (Array, List, list)):
        return [_convert(item, make) for item in obj]
    if isinstance(obj, tuple) and type(obj) is tuple:
        return tuple(_convert(item, make) for item in obj)
    if isinstance(obj, (Map, Dict, dict)):
        return {_convert(key, make): _convert(value, make) for key, value in obj.items()}
    return obj


def asdict(obj: Any, *, dict_factory: Callable[..., Any] = dict) -> Any:
    """The fields of an instance as a dict, dataclasses and containers below it included."""
    _check_instance(obj, "asdict")

    def make(value: Any) -> Any:
        return dict_factory(
            [(f.name, _convert(getattr(value, f.name or ""), make)) for f in fields(value)]
        )

    return make(obj)


def astuple(obj: Any, *, tuple_factory: Callable[..., Any] = tuple) -> Any:
    """The fields of an instance as a tuple, dataclasses and containers below it included."""
    _check_instance(obj, "astuple")

    def make(value: Any) -> Any:
        return tuple_factory([_convert(getattr(value, f.name or ""), make) for f in fields(value)])

    return make(obj)


def replace(obj: _T, /, **changes: Any) -> _T:
    """A copy of an instance with some fields changed."""
    if isinstance(obj, type) or not isinstance(obj, core.CObject):
        raise TypeError("replace() should be called on dataclass instances")
    return obj.__replace__(**changes)  # type: ignore[attr-defined]
