# SPDX-License-Identifier: Apache-2.0
"""The content of blocks and of new files in Rust."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...core import TypeSchema
from .. import consts as C
from ..file_utils import CodeBlock
from ..layout import Verdict, classify
from ..lib_state import object_info_from_type_key
from ..utils import InitConfig, NamedTypeSchema, ObjectInfo, Options
from . import consts as C_RUST
from .constructors import constructor_lines, has_own_constructor
from .signs import has_sign
from .utils import (
    RustImports,
    builtin_mirror_name,
    is_crate_type_key,
    listed,
    render_rust_type,
    rust_ident,
)

__all__ = [
    "C",
    "C_RUST",
    "RustImports",
    "Verdict",
    "builtin_mirror_name",
    "classify",
    "finalize_rust_module_tree",
    "generate_rust_api_file",
    "generate_rust_import_section",
    "generate_rust_object",
    "is_crate_type_key",
    "object_info_from_type_key",
    "render_rust_type",
    "rust_ident",
]

_FIXED_SIZES = {"str": 16, "bytes": 16, "Any": 16, "Device": 8, "dtype": 4, "bool": 1}


@dataclass
class _Mirror:
    """What is written for one object block."""

    info: ObjectInfo
    ty_map: dict[str, str]
    imports: RustImports
    declared: Mapping[str, tuple[str, ...]]

    @property
    def key(self) -> str:
        return self.info.type_key or ""

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
            target = C_RUST.RUST_TY_MAP_DEFAULTS.get(type_key or origin)
            if target is None and origin in C_RUST.RUST_TY_MAP_DEFAULTS and type_key is None:
                target = C_RUST.RUST_TY_MAP_DEFAULTS[origin]
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
        scalar = C_RUST.RUST_SCALAR_BY_SIZE.get((field.origin, field.size or 0))
        if scalar is not None and field.type_key is None:
            if field.origin != "int":
                return scalar
            sign = has_sign(owner or self.key, field.name)
            return None if sign is None else scalar if sign else f"u{scalar[1:]}"
        if field.origin in ("int", "float") or field.origin == "None":
            return None
        if field.origin == "Optional":
            return self._stored_optional(field, (field.args or ())[0])
        if field.size != _FIXED_SIZES.get(field.origin, C_RUST.RUST_POINTER_SIZE):
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
        if inner.origin not in C_RUST.RUST_ANY_BACKED_OPTIONAL_PAYLOADS:
            is_pointer = field.size == C_RUST.RUST_OBJECT_OPTIONAL_FIELD_SIZE
            return self.type_of(field) if is_pointer and inner.origin != "Any" else None
        if field.size != C_RUST.RUST_OPTIONAL_FIELD_SIZE:
            return None
        text = self.type_of(field)
        if text is None:
            return None
        path = self.imports.record(C_RUST.RUST_OPTIONAL_PATH)
        return f"{path}<{text.removeprefix('Option<').removesuffix('>')}>"

    def is_plain(self, owner: str, field: NamedTypeSchema) -> bool:
        """Whether a field owns nothing: a number, or what a directive says it is."""
        directives = self.imports.directives
        full = f"{owner}.{field.name}"
        named = full in directives.enums or full in directives.field_types
        return named or (self.stored_type(field, owner) or "") in C_RUST.RUST_SCALAR_WIDTHS

    def can_be_derived(self, verdicts: Mapping[str, Verdict]) -> bool:
        """Whether Rust types may derive from the type: all of it is known, up to the root, and its
        constructors do nothing but set the fields."""
        if self.info.is_final:
            return False
        ancestors = [key for key in self.info.ancestors if key != C_RUST.RUST_ROOT_TYPE_KEY]
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
            if is_crate_type_key(key) and key != C_RUST.RUST_ROOT_TYPE_KEY
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
        parent = self.info.parent_type_key or C_RUST.RUST_ROOT_TYPE_KEY
        if parent == C_RUST.RUST_ROOT_TYPE_KEY:
            return self.imports.record("tvm_ffi::Object")
        if is_crate_type_key(parent) and parent not in self.ty_map:
            return self.imports.record_builtin_base(self.info.ancestors)
        return self.path_of(parent, "Obj")


def _fill(code: CodeBlock, lines: list[str]) -> None:
    blanks = " " * code.indent
    code.lines = [
        code.lines[0],
        *(f"{blanks}{line}" if line else line for line in lines),
        code.lines[-1],
    ]


def _struct_lines(mirror: _Mirror, base: str, places: dict[str, str] | None = None) -> list[str]:
    """The structs of a type. ``places`` are numbers of an opaque type, None for a complete one."""
    leaf = mirror.key.rpartition(".")[2]
    arc = mirror.imports.record("tvm_ffi::ObjectArc")
    deref = mirror.imports.record("std::ops::Deref")
    lines = ["#[repr(C)]", "#[derive(tvm_ffi::derive::Object)]", f'#[type_key = "{mirror.key}"]']
    if mirror.info.is_final:
        lines.append("#[type_final]")
    if places is None:
        lines.append("#[type_exact]")
    elif places:
        told = [
            f'"{f.name}": {places[f.name]} = {f.offset}'
            for f in mirror.info.fields
            if f.name in places
        ]
        lines += listed("#[type_fields(", told, ")]", 0)
    lines += [f"pub struct {leaf}Obj {{", f"    base: {base},"]
    if places is None:
        for field in mirror.info.fields:
            name = rust_ident(field.name)
            if name.removeprefix("r#") != field.name:
                lines.append(f'    #[type_field("{field.name}")]')
            cell = mirror.imports.record("tvm_ffi::FieldCell")
            lines.append(f"    {name}: {cell}<{mirror.stored_type(field) or ''}>,")
    elif places:
        lines.append(f"    opaque: {mirror.imports.record('tvm_ffi::reflection::Opaque')},")
    lines += ["}", ""]
    wrapper = [
        "#[repr(C)]",
        "#[derive(tvm_ffi::derive::ObjectRef, Clone)]",
        f"pub struct {leaf} {{",
        f"    base: {arc}<{leaf}Obj>,",
        "}",
        "",
        f"impl {deref} for {leaf} {{",
        f"    type Target = {leaf}Obj;",
        f"    fn deref(&self) -> &{leaf}Obj {{",
        "        &self.base",
        "    }",
        "}",
    ]
    return lines + wrapper


def _assert_lines(leaf: str, verdict: Verdict) -> list[str]:
    return [
        "const _: () = {",
        f"    assert!(::core::mem::size_of::<{leaf}Obj>() == {verdict.total_size});",
        f"    assert!(::core::mem::align_of::<{leaf}Obj>() == {verdict.alignment});",
        "};",
        "",
    ]


def _deref_to_parent(mirror: _Mirror, base: str) -> list[str]:
    parent = mirror.info.parent_type_key or C_RUST.RUST_ROOT_TYPE_KEY
    if is_crate_type_key(parent):
        return []
    leaf = mirror.key.rpartition(".")[2]
    return [
        "",
        f"impl Deref for {leaf}Obj {{",
        f"    type Target = {base};",
        f"    fn deref(&self) -> &{base} {{",
        "        &self.base",
        "    }",
        "}",
    ]


def _value_lines(
    mirror: _Mirror, base: str, inherited: list[tuple[str, str]], own: list[tuple[str, str]]
) -> list[str]:
    """``new`` of the struct: the part of an object of Rust below the type."""
    leaf = mirror.key.rpartition(".")[2]
    exact = [f"{name}: {rust_type}" for name, rust_type in [*inherited, *own]]
    cell = mirror.imports.record("tvm_ffi::FieldCell")
    lines = [
        "",
        f"impl {leaf}Obj {{",
        "    /// The part of an object of Rust that derives from it.",
    ]
    lines += listed("pub fn new(", exact, ") -> Self {", 4)
    lines += listed(f"let base = {base}::new(", [name for name, _ in inherited], ");", 8)
    members = ["base", *(f"{name}: {cell}::new({name})" for name, _ in own)]
    return [*lines, *_braced("Self", members, 8), "    }", "}"]


def _braced(head: str, parts: list[str], indent: int) -> list[str]:
    blanks = " " * indent
    whole = f"{blanks}{head} {{ {', '.join(parts)} }}"
    if len(whole) <= C_RUST.RUST_MAX_WIDTH:
        return [whole]
    return [f"{blanks}{head} {{", *(f"{blanks}    {part}," for part in parts), f"{blanks}}}"]


def _derivation_lines(mirror: _Mirror, base: str) -> list[str]:
    """What ``rs_class`` needs of a parent: copies, and objects filled in field by field."""
    record = mirror.imports.record
    copy, init = record("tvm_ffi::ShallowCopy"), record("tvm_ffi::UnsafeInit")
    drop, missing = (
        record("tvm_ffi::reflection::drop_if_defined"),
        "tvm_ffi::reflection::is_missing",
    )
    leaf = mirror.key.rpartition(".")[2]
    names = [
        (rust_ident(f.name), f.name, mirror.is_plain(mirror.key, f)) for f in mirror.info.fields
    ]
    lines = ["", f"impl {copy} for {leaf}Obj {{", "    fn shallow_copy(&self) -> Self {"]
    lines += ["        Self {", f"            base: {copy}::shallow_copy(&self.base),"]
    lines += [f"            {name}: Clone::clone(&self.{name})," for name, _, _ in names]
    lines += ["        }", "    }", "}", ""]
    lines += [
        "// SAFETY: a field that owns something is dropped when it is defined, the parent's by it.",
        f"unsafe impl {init} for {leaf}Obj {{",
        "    unsafe fn drop_defined_fields(this: *mut Self) {",
        "        // SAFETY: the caller's promise, passed on field by field.",
        "        unsafe {",
        f"            <{base} as {init}>::drop_defined_fields(&raw mut (*this).base);",
    ]
    lines += [
        f"            {drop}(&raw mut (*this).{name});" for name, _, plain in names if not plain
    ]
    lines += [
        "        }",
        "    }",
        "",
        "    unsafe fn undefined_field(this: *const Self) -> Option<&'static str> {",
        "        // SAFETY: the caller's promise; only the bytes of a field are looked at.",
        "        unsafe {",
        f"            let found = <{base} as {init}>::undefined_field(&raw const (*this).base);",
    ]
    for name, shown, plain in names:
        if not plain:
            lines += [
                f"            if found.is_none() && {missing}(&raw const (*this).{name}) {{",
                f'                return Some("{shown}");',
                "            }",
            ]
    return [*lines, "            found", "        }", "    }", "}"]


# Rust type of a getter -> the method that reads such a field in place.
_IN_PLACE = {"i64": "read_int", "f64": "read_float", "bool": "read_bool"}


def _places(mirror: _Mirror) -> dict[str, str]:
    """The fields of an opaque type that are read in place, with the Rust types of what is there."""
    found: dict[str, str] = {}
    for field in mirror.info.fields:
        scalar = C_RUST.RUST_SCALAR_BY_SIZE.get((field.origin, field.size or 0))
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


def _getter_type(mirror: _Mirror, field: NamedTypeSchema) -> str | None:
    """The Rust type that a getter gives, None when any value may be there."""
    directives = mirror.imports.directives
    full = f"{mirror.key}.{field.name}"
    if full in directives.enums:
        return directives.enums[full].name
    if full in directives.field_types:
        return directives.field_types[full]
    name = mirror.type_of(field)
    return f"Option<{name}>" if name is not None and full in directives.nullable else name


def _read(mirror: _Mirror, field: NamedTypeSchema, places: dict[str, str] | None) -> str | None:
    """The expression that reads a number in place, None when the library's getter must do it."""
    full = f"{mirror.key}.{field.name}"
    is_enum = full in mirror.imports.directives.enums
    if places is None:
        stored, wanted = mirror.stored_type(field), _getter_type(mirror, field)
        here = f"self.{rust_ident(field.name)}.get()"
        if is_enum or full in mirror.imports.directives.field_types:
            return f"Ok({here})"
        if stored not in C_RUST.RUST_SCALAR_WIDTHS or stored == "u64":
            return None
        return f"Ok({here})" if stored == wanted else f"Ok({here}.into())"
    wanted = "i64" if is_enum else _getter_type(mirror, field)
    if field.name in places and wanted in _IN_PLACE:
        return f"FIELD.{_IN_PLACE[wanted]}::<{field.offset}>(self)"
    return None


