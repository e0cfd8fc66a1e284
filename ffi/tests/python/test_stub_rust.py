# SPDX-License-Identifier: Apache-2.0
"""Rust mirrors, generated as users do it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi.core import TypeSchema
from tvm_ffi.stub.rust_generator.directives import Directives, EnumSpec
from tvm_ffi.stub.rust_generator.utils import (
    RustImports,
    check_tokens,
    render_rust_type,
    rust_ident,
    rust_module_path,
)

sys.path.insert(0, str(Path(__file__).parent))
LIBRARY = str(importlib.import_module("native_testing").library_path())


def generate(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--target", "rust", "--dlls", LIBRARY]
    return subprocess.run([*command, *args], capture_output=True, text=True)


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "demo"\nversion = "0.1.0"\n')
    (tmp_path / "src").mkdir()
    return tmp_path


def blocks(*lines: str) -> str:
    text = "// tvm-ffi-stubgen(begin): import-section\n// tvm-ffi-stubgen(end)\n"
    for line in lines:
        if line.startswith("testing."):
            text += f"// tvm-ffi-stubgen(begin): object/{line}\n// tvm-ffi-stubgen(end)\n"
        else:
            text += f"// tvm-ffi-stubgen({line}\n"
    return text


PAIR = """\
// tvm-ffi-stubgen(begin): import-section
use std::ops::Deref;
use tvm_ffi::Object;
use tvm_ffi::ObjectArc;
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(begin): object/testing.TestIntPair
/// Complete: reflected fields fill [24, 40) exactly.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "testing.TestIntPair"]
#[type_final]
#[type_exact]
pub struct TestIntPairObj {
    base: Object,
    pub a: i64,
    pub b: i64,
}

const _: () = {
    assert!(::core::mem::size_of::<TestIntPairObj>() == 40);
    assert!(::core::mem::align_of::<TestIntPairObj>() == 8);
};

#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
pub struct TestIntPair {
    base: ObjectArc<TestIntPairObj>,
}

impl Deref for TestIntPair {
    type Target = TestIntPairObj;
    fn deref(&self) -> &TestIntPairObj {
        &self.base
    }
}

impl TestIntPairObj {
    pub(crate) fn new(a: i64, b: i64) -> Self {
        let base = Object::new();
        Self { base, a, b }
    }
}

