# SPDX-License-Identifier: Apache-2.0
"""Facts about functions and types, in the form that generators need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .._signature import parameter_names_and_defaults
from ..core import MISSING, TypeField, TypeInfo, TypeSchema, _lookup_type_attr
from . import consts as C

__all__ = [
    "MISSING",
    "C",
    "FuncInfo",
    "InitConfig",
    "InitFieldInfo",
    "NamedTypeSchema",
    "ObjectInfo",
    "Options",
    "TypeInfo",
    "TypeSchema",
]


@dataclass
class InitConfig:
    """What scaffold mode needs: the distribution, its library, and the prefix of names."""

    pkg: str
    shared_target: str
    prefix: str


@dataclass
class Options:
    """The command line."""

    imports: list[str] = field(default_factory=list)
    dlls: list[str] = field(default_factory=list)
    init: InitConfig | None = None
    indent: int = 4
    files: list[str] = field(default_factory=list)
    verbose: bool = False
    dry_run: bool = False
    check: bool = False
    target: str = "python"
    coverage_out: str | None = None


class NamedTypeSchema(TypeSchema):
    """A schema with a name, and for fields the place of the field in bytes."""

    size: int | None = None
    alignment: int | None = None
    offset: int | None = None
    default: Any = MISSING
    default_is_factory: bool = False
    structural_eq: str | None = None
    frozen: bool = False

    def __init__(
        self,
        name: str,
        schema: TypeSchema,
        *,
        size: int | None = None,
        alignment: int | None = None,
        offset: int | None = None,
        default: Any = MISSING,
        default_is_factory: bool = False,
        structural_eq: str | None = None,
        frozen: bool = False,
    ) -> None:
        super().__init__(
            schema.origin,
            schema.args,
            schema.origin_type_index,
            schema.fallback,
            schema.named_args,
            schema.type_key,
        )
        self.name = name
        self.size = size
        self.alignment = alignment
        self.offset = offset
        self.default = default
        self.default_is_factory = default_is_factory
        self.structural_eq = structural_eq
        self.frozen = frozen

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedTypeSchema):
            return NotImplemented
        return self.name == other.name and super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.name}: {super().__repr__()}"

    @staticmethod
    def from_type_field(field: TypeField) -> NamedTypeSchema:
        """The schema of a reflected field; ``Any`` when the field has none."""
        is_factory = field.c_default_factory is not MISSING
        return NamedTypeSchema(
            field.name,
            field.ty if field.ty is not None else TypeSchema("Any"),
            size=field.size,
            alignment=field.alignment,
            offset=field.offset,
            default=field.c_default_factory if is_factory else field.c_default,
            default_is_factory=is_factory,
            structural_eq=field.c_structural_eq,
            frozen=field.frozen,
        )


@dataclass
class FuncInfo:
    """A function or method. ``is_member`` tells that its first parameter is the object.

    ``param_names`` counts the object of a method, and is None when the metadata names none;
    ``param_defaults`` are default values by name.
    """

    schema: NamedTypeSchema
    is_member: bool
    param_names: list[str] | None = None
    param_defaults: dict[str, Any] = field(default_factory=dict)

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def from_schema(
        name: str,
        schema: TypeSchema,
        *,
        is_member: bool = False,
        metadata: dict[str, Any] | None = None,
    ) -> FuncInfo:
        """The function of a name and a ``Callable`` schema; metadata may name its parameters."""
        names, defaults = parameter_names_and_defaults(metadata or {})
        return FuncInfo(NamedTypeSchema(name, schema), is_member, names, defaults)

    @property
    def result(self) -> TypeSchema | None:
        """Type of the result, None when unknown."""
        groups = self.schema.named_args
        return groups["return"][0] if groups else None

    @property
    def params(self) -> tuple[TypeSchema, ...] | None:
        """Types of the parameters, None when unknown."""
        groups = self.schema.named_args
        return groups.get("params") if groups else None


@dataclass
class InitFieldInfo:
    """A parameter of a generated constructor."""

    name: str
    schema: NamedTypeSchema
    kw_only: bool
    has_default: bool

    __hash__ = None  # type: ignore[assignment]


def _chain(info: TypeInfo) -> Iterator[TypeInfo]:
    current: TypeInfo | None = info
    links = []
    while current is not None:
        links.append(current)
        current = current.parent_type_info
    return reversed(links)


def _has_generated_init(info: TypeInfo) -> bool:
    return _lookup_type_attr(info.type_index, "__ffi_init__") is not None


@dataclass
class ObjectInfo:
    """A type: own fields and methods, constructor, ancestors from the root on, size in bytes."""

    fields: list[NamedTypeSchema]
    methods: list[FuncInfo]
    type_key: str | None = None
    parent_type_key: str | None = None
    init_fields: list[InitFieldInfo] = field(default_factory=list)
    has_init: bool = False
    ancestors: list[str] = field(default_factory=list)
    total_size: int | None = None
    is_final: bool | None = None
    ancestor_has_init: bool = False

    __hash__ = None  # type: ignore[assignment]

    def has_overloaded_methods(self) -> bool:
        """Whether two methods share a name."""
        names = [method.schema.name for method in self.methods]
        return len(set(names)) != len(names)

    @staticmethod
    def from_type_info(type_info: TypeInfo) -> ObjectInfo:
        """What is known of a registered type."""
        from ..core import _type_record

        methods = []
        for method in type_info.methods:
            text = method.metadata.get("type_schema")
            schema = TypeSchema.from_json_str(text) if text else TypeSchema("Callable")
            methods.append(
                FuncInfo.from_schema(
                    method.name,
                    schema,
                    is_member=not method.is_static,
                    metadata=method.metadata,
                )
            )
        explicit = any(method.schema.name == "__ffi_init__" for method in methods)
        generated = _has_generated_init(type_info)
        init_fields = [
            InitFieldInfo(
                entry.name,
                NamedTypeSchema.from_type_field(entry),
                entry.c_kw_only,
                entry.c_has_default,
            )
            for link in _chain(type_info)
            for entry in link.fields or ()
            if entry.c_init
        ]
        _, ancestors, size, _, _ = _type_record(type_info.type_index)
        is_final = bool(_lookup_type_attr(type_info.type_index, "__ffi_type_final__"))
        keys = [_type_record(index)[0] for index in ancestors]
        return ObjectInfo(
            [NamedTypeSchema.from_type_field(entry) for entry in type_info.fields or ()],
            methods,
            type_info.type_key,
            keys[-1] if keys else None,
            init_fields if explicit or generated else [],
            explicit or generated,
            keys,
            size if size > 0 else None,
            is_final if size > 0 else None,
            any(
                _has_generated_init(link) or any(m.name == "__ffi_init__" for m in link.methods)
                for link in _chain(type_info)
                if link is not type_info
            ),
        )
