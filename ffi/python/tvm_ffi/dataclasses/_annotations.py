# SPDX-License-Identifier: Apache-2.0
"""Fields of a class from its annotations; names may refer to classes that come later."""

from __future__ import annotations

import builtins
import copy
import inspect
import sys
import typing
from collections.abc import Iterator
from typing import Any, ClassVar

from .. import core
from ..core import MISSING, TypeSchema
from .field import KW_ONLY, Field, init_property


class UnresolvedError(Exception):
    """Annotations name classes that don't exist yet."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self.names = names


# Classes by (module, name), so that string annotations find local classes too.
_classes: dict[str, dict[str, type]] = {}


def remember(cls: type) -> None:
    """Makes a class known to annotations by its name."""
    _classes.setdefault(cls.__module__, {})[cls.__name__] = cls


class _Namespace(dict):
    """What a string annotation may name beyond the globals of its module."""

    def __init__(self, cls: type, module_globals: dict[str, Any]) -> None:
        super().__init__()
        self._cls = cls
        self._globals = module_globals
        if sys.version_info >= (3, 14):
            # There typing evaluates in a copy, which is a plain dict: these names must be in it.
            self.update(_classes.get(cls.__module__, {}))
            self[cls.__name__] = cls

    def add(self, name: str | None) -> bool:
        """Makes one more name of a class known to copies; false when there is none."""
        if name is None or name in self:
            return False
        try:
            self[name] = self[name]
        except KeyError:
            return False
        return True

    def __missing__(self, name: str) -> Any:
        if name == self._cls.__name__:
            return self._cls
        same_module = _classes.get(self._cls.__module__, {})
        if name in same_module:
            return same_module[name]
        if name in self._globals or hasattr(builtins, name):
            raise KeyError(name)
        for classes in _classes.values():
            if name in classes:
                return classes[name]
        raise KeyError(name)


def _hints(owner: type, cls: type) -> dict[str, Any]:
    """Evaluated annotations of one class body."""
    annotations = dict(inspect.get_annotations(owner))
    for name, value in owner.__dict__.items():
        # A computed field declares its type by the result of its function.
        if isinstance(value, init_property) and name not in annotations:
            annotations[name] = inspect.get_annotations(value.func).get("return", Any)
    module_globals = vars(sys.modules.get(owner.__module__, builtins))
    namespace = _Namespace(cls, module_globals)
    result: dict[str, Any] = {}
    missing: list[str] = []
    for name, annotation in annotations.items():
        probe = type("_", (), {"__annotations__": {name: annotation}})
        try:
            hints = _evaluate(probe, module_globals, namespace)
        except NameError as error:
            missing.append(error.name or str(error))
            continue
        except TypeError:
            hints = {name: _value_of(annotation, module_globals, namespace)}
        result[name] = hints[name]
    if missing:
        raise UnresolvedError(missing)
    return result


def _evaluate(probe: type, module_globals: dict[str, Any], namespace: _Namespace) -> dict[str, Any]:
    while True:
        try:
            return typing.get_type_hints(probe, module_globals, namespace, include_extras=True)
        except NameError as error:
            if not namespace.add(error.name):
                raise


def _value_of(annotation: Any, module_globals: dict[str, Any], namespace: _Namespace) -> Any:
    """What an annotation names that `typing` does not take for a type, such as a marker object.

    CPython 3.10 refuses all that can't be called, `KW_ONLY` too, when the annotation is a string.
    """
    value = annotation
    seen: set[str] = set()
    while isinstance(value, str) and value not in seen:
        seen.add(value)
        try:
            value = eval(value, module_globals, namespace)
        except TypeError:
            # An expression without a value, such as "int | 3": reported as it was written.
            return annotation
    return value


def _bodies(cls: type) -> Iterator[type]:
    """The class and its mixins that are not registered, mixins first."""
    own = []
    for base in cls.__mro__:
        if base is not cls and (
            core._type_cls_to_type_info(base) is not None or base.__module__ == "builtins"
        ):
            continue
        if inspect.get_annotations(base) or any(
            isinstance(value, init_property) for value in base.__dict__.values()
        ):
            own.append(base)
    return reversed(own)


def _is_class_var(annotation: Any) -> bool:
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def collect_fields(cls: type, class_kw_only: bool) -> list[Field]:
    """The fields that a class adds, with name, type and schema.

    Raises
    ------
    UnresolvedError
        An annotation names a class that does not exist yet.
    TypeError
        An annotation has no native type.
    """
    result: dict[str, Field] = {}
    markers = getattr(cls, "__ffi_field_markers__", ())
    for owner in _bodies(cls):
        kw_only = class_kw_only
        for name, annotation in _hints(owner, cls).items():
            if annotation is KW_ONLY:
                kw_only = True
                continue
            if _is_class_var(annotation):
                continue
            if any(annotation is marker for marker in markers):
                continue
            default = owner.__dict__.get(name, MISSING)
            made = _field_of(default)
            made.name = name
            made.type = annotation
            made._ty_schema = TypeSchema.from_annotation(annotation)
            if made.kw_only is None:
                made.kw_only = kw_only
            result[name] = made
    return list(result.values())


def _field_of(default: Any) -> Field:
    if isinstance(default, Field):
        return copy.copy(default)
    if isinstance(default, init_property):
        return default._make_field()
    plain = Field(default=default, hash=None, compare=True, kw_only=None)
    return plain
