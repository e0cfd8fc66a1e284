# SPDX-License-Identifier: Apache-2.0
"""``py_class``: native types that are defined by a Python class."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _type_info, core
from ..core import TypeInfo, TypeSchema
from . import _annotations, _dunders
from .field import KW_ONLY, MISSING, Field, field

__all__ = ["KW_ONLY", "MISSING", "Field", "field", "method", "py_class"]

_T = TypeVar("_T", bound=type)

_STRUCTURAL_KINDS = {
    None: 0,
    "tree": 1,
    "var": 2,
    "dag": 3,
    "const-tree": 4,
    "singleton": 5,
}

# Names in a class body that native code looks up as type attributes, not as methods.
_HOOKS = (
    "__ffi_repr__",
    "__ffi_hash__",
    "__ffi_eq__",
    "__ffi_compare__",
    "__ffi_convert__",
    "__ffi_convert_type_schema__",
    "__any_hash__",
    "__any_equal__",
    "__s_equal__",
    "__s_hash__",
    "__s_visit__",
    "__s_mutate__",
    "__s_maybe_inplace_mutate__",
    "__data_to_json__",
    "__data_from_json__",
)
_INHERITED_HOOKS = (
    "__s_equal__",
    "__s_hash__",
    "__s_visit__",
    "__data_to_json__",
    "__data_from_json__",
)


def method(fn: Any) -> Any:
    """Puts a method of a ``py_class`` into the method table of its native type."""
    if isinstance(fn, classmethod):
        raise TypeError("method can't be a classmethod: native methods know no class")
    target = fn.__func__ if isinstance(fn, staticmethod) else fn
    if not callable(target):
        raise TypeError(f"method must decorate a function, got {type(fn).__name__}")
    target.__ffi_method__ = True  # type: ignore[union-attr]
    return fn


class _Options(typing.NamedTuple):
    init: bool
    repr: bool
    eq: bool
    order: bool
    unsafe_hash: bool
    match_args: bool
    frozen: bool
    kw_only: bool
    structural_eq: str | None


class _Pending(typing.NamedTuple):
    cls: type
    info: TypeInfo
    body: frozenset[str]
    options: _Options


# Classes whose annotations name what does not exist yet.
_pending: list[_Pending] = []


def _parent_info(cls: type) -> TypeInfo:
    for base in cls.__mro__[1:]:
        info = core._type_cls_to_type_info(base)
        if info is not None:
            return info
    raise TypeError(
        f"{cls.__name__} must inherit from a registered FFI Object type (e.g. tvm_ffi.Object)"
    )


def _schema_text(function: Callable[..., Any], cls: type, is_static: bool) -> str:
    """Metadata of a method: its signature as far as the annotations tell."""

    def schema(annotation: Any) -> TypeSchema:
        try:
            return TypeSchema.from_annotation(annotation)
        except TypeError:
            return TypeSchema("Any")

    parameters = list(inspect.signature(function).parameters.values())
    try:
        namespace = _annotations._Namespace(cls, function.__globals__)
        hints = typing.get_type_hints(function, function.__globals__, namespace)
    except (NameError, TypeError, AttributeError):
        hints = {}
    result = schema(hints.get("return", Any))
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    groups: dict[str, tuple[TypeSchema, ...]] = {"return": (result,)}
    if not any(parameter.kind in variable for parameter in parameters):
        params = [schema(hints.get(parameter.name, Any)) for parameter in parameters]
        if not is_static and params:
            info = core._type_cls_to_type_info(cls)
            assert info is not None
            params[0] = TypeSchema.from_type_index(info.type_index)
        groups["params"] = tuple(params)
    described = TypeSchema("Callable", named_args=groups).to_json()
    described["type"] = "ffi.Function"
    return json.dumps({"type_schema": json.dumps(described, separators=(",", ":"))})


def _register_methods(cls: type, info: TypeInfo) -> None:
    for name, value in list(cls.__dict__.items()):
        is_static = isinstance(value, staticmethod)
        function = value.__func__ if is_static else value
        if not getattr(function, "__ffi_method__", False):
            continue
        if isinstance(value, classmethod):
            raise TypeError(f"{cls.__name__}.{name}: a method can't be a classmethod")
        core._register_method(
            info.type_index,
            name,
            inspect.getdoc(function),
            _schema_text(function, cls, is_static),
            _type_info._FLAG_IS_STATIC_METHOD if is_static else 0,
            core._convert_to_ffi_func(function),
        )
    info.methods = _type_info._read_methods(info.type_index)


def _register_hooks(cls: type, info: TypeInfo) -> None:
    extra = tuple(getattr(cls, "__ffi_type_attr_names__", ()))
    inherit = cls.__dict__.get("__ffi_inherit_type_attrs__")
    inherited = _INHERITED_HOOKS if inherit is None else tuple(inherit)
    for name in dict.fromkeys((*_HOOKS, *extra, *inherited)):
        if name in cls.__dict__:
            value = cls.__dict__[name]
            if isinstance(value, (staticmethod, classmethod)):
                value = value.__func__
        elif name in inherited and info.parent_type_info is not None:
            parent = info.parent_type_info.type_index
            value = core._lookup_type_attr(parent, name, ancestor=True)
        else:
            continue
        if value is not None:
            core._register_type_attr(info.type_index, name, value)


def _call_field_hooks(cls: type, info: TypeInfo, fields: list[Field]) -> None:
    seen: set[str] = set()
    for base in cls.__mro__:
        for name, value in base.__dict__.items():
            function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if name in seen or not getattr(function, "__ffi_on_fields_resolved__", False):
                continue
            seen.add(name)
            call: Any = function
            call(info, fields)


def _install_new(cls: type, info: TypeInfo, generated_init: bool) -> None:
    """A class with an ``__init__`` of its own gets its native object before that runs."""
    if generated_init and not any("__ffi_allocates__" in b.__dict__ for b in cls.__mro__[1:]):
        return

    def __new__(cls_: type, *args: Any, **kwargs: Any) -> Any:
        made = core._new_object(cls_)
        if not generated_init:
            made.__init_handle_by_constructor__(allocate)
        return made

    allocate = core._lookup_type_attr(info.type_index, "__ffi_new__")
    cls.__new__ = __new__  # type: ignore[method-assign, assignment]
    cls.__ffi_allocates__ = True  # type: ignore[attr-defined]


def _has_own_init(cls: type) -> bool:
    """Whether ``__init__`` comes from Python code of a user, not from this module."""
    for base in cls.__mro__:
        init = base.__dict__.get("__init__")
        if init is not None:
            generated = isinstance(init, core._Constructor)
            return not generated and not getattr(init, "__ffi_generated__", False)
        if core._type_cls_to_type_info(base) is not None and base is not cls:
            return False
    return False


def _complete(pending: _Pending) -> None:
    """Registers the fields. UnresolvedError when a name is still missing, also one of a parent: the
    fields of a child lie behind those of its parent."""
    cls, info, body, options = pending
    for waiting in list(_pending):
        if waiting.info is info.parent_type_info:
            _complete(waiting)
            _pending.remove(waiting)
    fields = _annotations.collect_fields(cls, options.kw_only)
    restore = getattr(cls.__dict__.get("__init__"), "__ffi_restore__", None)
    if restore is not None:
        restore()
    for made in fields:
        made.frozen = made.frozen or options.frozen
    info._decorator_args = options  # type: ignore[attr-defined]
    _call_field_hooks(cls, info, fields)
    for made in fields:
        if made.extra_kwargs:
            names = ", ".join(made.extra_kwargs)
            raise TypeError(f"{cls.__name__}.{made.name}: unrecognized field options: {names}")
    core._register_fields(info, fields, _STRUCTURAL_KINDS[options.structural_eq])
    _register_methods(cls, info)
    _register_hooks(cls, info)
    for native in info.fields or ():
        setattr(cls, native.name, native.as_property(cls))
    cls.__tvm_ffi_type_info__ = info  # type: ignore[attr-defined]
    constructor = core._lookup_type_attr(info.type_index, "__ffi_init__")
    if constructor is not None:
        cls.__ffi_init__ = core._Constructor(  # type: ignore[attr-defined]
            constructor, "__ffi_init__", f"{cls.__qualname__}.__ffi_init__", None, info
        )
    own_init = _has_own_init(cls)
    if options.init and not own_init:
        _dunders.install_init(cls, info, once=True)
    _install_new(cls, info, not own_init)
    _dunders.install(
        cls,
        info,
        body,
        repr=options.repr,
        eq=options.eq,
        order=options.order,
        unsafe_hash=options.unsafe_hash,
        match_args=options.match_args,
    )


def _retry_pending() -> None:
    progress = True
    while progress:
        progress = False
        for pending in list(_pending):
            if pending not in _pending:
                continue
            try:
                _complete(pending)
            except _annotations.UnresolvedError:
                continue
            _pending.remove(pending)
            progress = True


def _postpone(pending: _Pending) -> None:
    """Lets the first construction try once more, and say what is missing."""
    cls = pending.cls
    own_init = cls.__dict__.get("__init__")
    missing: list[str] = []  # set for good when the type was taken back

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if not missing:
            _retry_pending()
        if pending in _pending:
            try:
                _complete(pending)
            except _annotations.UnresolvedError as error:
                missing.extend(error.names)
                core._rollback_py_class(pending.info)
            _pending.remove(pending)
        if missing:
            raise TypeError(
                f"Cannot instantiate {cls.__name__}: unresolved forward references: {missing}"
            )
        completed: Any = cls
        completed.__init__(self, *args, **kwargs)

    def restore() -> None:
        if own_init is None:
            if cls.__dict__.get("__init__") is __init__:
                type.__delattr__(cls, "__init__")
        else:
            cls.__init__ = own_init  # type: ignore[misc]

    __init__.__ffi_restore__ = restore  # type: ignore[attr-defined]
    cls.__init__ = __init__  # type: ignore[misc]


def py_class(
    cls_or_type_key: type | str | None = None,
    /,
    *,
    type_key: str | None = None,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
    kw_only: bool = False,
    structural_eq: str | None = "tree",
    slots: bool = True,
) -> Any:
    """Defines a native type by a Python class.

    ``@py_class``, ``@py_class("key")`` and ``@py_class(options)`` are the accepted forms; the key
    is ``<module>.<qualname>`` when left out. Fields come from the annotations of the class and of
    its mixins; some base must be a registered class, such as ``tvm_ffi.Object``.

    Parameters
    ----------
    frozen
        Fields have no public setters.
    init, repr, eq, order, unsafe_hash, match_args
        What to install; a method in the class body wins. ``order`` needs ``eq``.
    kw_only
        The constructor takes all fields by name only.
    structural_eq
        How instances take part in structural equality: ``"tree"``, ``"dag"``, ``"const-tree"``,
        ``"var"``, ``"singleton"`` or None for not at all.
    """
    if not isinstance(cls_or_type_key, (type, str, type(None))):
        raise TypeError(
            f"py_class takes a class or a type key, got {type(cls_or_type_key).__name__}"
        )
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    if structural_eq not in _STRUCTURAL_KINDS:
        raise ValueError(
            f"structural_eq must be one of const-tree, dag, singleton, tree, var or None; got "
            f"{structural_eq!r}"
        )
    options = _Options(
        init, repr, eq, order, unsafe_hash, match_args, frozen, kw_only, structural_eq
    )

    def decorate(cls: _T) -> _T:
        key = type_key or (cls_or_type_key if isinstance(cls_or_type_key, str) else None)
        if key is None:
            key = f"{cls.__module__}.{cls.__qualname__}"
        body = frozenset(cls.__dict__)
        info = core._register_py_class(_parent_info(cls), key, cls)
        _annotations.remember(cls)
        pending = _Pending(cls, info, body, options)
        try:
            _complete(pending)
        except _annotations.UnresolvedError:
            _pending.append(pending)
            _postpone(pending)
        except BaseException:
            core._rollback_py_class(info)
            raise
        _retry_pending()
        return cls

    if isinstance(cls_or_type_key, type):
        return decorate(cls_or_type_key)
    return decorate
