# SPDX-License-Identifier: Apache-2.0
"""Conversion of values to a declared type, with messages that name the element at fault."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from . import core
from ._type_schema import TypeSchema

_INT_MIN, _INT_MAX = -(1 << 63), (1 << 63) - 1
# Values may unwrap to other values only so often, and types may nest only so deep.
_MAX_STEPS = 64
_MAX_DEPTH = 200


class ConvertError(Exception):
    """A value does not have the declared type; the text says which part and why."""


def convert_value(schema: TypeSchema, value: Any) -> core.CAny:
    """The value as ``schema`` wants it. ConvertError when it does not convert."""
    return core.CAny(_convert(schema, value, 0))


def _convert(schema: TypeSchema, value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise ConvertError(f"nested more than {_MAX_DEPTH} levels deep")
    value = _unwrap(value)
    by_origin = _BY_ORIGIN.get(schema.origin)
    if by_origin is not None:
        return by_origin(schema, value, depth)
    if schema.origin_type_index >= 64:
        return _object(schema, value, depth)
    if schema.fallback is not None:
        return _convert(schema.fallback, value, depth)
    raise ConvertError(f"{schema.origin} is not a known type")


def _unwrap(value: Any) -> Any:
    for _ in range(_MAX_STEPS):
        if isinstance(value, core.CObject):
            return value
        cls = type(value)
        if hasattr(cls, "__tvm_ffi_object__"):
            value = value.__tvm_ffi_object__()
        elif isinstance(value, core.ObjectConvertible):
            value = value.asobject()
        elif hasattr(cls, "__tvm_ffi_value__"):
            value = value.__tvm_ffi_value__()
        else:
            return value
    raise ConvertError(f"a value unwrapped to another value more than {_MAX_STEPS} times")


def _name(value: Any) -> str:
    if value is None:
        return "None"
    # Text that has come through native code is of these classes; callers know nothing of them.
    for plain, classes in (("str", core.String), ("bytes", core.Bytes)):
        if isinstance(value, classes):
            return plain
    if isinstance(value, core.CObject):
        info = core._type_cls_to_type_info(type(value))
        if info is not None:
            return info.type_key
    return type(value).__name__


def _expected(what: str, value: Any) -> ConvertError:
    return ConvertError(f"expected {what}, got {_name(value)}")


def _any(schema: TypeSchema, value: Any, depth: int) -> Any:
    return value


def _none(schema: TypeSchema, value: Any, depth: int) -> Any:
    if value is not None:
        raise _expected("None", value)
    return None


def _int(schema: TypeSchema, value: Any, depth: int) -> Any:
    if hasattr(type(value), "__tvm_ffi_int__"):
        value = int(value.__tvm_ffi_int__())
    elif not isinstance(value, Integral):
        raise _expected("int", value)
    number = int(value)
    if schema.type_key != "ffi.BigInt" and not _INT_MIN <= number <= _INT_MAX:
        raise ConvertError(f"integer {number} out of int64 range [{_INT_MIN}, {_INT_MAX}]")
    return number


def _float(schema: TypeSchema, value: Any, depth: int) -> Any:
    if hasattr(type(value), "__tvm_ffi_float__"):
        return float(value.__tvm_ffi_float__())
    if not isinstance(value, Real):
        raise _expected("float", value)
    try:
        return float(value)
    except OverflowError as error:
        raise ConvertError(str(error)) from None


def _bool(schema: TypeSchema, value: Any, depth: int) -> Any:
    if not isinstance(value, Integral):
        raise _expected("bool", value)
    return bool(value)


def _str(schema: TypeSchema, value: Any, depth: int) -> Any:
    if not isinstance(value, str):
        raise _expected("str", value)
    return value


def _bytes(schema: TypeSchema, value: Any, depth: int) -> Any:
    if not isinstance(value, (bytes, bytearray)):
        raise _expected("bytes", value)
    return value


def _dtype(schema: TypeSchema, value: Any, depth: int) -> Any:
    if isinstance(value, core.DataType) or isinstance(value, core._CLASS_DTYPE):
        return value
    if isinstance(value, str):
        try:
            return core.DataType(value)
        except ValueError:
            raise ConvertError(f"expected dtype, got invalid dtype string {value!r}") from None
    converted = core.CAny(value) if _looks_like_dtype(value) else None
    if converted is None or converted.type_index != 5:
        raise _expected("dtype", value)
    return core._to_py_class_value(converted)


def _looks_like_dtype(value: Any) -> bool:
    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}".lower()
    if hasattr(cls, "__dlpack_data_type__") or name == "torch.dtype":
        return True
    return name.startswith("numpy.") and "dtype" in name


def _device(schema: TypeSchema, value: Any, depth: int) -> Any:
    if isinstance(value, core.Device):
        return value
    if isinstance(value, str):
        try:
            return core.Device(value)
        except ValueError:
            raise ConvertError(f"expected Device, got invalid device string {value!r}") from None
    cls = type(value)
    if hasattr(cls, "__dlpack_device__") and not hasattr(cls, "__dlpack__"):
        return value
    raise _expected("Device", value)


def _void_ptr(schema: TypeSchema, value: Any, depth: int) -> Any:
    if value is None:
        return ctypes.c_void_p(None)
    cls = type(value)
    if (
        isinstance(value, ctypes.c_void_p)
        or hasattr(cls, "__tvm_ffi_opaque_ptr__")
        or hasattr(cls, "__cuda_stream__")
        or cls in core._OPAQUE_PTR_HANDLERS
    ):
        return value
    raise _expected("ctypes.c_void_p", value)


def _tensor(schema: TypeSchema, value: Any, depth: int) -> Any:
    cls = type(value)
    if isinstance(value, core.Tensor) or hasattr(cls, "__dlpack__"):
        return value
    if hasattr(cls, "__dlpack_c_exchange_api__"):
        return value
    raise _expected("Tensor", value)


def _callable(schema: TypeSchema, value: Any, depth: int) -> Any:
    if isinstance(value, core.Function):
        return value
    if callable(value) and not isinstance(value, core.CObject):
        return value
    raise _expected("Callable", value)


def _elements(schema: TypeSchema, value: Any) -> list[Any]:
    from .container import Array, List

    if not isinstance(value, (Array, List, list, tuple)):
        raise _expected(schema.origin, value)
    return list(value)


def _sequence(schema: TypeSchema, value: Any, depth: int) -> Any:
    from .container import Array, List

    items = _elements(schema, value)
    element = (schema.args or (TypeSchema("Any"),))[0]
    kind = List if schema.origin in ("List", "list") else Array
    converted, same = _convert_items(items, [element] * len(items), depth)
    return value if same and isinstance(value, kind) else kind(converted)


def _convert_items(
    items: list[Any], schemas: list[TypeSchema], depth: int
) -> tuple[list[Any], bool]:
    """The converted elements, and whether each one was right already."""
    converted = []
    same = True
    for i, (item, schema) in enumerate(zip(items, schemas)):
        try:
            result = _convert(schema, item, depth + 1)
        except ConvertError as error:
            raise ConvertError(f"element [{i}]: {error}") from None
        same = same and _unchanged(result, item, schema)
        converted.append(result)
    return converted, same


def _unchanged(result: Any, item: Any, schema: TypeSchema) -> bool:
    if result is item and schema.origin not in ("float", "bool", "int"):
        return True
    return type(result) is type(item) and not isinstance(item, core.CObject) and result == item


def _tuple(schema: TypeSchema, value: Any, depth: int) -> Any:
    from .container import Array

    items = _elements(schema, value)
    if schema.args is None:
        return value if isinstance(value, Array) else Array(items)
    if len(items) != len(schema.args):
        raise ConvertError(
            f"expected tuple of length {len(schema.args)}, got {_name(value)} of length "
            f"{len(items)}"
        )
    converted, same = _convert_items(items, list(schema.args), depth)
    return value if same and isinstance(value, Array) else Array(converted)


def _mapping(schema: TypeSchema, value: Any, depth: int) -> Any:
    from .container import Dict, Map

    if not isinstance(value, Mapping):
        raise _expected(schema.origin, value)
    key_schema, value_schema = schema.args or (TypeSchema("Any"), TypeSchema("Any"))
    kind = Dict if schema.origin in ("Dict", "dict") else Map
    converted: list[tuple[Any, Any]] = []
    same = True
    for key, item in value.items():
        try:
            new_key = _convert(key_schema, key, depth + 1)
        except ConvertError as error:
            raise ConvertError(f"key {key!r}: {error}") from None
        try:
            new_item = _convert(value_schema, item, depth + 1)
        except ConvertError as error:
            raise ConvertError(f"value for key {key!r}: {error}") from None
        same = same and _unchanged(new_key, key, key_schema)
        same = same and _unchanged(new_item, item, value_schema)
        converted.append((new_key, new_item))
    if same and isinstance(value, kind):
        return value
    result = core._new_object(kind)
    core._init_container(result, kind.__name__, _Pairs(converted))
    return result


class _Pairs:
    """Pairs as a mapping would give them; keys need no hash."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        self._pairs = pairs

    def items(self) -> list[tuple[Any, Any]]:
        return self._pairs


