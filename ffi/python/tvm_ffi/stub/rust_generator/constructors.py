# SPDX-License-Identifier: Apache-2.0
"""Constructors of generated types: calls of ``__ffi_init__``, so that the library makes and frees.

An object that Rust allocated would skip the constructor and the destructor of C++.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...core import TypeSchema
from ..utils import NamedTypeSchema, ObjectInfo
from . import consts as C
from .utils import RustImports, listed, not_snake_case, rust_bindings, rust_text

_INIT = "__ffi_init__"


class Mirror(Protocol):
    """What is needed of the type that is written."""

    info: ObjectInfo
    imports: RustImports

    @property
    def key(self) -> str: ...
    def type_of(self, schema: NamedTypeSchema) -> str | None: ...


@dataclass
class _Parameter:
    """``keyword`` is the name to pass it by, None when its position tells."""

    name: str
    rust_type: str
    keyword: str | None = None


def has_own_constructor(info: ObjectInfo) -> bool:
    """Whether the constructor is code of the type, not made from its fields."""
    return any(method.schema.name == _INIT for method in info.methods)


def _type_of(mirror: Mirror, name: str, schema: TypeSchema) -> str:
    """The type of a parameter, ``Any`` when nothing closer is known."""
    before = list(mirror.imports.items)
    named = schema if isinstance(schema, NamedTypeSchema) else NamedTypeSchema(name, schema)
    try:
        found = None if schema.origin == "None" else mirror.type_of(named)
    except ValueError:  # a type that is not generated
        found = None
    if found is None:
        mirror.imports.items[:] = before
        return mirror.imports.record("tvm_ffi::Any")
    return found


def _parameters(mirror: Mirror) -> list[_Parameter] | None:
    """The parameters, None when they are unknown."""
    info = mirror.info
    own = [method for method in info.methods if method.schema.name == _INIT]
    if own:
        params = own[0].params if len(own) == 1 else None
        if params is None:
            return None
        told = own[0].param_names or []
        names = rust_bindings(told)
        if len(names) != len(params):
            names = [f"arg{i}" for i in range(len(params))]
        return [
            _Parameter(name, _type_of(mirror, name, param)) for name, param in zip(names, params)
        ]
    # The order in which the generated constructor takes them: the sort is stable.
    fields = sorted(info.init_fields, key=lambda f: (f.kw_only, not f.kw_only and f.has_default))
    out = []
    for entry, binding in zip(fields, rust_bindings(entry.name for entry in fields)):
        rust_type = _type_of(mirror, entry.name, entry.schema)
        if f"{mirror.key}.{entry.name}" in mirror.imports.directives.nullable:
            rust_type = f"Option<{rust_type}>"
        keyword = entry.name if entry.kw_only else None
        out.append(_Parameter(binding, rust_type, keyword))
    return out


def constructor_lines(mirror: Mirror) -> list[str]:
    """``new`` of the reference type; nothing when the type has no constructor."""
    if not mirror.info.has_init:
        return []
    record = mirror.imports.record
    leaf = mirror.key.rpartition(".")[2]
    result = record("tvm_ffi::Result")
    constructor = record("tvm_ffi::reflection::Constructor")
    any_type = record("tvm_ffi::Any")
    name = "from_fields" if mirror.key in mirror.imports.directives.custom_new else "new"
    static = f"        static INIT: {constructor}<{leaf}Obj> = {constructor}::new();"
    parameters = _parameters(mirror)
    if parameters is None:
        return [
            "",
            f"impl {leaf} {{",
            "    /// A new object, made by the constructor of its library.",
            f"    pub fn {name}(args: &[{any_type}]) -> {result}<Self> {{",
            static,
            "        INIT.call(args, &[])?.try_into()",
            "    }",
            "}",
        ]
    accepted, conversions, positional, named = [], [], [], []
    for p in parameters:
        plain = p.rust_type in C.RUST_EXACT_PARAMS
        accepted.append(f"{p.name}: {p.rust_type if plain else f'impl Into<{p.rust_type}>'}")
        if not plain:
            conversions.append(f"        let {p.name}: {p.rust_type} = {p.name}.into();")
        value = p.name if p.rust_type == any_type else f"{any_type}::from({p.name})"
        if p.keyword is None:
            positional.append(value)
        else:
            named.append(f"({rust_text(p.keyword)}, {value})")
    source = "the constructor of its library"
    if not has_own_constructor(mirror.info):
        source = "its library from the values of the fields"
    allowed = not_snake_case(p.name for p in parameters)
    lines = ["", *allowed, f"impl {leaf} {{", f"    /// A new object, made by {source}."]
    lines += listed(f"pub fn {name}(", accepted, f") -> {result}<Self> {{", 4)
    lines += [static, *conversions]
    # No locals: a field may have any name.
    call = f"        INIT.call(&[{', '.join(positional)}], &[{', '.join(named)}])?.try_into()"
    if len(call) <= C.RUST_MAX_WIDTH:
        return [*lines, call, "    }", "}"]
    lines += ["        INIT.call(", *listed("&[", positional, "],", 12)]
    lines += [*listed("&[", named, "],", 12), "        )?", "        .try_into()"]
    return [*lines, "    }", "}"]
