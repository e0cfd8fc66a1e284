# SPDX-License-Identifier: Apache-2.0
"""Enumerations whose variants are native objects, one of each."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, ClassVar, get_origin

from .. import core
from .._py_class import _python_types, _same_definition
from ..container import Dict, List
from ..core import MISSING, Object
from .c_class import c_class
from .py_class import py_class

__all__ = [
    "ENUM_STATE_ATTR",
    "Enum",
    "EnumAttrMap",
    "EnumState",
    "IntEnum",
    "StrEnum",
    "auto",
    "entry",
]

# Type attribute that holds the variants of an enumeration.
ENUM_STATE_ATTR = "__ffi_enum__"

_INT_MIN, _INT_MAX = -(1 << 63), (1 << 63) - 1


class _Entry:
    """A variant to be made: ``x = auto()`` or ``x = entry(field=value)``."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs


def auto() -> Any:
    """A variant without field values."""
    return _Entry((), {})


def entry(*args: Any, **kwargs: Any) -> Any:
    """A variant with field values, by name or in the order of the fields of the class."""
    return _Entry(args, kwargs)


@c_class("ffi.EnumState")
class EnumState(Object):
    """The variants of one enumeration, by order, by index, and their attributes."""

    entries: List
    indexes: Dict
    attrs: Dict


def _state(cls: Any, create: bool = True) -> Any:
    info = cls.__dict__.get("__tvm_ffi_type_info__")
    if info is None:
        return None
    state = core._lookup_type_attr(info.type_index, ENUM_STATE_ATTR)
    if state is None and create:
        state = EnumState()
        core._register_type_attr(info.type_index, ENUM_STATE_ATTR, state)
    return state


def _check_index(index: Any) -> None:
    if isinstance(index, bool) or not isinstance(index, (int, str)):
        raise TypeError(f"enum index must be int or str, got {type(index).__name__}")
    if isinstance(index, int) and not _INT_MIN <= index <= _INT_MAX:
        raise OverflowError(f"enum integer index {index} is outside int64")