def _getter_lines(mirror: _Mirror, places: dict[str, str] | None) -> list[str]:
    """Getters, which copy: others may change a field while Rust holds a reference to the object.

    ``places`` are numbers of an opaque struct, None for one that has the fields.
    """
    if not mirror.info.fields:
        return []
    record = mirror.imports.record
    result = record("tvm_ffi::Result")
    leaf = mirror.key.rpartition(".")[2]
    lines = ["", f"impl {leaf}Obj {{"]
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
        lines.append(f"    pub fn {rust_ident(field.name)}(&self) -> {result}<{rust_type}> {{")
        if read.startswith("FIELD") or "(FIELD" in read:
            cached = record("tvm_ffi::reflection::CachedField")
            lines.append(
                f'        static FIELD: {cached}<{leaf}Obj> = {cached}::new("{field.name}");'
            )
        lines += [f"        {read}", "    }"]
    return [*lines, "}"]


def _enum_lines(mirror: _Mirror) -> list[str]:
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


def generate_rust_object(
    code: CodeBlock,
    ty_map: dict[str, str],
    imports: RustImports,
    opt: Options,
    obj_info: ObjectInfo,
    declared: Mapping[str, tuple[str, ...]],
) -> None:
    """Fills an ``object`` block.

    Objects are made by the library and read through getters. A type that Rust types may derive from
    is reproduced field by field; of the others the struct has the header alone.
    """
    mirror = _Mirror(obj_info, ty_map, imports, declared)
    leaf = mirror.key.rpartition(".")[2]
    verdicts = mirror.verdicts()
    verdict = verdicts[mirror.key]
    base = mirror.base()
    lines = _enum_lines(mirror)
    if mirror.can_be_derived(verdicts):
        own = [(rust_ident(f.name), mirror.stored_type(f) or "") for f in obj_info.fields]
        inherited = [
            (rust_ident(f.name), mirror.stored_type(f, key) or "")
            for key in obj_info.ancestors
            for f in object_info_from_type_key(key).fields
        ]
        struct = _struct_lines(mirror, base)
        at = struct.index("}") + 2
        struct[at:at] = _assert_lines(leaf, verdict)
        told = [f"/// Complete: {verdict.detail}.", "/// Types of Rust may derive from it."]
        lines += [*told, *struct]
        lines += _deref_to_parent(mirror, base)
        lines += _getter_lines(mirror, None)
        lines += _value_lines(mirror, base, inherited, own)
        lines += _derivation_lines(mirror, base)
    else:
        places = _places(mirror)
        about = "Complete" if verdict.is_complete else "Opaque"
        lines += [
            f"/// {about}: {verdict.detail}.",
            "/// Only its library makes objects.",
            *_struct_lines(mirror, base, places),
            *_deref_to_parent(mirror, base),
            *_getter_lines(mirror, places),
        ]
    lines += constructor_lines(mirror)
    targets = [
        mirror.path_of(key) for key in obj_info.ancestors if not is_crate_type_key(key)
    ] + imports.directives.upcasts.get(mirror.key, [])
    if targets:
        pairs = ", ".join(f"{leaf} => {target}" for target in targets)
        lines += ["", f"tvm_ffi::impl_object_upcast!({pairs});"]
    _fill(code, lines)


