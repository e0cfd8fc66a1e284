# SPDX-License-Identifier: Apache-2.0
"""Rust modules that ``tvm-ffi-stubgen`` writes: compiled, and run against the library."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import cargo_project
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
LIBRARY = str(importlib.import_module("native_testing").library_path())

DIRECTIVES = """
// tvm-ffi-stubgen(begin): import-section
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(enum): testing.TestIntPair.a -> Kind(i64) { Low=0, High=-1, type=5, None=6 }
// tvm-ffi-stubgen(custom-new): testing.TestIntPair
// tvm-ffi-stubgen(begin): object/testing.TestIntPair
// tvm-ffi-stubgen(end)
"""

MAIN = """
mod named;
mod testing;

use testing::*;
use tvm_ffi::object::ObjectRefCast;
use tvm_ffi::{
    rs_class, Any, AnyCompatible, Array, Function, Module, Object, ObjectArc, ObjectCore, Result,
    String,
};

/// A type of Rust below one of C++.
#[rs_class("generated.Leaf", parent = TestCxxClassDerived)]
pub struct Leaf {
    note: String,
}

fn field(object: &Any, name: &str) -> Result<Any> {
    let object: tvm_ffi::object::ObjectRef = object.clone().try_into()?;
    let getter = tvm_ffi::FieldGetter::new(Any::from(object.clone()).type_index(), name)?;
    getter.get_any(&**tvm_ffi::ObjectRefCore::data(&object))
}

fn main() -> Result<()> {
    Module::load_from_file(std::env::args().nth(1).expect("the library"))?;

    // An object made here is one of C++.
    let pair = TestIntPair::new(3, 4)?;
    let any = Any::from(pair.clone());
    assert_eq!(i64::try_from(field(&any, "b")?)?, 4);
    let sum = Function::from_type_method(TestIntPairObj::type_index(), "sum")?;
    assert_eq!(i64::try_from(sum.call_tuple((&pair,))?)?, 7);
    assert_eq!(tvm_ffi::repr(&pair)?, "testing.TestIntPair(a=3, b=4)");

    // Inherited fields, upcasts, structs with padding.
    let derived = TestCxxClassDerived::new(1, 2, 0.5, 0.25)?;
    assert_eq!((derived.v_i64()?, derived.v_i32()?), (1, 2));
    assert_eq!((derived.v_f64()?, derived.v_f32()?), (0.5, 0.25));
    let base: TestCxxClassBase = (&derived).into();
    assert_eq!(base.v_i64()?, 1);
    assert_eq!(base.try_cast::<TestCxxClassDerived>()?.v_f64()?, 0.5);
    let error = TestCxxClassDerived::new(1, i64::MAX, 0.5, 0.25).err().expect("32 bits");
    assert!(error.message().contains("field 'v_i32'"), "{error}");
    let named = TestCxxAutoInit::new(1, 2, 3)?;
    assert_eq!((named.a()?, named.b()?, named.c()?, named.d()?), (1, 42, 3, 2));

    // A type of Rust derives from it, and others see all fields, copy it and make it.
    let leaf = Leaf::new(TestCxxClassDerivedObj::new(7, 8, 1.5, 2.5), "a note that is an object");
    assert_eq!((leaf.v_i64()?, leaf.note.as_str()), (7, "a note that is an object"));
    let copy = Leaf::try_from(tvm_ffi::deep_copy(&leaf.to_any())?)?;
    assert_eq!((copy.v_i64()?, copy.v_i32()?, copy.v_f32()?), (7, 8, 2.5));
    assert_eq!(copy.note, leaf.note);
    let made = Function::get_global("ffi.MakeObjectFromPackedArgs")?;
    let made = made.call_tuple((
        String::from("generated.Leaf"), "v_i64", 1_i64, "v_i32", 2_i64, "v_f64", 0.5, "v_f32", 0.5,
        "note", "n",
    ))?;
    assert_eq!(Leaf::try_from(made)?.note, "n");

    // A type with bytes that nobody tells is read in place or through its getters.
    let make = Function::get_global("ffi.MakeObjectFromPackedArgs")?;
    let key = "testing.TestCxxClassHiddenField";
    let hidden = make.call_tuple((String::from(key), "v_i64", -5_i64, "v_i32", 6_i64))?;
    let hidden = TestCxxClassHiddenField::try_from(hidden)?;
    for _ in 0..2 {
        assert_eq!((hidden.v_i64()?, hidden.v_i32()?), (-5, 6));
    }

    // A number without a name in its enumeration is still a number.
    let named = named::TestIntPair::from_fields(named::Kind::High.as_raw(), 4)?;
    assert_eq!(i64::try_from(field(&named.to_any(), "a")?)?, -1);
    assert_eq!(named.a()?, named::Kind::High);
    assert_eq!(named::Kind::from_raw(77).as_raw(), 77);
    assert_eq!(named::Kind::try_from(0)?, named::Kind::Low);
    assert_eq!(named::Kind::try_from(5)?, named::Kind::r#type);

    // A type that Rust may derive from has the size of the library's.
    sizes::<TestObjectBaseObj>();
    sizes::<TestCxxClassDerivedDerivedObj>();
    let _ = (Array::<Any>::default(), ObjectArc::new(Object::new()));
    println!("ok");
    Ok(())
}

fn sizes<T: ObjectCore>() {
    // SAFETY: a registered index.
    let info = unsafe { &*tvm_ffi::tvm_ffi_sys::TVMFFIGetTypeInfo(T::type_index()) };
    // SAFETY: null or the table's metadata.
    let metadata = unsafe { info.metadata.as_ref() }.expect("metadata");
    assert_eq!(metadata.total_size as usize, size_of::<T>());
}
"""


def generate(*arguments: str) -> None:
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--target", "rust", "--dlls", LIBRARY]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    main = MAIN.replace("mod named;\nmod testing;\n", "mod named;\n")
    cargo_project.write(folder, "generated_modules", {"main.rs": main, "named.rs": DIRECTIVES})
    source = folder / "src"
    generate(str(source / "named.rs"))
    init = ["--init-pypkg", "generated", "--init-lib", "generated", "--init-prefix", "testing."]
    generate(*init, str(source))
    assert "pub mod testing;" in (source / "main.rs").read_text()
    (folder / "build.rs").write_text(
        'fn main() {\n    if let Ok(dir) = std::env::var("DEP_TVM_FFI_RUST_LIBDIR") {\n'
        '        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");\n    }\n}\n'
    )
    # What a program does not use of a whole library's types is no fault.
    text = (source / "main.rs").read_text()
    (source / "main.rs").write_text("#![allow(dead_code)]\n" + text)
    return cargo_project.build(folder) / "generated_modules"


def test_generated_modules_compile_and_agree_with_the_library(program: Path) -> None:
    done = subprocess.run([program, LIBRARY], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
