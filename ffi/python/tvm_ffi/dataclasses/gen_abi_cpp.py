# SPDX-License-Identifier: Apache-2.0
"""C++ structs with the layout of registered types."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from .. import core
from ..core import TypeField, TypeInfo, TypeSchema
from ..registry import get_registered_type_keys

__all__ = ["gen_abi_cpp"]

_KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
    class compl const constexpr const_cast continue decltype default delete do double dynamic_cast
    else enum explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual
    void volatile wchar_t while xor xor_eq""".split()
)
_INTEGERS = {8: "int64_t", 4: "int32_t", 2: "int16_t", 1: "int8_t"}
_PLAIN = {
    "bool": "bool",
    "str": "::tvm::ffi::String",
    "bytes": "::tvm::ffi::Bytes",
    "dtype": "DLDataType",
    "Device": "DLDevice",
    "ctypes.c_void_p": "void*",
    "Any": "::tvm::ffi::Any",
    "Callable": "::tvm::ffi::Function",
    "Tensor": "::tvm::ffi::Tensor",
    "Object": "::tvm::ffi::ObjectRef",
    "ffi.Module": "::tvm::ffi::Module",
    "ffi.Shape": "::tvm::ffi::Shape",
    "ffi.Error": "::tvm::ffi::Error",
}
_CONTAINERS = {
    "Array": "Array",
    "List": "List",
    "Map": "Map",
    "Dict": "Dict",
    "tuple": "Tuple",
}


def _identifier(name: str) -> str:
    """The name, or its bytes in hexadecimal when C++ would not take it."""
    plain = name.isascii() and name.isidentifier() and name not in _KEYWORDS
    return name if plain else "__ffi_escape_" + name.encode().hex()


def _namespaces(key: str) -> list[str]:
    return [_identifier(part) for part in key.split(".")[:-1]]


def _struct_name(key: str) -> str:
    leaf = key.rpartition(".")[2]
    return _identifier(leaf) + "Obj"


def _qualified(key: str) -> str:
    if key == "ffi.Object":
        return "::tvm::ffi::Object"
    return "::" + "::".join([*_namespaces(key), _struct_name(key)])


def _select(patterns: Sequence[str]) -> list[TypeInfo]:
    """The types that the patterns name, with their ancestors, parents first."""
    keys = [str(key) for key in get_registered_type_keys()]
    chosen: dict[int, TypeInfo] = {}

    def add(info: TypeInfo) -> None:
        if info.type_index < 128 or info.type_index in chosen:
            return
        if info.parent_type_info is not None:
            add(info.parent_type_info)
        chosen[info.type_index] = info

    for pattern in patterns:
        matches = [key for key in keys if fnmatch.fnmatchcase(key, pattern)]
        if not matches:
            raise ValueError(f"no registered type matches {pattern!r}")
        for key in matches:
            index = core._object_type_key_to_index(key)
            if index is not None and index >= 128:
                add(core._lookup_or_register_type_info_from_type_key(key))
    if not chosen:
        raise ValueError(f"{', '.join(patterns)}: built-in types have their own headers")
    return list(chosen.values())


def _element_type(schema: TypeSchema, known: frozenset[int]) -> str:
    if schema.origin == "int":
        return "::tvm::ffi::Any" if schema.type_key == "ffi.BigInt" else "int64_t"
    if schema.origin == "float":
        return "double"
    return _reference_type(schema, known)


def _reference_type(schema: TypeSchema, known: frozenset[int]) -> str:
    if schema.origin in _PLAIN:
        return _PLAIN[schema.origin]
    if schema.origin in _CONTAINERS:
        name = f"::tvm::ffi::{_CONTAINERS[schema.origin]}"
        if schema.args is None:
            return "::tvm::ffi::Array<::tvm::ffi::Any>"
        return f"{name}<{', '.join(_element_type(arg, known) for arg in schema.args)}>"
    if schema.origin == "Optional" and schema.args:
        return f"::tvm::ffi::Optional<{_element_type(schema.args[0], known)}>"
    if schema.origin_type_index in known:
        return f"::tvm::ffi::Arc<{_qualified(schema.origin)}>"
    if schema.origin_type_index >= 64:
        return "::tvm::ffi::ObjectRef"
    return "::tvm::ffi::Any"


