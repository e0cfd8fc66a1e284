# SPDX-License-Identifier: Apache-2.0
"""The content of blocks and of new files in Rust."""

from __future__ import annotations

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
from .signs import has_sign
from .utils import (
    RustImports,
    builtin_mirror_name,
    is_crate_type_key,
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
            return scalar
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
        """Whether Rust types may derive from the mirror: all of it is known, up to the root."""
        ancestors = [key for key in self.info.ancestors if key != C_RUST.RUST_ROOT_TYPE_KEY]
        known = all(key in self.declared and verdicts[key].is_complete for key in ancestors)
        return known and not self.info.is_final

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


def _call(head: str, parts: list[str], tail: str, indent: int) -> list[str]:
    """``head(parts)tail`` on one line, or on one line a part when that is too long."""
    blanks = " " * indent
    whole = f"{blanks}{head}({', '.join(parts)}){tail}"
    if len(whole) <= C_RUST.RUST_MAX_WIDTH:
        return [whole]
    return [f"{blanks}{head}(", *(f"{blanks}    {part}," for part in parts), f"{blanks}){tail}"]


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
        lines += _call("#[type_fields", told, "]", 0)
    lines += [f"pub struct {leaf}Obj {{", f"    base: {base},"]
    if places is None:
        for field in mirror.info.fields:
            name = rust_ident(field.name)
            if name.removeprefix("r#") != field.name:
                lines.append(f'    #[type_field("{field.name}")]')
            lines.append(f"    pub {name}: {mirror.stored_type(field) or ''},")
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


def _constructor_lines(
    mirror: _Mirror, base: str, inherited: list[tuple[str, str]], own: list[tuple[str, str]]
) -> list[str]:
    leaf = mirror.key.rpartition(".")[2]
    everything = [*inherited, *own]
    exact = [f"{name}: {rust_type}" for name, rust_type in everything]
    visible = "pub(crate) fn new" if mirror.info.is_final else "pub fn new"
    lines = ["", f"impl {leaf}Obj {{"]
    lines += _call(visible, exact, " -> Self {", 4)
    lines += _call(f"let base = {base}::new", [name for name, _ in inherited], ";", 8)
    members = ", ".join(["base", *(name for name, _ in own)])
    lines += [f"        Self {{ {members} }}", "    }", "}", ""]
    accepted, passed = [], []
    for name, rust_type in everything:
        plain = rust_type in C_RUST.RUST_EXACT_PARAMS
        accepted.append(f"{name}: {rust_type if plain else f'impl Into<{rust_type}>'}")
        passed.append(name if plain else f"{name}.into()")
    new = "from_fields" if mirror.key in mirror.imports.directives.custom_new else "new"
    lines += [f"impl {leaf} {{", "    /// A new object from the values of all its fields."]
    lines += _call(f"pub fn {new}", accepted, " -> Self {", 4)
    lines += _call(f"let obj = {leaf}Obj::new", passed, ";", 8)
    arc = mirror.imports.record("tvm_ffi::ObjectArc")
    lines += [f"        Self {{ base: {arc}::new(obj) }}", "    }", "}"]
    return lines


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


def _getter_lines(mirror: _Mirror, places: dict[str, str]) -> list[str]:
    if not mirror.info.fields:
        return []
    record = mirror.imports.record
    cached, result = record("tvm_ffi::reflection::CachedField"), record("tvm_ffi::Result")
    leaf = mirror.key.rpartition(".")[2]
    lines = ["", f"impl {leaf}Obj {{"]
    for i, field in enumerate(mirror.info.fields):
        spec = mirror.imports.directives.enums.get(f"{mirror.key}.{field.name}")
        rust_type = spec.name if spec is not None else mirror.type_of(field)
        method = "get"
        if field.name in places and (spec is not None or rust_type in _IN_PLACE):
            in_place = _IN_PLACE["i64" if spec is not None else rust_type or ""]
            method = f"{in_place}::<{field.offset}>"
        if rust_type is None:
            rust_type, method = record("tvm_ffi::Any"), "get_any"
        read = f"FIELD.{method}(self)"
        if spec is not None:
            read = f"{spec.name}::try_from({read.replace('.get(', '.get::<i64>(')}?)"
        if i:
            lines.append("")
        lines += [
            f"    pub fn {rust_ident(field.name)}(&self) -> {result}<{rust_type}> {{",
            f'        static FIELD: {cached}<{leaf}Obj> = {cached}::new("{field.name}");',
            f"        {read}",
            "    }",
        ]
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

    A complete type is reproduced field by field, with a constructor and with checks of its size; an
    opaque one has only its header and reads fields through the getters of the library.
    """
    mirror = _Mirror(obj_info, ty_map, imports, declared)
    leaf = mirror.key.rpartition(".")[2]
    verdicts = mirror.verdicts()
    verdict = verdicts[mirror.key]
    base = mirror.base()
    lines = _enum_lines(mirror)
    if verdict.is_complete:
        own = [(rust_ident(f.name), mirror.stored_type(f) or "") for f in obj_info.fields]
        inherited = [
            (rust_ident(f.name), mirror.stored_type(f, key) or "")
            for key in obj_info.ancestors
            for f in object_info_from_type_key(key).fields
        ]
        struct = _struct_lines(mirror, base)
        at = struct.index("}") + 2
        struct[at:at] = _assert_lines(leaf, verdict)
        lines += [f"/// Complete: {verdict.detail}.", *struct]
        lines += _deref_to_parent(mirror, base)
        lines += _constructor_lines(mirror, base, inherited, own)
        if mirror.can_be_derived(verdicts):
            lines += _derivation_lines(mirror, base)
    else:
        places = _places(mirror)
        lines += [
            f"/// Opaque: {verdict.detail}. Fields are read through the getters of the library.",
            *_struct_lines(mirror, base, places),
            *_deref_to_parent(mirror, base),
            *_getter_lines(mirror, places),
        ]
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
    """Adds ``pub mod child;`` to the file of every folder on the way to a prefix."""
    for prefix in sorted(prefixes):
        folder = init_path
        for part in prefix.split("."):
            path = next(
                (p for p in (folder / "lib.rs", folder / "main.rs") if p.is_file()),
                folder / "mod.rs",
            )
            line = f"pub mod {rust_ident(part)};"
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            if line not in (existing.strip() for existing in text.splitlines()):
                gap = "" if not text or text.endswith("\n") else "\n"
                path.write_text(f"{text}{gap}{line}\n", encoding="utf-8")
            folder = folder / part