class _EnumMeta(core._ObjectSlotsMeta):
    """Looks variants up by calling the class, and iterates over them."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs:
            (value,) = args
            if isinstance(value, cls):
                return value
            if isinstance(value, (int, str)) and not isinstance(value, bool):
                try:
                    return cls.get(value)  # type: ignore[attr-defined]
                except KeyError:
                    raise ValueError(f"{value!r} is not a valid {cls.__name__}") from None
            kind = type(value).__name__
            raise TypeError(f"variants of {cls.__name__} are found by int or str, got {kind}")
        return super().__call__(*args, **kwargs)

    def __iter__(cls) -> Iterator[Any]:
        return cls.all_entries()  # type: ignore[attr-defined]

    def __len__(cls) -> int:
        state = _state(cls, create=False)
        return 0 if state is None else len(state.entries)

    def __bool__(cls) -> bool:
        return True

    def __contains__(cls, value: object) -> bool:
        return isinstance(value, cls)


class _ClassProperty:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, obj: Any, cls: Any) -> Any:
        return self.function(cls)


def _is_class_var(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2].strip() == "ClassVar"
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _payload_type(cls: type) -> type | None:
    for base in cls.__mro__:
        payload = base.__dict__.get("__ffi_payload_type__")
        if payload is not None:
            return payload
    return None


def _is_variant(value: Any, payload: type | None, name: str) -> bool:
    if isinstance(value, _Entry):
        return True
    if payload is None or name.startswith("_"):
        return False
    is_code = callable(value) or hasattr(type(value), "__get__")
    return not is_code and isinstance(value, (bool, int, float, str, bytes))


def _own_field_names(cls: type) -> list[str]:
    """Constructor fields in order, without the two leading indices."""
    from ._dunders import all_fields

    info = cls.__tvm_ffi_type_info__  # type: ignore[attr-defined]
    skipped = ("_int_index", "_str_index")
    return [f.name for f in all_fields(info) if f.c_init and f.name not in skipped]


def _make(cls: type, name: str, int_index: int, str_index: str, made: _Entry) -> Any:
    where = f"{cls.__name__}.{name}"
    values = dict(made.kwargs)
    names = _own_field_names(cls)
    if len(made.args) > len(names):
        raise TypeError(f"{where}: at most {len(names)} field values, got {len(made.args)}")
    for field_name, value in zip(names, made.args):
        if field_name in values:
            raise TypeError(f"{where}: got multiple values for field '{field_name}'")
        values[field_name] = value
    info = cls.__tvm_ffi_type_info__  # type: ignore[attr-defined]
    init = core._lookup_type_attr(info.type_index, "__ffi_init__")
    packed: list[Any] = ["_int_index", int_index, "_str_index", str_index]
    for field_name, value in values.items():
        packed += [field_name, value]
    try:
        if init is not None:
            return init(core.KWARGS, *packed)
        create = core._get_global_func("ffi.MakeObjectFromPackedArgs", False)
        return create(info.type_key, *packed)
    except TypeError as error:
        raise TypeError(f"{where}: invalid enum entry: {error}") from error


def _indices(cls: type, payload: type | None, name: str, value: Any) -> tuple[int, str, _Entry]:
    """Int index, str index and field values of a variant."""
    made = value if isinstance(value, _Entry) else _Entry((), {"value": value})
    kwargs = dict(made.kwargs)
    made = _Entry(made.args, kwargs)
    ordinal = len(_state(cls).entries)
    if payload is None:
        return ordinal, name, made
    where = f"{cls.__name__}.{name}"
    if "value" not in kwargs:
        raise TypeError(f"{where} requires a {payload.__name__} value")
    content: Any = kwargs.pop("value")
    is_payload = type(content) is payload
    if not is_payload:
        raise TypeError(f"{where} value must be {payload.__name__}")
    if payload is int:
        _check_index(content)
        return content, name, made
    return ordinal, content, made


def _add(cls: type, name: str, value: Any) -> Any:
    payload = _payload_type(cls)
    int_index, str_index, made = _indices(cls, payload, name, value)
    state = _state(cls)
    for index in (int_index, str_index):
        if index in state.indexes:
            # The same definition that runs again, as in a notebook cell, finds its own variants.
            raise ValueError(f"{cls.__name__}.{name}: the index {index!r} is taken")
    variant = _make(cls, name, int_index, str_index, made)
    state.entries.append(variant)
    state.indexes[int_index] = variant
    state.indexes[str_index] = variant
    return variant


def _bind(cls: type, name: str) -> Any:
    """The variant that native code or an earlier definition made; for others a new one."""
    state = _state(cls, create=False)
    if state is not None and name in state.indexes:
        return state.indexes[name]
    payload = _payload_type(cls)
    if payload is not None:
        kind = "an integer" if payload is int else "a string"
        raise TypeError(f"{cls.__name__}.{name} requires {kind} value")
    return _add(cls, name, auto())


def _define(cls: type, type_key: str, frozen: bool, init: bool, repr: bool) -> None:
    annotations = inspect.get_annotations(cls)
    payload = _payload_type(cls)
    if payload is not None and "value" in annotations and not _is_class_var(annotations["value"]):
        raise TypeError(
            f"{payload.__name__.title()}Enum reserves `value` as its canonical index alias"
        )
    variants = {
        name: value
        for name, value in cls.__dict__.items()
        if _is_variant(value, payload, name)
        and (name not in annotations or _is_class_var(annotations[name]))
    }
    bound = [
        name
        for name, annotation in annotations.items()
        if _is_class_var(annotation) and name not in cls.__dict__
    ]
    known = core._object_type_key_to_index(type_key)
    base = core._object_type_key_to_index("ffi.Enum")
    if known is not None and base is not None and not core._is_native_subtype(known, base):
        raise TypeError(f"{cls.__name__}: the native type `{type_key}` is no enumeration")
    again = known in _python_types and _same_definition(core._get_class(known or 0), cls)
    if known is None or again:
        repr = repr and payload is None
        py_class(type_key, frozen=frozen, init=init, repr=repr, structural_eq="singleton")(cls)
    else:
        c_class(type_key, frozen=frozen, init=init, repr=repr and payload is None)(cls)
    # There is one object per variant.
    cls.__copy__ = lambda self: self  # type: ignore[attr-defined]
    cls.__deepcopy__ = lambda self, memo=None: self  # type: ignore[attr-defined]
    for name in bound:
        setattr(cls, name, _bind(cls, name))
    for name, value in variants.items():
        setattr(cls, name, _add(cls, name, value))


@c_class("ffi.Enum")
class Enum(Object, metaclass=_EnumMeta):
    """Base of enumerations.

    ``class Color(Enum, type_key="pkg.Color")`` defines one, or binds to the native type of that
    key. Variants are ``x = auto()``, ``x = entry(field=value)`` or, for a variant that exists
    already, the annotation ``x: ClassVar[Color]``. Without ``type_key`` the class is an abstract
    base.
    """

    _int_index: int
    _str_index: str

    def __init_subclass__(
        cls,
        *,
        type_key: str | None = None,
        frozen: bool = True,
        init: bool = True,
        repr: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if type_key is not None:
            _define(cls, type_key, frozen, init, repr)

    @classmethod
    def get(cls, index: int | str) -> Any:
        """The variant of an index. KeyError when there is none."""
        _check_index(index)
        state = _state(cls, create=False)
        variant = None if state is None else state.indexes.get(index)
        if variant is None:
            raise KeyError(index)
        return variant

    @classmethod
    def all_entries(cls) -> Iterator[Any]:
        """The variants in order of definition."""
        state = _state(cls, create=False)
        return iter(()) if state is None else iter(list(state.entries))

    @classmethod
    def def_attr(cls, name: str, *, default: Any = MISSING) -> EnumAttrMap:
        """A table of values for the variants, kept with the type."""
        return EnumAttrMap(cls, name, default=default)

    attr_dict = _ClassProperty(lambda cls: _state(cls).attrs)


def _payload_eq(self: Any, other: object) -> bool:
    if isinstance(other, Enum):
        return type(self) is type(other) and self.value == other.value  # type: ignore[attr-defined]
    return type(other) is type(self.value) and self.value == other


def _payload_ne(self: Any, other: object) -> bool:
    return not self == other


def _payload_hash(self: Any) -> int:
    return hash(self.value)


def _payload_str(self: Any) -> str:
    return str(self.value)


def _payload_format(self: Any, spec: str) -> str:
    return format(self.value, spec)


def _payload_repr(self: Any) -> str:
    return f"{type(self).__name__}.{self._str_index}"


def _payload_name(self: Any) -> str:
    """The str index."""
    return self._str_index


class EnumAttrMap:
    """Values of one attribute for the variants of an enumeration."""

    def __init__(self, enum_cls: type, name: str, *, default: Any = MISSING) -> None:
        self._enum_cls = enum_cls
        self._name = name
        self._default = default

    @property
    def name(self) -> str:
        """Name of the attribute."""
        return self._name

    def _table(self, create: bool) -> Any:
        attrs = self._enum_cls.attr_dict  # type: ignore[attr-defined]
        if self._name not in attrs:
            if not create:
                return None
            attrs[self._name] = Dict()
        return attrs[self._name]

    def _check(self, variant: object) -> None:
        if not isinstance(variant, self._enum_cls):
            raise TypeError(f"expected {self._enum_cls.__name__}, got {type(variant).__name__}")

    def __setitem__(self, variant: object, value: Any) -> None:
        self._check(variant)
        self._table(create=True)[variant] = value

    def __getitem__(self, variant: object) -> Any:
        self._check(variant)
        table = self._table(create=False)
        if table is not None and variant in table:
            return table[variant]
        if self._default is not MISSING:
            return self._default
        raise KeyError(f"{core.object_repr(variant)} has no extensible attribute {self._name!r}")  # type: ignore[arg-type]

    def __contains__(self, variant: object) -> bool:
        if not isinstance(variant, self._enum_cls):
            return False
        table = self._table(create=False)
        return table is not None and variant in table

    def get(self, variant: object, default: Any = None) -> Any:
        """The value of a variant, or ``default``."""
        table = self._table(create=False)
        if isinstance(variant, self._enum_cls) and table is not None and variant in table:
            return table[variant]
        return default


@c_class("ffi.IntEnum", repr=False)
class IntEnum(Enum):
    """Variants with an int value, their int index. They compare, hash and print like it."""

    __ffi_payload_type__ = int

    value: int

    __eq__ = _payload_eq
    __ne__ = _payload_ne
    __hash__ = _payload_hash  # type: ignore[assignment]
    __str__ = _payload_str
    __format__ = _payload_format
    __repr__ = _payload_repr
    name = property(_payload_name)


@c_class("ffi.StrEnum", repr=False)
class StrEnum(Enum):
    """Variants with a str value, their str index. They compare, hash and print like it."""

    __ffi_payload_type__ = str

    value: str

    __eq__ = _payload_eq
    __ne__ = _payload_ne
    __hash__ = _payload_hash  # type: ignore[assignment]
    __str__ = _payload_str
    __format__ = _payload_format
    __repr__ = _payload_repr
    name = property(_payload_name)
