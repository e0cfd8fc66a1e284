# SPDX-License-Identifier: Apache-2.0
"""Field declarations of ``py_class`` and ``c_class``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY
from typing import Any, Generic, TypeVar

from ..core import MISSING, TypeSchema

__all__ = ["KW_ONLY", "MISSING", "Field", "field", "init_property"]

_T = TypeVar("_T")
_STRUCTURAL_OPTIONS = (None, "ignore", "def", "def-pattern", "def-simple")


def _is_missing(value: Any) -> bool:
    return value is MISSING


class Field:
    """One field: how it is initialised, printed, compared and hashed.

    ``type`` holds the annotation once the class is registered. ``extra_kwargs`` keeps options that
    only a hook of the class understands.
    """

    __slots__ = (
        "_init_function",
        "_normalize_value",
        "_ty_schema",
        "compare",
        "converter",
        "default",
        "default_factory",
        "doc",
        "extra_kwargs",
        "frozen",
        "hash",
        "init",
        "kw_only",
        "metadata",
        "name",
        "repr",
        "structural_eq",
        "type",
    )

    def __init__(
        self,
        name: str | None = None,
        _ty_schema: TypeSchema | None = None,
        *,
        default: object = MISSING,
        default_factory: Callable[[], object] | None = MISSING,  # type: ignore[assignment]
        frozen: bool = False,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = True,
        compare: bool = False,
        kw_only: bool | None = False,
        metadata: Mapping[str, Any] | None = None,
        structural_eq: str | None = None,
        doc: str | None = None,
        converter: Callable[[Any], Any] | None = None,
        extra_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not _is_missing(default) and not _is_missing(default_factory):
            raise ValueError("cannot specify both default and default_factory")
        if not _is_missing(default_factory) and not callable(default_factory):
            raise TypeError(
                f"default_factory must be callable, got {type(default_factory).__name__}"
            )
        if structural_eq not in _STRUCTURAL_OPTIONS:
            choices = ", ".join(repr_of(option) for option in _STRUCTURAL_OPTIONS)
            raise ValueError(f"structural_eq must be one of {choices}; got {structural_eq!r}")
        self.name = name
        self._ty_schema = _ty_schema
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.frozen = frozen
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.kw_only = kw_only
        self.metadata = dict(metadata or {})
        self.structural_eq = structural_eq
        self.doc = doc
        self.converter = converter
        self.extra_kwargs = dict(extra_kwargs or {})
        self._init_function: Callable[[Any], Any] | None = None
        self._normalize_value: Callable[[Any], Any] | None = None

    def __copy__(self) -> Field:
        new = Field.__new__(Field)
        for name in Field.__slots__:
            value = getattr(self, name)
            setattr(new, name, dict(value) if isinstance(value, dict) else value)
        return new

    def __repr__(self) -> str:
        shown = ("name", "type", "default", "default_factory", "init", "kw_only")
        return f"Field({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


repr_of = repr


def field(
    *,
    default: object = MISSING,
    default_factory: Callable[[], object] | None = MISSING,  # type: ignore[assignment]
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    hash: bool | None = None,
    compare: bool = True,
    kw_only: bool | None = None,
    metadata: Mapping[str, Any] | None = None,
    structural_eq: str | None = None,
    doc: str | None = None,
    converter: Callable[[Any], Any] | None = None,
    **extra_kwargs: Any,
) -> Any:
    """Declares a field with options.

    Parameters
    ----------
    default, default_factory
        Default value, or a function that makes one. Exclusive (``ValueError``).
    frozen
        The field has no public setter.
    init, repr, compare
        Whether the field takes part in the constructor, in printing and in comparison.
    hash
        Whether it takes part in hashing; None follows ``compare``.
    kw_only
        Whether the constructor takes it by name only; None follows the class.
    metadata
        A mapping that is copied and has no meaning here.
    structural_eq
        None, ``"ignore"``, ``"def-pattern"`` (or ``"def"``) or ``"def-simple"``.
    doc
        Documentation of the property.
    """
    return Field(
        default=default,
        default_factory=default_factory,
        frozen=frozen,
        init=init,
        repr=repr,
        hash=hash,
        compare=compare,
        kw_only=kw_only,
        metadata=metadata,
        structural_eq=structural_eq,
        doc=doc,
        converter=converter,
        extra_kwargs=extra_kwargs,
    )


class init_property(Generic[_T]):
    """A field that is computed once, at the end of the constructor."""

    def __init__(self, func: Callable[[Any], _T]) -> None:
        self.func = func
        self.name = func.__name__
        self.__doc__ = func.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, obj: object | None, objtype: type) -> Any:
        if obj is None:
            return self
        raise AttributeError(f"{self.name} is only known once the class is a py_class")

    def _make_field(self) -> Field:
        made = Field(
            init=False,
            repr=False,
            compare=False,
            hash=False,
            structural_eq="ignore",
            doc=self.__doc__,
        )
        made._init_function = self.func
        return made
