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
use tvm_ffi::Any;
use tvm_ffi::Object;
use tvm_ffi::ObjectArc;
use tvm_ffi::Result;
use tvm_ffi::reflection::CachedField;
use tvm_ffi::reflection::Constructor;
use tvm_ffi::reflection::Opaque;
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(begin): object/testing.TestIntPair
/// Complete: reflected fields fill [24, 40) exactly.
/// Only its library makes objects.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "testing.TestIntPair"]
#[type_final]
#[type_fields("a": i64 = 24, "b": i64 = 32)]
pub struct TestIntPairObj {
    base: Object,
    opaque: Opaque,
}

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
    pub fn a(&self) -> Result<i64> {
        static FIELD: CachedField<TestIntPairObj> = CachedField::new("a");
        FIELD.read_int::<24>(self)
    }

    pub fn b(&self) -> Result<i64> {
        static FIELD: CachedField<TestIntPairObj> = CachedField::new("b");
        FIELD.read_int::<32>(self)
    }
}

impl TestIntPair {
    /// A new object, made by the constructor of its library.
    pub fn new(arg0: i64, arg1: i64) -> Result<Self> {
        static INIT: Constructor<TestIntPairObj> = Constructor::new();
        INIT.call(&[Any::from(arg0), Any::from(arg1)], &[])?.try_into()
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
        PAIR.replace("/// A new", "// another").replace(
            "(arg0: i64, arg1: i64)", "(arg0:i64,\narg1:i64,)"
        )
    )
    assert generate("--check", str(path)).returncode == 0
    path.write_text(PAIR.replace('"b": i64 = 32', '"b": i32 = 32'))
    done = generate("--check", str(path))
    assert (done.returncode, "[Stale]" in done.stdout) == (1, True)


def test_inheritance_pads_and_upcasts(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestCxxClassBase", "testing.TestCxxClassDerived"))
    assert generate(str(path)).returncode == 0
    text = path.read_text()
    # No field is plain: others may change it under a shared reference.
    fields = "    v_f64: FieldCell<f64>,\n    v_f32: FieldCell<f32>,\n"
    assert f"    base: TestCxxClassBaseObj,\n{fields}" in text
    assert "let base = TestCxxClassBaseObj::new(v_i64, v_i32);" in text
    assert "pub fn new(v_i64: i64, v_i32: i32, v_f64: f64, v_f32: f32) -> Self {" in text
    # Objects of the type itself come from the library.
    made = "pub fn new(v_i64: i64, v_i32: i64, v_f64: f64, v_f32: f64) -> Result<Self> {"
    assert made in text
    assert "ObjectArc::new" not in text
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
    assert "    pub fn a(&self) -> Result<Kind> {\n" in text
    assert "        Kind::try_from(FIELD.read_int::<24>(self)?)\n" in text
    assert "    pub fn b(&self) -> Result<u64> {\n" in text
    assert "pub fn from_fields(arg0: i64, arg1: i64) -> Result<Self> {" in text
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
    assert "pub fn optional_value(&self) -> Result<Option<Base>> {" in path.read_text()


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


@pytest.mark.parametrize(
    "line", ["mod testing;", "pub(crate) mod testing;", "  pub mod testing {}"]
)
def test_a_module_that_is_there_is_not_declared_again(crate: Path, line: str) -> None:
    (crate / "src" / "lib.rs").write_text(f"{line}\n")
    init = ["--init-pypkg", "demo", "--init-lib", "demo", "--init-prefix", "testing."]
    assert generate(*init, str(crate / "src")).returncode == 0
    assert (crate / "src" / "lib.rs").read_text() == f"{line}\n"


def test_scaffold_outside_a_crate_writes_nothing(tmp_path: Path) -> None:
    init = ["--init-pypkg", "demo", "--init-lib", "demo", "--init-prefix", "testing."]
    done = generate(*init, str(tmp_path / "src"))
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "no `Cargo.toml` above it" in done.stderr


def test_nothing_to_do_is_told(crate: Path) -> None:
    done = generate(str(crate))
    assert done.returncode == 0
    assert f"Nothing to do: no file in {crate} has a tvm-ffi-stubgen marker" in done.stdout


def test_a_type_without_constructor_has_no_new(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestCxxNoAutoInit"))
    assert generate(str(path)).returncode == 0
    assert "fn new" not in path.read_text()


def test_arguments_by_name(crate: Path) -> None:
    path = crate / "src" / "lib.rs"
    path.write_text(blocks("testing.TestCxxAutoInit"))
    assert generate(str(path)).returncode == 0
    text = path.read_text()
    assert "pub fn new(a: i64, d: i64, c: i64) -> Result<Self> {" in text
    assert 'INIT.call(&[Any::from(a), Any::from(d)], &[("c", Any::from(c))])?.try_into()' in text


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
