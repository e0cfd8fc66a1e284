# SPDX-License-Identifier: Apache-2.0
"""The content of blocks and of new files in Rust."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from .. import consts as C
from ..file_utils import CodeBlock
from ..layout import Verdict, classify
from ..lib_state import object_info_from_type_key
from ..utils import InitConfig, ObjectInfo, Options
from . import consts as C_RUST
from .constructors import constructor_lines
from .getters import enum_lines, getter_lines, places_of
from .mirror import Mirror
from .syntax import is_identifier
from .utils import (
    RustImports,
    builtin_mirror_name,
    is_crate_type_key,
    listed,
    not_snake_case,
    render_rust_type,
    rust_bindings,
    rust_ident,
    rust_module_ident,
    rust_text,
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


def _fill(code: CodeBlock, lines: list[str]) -> None:
    blanks = " " * code.indent
    code.lines = [
        code.lines[0],
        *(f"{blanks}{line}" if line else line for line in lines),
        code.lines[-1],
    ]


def _struct_lines(mirror: Mirror, base: str, places: dict[str, str] | None = None) -> list[str]:
    """The structs of a type. ``places`` are numbers of an opaque type, None for a complete one."""
    leaf = mirror.key.rpartition(".")[2]
    arc = mirror.imports.record("tvm_ffi::ObjectArc")
    deref = mirror.imports.record("std::ops::Deref")
    lines = ["#[repr(C)]", "#[derive(tvm_ffi::derive::Object)]", f'#[type_key = "{mirror.key}"]']
    if places is None:
        lines += not_snake_case(mirror.idents.values())
    if mirror.info.is_final:
        lines.append("#[type_final]")
    if places is None:
        lines.append("#[type_exact]")
    elif places:
        told = [
            f"{rust_text(f.name)}: {places[f.name]} = {f.offset}"
            for f in mirror.info.fields
            if f.name in places
        ]
        lines += listed("#[type_fields(", told, ")]", 0)
    lines += [f"pub struct {leaf}Obj {{", f"    base: {base},"]
    if places is None:
        for field in mirror.info.fields:
            name = mirror.idents[field.name]
            if name.removeprefix("r#") != field.name:
                lines.append(f"    #[type_field({rust_text(field.name)})]")
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


def _deref_to_parent(mirror: Mirror, base: str) -> list[str]:
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
    mirror: Mirror, base: str, inherited: list[tuple[str, str]], own: list[tuple[str, str]]
) -> list[str]:
    """``new`` of the struct: the part of an object of Rust below the type."""
    leaf = mirror.key.rpartition(".")[2]
    names = rust_bindings(name for name, _ in [*inherited, *own])
    types = [rust_type for _, rust_type in [*inherited, *own]]
    exact = [f"{name}: {rust_type}" for name, rust_type in zip(names, types)]
    first = len(inherited)
    cell = mirror.imports.record("tvm_ffi::FieldCell")
    lines = [
        "",
        *not_snake_case(names),
        f"impl {leaf}Obj {{",
        "    /// The part of an object of Rust that derives from it.",
    ]
    lines += listed("pub fn new(", exact, ") -> Self {", 4)
    lines += listed(f"let base = {base}::new(", names[:first], ");", 8)
    members = ["base"]
    for (field, _), name in zip(own, names[first:]):
        members.append(f"{mirror.idents[field]}: {cell}::new({name})")
    return [*lines, *_braced("Self", members, 8), "    }", "}"]


def _braced(head: str, parts: list[str], indent: int) -> list[str]:
    blanks = " " * indent
    whole = f"{blanks}{head} {{ {', '.join(parts)} }}"
    if len(whole) <= C_RUST.RUST_MAX_WIDTH:
        return [whole]
    return [f"{blanks}{head} {{", *(f"{blanks}    {part}," for part in parts), f"{blanks}}}"]


def _derivation_lines(mirror: Mirror, base: str) -> list[str]:
    """What ``rs_class`` needs of a parent: copies, and objects filled in field by field."""
    record = mirror.imports.record
    copy, init = record("tvm_ffi::ShallowCopy"), record("tvm_ffi::UnsafeInit")
    drop, missing = (
        record("tvm_ffi::reflection::drop_if_defined"),
        "tvm_ffi::reflection::is_missing",
    )
    leaf = mirror.key.rpartition(".")[2]
    names = [
        (mirror.idents[f.name], f.name, mirror.is_plain(mirror.key, f)) for f in mirror.info.fields
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
                f"                return Some({rust_text(shown)});",
                "            }",
            ]
    return [*lines, "            found", "        }", "    }", "}"]


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
    mirror = Mirror(obj_info, ty_map, imports, declared)
    leaf = mirror.key.rpartition(".")[2]
    verdicts = mirror.verdicts()
    verdict = verdicts[mirror.key]
    base = mirror.base()
    lines = enum_lines(mirror)
    if mirror.can_be_derived(verdicts):
        own = [(f.name, mirror.stored_type(f) or "") for f in obj_info.fields]
        inherited = [
            (f.name, mirror.stored_type(f, key) or "")
            for key in obj_info.ancestors
            for f in object_info_from_type_key(key).fields
        ]
        struct = _struct_lines(mirror, base)
        at = struct.index("}") + 2
        struct[at:at] = _assert_lines(leaf, verdict)
        told = [f"/// Complete: {verdict.detail}.", "/// Types of Rust may derive from it."]
        lines += [*told, *struct]
        lines += _deref_to_parent(mirror, base)
        lines += getter_lines(mirror, None)
        lines += _value_lines(mirror, base, inherited, own)
        lines += _derivation_lines(mirror, base)
    else:
        places = places_of(mirror)
        about = "Complete" if verdict.is_complete else "Opaque"
        lines += [
            f"/// {about}: {verdict.detail}.",
            "/// Only its library makes objects.",
            *_struct_lines(mirror, base, places),
            *_deref_to_parent(mirror, base),
            *getter_lines(mirror, places),
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
            name = rust_module_ident(part)
            if not is_identifier(name):
                raise ValueError(f"`{prefix}`: Rust can't have a module `{part}`")
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            declared = rf"^\ufeff?[ \t]*(pub(\([^)]*\))?\s+)?mod\s+{re.escape(name)}\s*[;{{]"
            if re.search(declared, text, re.MULTILINE) is None:
                gap = "" if not text or text.endswith("\n") else "\n"
                path.write_text(f"{text}{gap}pub mod {name};\n", encoding="utf-8")
            folder = folder / part