def _member_type(field: TypeField, known: frozenset[int]) -> str:
    """A C++ type of the size and alignment of the field."""
    schema = field.ty
    if schema is None:
        return _INTEGERS.get(field.size, "::tvm::ffi::Any")
    if schema.origin == "int" and field.size in _INTEGERS:
        return _INTEGERS[field.size]
    if schema.origin == "float":
        return "float" if field.size == 4 else "double"
    if schema.origin == "Optional" and field.size == 16:
        return "::tvm::ffi::Any"
    if field.size == 16 and schema.origin not in ("str", "bytes"):
        return "::tvm::ffi::Any"
    return _reference_type(schema, known)


def _struct(info: TypeInfo, known: frozenset[int]) -> list[str]:
    name = _struct_name(info.type_key)
    parent = info.parent_type_info
    assert parent is not None
    fields = info.fields or []
    lines = [
        f"struct alignas(8) {name} : public {_qualified(parent.type_key)} {{",
        f'  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("{info.type_key}", {len(info.type_ancestors)});',
    ]
    if fields:
        lines.append("")
    for field in fields:
        lines.append(
            f"  {_member_type(field, known)} {_identifier(field.name)};  "
            f"// offset={field.offset}, size={field.size}, align={field.alignment}"
        )
    lines += ["};", ""]
    lines.append(f"static_assert(sizeof({name}) == {info.total_size});")
    lines.append(f"static_assert(alignof({name}) == 8);")
    for field in fields:
        member = f"{name}::{_identifier(field.name)}"
        lines.append(f"static_assert(sizeof(decltype({member})) == {field.size});")
        lines.append(f"static_assert(alignof(decltype({member})) == {field.alignment});")
        offset = f"offsetof({name}, {_identifier(field.name)})"
        lines.append(f"static_assert({offset} == {field.offset});")
    return lines


def _in_namespace(names: list[str], body: list[str]) -> list[str]:
    opening = [f"namespace {name} {{" for name in names]
    closing = [f"}}  // namespace {name}" for name in reversed(names)]
    return [*opening, "", *body, "", *closing, ""]


def gen_abi_cpp(type_keys: str | Sequence[str]) -> str:
    """A C++17 header with one struct per type, which other code can read instances through.

    Parameters
    ----------
    type_keys
        Type keys or shell patterns of them; ancestors are added.

    Raises
    ------
    ValueError
        A pattern matches no type.
    """
    patterns = [type_keys] if isinstance(type_keys, str) else list(type_keys)
    infos = _select(patterns)
    known = frozenset(info.type_index for info in infos)
    lines = ["#pragma once", "", "#include <tvm/ffi/tvm_ffi.h>", ""]
    for info in infos:
        declaration = [f"struct {_struct_name(info.type_key)};"]
        lines += _in_namespace(_namespaces(info.type_key), declaration)
    for info in infos:
        lines += [
            "template <>",
            f"inline constexpr bool tvm::ffi::is_object_subclass_v<{_qualified(info.type_key)}> = "
            "true;",
        ]
    lines += [
        "",
        "static_assert(sizeof(::tvm::ffi::Object) == 24);",
        "static_assert(alignof(::tvm::ffi::Object) == 8);",
        "",
        "#if defined(__clang__) || defined(__GNUC__)",
        "#pragma GCC diagnostic push",
        '#pragma GCC diagnostic ignored "-Winvalid-offsetof"',
        "#elif defined(_MSC_VER)",
        "#pragma warning(push)",
        "#pragma warning(disable : 4749)",
        "#endif",
        "",
    ]
    for info in infos:
        lines += _in_namespace(_namespaces(info.type_key), _struct(info, known))
    lines += [
        "#if defined(__clang__) || defined(__GNUC__)",
        "#pragma GCC diagnostic pop",
        "#elif defined(_MSC_VER)",
        "#pragma warning(pop)",
        "#endif",
    ]
    return "\n".join(lines) + "\n"
