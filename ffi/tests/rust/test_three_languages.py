# SPDX-License-Identifier: Apache-2.0
"""A Rust library made outside the tree, used by C++ and Python: its types, functions and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cargo_project
import pytest
import tvm_ffi
import tvm_ffi.cpp

SOURCE = """
use tvm_ffi::{
    register_on_load, rs_class, tvm_ffi_dll_export_typed_func, Array, FieldCell, Function, Result,
    String, TensorView,
};
use tvm_ffi::reflection::ObjectDef;

/// Counts for somebody.
#[rs_class("three_languages.Counter", kind = "tree", def = define)]
pub struct Counter {
    /// Who counts.
    name: String,
    #[field(writable, default = 10)]
    count: FieldCell<i64>,
}

fn define(def: &mut ObjectDef<CounterObj>) -> Result<()> {
    def.method("describe", "Name and count.", |counter: Counter, mark: &str| -> Result<String> {
        Ok(String::from(format!("{} {}{mark}", counter.name.as_str(), counter.count.get())))
    })?;
    Ok(())
}

register_on_load!(CounterObj);

fn make(name: String) -> Result<Counter> {
    Ok(Counter::new(name, 1))
}

fn each(items: Array<i64>, f: Function) -> Result<Array<i64>> {
    items.iter().map(|n| f.call_tuple((n?,))?.try_into()).collect()
}

fn fail(n: i64) -> Result<i64> {
    tvm_ffi::ensure!(n < 0, tvm_ffi::error::ErrorKind::new("IndexError"), "{n} is not below zero");
    panic!("{n} is below zero")
}

fn total(view: TensorView<'_>) -> Result<f64> {
    Ok(view.to_vec::<f32>()?.iter().map(|x| f64::from(*x)).sum())
}

tvm_ffi_dll_export_typed_func!(make, make);
tvm_ffi_dll_export_typed_func!(each, each, "Calls f with each item.");
tvm_ffi_dll_export_typed_func!(fail, fail);
tvm_ffi_dll_export_typed_func!(total, total);
"""

CPP = """
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
void bump(tvm::ffi::ObjectRef counter, int64_t by) {
  namespace refl = tvm::ffi::reflection;
  refl::FieldGetter get("three_languages.Counter", "count");
  refl::FieldSetter set("three_languages.Counter", "count");
  set(counter, get(counter).cast<int64_t>() + by);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("three_languages")
    target = '[lib]\ncrate-type = ["cdylib"]'
    cargo_project.write(folder, "three_languages", {"lib.rs": SOURCE}, target)
    return tvm_ffi.load_module(str(cargo_project.build(folder) / "libthree_languages.so"))


def test_an_object_of_rust_is_changed_by_cpp_and_called_from_python(library: Any) -> None:
    counter = library.make("ann")
    tvm_ffi.cpp.load_inline("bump_counter", cpp_sources=CPP, functions=["bump"]).bump(counter, 41)
    assert counter.describe("!") == "ann 42!"
    assert (counter.name, counter.count) == ("ann", 42)
    counter.count = 7
    assert counter.describe("") == "ann 7"
    with pytest.raises(TypeError) as caught:
        counter.describe(3)
    assert str(caught.value) == (
        "Mismatched type on argument #1 when calling: `three_languages.Counter.describe("
        "0: three_languages.Counter, 1: ffi.String) -> ffi.String`. "
        "Expected `ffi.String` but got `int`"
    )
    with pytest.raises(ValueError) as caught:
        library.make()
    assert str(caught.value) == (
        "Mismatched number of arguments when calling: "
        "`make(0: ffi.String) -> three_languages.Counter`. Expected 1 but got 0 arguments"
    )
    with pytest.raises(AttributeError):
        counter.name = "bob"


def test_python_makes_objects_of_a_type_of_rust(library: Any) -> None:
    @tvm_ffi.register_object("three_languages.Counter")
    class Counter(tvm_ffi.Object):
        name: str
        count: int

    counter = Counter("bob")
    assert counter.count == 10
    assert repr(counter) == 'three_languages.Counter(name="bob", count=10)'
    assert isinstance(library.make("x"), Counter)
    with pytest.raises(TypeError, match="missing required argument: 'name'"):
        Counter()


def test_an_error_of_a_python_callback_passes_through_rust(library: Any) -> None:
    def double(n: int) -> int:
        if n == 3:
            raise KeyError("three")
        return 2 * n

    assert list(library.each([1, 2], double)) == [2, 4]
    with pytest.raises(KeyError, match="three") as caught:
        library.each([1, 2, 3], double)
    names = [entry.name for entry in caught.traceback]
    assert "double" in names
    with pytest.raises(
        TypeError, match=r"argument #0 when calling: `each\(.*element 1: Cannot convert"
    ):
        library.each([1, "x"], double)


def test_errors_and_panics_of_rust_have_kind_and_place(library: Any) -> None:
    with pytest.raises(IndexError, match="4 is not below zero") as caught:
        library.fail(4)
    frames = [(Path(entry.path).name, entry.name) for entry in caught.traceback]
    assert any(file == "lib.rs" and "fail" in name for file, name in frames), frames
    with pytest.raises(RuntimeError, match="panicked: -4 is below zero"):
        library.fail(-4)


def test_tensors_are_borrowed(library: Any) -> None:
    numpy = pytest.importorskip("numpy")
    assert library.total(numpy.arange(5, dtype="float32")) == 10.0
    with pytest.raises(TypeError, match='expected "float32", got "float64"'):
        library.total(numpy.zeros(2))


def test_exported_functions_tell_their_signature(library: Any) -> None:
    metadata = library.get_function_metadata("each")
    assert metadata is not None and "type_schema" in metadata
    schema = metadata["type_schema"]
    assert '"ffi.Array"' in schema and '"params"' in schema
    assert library.get_function_doc("each") == "Calls f with each item."
    assert library.get_function_doc("fail") is None
