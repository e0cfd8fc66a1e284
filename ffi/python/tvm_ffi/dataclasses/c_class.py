# SPDX-License-Identifier: Apache-2.0
"""``c_class``: dataclasses over types that native code defines."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .. import core
from ..core import TypeField
from ..registry import register_object
from . import _dunders, _payload
from .field import MISSING, Field, field

__all__ = ["Field", "c_class", "field"]

_T = TypeVar("_T", bound=type)


def _field_of(native: TypeField, annotation: Any) -> Field:
    """The declaration that corresponds to a native field."""
    made = Field(
        native.name,
        native.ty,
        default=native.c_default,
        default_factory=MISSING  # type: ignore[arg-type]
        if native.c_default is not MISSING
        else native.c_default_factory,
        frozen=native.frozen,
        init=native.c_init,
        repr=native.c_repr,
        hash=native.c_hash,
        compare=native.c_compare,
        kw_only=native.c_kw_only,
        structural_eq=native.c_structural_eq,
        doc=native.doc,
    )
    made.type = annotation
    return made


def c_class(
    type_key: str,
    *,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
) -> Callable[[_T], _T]:
    """Makes a class the dataclass view of a native type.

    Parameters
    ----------
    type_key
        Key of the native type.
    frozen
        Removes the public setters; ``type(obj).field.set(obj, value)`` still writes.
    init, repr, eq, order, unsafe_hash, match_args
        What to install, as in ``dataclasses.dataclass``; a method in the class body wins.
    """

    def decorate(cls: _T) -> _T:
        body = frozenset(cls.__dict__)
        annotations = inspect.get_annotations(cls)
        cls = register_object(type_key, init=False)(cls)
        info = core._type_cls_to_type_info(cls)
        assert info is not None
        for native in info.fields or ():
            if annotations and native.name not in annotations:
                warnings.warn(
                    f"the native field `{native.name}` of `{type_key}` has no annotation in "
                    f"{cls.__qualname__}",
                    UserWarning,
                    stacklevel=2,
                )
            native.dataclass_field = _field_of(native, annotations.get(native.name))
            _payload.wrap_setter(native)
            if native.name not in body and (frozen or hasattr(native.setter, "__ffi_payload__")):
                read_only = frozen or native.frozen
                shown = core.FFIProperty(native.getter, native.setter, read_only, None, native.doc)
                shown.__set_name__(cls, native.name)
                setattr(cls, native.name, shown)
        if init and "__init__" not in body:
            _dunders.install_init(cls, info, once=False)
        _dunders.install(
            cls,
            info,
            body,
            repr=repr,
            eq=eq,
            order=order,
            unsafe_hash=unsafe_hash,
            match_args=match_args,
        )
        return cls

    return decorate
