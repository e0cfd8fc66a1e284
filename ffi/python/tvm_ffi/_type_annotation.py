# SPDX-License-Identifier: Apache-2.0
"""Type annotations -> ``TypeSchema``."""

from __future__ import annotations

import builtins
import collections.abc
import ctypes
import types
import typing
from typing import Any

from . import core
from ._type_schema import TypeSchema

_PLAIN: dict[Any, str] = {
    None: "None",
    type(None): "None",
    Any: "Any",
    builtins.bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    bytes: "bytes",
    ctypes.c_void_p: "ctypes.c_void_p",
}
_GENERIC_ORIGINS = {list: "List", dict: "Dict"}


def _fail(annotation: object) -> TypeError:
    return TypeError(f"Cannot convert {annotation!r} to TypeSchema")


def schema_of_annotation(annotation: object) -> TypeSchema:
    """The schema of an annotation. TypeError when it has none."""
    try:
        plain = _PLAIN.get(annotation)
    except TypeError:
        plain = None
    if plain is not None:
        return TypeSchema(plain)
    if isinstance(annotation, TypeSchema):
        return annotation
    origin = typing.get_origin(annotation)
    args = typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema_of_annotation(args[0])
    if origin is typing.Union or isinstance(annotation, types.UnionType):
        return _union(args)
    if annotation in (typing.Callable, collections.abc.Callable):
        return TypeSchema("Callable")
    if origin is collections.abc.Callable:
        return _callable(args)
    if annotation is list or annotation is dict:
        return TypeSchema(_GENERIC_ORIGINS[annotation])  # type: ignore[index]
    if origin in _GENERIC_ORIGINS:
        return TypeSchema(_GENERIC_ORIGINS[origin], tuple(map(schema_of_annotation, args)))
    if annotation is tuple:
        return TypeSchema("tuple")
    if origin is tuple:
        return _tuple(args)
    if isinstance(annotation, type) and origin is None:
        return _class(annotation, ())
    if isinstance(origin, type):
        return _class(origin, tuple(map(schema_of_annotation, args)), annotation)
    raise _fail(annotation)


def _union(args: tuple[Any, ...]) -> TypeSchema:
    members = [schema_of_annotation(arg) for arg in args if arg is not type(None)]
    if not members:
        return TypeSchema("None")
    inner = members[0] if len(members) == 1 else TypeSchema("Union", tuple(members))
    return TypeSchema("Optional", (inner,)) if type(None) in args else inner


def _callable(args: tuple[Any, ...]) -> TypeSchema:
    if not args:
        return TypeSchema("Callable")
    params, result = args[0], schema_of_annotation(args[-1])
    if params is Ellipsis:
        return TypeSchema("Callable", named_args={"return": (result,)})
    if not isinstance(params, (list, tuple)):
        raise _fail(params)
    return TypeSchema(
        "Callable",
        named_args={"return": (result,), "params": tuple(map(schema_of_annotation, params))},
    )


def _tuple(args: tuple[Any, ...]) -> TypeSchema:
    if len(args) == 2 and args[1] is Ellipsis:
        return TypeSchema("Array", (schema_of_annotation(args[0]),))
    if args == ((),):  # tuple[()] before Python 3.11
        args = ()
    return TypeSchema("tuple", tuple(map(schema_of_annotation, args)))


def _class(cls: type, args: tuple[TypeSchema, ...], annotation: object = None) -> TypeSchema:
    if issubclass(cls, core._CLASS_DTYPE) or issubclass(cls, core.DataType):
        return TypeSchema("dtype")
    if issubclass(cls, core.Device):
        return TypeSchema("Device")
    if issubclass(cls, core.String):
        return TypeSchema("str")
    if issubclass(cls, core.Bytes):
        return TypeSchema("bytes")
    if issubclass(cls, core.CObject):
        info = core._type_cls_to_type_info(cls)
        if info is None:
            if cls is core.OpaquePyObject:
                return TypeSchema("Any")
            raise TypeError(
                f"CObject subclass {cls!r} is not registered; use @register_object to register it"
            )
        return TypeSchema.from_type_index(info.type_index, args)
    info = core._type_cls_to_type_info(cls)
    if info is not None:
        return TypeSchema.from_type_index(info.type_index, args)
    if hasattr(cls, "__dlpack__"):
        return TypeSchema("Tensor")
    raise _fail(cls if annotation is None else annotation)
