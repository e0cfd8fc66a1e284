# SPDX-License-Identifier: Apache-2.0
"""Getters of fields, and the enumerations that directives make of numbers."""

from __future__ import annotations

from ..utils import NamedTypeSchema
from . import consts as C
from .mirror import Mirror
from .signs import has_sign
from .utils import not_snake_case, rust_text

# Rust type of a getter -> the method that reads such a field in place.
_IN_PLACE = {"i64": "read_int", "f64": "read_float", "bool": "read_bool"}


def places_of(mirror: Mirror) -> dict[str, str]:
    """The fields of an opaque type that are read in place, with the Rust types of what is there."""
    found: dict[str, str] = {}
    for field in mirror.info.fields:
        scalar = C.RUST_SCALAR_BY_SIZE.get((field.origin, field.size or 0))
        if field.origin == "bool" and field.size == 1:
            scalar = "bool"
        if scalar is None or field.type_key is not None or field.offset is None:
            continue
        if field.offset % (field.size or 1) != 0:
            continue
        if field.origin == "int":
            sign = has_sign(mirror.key, field.name)
            if sign is None:
                continue
            scalar = scalar if sign else f"u{scalar[1:]}"
        found[field.name] = scalar
    return found


def _getter_type(mirror: Mirror, field: NamedTypeSchema) -> str | None:
    """The Rust type that a getter gives, None when any value may be there."""
    directives = mirror.imports.directives
    full = f"{mirror.key}.{field.name}"
    if full in directives.enums:
        return directives.enums[full].name
    if full in directives.field_types:
        return directives.field_types[full]
    name = mirror.type_of(field)
    return f"Option<{name}>" if name is not None and full in directives.nullable else name


def _read(mirror: Mirror, field: NamedTypeSchema, places: dict[str, str] | None) -> str | None:
    """The expression that reads a number in place, None when the library's getter must do it."""
    full = f"{mirror.key}.{field.name}"
    is_enum = full in mirror.imports.directives.enums
    if places is None:
        stored, wanted = mirror.stored_type(field), _getter_type(mirror, field)
        here = f"self.{mirror.idents[field.name]}.get()"
        if is_enum or full in mirror.imports.directives.field_types:
            return f"Ok({here})"
        if stored not in C.RUST_SCALAR_WIDTHS or stored == "u64":
            return None
        return f"Ok({here})" if stored == wanted else f"Ok({here}.into())"
    wanted = "i64" if is_enum else _getter_type(mirror, field)
    if field.name in places and wanted in _IN_PLACE:
        return f"FIELD.{_IN_PLACE[wanted]}::<{field.offset}>(self)"
    return None


def getter_lines(mirror: Mirror, places: dict[str, str] | None) -> list[str]:
    """Getters, which copy: others may change a field while Rust holds a reference to the object.

    ``places`` are numbers of an opaque struct, None for one that has the fields.
    """
    if not mirror.info.fields:
        return []
    record = mirror.imports.record
    result = record("tvm_ffi::Result")
    leaf = mirror.key.rpartition(".")[2]
    lines = ["", *not_snake_case(mirror.idents.values()), f"impl {leaf}Obj {{"]
    for i, field in enumerate(mirror.info.fields):
        spec = mirror.imports.directives.enums.get(f"{mirror.key}.{field.name}")
        rust_type = _getter_type(mirror, field)
        read = _read(mirror, field, places)
        any_type = record("tvm_ffi::Any") if rust_type in (None, "Any", "tvm_ffi::Any") else None
        if any_type is not None:
            rust_type, read = any_type, "FIELD.get_any(self)"
        elif read is None:
            read = "FIELD.get::<i64>(self)" if spec is not None else "FIELD.get(self)"
        if spec is not None and places is not None:
            read = f"{spec.name}::try_from({read}?)"
        if i:
            lines.append("")
        lines.append(f"    pub fn {mirror.idents[field.name]}(&self) -> {result}<{rust_type}> {{")
        if read.startswith("FIELD") or "(FIELD" in read:
            cached = record("tvm_ffi::reflection::CachedField")
            name = rust_text(field.name)
            lines.append(f"        static FIELD: {cached}<{leaf}Obj> = {cached}::new({name});")
        lines += [f"        {read}", "    }"]
    return [*lines, "}"]


def enum_lines(mirror: Mirror) -> list[str]:
    """Enumerations: numbers with names, since the other side may store one that has none."""
    record = mirror.imports.record
    lines: list[str] = []
    for field in mirror.info.fields:
        spec = mirror.imports.directives.enums.get(f"{mirror.key}.{field.name}")
        if spec is None:
            continue
        error, value_error = record("tvm_ffi::Error"), record("tvm_ffi::VALUE_ERROR")
        name, number = spec.name, spec.repr
        lines += ["#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]", "#[repr(transparent)]"]
        lines += [f"pub struct {name}({number});", "", f"impl {name} {{"]
        for member, value in spec.members:
            lines.append("    #[allow(non_upper_case_globals)]")
            lines.append(f"    pub const {member}: {name} = {name}({value});")
        lines += [
            "",
            f"    pub const fn from_raw(value: {number}) -> Self {{",
            "        Self(value)",
            "    }",
            "",
            f"    pub const fn as_raw(self) -> {number} {{",
            "        self.0",
            "    }",
            "}",
            "",
            f"impl TryFrom<i64> for {name} {{",
            f"    type Error = {error};",
            f"    fn try_from(value: i64) -> std::result::Result<Self, {error}> {{",
            f"        match {number}::try_from(value) {{",
            "            Ok(value) => Ok(Self(value)),",
            f"            Err(_) => Err({error}::new(",
            f"                {value_error},",
            f'                &format!("{name} value {{value}} does not fit {number}"),',
            '                "",',
            "            )),",
            "        }",
            "    }",
            "}",
            "",
        ]
    return lines
