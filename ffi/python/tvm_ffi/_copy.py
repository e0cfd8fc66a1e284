# SPDX-License-Identifier: Apache-2.0
"""Copies and pickles of objects. Imported when first needed; ``tvm_ffi.core.Object`` leads here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import core

_HEADER_SIZE = 24
_native_copy = core._get_global_func("ffi._ShallowCopy", False)


def _info(obj: Any) -> core.TypeInfo:
    """The info of the native type, also of a class that is registered for none."""
    return type(obj).__tvm_ffi_type_info__


def _with_class(made: Any, like: Any) -> Any:
    """``made`` as an instance of the class of ``like``, with its Python attributes."""
    if type(made) is not type(like):
        wrapper = core._new_object(type(like))
        wrapper.__move_handle_from__(made)
        made = wrapper
    attributes = getattr(like, "__dict__", None)
    if attributes:
        made.__dict__.update(attributes)
    return made


def shallow_copy(obj: Any) -> Any:
    """A new object with the same field values. TypeError when the native class has no copy."""
    if obj.__chandle__() == 0:
        return core._new_object(type(obj))
    info = _info(obj)
    if core._lookup_type_attr(info.type_index, "__ffi_shallow_copy__") is not None:
        return _with_class(_native_copy(obj), obj)
    if isinstance(obj, core.CContainerBase):
        reduced: Any = obj.__reduce__()
        function, args, *state = reduced
        made = function(*args)
        if state:
            made.__setstate__(state[0])
        return made
    raise TypeError(
        f"Type `{info.type_key}` does not support copy. Its native class is not copyable."
    )


def deep_copy(obj: Any, memo: dict[int, Any] | None = None) -> Any:
    """A copy of the graph behind an object; what is shared in it is shared in the copy."""
    if obj.__chandle__() == 0:
        return core._new_object(type(obj))
    info = _info(obj)
    if not isinstance(obj, core.CContainerBase) and (
        core._lookup_type_attr(info.type_index, "__ffi_shallow_copy__") is None
    ):
        raise TypeError(
            f"Type `{info.type_key}` does not support copy. Its native class is not copyable."
        )
    made = core._note_copied(core._get_global_func("ffi.DeepCopy", False)(obj))
    attributes = getattr(obj, "__dict__", None)
    if type(made) is type(obj) and not attributes:
        return made
    import copy

    made = _with_class(made, obj)
    if attributes:
        made.__dict__.update(copy.deepcopy(attributes, memo))
    return made


class _Pairs:
    """The entries of a mapping; a dict would merge the keys 1 and True."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self._pairs = pairs

    def items(self) -> Iterable[tuple[Any, Any]]:
        return self._pairs


def _rebuild_mapping(cls: type, pairs: list[tuple[Any, Any]]) -> Any:
    return cls(_Pairs(pairs))


def _rebuild_object(cls: type, values: tuple[Any, ...]) -> Any:
    made = core._new_object(cls)
    made.__ffi_init__(*values)
    return made


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, core.CObject) and isinstance(right, core.CObject) and left.same_as(right):
        return True
    return type(left) is type(right) and (left == right or (left != left and right != right))


def _values_for_constructor(obj: Any) -> tuple[Any, ...] | None:
    """The field values when the native constructor makes an equal object of them."""
    from .dataclasses._dunders import all_fields

    info = _info(obj)
    fields = all_fields(info)
    constructor = next((m for m in info.methods if m.name == "__ffi_init__"), None)
    if constructor is None or not constructor.metadata:
        return None
    schema = core.TypeSchema.from_json_str(constructor.metadata.get("type_schema", "{}"))
    parameters = (schema.named_args or {}).get("params")
    if parameters is None or list(parameters) != [field.ty for field in fields]:
        return None
    # Every member must be a field, or the copy would lack it.
    if _HEADER_SIZE + sum(field.size for field in fields) + 8 <= info.total_size:
        return None
    values = tuple(field.getter(obj) for field in fields)
    try:
        made = _rebuild_object(type(obj), values)
    except Exception:
        return None
    remade = tuple(field.getter(made) for field in fields)
    return values if all(map(_same, values, remade)) else None


def reduce_without_creator(obj: Any, error: TypeError) -> tuple[Any, ...]:
    """What ``__reduce__`` returns for an object whose graph has no JSON form: some type in it can't
    be made empty. Raises TypeError when the constructor can't make it from its fields either."""
    cls = type(obj)
    attributes = getattr(obj, "__dict__", None)
    if isinstance(obj, core.CContainerBase):
        if hasattr(obj, "items"):
            return _rebuild_mapping, (cls, list(obj.items()))
        return cls, (list(obj),)  # type: ignore[call-overload]
    values = _values_for_constructor(obj)
    if values is None:
        raise TypeError(
            f"{cls.__qualname__} can't be pickled: {error}, and its constructor does not make it "
            "from its fields"
        ) from error
    if not attributes:
        return _rebuild_object, (cls, values)
    return _rebuild_object, (cls, values), {"__dict__": dict(attributes)}
