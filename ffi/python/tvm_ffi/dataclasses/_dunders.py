# SPDX-License-Identifier: Apache-2.0
"""The methods that ``c_class`` and ``py_class`` install: construction, comparison, copies."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .. import _copy as _copying
from .. import _ffi_api, _type_info, core
from ..core import MISSING, TypeField, TypeInfo
from . import _payload


def all_fields(info: TypeInfo) -> list[TypeField]:
    """Fields of a type, those of the furthest ancestor first."""
    chain: list[TypeInfo] = []
    current: TypeInfo | None = info
    while current is not None:
        chain.append(current)
        current = current.parent_type_info
    return [field for link in reversed(chain) for field in link.fields or ()]


def constructor_signature(info: TypeInfo) -> inspect.Signature:
    """Required positional fields, defaulted ones, then the keyword-only ones in the same order."""
    groups: dict[tuple[bool, bool], list[inspect.Parameter]] = {}
    for field in all_fields(info):
        if not field.c_init:
            continue
        kind = (
            inspect.Parameter.KEYWORD_ONLY
            if field.c_kw_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        default = MISSING if field.c_has_default else inspect.Parameter.empty
        groups.setdefault((field.c_kw_only, field.c_has_default), []).append(
            inspect.Parameter(field.name, kind, default=default)
        )
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [this]
    for key in ((False, False), (False, True), (True, False), (True, True)):
        parameters += groups.get(key, [])
    return inspect.Signature(parameters)


def _init_functions(info: TypeInfo) -> list[tuple[str, Callable[[Any], Any], Any]]:
    found = []
    for field in all_fields(info):
        function = getattr(field.dataclass_field, "_init_function", None)
        if function is not None:
            found.append((field.name, function, field.setter))
    return found


def install_init(cls: type, info: TypeInfo, *, once: bool) -> None:
    """Installs ``__init__`` over the native constructor.

    With ``once`` it leaves an object alone that is filled already: ``super().__init__()`` of a
    Python-defined class then does nothing.
    """
    constructor = core._lookup_type_attr(info.type_index, "__ffi_init__")
    explicit = next((m for m in info.methods if m.name == "__ffi_init__"), None)
    if constructor is None and explicit is None:
        from ..registry import _no_constructor

        cls.__init__ = _no_constructor(cls)  # type: ignore[misc]
        return
    native = core._Constructor(
        explicit.func if explicit is not None else constructor,
        "__init__",
        f"{cls.__qualname__}.__init__",
        None,
        info,
        once,
    )
    native.__module__ = cls.__module__
    if explicit is not None:
        _type_info.describe_constructor(native, explicit.metadata)
    else:
        native.__ffi_signature__ = lambda: constructor_signature(info)
    functions = _init_functions(info)
    converters = {} if explicit is not None else _payload.payload_fields(all_fields(info))
    if not functions and not converters:
        cls.__init__ = native  # type: ignore[misc]
        return
    fill = core._Constructor(native.__func__, "__ffi_init__", native.__qualname__, None, info, once)
    if explicit is not None:
        _type_info.describe_constructor(fill, explicit.metadata)

    parameters = list(constructor_signature(info).parameters.values())[1:]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    names = [parameter.name for parameter in parameters if parameter.kind is not keyword_only]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if once and self.__chandle__() != 0:
            return
        if converters:
            positional, kwargs = _payload.convert_arguments(info, names, converters, args, kwargs)
            fill(self, *positional, **kwargs)
        else:
            fill(self, *args, **kwargs)
        for _, function, setter in functions:
            setter(self, function(self))
        post_init = getattr(self, "__post_init__", None)
        if post_init is not None:
            post_init()

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__signature__ = inspect.signature(native)  # type: ignore[attr-defined]
    __init__.__ffi_generated__ = True  # type: ignore[attr-defined]
    cls.__init__ = __init__  # type: ignore[misc]


def _related(left: Any, right: Any) -> bool:
    return isinstance(left, type(right)) or isinstance(right, type(left))


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if not isinstance(other, core.CObject) or not _related(self, other):
            return NotImplemented
        return getattr(_ffi_api, name)(self, other)

    return compare


def _ne(self: Any, other: Any) -> Any:
    equal = self.__eq__(other)
    return NotImplemented if equal is NotImplemented else not equal


def _hash(self: Any) -> int:
    return hash(_ffi_api.RecursiveHash(self))


def _repr(self: Any) -> str:
    return core.object_repr(self)


def _copy(self: Any) -> Any:
    return _copying.shallow_copy(self)


def _deepcopy(self: Any, memo: Any = None) -> Any:
    return _copying.deep_copy(self, memo)


def _replace(self: Any, **changes: Any) -> Any:
    made = self.__copy__()
    setters = {field.name: field.setter for field in all_fields(type(self).__tvm_ffi_type_info__)}
    for name, value in changes.items():
        if name not in setters:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        setters[name](made, value)
    return made


def _define(cls: type, body: frozenset[str], functions: dict[str, Any]) -> None:
    """Sets methods unless the class body defines one of the family."""
    if any(name in body for name in functions):
        return
    for name, function in functions.items():
        try:
            function.__name__ = name
            function.__qualname__ = f"{cls.__qualname__}.{name}"
        except (AttributeError, TypeError):
            pass
        setattr(cls, name, function)


def install(
    cls: type,
    info: TypeInfo,
    body: frozenset[str],
    *,
    repr: bool,
    eq: bool,
    order: bool,
    unsafe_hash: bool,
    match_args: bool,
) -> None:
    """Installs everything but ``__init__``; ``body`` holds the names that the class defines."""
    if repr and "__repr__" not in body:
        _define(cls, body, {"__repr__": _named(_repr)})
    if eq:
        _define(cls, body, {"__eq__": _comparison("RecursiveEq"), "__ne__": _named(_ne)})
    if order:
        _define(
            cls,
            body,
            {
                "__lt__": _comparison("RecursiveLt"),
                "__le__": _comparison("RecursiveLe"),
                "__gt__": _comparison("RecursiveGt"),
                "__ge__": _comparison("RecursiveGe"),
            },
        )
    if unsafe_hash:
        _define(cls, body, {"__hash__": _named(_hash)})
    for name, function in (
        ("__copy__", _copy),
        ("__deepcopy__", _deepcopy),
        ("__replace__", _replace),
    ):
        _define(cls, body, {name: _named(function)})
    if match_args and "__match_args__" not in body:
        cls.__match_args__ = tuple(  # type: ignore[attr-defined, misc]
            field.name for field in all_fields(info) if field.c_init and not field.c_kw_only
        )
    cls.__ffi_is_dataclass__ = True  # type: ignore[attr-defined]


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    """A copy, so that each class has its own ``__qualname__``."""
    import types

    return types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
