# SPDX-License-Identifier: Apache-2.0
"""Native registration of types that are defined in Python: layout, fields, metadata.

``tvm_ffi.dataclasses`` decides what a class means; this module lays its fields out and tells the
native type table. The functions are shown as names of ``tvm_ffi.core``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import _type_info
from ._type_info import TypeField, TypeInfo

if TYPE_CHECKING:
    from . import core
    from .core import TypeSchema
else:
    core: Any = None

_HEADER_SIZE = 24

# Origin -> (size, alignment, native type of the storage). -1 stores any value; other origins are
# references to objects.
_LAYOUT = {
    "int": (8, 8, 1),
    "float": (8, 8, 3),
    "bool": (1, 1, 2),
    "ctypes.c_void_p": (8, 8, 4),
    "dtype": (4, 2, 5),
    "Device": (8, 4, 6),
    "Any": (16, 8, -1),
    "None": (16, 8, -1),
    "str": (16, 8, -1),
    "bytes": (16, 8, -1),
    "Optional": (16, 8, -1),
    "Union": (16, 8, -1),
}
_OBJECT_LAYOUT = (8, 8, 64)

_STRUCTURAL_FLAGS = {
    None: 0,
    "ignore": _type_info._FLAG_SEQ_HASH_IGNORE,
    "def": _type_info._FLAG_SEQ_HASH_DEF_PATTERN,
    "def-pattern": _type_info._FLAG_SEQ_HASH_DEF_PATTERN,
    "def-simple": _type_info._FLAG_SEQ_HASH_DEF_SIMPLE,
}

# Indices of the types that were defined here.
_python_types: set[int] = set()


def _align(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) // alignment * alignment


def _end_of_fields(info: TypeInfo | None) -> int:
    """First byte behind the fields of a type and its ancestors."""
    end = _HEADER_SIZE
    while info is not None:
        for field in info.fields or ():
            end = max(end, field.offset + field.size)
        info = info.parent_type_info
    return end


def _start_offset(parent: TypeInfo) -> int:
    """Where the fields of a child begin. As in C++, they may fill the tail padding of the parent;
    not when the parent has members at its end that are no fields."""
    end = _end_of_fields(parent)
    if parent.type_index == 64:
        return _HEADER_SIZE
    total = parent.total_size
    if sys.platform == "win32" or _align(end, 8) != total:
        return total
    return end


def _same_definition(old: type | None, new: type) -> bool:
    return old is not None and (old.__module__, old.__qualname__) == (
        new.__module__,
        new.__qualname__,
    )


def _register_py_class(parent_type_info: TypeInfo, type_key: str, type_cls: type) -> TypeInfo:
    """Allocates a type index for a class. Its fields are to be registered later.

    A class that is defined again, as in a notebook cell, takes its key over; instances of the old
    class keep working. Any other use of a taken key is a ValueError.
    """
    type_index = core._alloc_type(type_key, parent_type_info.type_index)
    if type_index is None:
        taken = core._object_type_key_to_index(type_key)
        if taken not in _python_types or not _same_definition(core._get_class(taken), type_cls):
            raise ValueError(f"Type key '{type_key}' is already registered")
        core._get_global_func("ffi._ForgetTypeKey", False)(taken)
        type_index = core._alloc_type(type_key, parent_type_info.type_index)
        assert type_index is not None
    _python_types.add(type_index)
    info = TypeInfo(
        type_cls,
        type_index,
        type_key,
        [*parent_type_info.type_ancestors, parent_type_info.type_index],
        None,
        [],
        parent_type_info,
    )
    _type_info._infos[type_index] = info
    _type_info._set_type_cls(info, type_cls)
    return info


def _rollback_py_class(type_info: TypeInfo) -> None:
    """Takes a registration back whose class could not be completed; the key is free again."""
    core._get_global_func("ffi._ForgetTypeKey", False)(type_info.type_index)
    if type_info.type_cls is not None:
        _type_info._infos_by_class.pop(type_info.type_cls, None)
    _type_info._infos.pop(type_info.type_index, None)
    _python_types.discard(type_info.type_index)


def _layout_of(schema: TypeSchema) -> tuple[int, int, int]:
    if schema.type_key == "ffi.BigInt":
        return _LAYOUT["Any"]
    if schema.origin == "tuple" or schema.origin_type_index >= 64:
        return _LAYOUT.get(schema.origin, _OBJECT_LAYOUT)
    return _LAYOUT.get(schema.origin, _LAYOUT["Any"])


def _is_missing(value: Any) -> bool:
    return value is core.MISSING or (isinstance(value, core.Object) and value.same_as(core.MISSING))


def _flags_of(field: Any) -> int:
    flags = _STRUCTURAL_FLAGS[field.structural_eq]
    if not field.frozen:
        flags |= _type_info._FLAG_WRITABLE
    if not _is_missing(field.default):
        flags |= _type_info._FLAG_HAS_DEFAULT
    elif not _is_missing(field.default_factory):
        flags |= _type_info._FLAG_HAS_DEFAULT | _type_info._FLAG_DEFAULT_FROM_FACTORY
    if not field.init:
        flags |= _type_info._FLAG_INIT_OFF
    if not field.repr:
        flags |= _type_info._FLAG_REPR_OFF
    if not field.compare:
        flags |= _type_info._FLAG_COMPARE_OFF
    if not (field.compare if field.hash is None else field.hash):
        flags |= _type_info._FLAG_HASH_OFF
    if field.kw_only:
        flags |= _type_info._FLAG_KW_ONLY
    return flags


def _register_fields(
    type_info: TypeInfo, fields: list[Any], structure_kind: int | None = None
) -> list[TypeField]:
    """Lays out and registers the fields of a type, then what is generated from them.

    Parameters
    ----------
    type_info
        From ``_register_py_class``.
    fields
        ``tvm_ffi.dataclasses.Field`` objects with name and schema, in order.
    structure_kind
        How instances take part in structural equality; None or 0 for not at all.

    Returns
    -------
    The registered fields.
    """
    import json

    make_getter = core._get_global_func("ffi.MakeFieldGetter", False)
    make_setter = core._get_global_func("ffi.MakeFieldSetter", False)
    converter = core._field_converter_address()
    parent = type_info.parent_type_info
    offset = _HEADER_SIZE if parent is None else _start_offset(parent)
    for field in fields:
        schema = field._ty_schema
        size, alignment, static_index = _layout_of(schema)
        offset = _align(offset, alignment)
        flags = _flags_of(field)
        from_factory = bool(flags & _type_info._FLAG_DEFAULT_FROM_FACTORY)
        core._register_field(
            type_info.type_index,
            field.name,
            field.doc,
            json.dumps({"type_schema": json.dumps(schema.to_json(), separators=(",", ":"))}),
            flags,
            size,
            alignment,
            offset,
            static_index,
            make_getter(static_index),
            make_setter(static_index, core._make_field_converter(schema), converter),
            field.default_factory if from_factory else field.default,
        )
        offset += size
    total_size = _align(offset, 8)
    if parent is not None and parent.type_index != 64:
        total_size = max(total_size, parent.total_size)
    if structure_kind:
        core._register_metadata(type_info.type_index, None, total_size, structure_kind)
    core._get_global_func("ffi._PyClassRegisterTypeAttrColumns", False)(
        type_info.type_index, total_size
    )
    registered = _type_info._read_fields(type_info.type_index)
    for type_field, field in zip(registered, fields):
        type_field.ty = field._ty_schema
        type_field.dataclass_field = field
        if not _is_missing(field.default):
            type_field.c_default = field.default
        elif not _is_missing(field.default_factory):
            type_field.c_default_factory = field.default_factory
    type_info.fields = registered
    return registered


def _mismatch(text: str) -> TypeError:
    """The error of a conversion, which the setter of a field may reword (RaiseAbout in error.h)."""
    error = TypeError(text)
    error._ffi_mismatch = True  # type: ignore[attr-defined]
    return error


def _convert_for_field(schema: TypeSchema, value: Any) -> Any:
    """Converts the value that a native setter received. The text of the TypeError names the part
    at fault; the setter or constructor adds the field."""
    from ._type_convert import ConvertError, convert_value

    try:
        return convert_value(schema, value)
    except ConvertError as error:
        raise _mismatch(str(error)) from None


def install(module: Any) -> None:
    """Shows these functions as names of ``tvm_ffi.core``."""
    global core
    core = module
    for function in (_register_py_class, _register_fields, _rollback_py_class):
        setattr(module, function.__name__, function)
    module._set_hook("convert_schema", _convert_for_field)
