# SPDX-License-Identifier: Apache-2.0
"""Names, types and imports of Rust files."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...core import TypeSchema
from . import consts as C
from .directives import Directives

_TOKEN = re.compile(r'r#\w+|\w+|"(?:\\.|[^"\\])*"|::|->|=>|[^\s\w]')


def rust_ident(name: str) -> str:
    """A field name as a Rust identifier.

    Dunders lose their underscores, one trailing underscore is dropped, keywords are made raw, and
    names that a mirror has itself, such as ``base``, get an underscore.
    """
    if len(name) > 4 and name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    elif len(name) > 1 and name.endswith("_"):
        name = name[:-1]
    name = re.sub(r"\W", "_", name)
    if not name or name[0].isdecimal():
        name = f"_{name}"
    if name in C.RUST_TAKEN_MEMBERS or name in C.RUST_NOT_RAW_IDENTIFIERS:
        return f"{name}_"
    return f"r#{name}" if name in C.RUST_KEYWORDS else name


def rust_idents(names: Iterable[str]) -> list[str]:
    """Identifiers for several fields, all different."""
    names = list(names)
    # A field that needs no change keeps its name.
    taken = [name for name in names if rust_ident(name) == name]
    found = []
    for name in names:
        ident = rust_ident(name)
        while ident in found or (ident != name and ident in taken):
            ident = f"{ident.removeprefix('r#')}_"
        found.append(ident)
    return found


def rust_bindings(names: Iterable[str]) -> list[str]:
    """Identifiers for several parameters, all different. A name that may be a constant, a variant
    or a struct in scope would be a pattern: it gets an underscore."""
    idents = rust_idents(names)
    found: list[str] = []
    for ident in idents:
        binding = f"{ident}_" if ident[0].isupper() else ident
        while binding in found or (binding != ident and binding in idents):
            binding = f"{binding}_"
        found.append(binding)
    return found


def rust_text(text: str) -> str:
    """A string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def not_snake_case(names: Iterable[str], indent: int = 0) -> list[str]:
    """The attribute that items with such names need, if they do."""
    if all(name == name.lower() for name in names):
        return []
    return [f"{' ' * indent}#[allow(non_snake_case)]"]


def rust_module_ident(name: str) -> str:
    """The name of a module, which is that of its file or folder."""
    raw = name in C.RUST_KEYWORDS and name not in C.RUST_NOT_RAW_IDENTIFIERS
    return f"r#{name}" if raw else name


def listed(head: str, parts: list[str], tail: str, indent: int) -> list[str]:
    """``head parts tail`` on one line, or on one line a part when that is too long."""
    blanks = " " * indent
    whole = f"{blanks}{head}{', '.join(parts)}{tail}"
    if len(whole) <= C.RUST_MAX_WIDTH:
        return [whole]
    return [f"{blanks}{head}", *(f"{blanks}    {part}," for part in parts), f"{blanks}{tail}"]


@dataclass(frozen=True)
class RustUse:
    """``use name;``."""

    name: str

    @property
    def leaf(self) -> str:
        return self.name.rpartition("::")[2]

    def as_use_line(self) -> str:
        return f"use {self.name};"


@dataclass
class RustImports:
    """What one file uses. ``reserved`` are names that the file defines itself."""

    items: list[RustUse] = field(default_factory=list)
    directives: Directives = field(default_factory=Directives)
    builtin_mirrors: dict[str, str] = field(default_factory=dict)
    reserved: set[str] = field(default_factory=set)

    __hash__ = None  # type: ignore[assignment]

    def record(self, name: str) -> str:
        """Uses a path and returns how to write it: its last part, or all of it if that is taken."""
        if "::" not in name:
            return name
        use = RustUse(name)
        if use in self.items:
            return use.leaf
        if use.leaf in self.reserved or any(item.leaf == use.leaf for item in self.items):
            return name
        self.items.append(use)
        return use.leaf

    def record_builtin_base(self, chain: list[str]) -> str:
        """The struct that stands for a built-in ancestor; ``chain`` are its own ancestors, it last.

        The library's headers have no Rust struct for such types: each gets one in the file, of
        which only the depth counts.
        """
        parent = self.record("tvm_ffi::Object")
        for key in chain:
            if key == C.RUST_ROOT_TYPE_KEY:
                continue
            self.builtin_mirrors.setdefault(key, parent)
            parent = builtin_mirror_name(key)
        return parent


def builtin_mirror_name(type_key: str) -> str:
    """Name of the struct that stands for a built-in type."""
    return f"Builtin{type_key.rpartition('.')[2]}Obj"


def is_crate_type_key(type_key: str) -> bool:
    """Whether the type belongs to the crate ``tvm-ffi``."""
    return type_key.partition(".")[0] in C.RUST_MOD_MAP


def check_tokens(lines: Iterable[str]) -> tuple[str, ...]:
    """The tokens of Rust lines, without comments, ``use`` lines and layout."""
    tokens: list[str] = []
    for line in lines:
        text = line.strip()
        if text.startswith(("//", "use ")):
            continue
        for token in _TOKEN.findall(text):
            # rustfmt adds and removes commas at the end of lists.
            if token in ")]}" and tokens and tokens[-1] == ",":
                tokens.pop()
            tokens.append(token)
    return tuple(tokens)


def render_rust_type(
    schema: TypeSchema, ty_render: Callable[[str, str | None], str | None]
) -> str | None:
    """A schema as a Rust type, None when it has none.

    ``ty_render(origin, type_key)`` writes an origin without its arguments.
    """
    if schema.origin in C.RUST_UNSUPPORTED_ORIGINS:
        return None
    if schema.origin == "Optional":
        inner = render_rust_type((schema.args or ())[0], ty_render)
        return f"Option<{inner}>" if inner is not None else None
    name = ty_render(schema.origin, schema.type_key)
    if name is None or schema.origin == "Callable" or not schema.args:
        return name
    parts = [render_rust_type(arg, ty_render) for arg in schema.args]
    if any(part is None for part in parts):
        return None
    return f"{name}<{', '.join(part for part in parts if part)}>"


@functools.cache
def rust_module_path(path: Path) -> tuple[str, ...]:
    """The module of a file inside its crate. ``ValueError`` when no ``Cargo.toml`` is above it."""
    path = path.resolve()
    for folder in path.parents:
        if not (folder / "Cargo.toml").is_file():
            continue
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts and parts[0] == "src":
            parts = parts[1:]
        if parts and parts[-1] in ("mod", "lib", "main"):
            parts = parts[:-1]
        return tuple(rust_module_ident(part) for part in parts)
    raise ValueError(f"{path} is in no Cargo crate: no `Cargo.toml` above it")