impl TestIntPair {
    /// A new object from the values of all its fields.
    pub fn new(a: i64, b: i64) -> Self {
        let obj = TestIntPairObj::new(a, b);
        Self { base: ObjectArc::new(obj) }
    }
}
// tvm-ffi-stubgen(end)
"""


def test_a_complete_type(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestIntPair"))
    done = generate(str(path))
    assert done.returncode == 0, done.stderr
    assert path.read_text() == PAIR


def test_check_counts_definitions_alone(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(
        PAIR.replace("/// A new", "// another").replace("(a: i64, b: i64)", "(a:i64,\nb:i64,)")
    )
    assert generate("--check", str(path)).returncode == 0
    path.write_text(PAIR.replace("pub b: i64", "pub b: i32"))
    done = generate("--check", str(path))
    assert (done.returncode, "[Stale]" in done.stdout) == (1, True)


def test_inheritance_pads_and_upcasts(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestCxxClassBase", "testing.TestCxxClassDerived"))
    assert generate(str(path)).returncode == 0
    text = path.read_text()
    assert "    base: TestCxxClassBaseObj,\n    pub v_f64: f64,\n    pub v_f32: f32,\n" in text
    assert "let base = TestCxxClassBaseObj::new(v_i64, v_i32);" in text
    assert "pub fn new(v_i64: i64, v_i32: i32, v_f64: f64, v_f32: f32) -> Self {" in text
    assert "tvm_ffi::impl_object_upcast!(TestCxxClassDerived => TestCxxClassBase);" in text


def test_an_opaque_type_reads_through_getters(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestCxxClassHiddenField"))
    assert generate(str(path)).returncode == 0
    text = path.read_text()
    assert "/// Opaque: bytes [32, 40) of [24, 48) are not accounted for" in text
    assert (
        "    pub fn v_i64(&self) -> Result<i64> {\n"
        "        static FIELD: CachedField<TestCxxClassHiddenFieldObj> = "
        'CachedField::new("v_i64");\n'
        "        FIELD.read_int::<24>(self)\n" in text
    )
    assert '#[type_fields("v_i64": i64 = 24, "v_i32": i32 = 40)]\n' in text
    assert "    base: Object,\n    opaque: Opaque,\n}" in text
    assert "size_of" not in text


def test_directives(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(
        blocks(
            "enum): testing.TestIntPair.a -> Kind(i64) { Low=0, High=-1 }",
            "field): testing.TestIntPair.b -> u64",
            "custom-new): testing.TestIntPair",
            "opaque): testing.TestHash",
            "testing.TestIntPair",
            "testing.TestHash",
        )
    )
    assert generate(str(path)).returncode == 0
    text = path.read_text()
    assert "#[repr(transparent)]\npub struct Kind(i64);\n" in text
    assert "    pub const Low: Kind = Kind(0);\n" in text
    assert "    pub const High: Kind = Kind(-1);\n" in text
    assert "    pub a: Kind,\n    pub b: u64,\n" in text
    assert "pub fn from_fields(a: impl Into<Kind>, b: u64) -> Self {" in text
    assert "/// Opaque: declared opaque by a directive." in text


def test_a_type_nobody_mirrors_is_named(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestObjectPtrHolder"))
    done = generate(str(path))
    assert done.returncode == 2
    assert "refers to `testing.TestObjectBase`" in done.stderr
    path.write_text(
        blocks("ty-map): testing.TestObjectBase -> other.Base", "testing.TestObjectPtrHolder")
    )
    assert generate(str(path)).returncode == 0
    assert "use other::Base;" in path.read_text()
    assert "pub optional_value: Option<Base>," in path.read_text()


def test_scaffold_makes_a_module_tree(crate: Path) -> None:
    source = crate / "src"
    (source / "lib.rs").write_text("//! Demo.\n")
    init = ["--init-pypkg", "demo", "--init-lib", "demo", "--init-prefix", "testing."]
    done = generate(*init, str(source))
    assert done.returncode == 0, done.stderr
    assert (source / "lib.rs").read_text() == "//! Demo.\npub mod testing;\n"
    text = (source / "testing" / "mod.rs").read_text()
    assert "pub struct TestObjectDerivedObj {\n    base: TestObjectBaseObj,\n" in text
    assert "pub struct BuiltinIntEnumObj {\n    base: BuiltinEnumObj,\n}" in text
    assert generate(*init, str(source)).returncode == 0
    assert (source / "testing" / "mod.rs").read_text() == text
    assert (source / "lib.rs").read_text().count("pub mod") == 1


def test_a_file_outside_a_crate_fails(tmp_path: Path) -> None:
    path = tmp_path / "mod.rs"
    path.write_text(blocks("testing.TestIntPair"))
    done = generate(str(path))
    assert done.returncode == 2
    assert "no `Cargo.toml` above it" in done.stderr


@pytest.mark.parametrize(
    ("name", "ident"),
    [
        ("x", "x"),
        ("type", "r#type"),
        ("self", "self_"),
        ("base", "base_"),
        ("__init__", "init"),
        ("value_", "value"),
        ("match_", "r#match"),
    ],
)
def test_identifiers(name: str, ident: str) -> None:
    assert rust_ident(name) == ident


def test_module_paths(crate: Path) -> None:
    assert rust_module_path(crate / "src" / "lib.rs") == ()
    assert rust_module_path(crate / "src" / "a" / "mod.rs") == ("a",)
    assert rust_module_path(crate / "src" / "a" / "type.rs") == ("a", "r#type")


def test_types() -> None:
    def name_of(origin: str, type_key: str | None) -> str | None:
        return {"Array": "Array", "int": "i64", "str": "String", "Map": "Map"}.get(origin)

    def text(annotation: object) -> str | None:
        return render_rust_type(TypeSchema.from_annotation(annotation), name_of)

    assert text(tuple[int, ...]) == "Array<i64>"
    assert text(str | None) == "Option<String>"
    assert text(int | str) is None
    assert text(tuple[int | str, ...]) is None


def test_imports_keep_names_apart() -> None:
    imports = RustImports(reserved={"Tensor"})
    assert imports.record("tvm_ffi::Array") == "Array"
    assert imports.record("other::Array") == "other::Array"
    assert imports.record("tvm_ffi::Tensor") == "tvm_ffi::Tensor"
    assert imports.record("i64") == "i64"
    assert [item.as_use_line() for item in imports.items] == ["use tvm_ffi::Array;"]


def test_tokens_ignore_layout() -> None:
    one = check_tokens(["use a;", "fn f(a: i64, b: r#type) -> X {", "  // note", "}"])
    other = check_tokens(["fn f(", "    a: i64,", "    b: r#type,", ") -> X {}"])
    assert one == other
    assert one != check_tokens(["fn f(a: i64, b: i64) -> X {}"])


def test_malformed_directives_raise() -> None:
    directives = Directives()
    directives.add("enum", "a.B.k -> Kind(u8) { X=1, Y = 2, }", 1)
    assert directives.enums["a.B.k"] == EnumSpec("Kind", "u8", (("X", 1), ("Y", 2)))
    for name, payload in [
        ("enum", "a.B.k -> Kind"),
        ("enum", "a.B.k -> Kind(u8) { X }"),
        ("field", "a.B.k"),
        ("nullable", "a.B.k -> x"),
        ("upcast", "-> x"),
        ("opaque", ""),
    ]:
        with pytest.raises(ValueError, match="at line 7"):
            directives.add(name, payload, 7)
