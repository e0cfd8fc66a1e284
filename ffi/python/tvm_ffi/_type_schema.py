# SPDX-License-Identifier: Apache-2.0
"""``TypeSchema``: the declared type of a field, parameter or result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import core
else:
    core: Any = None

# Origins without one type index: known structure (-2), anything else (-3).
_STRUCTURAL = -2
_UNKNOWN = -3

_ORIGIN_TO_TYPE_INDEX = {
    "None": 0,
    "int": 1,
    "bool": 2,
    "float": 3,
    "ctypes.c_void_p": 4,
    "dtype": 5,
    "Device": 6,
    "Object": 64,
    "str": 65,
    "bytes": 66,
    "Callable": 68,
    "Tensor": 70,
    "Array": 71,
    "Map": 72,
    "List": 75,
    "Dict": 76,
    "Any": -1,
    "Optional": _STRUCTURAL,
    "Union": _STRUCTURAL,
}
_TYPE_INDEX_TO_ORIGIN = {
    **{index: origin for origin, index in _ORIGIN_TO_TYPE_INDEX.items() if index >= -1},
    7: "Tensor",
    8: "str",
    9: "bytes",
    10: "Object",
    11: "str",
    12: "bytes",
    78: "int",
}
# Names in the JSON of native libraries -> origin.
_ORIGIN_OF_JSON = {
    "Variant": "Union",
    "Optional": "Optional",
    "Tuple": "tuple",
    "ffi.Function": "Callable",
    "ffi.Array": "Array",
    "ffi.List": "List",
    "ffi.Map": "Map",
    "ffi.Dict": "Dict",
    "ffi.OpaquePyObject": "Any",
    "ffi.Object": "Object",
    "ffi.Tensor": "Tensor",
    "ffi.BigInt": "int",
    "DLTensor*": "Tensor",
    "void*": "ctypes.c_void_p",
    "TVMFFIByteArray*": "bytes",
    "ffi.SmallBytes": "bytes",
    "ffi.Bytes": "bytes",
    "std::string": "str",
    "const char*": "str",
    "ffi.SmallStr": "str",
    "ffi.String": "str",
    "DataType": "dtype",
    "std::vector": "Array",
    "std::optional": "Optional",
    "std::variant": "Union",
    "std::tuple": "tuple",
    "std::map": "Map",
    "std::unordered_map": "Map",
    "std::function": "Callable",
    "ObjectRValueRef": "Object",
}
_KEPT_TYPE_KEYS = frozenset(("ffi.BigInt",))
_SEQUENCES = ("Array", "List")
_MAPPINGS = ("Map", "Dict")

if TYPE_CHECKING:
    _TyMap = Callable[[str], str] | None


class TypeSchema:
    """A type: an origin such as ``"int"`` or ``"Array"`` and its arguments.

    ``named_args`` of a ``Callable`` holds the groups ``return`` (one schema) and ``params``;
    without ``params`` the arguments are open. ``fallback`` is shown when the origin is unknown.
    """

    origin: str
    args: tuple[TypeSchema, ...] | None = None
    origin_type_index: int = _UNKNOWN
    fallback: TypeSchema | None = None
    named_args: dict[str, tuple[TypeSchema, ...]] | None = None
    type_key: str | None = None

    def __init__(
        self,
        origin: str,
        args: tuple[TypeSchema, ...] | None = None,
        origin_type_index: int = _UNKNOWN,
        fallback: TypeSchema | None = None,
        named_args: dict[str, tuple[TypeSchema, ...]] | None = None,
        type_key: str | None = None,
    ) -> None:
        self.fallback = fallback
        self.type_key = type_key
        given = () if args is None else tuple(args)
        if origin in ("list", *_SEQUENCES):
            if len(given) > 1:
                raise ValueError(f"{origin} must have 0 or 1 argument")
            given = given or (TypeSchema("Any"),)
        elif origin in ("dict", *_MAPPINGS):
            if len(given) not in (0, 2):
                raise ValueError(f"{origin} must have 0 or 2 arguments")
            given = given or (TypeSchema("Any"), TypeSchema("Any"))
        elif origin == "Optional" and len(given) != 1:
            raise ValueError("Optional must have exactly one argument")
        elif origin == "Union" and len(given) < 2:
            raise ValueError("Union must have at least two arguments")
        elif origin == "Callable":
            named_args = self._callable_groups(given, named_args)
            given = ()
        self.origin = origin
        self.args = None if origin == "tuple" and args is None else given
        self.named_args = named_args
        if origin_type_index == _UNKNOWN:
            origin_type_index = _ORIGIN_TO_TYPE_INDEX.get(origin, _UNKNOWN)
        if origin_type_index == _UNKNOWN and origin not in ("tuple", "list", "dict"):
            found = core._object_type_key_to_index(origin)
            origin_type_index = _UNKNOWN if found is None else found
        self.origin_type_index = origin_type_index

    @staticmethod
    def _callable_groups(
        flat: tuple[TypeSchema, ...], named: dict[str, tuple[TypeSchema, ...]] | None
    ) -> dict[str, tuple[TypeSchema, ...]] | None:
        if named is None:
            # The older form lists the result first.
            return {"return": flat[:1], "params": flat[1:]} if flat else None
        groups: dict[str, tuple[TypeSchema, ...]] = {
            name: tuple(named[name]) for name in ("return", "params") if name in named
        }
        if groups and len(groups.get("return", ())) != 1:
            raise ValueError("Callable must have exactly one return type")
        return groups or None

    # ---- construction --------------------------------------------------------------------------

    @staticmethod
    def from_json_obj(obj: dict[str, Any]) -> TypeSchema:
        """The schema of parsed JSON: ``{"type": ..., "args": [...]}``."""
        if not isinstance(obj, dict) or "type" not in obj:
            raise ValueError(f"expected an object with the key 'type', got {obj!r}")
        name = obj["type"]
        origin = _ORIGIN_OF_JSON.get(name, name)

        def each(items: Any) -> tuple[TypeSchema, ...]:
            return tuple(TypeSchema.from_json_obj(item) for item in items if isinstance(item, dict))

        named = obj.get("named_args")
        return TypeSchema(
            origin,
            each(obj["args"]) if "args" in obj else None,
            fallback=TypeSchema.from_json_obj(obj["fallback"]) if "fallback" in obj else None,
            named_args={k: each(v) for k, v in named.items()} if named is not None else None,
            type_key=name if name in _KEPT_TYPE_KEYS else None,
        )

    @staticmethod
    def from_json_str(s: str) -> TypeSchema:
        """The schema of JSON text."""
        import json

        return TypeSchema.from_json_obj(json.loads(s))

    @staticmethod
    def from_type_index(type_index: int, args: tuple[TypeSchema, ...] = ()) -> TypeSchema:
        """The schema of a native type."""
        origin = _TYPE_INDEX_TO_ORIGIN.get(type_index)
        if origin is None:
            origin = core._type_record(type_index)[0]
        key = "ffi.BigInt" if type_index == 78 else None
        return TypeSchema(origin, tuple(args), origin_type_index=type_index, type_key=key)

    @staticmethod
    def from_annotation(annotation: object) -> TypeSchema:
        """The schema of a type annotation. TypeError when it has none."""
        from ._type_annotation import schema_of_annotation

        return schema_of_annotation(annotation)

    def to_json(self) -> dict[str, Any]:
        """The schema as data for JSON; ``from_json_obj`` reads it."""
        result: dict[str, Any] = {"type": self.type_key or self.origin}
        if self.args or (self.origin == "tuple" and self.args is not None):
            result["args"] = [arg.to_json() for arg in self.args]
        if self.named_args:
            result["named_args"] = {
                name: [item.to_json() for item in group] for name, group in self.named_args.items()
            }
        if self.fallback is not None:
            result["fallback"] = self.fallback.to_json()
        return result

    # ---- text ----------------------------------------------------------------------------------

    def repr(self, ty_map: _TyMap = None) -> str:
        """The type as Python source; ``ty_map`` renames origins."""
        return self._text(ty_map, for_input=False)

    def output_repr(self, ty_map: _TyMap = None) -> str:
        """The type of a value that is returned."""
        return self._text(ty_map, for_input=False)

    def input_repr(self, ty_map: _TyMap = None) -> str:
        """The type of a value that is passed: a type that converts other values shows those."""
        return self._text(ty_map, for_input=True)

    def _text(self, ty_map: _TyMap, for_input: bool) -> str:
        if for_input:
            wider = self._input_schema()
            if wider is not None:
                return wider._text(ty_map, for_input=False)
        if self.fallback is not None and self.origin_type_index == _UNKNOWN:
            return self.fallback._text(ty_map, for_input)
        name = self.origin if ty_map is None else ty_map(self.origin)
        if self.origin == "Union":
            return " | ".join(arg._text(ty_map, for_input) for arg in self.args or ())
        if self.origin == "Optional":
            return f"{(self.args or ())[0]._text(ty_map, for_input)} | None"
        if self.origin == "Callable":
            groups = self.named_args or {}
            result = (groups["return"][0] if groups else TypeSchema("Any"))._text(ty_map, for_input)
            if "params" not in groups:
                return f"{name}[..., {result}]"
            params = ", ".join(param._text(ty_map, for_input) for param in groups["params"])
            return f"{name}[[{params}], {result}]"
        if self.origin == "tuple" and self.args == ():
            return f"{name}[()]"
        if not self.args:
            return name
        if ty_map is not None and all(arg.origin == "Any" for arg in self.args):
            if self.origin in (*_SEQUENCES, *_MAPPINGS):
                return f"{name}[{', '.join(a._text(ty_map, for_input) for a in self.args)}]"
        return f"{name}[{', '.join(arg._text(ty_map, for_input) for arg in self.args)}]"

    def _input_schema(self) -> TypeSchema | None:
        index = self.origin_type_index
        if index < 64:
            return None
        described = core._lookup_type_attr(index, "__ffi_convert_type_schema__")
        if described is None:
            return None
        if isinstance(described, str):
            return TypeSchema.from_json_str(described)
        return TypeSchema.from_json_obj(_plain(described))

    def __repr__(self) -> str:
        return self._text(None, for_input=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypeSchema):
            return NotImplemented
        return (
            self.origin == other.origin
            and self.args == other.args
            and self.origin_type_index == other.origin_type_index
            and self.fallback == other.fallback
            and self.named_args == other.named_args
        )

    __hash__ = None  # type: ignore[assignment]

    # ---- values --------------------------------------------------------------------------------

    def is_subtype_of(self, target_cls: type) -> bool:
        """Whether values of this type are instances of a registered class."""
        info = core._type_cls_to_type_info(target_cls)
        if info is None or self.origin_type_index < 64:
            return False
        return core._is_native_subtype(self.origin_type_index, info.type_index)

    def check_value(self, value: object) -> None:
        """Raises TypeError unless ``value`` converts to this type."""
        from ._type_convert import ConvertError, convert_value

        try:
            convert_value(self, value)
        except ConvertError as error:
            raise TypeError(f"type check failed for {self!r}: {error}") from None

    def convert(self, value: object) -> core.CAny:
        """The value as this type. TypeError when it does not convert."""
        from ._type_convert import ConvertError, convert_value

        try:
            return convert_value(self, value)
        except ConvertError as error:
            raise TypeError(f"type conversion failed for {self!r}: {error}") from None


def _plain(value: Any) -> Any:
    """Native containers as list and dict."""
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return str(value) if isinstance(value, str) else value
    return [_plain(item) for item in value]
