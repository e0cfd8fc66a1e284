# SPDX-License-Identifier: Apache-2.0
"""How native types are written in Rust."""

from __future__ import annotations

RUST_MAX_WIDTH = 100
RUST_ROOT_TYPE_KEY = "ffi.Object"
RUST_POINTER_SIZE = 8
# Bytes of an optional field: a nullable pointer, or a cell that holds any value.
RUST_OBJECT_OPTIONAL_FIELD_SIZE = 8
RUST_OPTIONAL_FIELD_SIZE = 16
RUST_OPTIONAL_PATH = "tvm_ffi::Optional"

RUST_MOD_MAP = {"ffi": "tvm_ffi"}

RUST_TY_MAP_DEFAULTS = {
    "int": "i64",
    "float": "f64",
    "bool": "bool",
    "None": "()",
    "str": "tvm_ffi::String",
    "bytes": "tvm_ffi::Bytes",
    "Any": "tvm_ffi::Any",
    "Callable": "tvm_ffi::Function",
    "Array": "tvm_ffi::Array",
    "List": "tvm_ffi::List",
    "Map": "tvm_ffi::Map",
    "Object": "tvm_ffi::object::ObjectRef",
    "Tensor": "tvm_ffi::Tensor",
    "Shape": "tvm_ffi::Shape",
    "Device": "tvm_ffi::DLDevice",
    "dtype": "tvm_ffi::DLDataType",
    "DataType": "tvm_ffi::DLDataType",
    "ffi.String": "tvm_ffi::String",
    "ffi.Bytes": "tvm_ffi::Bytes",
    "ffi.Module": "tvm_ffi::Module",
    "ffi.Error": "tvm_ffi::Error",
    "ffi.Object": "tvm_ffi::object::ObjectRef",
    "ffi.Tensor": "tvm_ffi::Tensor",
    "ffi.Shape": "tvm_ffi::Shape",
    "ffi.Function": "tvm_ffi::Function",
    "ffi.BigInt": "tvm_ffi::BigInt",
    "ffi.reflection.AccessPath": "tvm_ffi::reflection::AccessPath",
    "ffi.reflection.AccessStep": "tvm_ffi::reflection::AccessStep",
}
# Origins without one Rust type of the same layout.
RUST_UNSUPPORTED_ORIGINS = frozenset({"Union", "Dict", "tuple"})

RUST_SCALAR_BY_SIZE = {
    ("int", 1): "i8",
    ("int", 2): "i16",
    ("int", 4): "i32",
    ("int", 8): "i64",
    ("float", 4): "f32",
    ("float", 8): "f64",
}
RUST_SCALAR_WIDTHS = {
    "i8": 1,
    "u8": 1,
    "bool": 1,
    "i16": 2,
    "u16": 2,
    "i32": 4,
    "u32": 4,
    "f32": 4,
    "i64": 8,
    "u64": 8,
    "f64": 8,
}
# Parameters of constructors that are taken as they are; others are `impl Into<T>`.
RUST_EXACT_PARAMS = frozenset({*RUST_SCALAR_WIDTHS, "usize", "isize"})
# Optional values of these origins live in a cell, not behind a pointer.
RUST_ANY_BACKED_OPTIONAL_PAYLOADS = frozenset(
    {"DataType", "Device", "bool", "bytes", "dtype", "float", "int", "str"}
)
RUST_DIRECTIVE_KINDS = frozenset(
    {"field", "opaque", "upcast", "enum", "nullable", "custom-new", "import-object"}
)

RUST_RESERVED_MEMBERS = frozenset({"base"})
# No member can be named so either: mirrors have a function, and patterns are no names.
RUST_TAKEN_MEMBERS = RUST_RESERVED_MEMBERS | {"new", "_"}
RUST_NOT_RAW_IDENTIFIERS = frozenset({"crate", "self", "Self", "super"})
RUST_KEYWORDS = frozenset(
    "Self abstract as async await become box break const continue crate do dyn else enum extern "
    "false final fn for gen if impl in let loop macro match mod move mut override priv pub ref "
    "return self static struct super trait true try type typeof unsafe unsized use virtual where "
    "while yield".split()
)
