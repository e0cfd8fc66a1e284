# SPDX-License-Identifier: Apache-2.0
"""What is known of a type that gets an object block: the Rust types of its fields, its bytes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from ...core import TypeSchema
from ..layout import Verdict, classify
from ..lib_state import object_info_from_type_key
from ..utils import NamedTypeSchema, ObjectInfo
from . import consts as C
from .constructors import has_own_constructor
from .signs import has_sign
from .utils import RustImports, is_crate_type_key, render_rust_type, rust_idents

_FIXED_SIZES = {"str": 16, "bytes": 16, "Any": 16, "Device": 8, "dtype": 4, "bool": 1}


@dataclass
class Mirror:
    """What is written for one object block."""

    info: ObjectInfo
    ty_map: dict[str, str]
    imports: RustImports
    declared: Mapping[str, tuple[str, ...]]

    @property
    def key(self) -> str:
        return self.info.type_key or ""

    @functools.cached_property
    def idents(self) -> dict[str, str]:
        """Field of the type -> its Rust name."""
        names = [field.name for field in self.info.fields]
        return dict(zip(names, rust_idents(names)))

    @property
    def module(self) -> tuple[str, ...]:
        return self.declared[self.key]

    def path_of(self, type_key: str, suffix: str = "") -> str:
        """The Rust name of a mirrored type. ``ValueError`` when nothing tells where it is."""
        if type_key in self.ty_map:
            target = self.ty_map[type_key].replace(".", "::") + suffix
            return self.imports.record(target)
        if type_key not in self.declared:
            raise ValueError(
                f"`{self.key}` refers to `{type_key}`, which is neither generated in this run nor "
                f"named by a directive `ty-map: {type_key} -> path::of::Type`"
            )
        leaf = type_key.rpartition(".")[2] + suffix
        module = self.declared[type_key]
        if module == self.module:
            return leaf
        return self.imports.record("::".join(("crate", *module, leaf)))

    def type_of(self, schema: NamedTypeSchema) -> str | None:
        """The Rust type of a field's value, None when it has none."""

        def name_of(origin: str, type_key: str | None) -> str | None:
            target = C.RUST_TY_MAP_DEFAULTS.get(type_key or origin)
            if target is None and origin in C.RUST_TY_MAP_DEFAULTS and type_key is None:
                target = C.RUST_TY_MAP_DEFAULTS[origin]
            if origin in self.ty_map:
                target = self.ty_map[origin].replace(".", "::")
            if target is not None:
                return self.imports.record(target)
            if type_key is not None or "." not in origin or is_crate_type_key(origin):
                return None
            return self.path_of(origin)

        return render_rust_type(schema, name_of)

    def stored_type(self, field: NamedTypeSchema, owner: str | None = None) -> str | None:
        """The Rust type with the layout of a field, None when there is none."""
        directives = self.imports.directives
        full = f"{owner or self.key}.{field.name}"
        if full in directives.field_types:
            return directives.field_types[full]
        if full in directives.enums:
            return directives.enums[full].name
        scalar = C.RUST_SCALAR_BY_SIZE.get((field.origin, field.size or 0))
        if scalar is not None and field.type_key is None:
            if field.origin != "int":
                return scalar
            sign = has_sign(owner or self.key, field.name)
            return None if sign is None else scalar if sign else f"u{scalar[1:]}"
        if field.origin in ("int", "float") or field.origin == "None":
            return None
        if field.origin == "Optional":
            return self._stored_optional(field, (field.args or ())[0])
        if field.size != _FIXED_SIZES.get(field.origin, C.RUST_POINTER_SIZE):
            return None
        name = self.type_of(field)
        if name is not None and full in directives.nullable:
            return f"Option<{name}>"
        return name

    def _stored_optional(self, field: NamedTypeSchema, payload: TypeSchema) -> str | None:
        """An optional field: a nullable pointer for objects, a cell for other values."""
        inner = payload
        while inner.origin == "Optional":
            inner = (inner.args or ())[0]
        if inner.origin not in C.RUST_ANY_BACKED_OPTIONAL_PAYLOADS:
            is_pointer = field.size == C.RUST_OBJECT_OPTIONAL_FIELD_SIZE
            return self.type_of(field) if is_pointer and inner.origin != "Any" else None
        if field.size != C.RUST_OPTIONAL_FIELD_SIZE:
            return None
        text = self.type_of(field)
        if text is None:
            return None
        path = self.imports.record(C.RUST_OPTIONAL_PATH)
        return f"{path}<{text.removeprefix('Option<').removesuffix('>')}>"

    def is_plain(self, owner: str, field: NamedTypeSchema) -> bool:
        """Whether a field owns nothing: a number, or what a directive says it is."""
        directives = self.imports.directives
        full = f"{owner}.{field.name}"
        named = full in directives.enums or full in directives.field_types
        return named or (self.stored_type(field, owner) or "") in C.RUST_SCALAR_WIDTHS

    def can_be_derived(self, verdicts: Mapping[str, Verdict]) -> bool:
        """Whether Rust types may derive from the type: all of it is known, up to the root, and its
        constructors do nothing but set the fields."""
        if self.info.is_final:
            return False
        ancestors = [key for key in self.info.ancestors if key != C.RUST_ROOT_TYPE_KEY]
        infos = [*map(object_info_from_type_key, ancestors), self.info]
        return all(
            (key in self.declared or key == self.key)
            and verdicts[key].is_complete
            and info.has_init
            and not has_own_constructor(info)
            for key, info in zip([*ancestors, self.key], infos)
        )

    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts on the type and its ancestors."""
        infos = {key: object_info_from_type_key(key) for key in self.info.ancestors}
        infos[self.key] = self.info
        builtin = {
            key
            for key in self.info.ancestors
            if is_crate_type_key(key) and key != C.RUST_ROOT_TYPE_KEY
        }
        owner_of = {id(f): key for key, info in infos.items() for f in info.fields}

        def renderable(field: NamedTypeSchema) -> bool:
            return self.stored_type(field, owner_of.get(id(field))) is not None

        return classify(
            infos,
            forced_opaque=self.imports.directives.opaque,
            unmirrored=builtin,
            field_renderable=renderable,
        )

    def base(self) -> str:
        """The struct of the parent."""
        parent = self.info.parent_type_key or C.RUST_ROOT_TYPE_KEY
        if parent == C.RUST_ROOT_TYPE_KEY:
            return self.imports.record("tvm_ffi::Object")
        if is_crate_type_key(parent) and parent not in self.ty_map:
            return self.imports.record_builtin_base(self.info.ancestors)
        return self.path_of(parent, "Obj")