def _optional(schema: TypeSchema, value: Any, depth: int) -> Any:
    if value is None:
        return None
    return _convert((schema.args or ())[0], value, depth + 1)


def _union(schema: TypeSchema, value: Any, depth: int) -> Any:
    for member in schema.args or ():
        try:
            return _convert(member, value, depth + 1)
        except ConvertError:
            continue
    raise _expected(" | ".join(repr(member) for member in schema.args or ()), value)


def _object(schema: TypeSchema, value: Any, depth: int) -> Any:
    if isinstance(value, core.CObject) and not isinstance(value, core.OpaquePyObject):
        index = core.CAny(value).type_index
        if index >= 64 and core._is_native_subtype(index, schema.origin_type_index):
            return value
    elif isinstance(value, core.PyNativeObject):
        index = core.CAny(value).type_index
        if index >= 64 and core._is_native_subtype(index, schema.origin_type_index):
            return value
    cls: Any = core._get_class(schema.origin_type_index)
    payload = getattr(cls, "__ffi_payload_type__", None)
    if payload is not None and type(value) is payload:
        try:
            return cls.get(value)
        except KeyError:
            raise ConvertError(f"{value!r} is not a valid {cls.__name__}") from None
    convert = core._lookup_type_attr(schema.origin_type_index, "__ffi_convert__")
    if convert is None:
        raise _expected(schema.origin, value)
    try:
        result = convert(value)
    except Exception as error:
        detail = "\n".join("    " + line for line in str(error).splitlines())
        raise ConvertError(
            f"expected {schema.origin}, got {_name(value)}\n  __ffi_convert__ failed:\n{detail}"
        ) from error
    return result


_BY_ORIGIN: dict[str, Callable[[TypeSchema, Any, int], Any]] = {
    "Any": _any,
    "None": _none,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "str": _str,
    "bytes": _bytes,
    "dtype": _dtype,
    "Device": _device,
    "ctypes.c_void_p": _void_ptr,
    "Tensor": _tensor,
    "Callable": _callable,
    "Array": _sequence,
    "List": _sequence,
    "list": _sequence,
    "Map": _mapping,
    "Dict": _mapping,
    "dict": _mapping,
    "tuple": _tuple,
    "Optional": _optional,
    "Union": _union,
}