def generate_rust_import_section(
    code: CodeBlock, imports: RustImports, opt: Options, defined_types: set[str]
) -> None:
    """Fills an ``import-section`` block: ``use`` lines, and structs for built-in ancestors."""
    lines = [item.as_use_line() for item in sorted(imports.items, key=lambda item: item.name)]
    for key, parent in imports.builtin_mirrors.items():
        lines += [
            "",
            f"/// Stands for the built-in `{key}` as an ancestor; only its depth counts.",
            "#[allow(dead_code)]",
            "#[repr(C)]",
            "#[derive(tvm_ffi::derive::Object)]",
            f'#[type_key = "{key}"]',
            f"pub struct {builtin_mirror_name(key)} {{",
            f"    base: {parent},",
            "}",
        ]
    _fill(code, lines)


def generate_rust_api_file(
    code_blocks: list[CodeBlock],
    ty_map: dict[str, str],
    module_name: str,
    object_infos: list[ObjectInfo],
    init_cfg: InitConfig,
    is_root: bool,
    syntax: C.MarkerSyntax,
) -> str:
    """Text to append to ``mod.rs``: the markers that it lacks."""
    lines: list[str] = []
    if not code_blocks:
        lines += [
            "#![allow(dead_code, unused_imports)]",
            "",
            f"//! FFI bindings for `{module_name}` (generated by tvm-ffi-stubgen).",
            "",
        ]
    if not any(block.kind == "import-section" for block in code_blocks):
        lines += [f"{syntax.begin} import-section", syntax.end, ""]
    for info in object_infos:
        lines += [f"{syntax.begin} object/{info.type_key}", syntax.end, ""]
    return "\n".join(lines)


def finalize_rust_module_tree(init_path: Path, prefixes: set[str]) -> None:
    """Adds ``pub mod child;`` to the file of every folder on the way to a prefix, unless it has the
    module already, with any visibility."""
    for prefix in sorted(prefixes):
        folder = init_path
        for part in prefix.split("."):
            path = next(
                (p for p in (folder / "lib.rs", folder / "main.rs") if p.is_file()),
                folder / "mod.rs",
            )
            name = rust_ident(part)
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            declared = rf"^[ \t]*(pub(\([^)]*\))?\s+)?mod\s+{re.escape(name)}\s*[;{{]"
            if re.search(declared, text, re.MULTILINE) is None:
                gap = "" if not text or text.endswith("\n") else "\n"
                path.write_text(f"{text}{gap}pub mod {name};\n", encoding="utf-8")
            folder = folder / part
