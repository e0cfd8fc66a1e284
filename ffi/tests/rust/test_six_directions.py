# SPDX-License-Identifier: Apache-2.0
"""Rust, C++ and Python in one process: each makes objects that another changes and a third calls,
and each raises errors in callbacks that another sees with all frames."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cargo_project
import pytest
import tvm_ffi
import tvm_ffi.cpp
from tvm_ffi import dataclasses

LANGUAGES = ("rust", "cpp", "python")
PAIRS = list(itertools.permutations(LANGUAGES, 2))

RUST = """
use tvm_ffi::reflection::ObjectDef;
use tvm_ffi::{
    bail, register_on_load, rs_class, tvm_ffi_dll_export_typed_func, Any, Array, ErrorKind,
    FieldCell, FieldGetter, FieldSetter, Function, ObjectRefCore, Result, String,
};
use tvm_ffi::object::ObjectRef;

/// Counts for somebody.
#[rs_class("six.rust", def = define)]
pub struct Counter {
    name: String,
    #[field(writable)]
    count: FieldCell<i64>,
}

fn define(def: &mut ObjectDef<CounterObj>) -> Result<()> {
    def.method("describe", "Name and count.", |counter: &Counter| -> String {
        format!("{}={}", counter.name.as_str(), counter.count.get()).into()
    })?;
    Ok(())
}
register_on_load!(CounterObj);

fn make(name: String, count: i64) -> Counter {
    Counter::new(name, count)
}

fn change(object: &ObjectRef, by: i64) -> Result<()> {
    let index = Any::from(object.clone()).type_index();
    let count: i64 = FieldGetter::new(index, "count")?.get(&**ObjectRefCore::data(object))?;
    // SAFETY: the field of the Rust type is a `FieldCell`; the others are of other languages.
    unsafe { FieldSetter::new(index, "count")?.set(object, count + by) }
}

fn describe(object: Any) -> Result<Any> {
    Function::from_type_method(object.type_index(), "describe")?.call_tuple((&object,))
}

fn rust_inner(n: i64) -> Result<i64> {
    bail!(ErrorKind::new("IndexError"), "rust says {n}")
}

fn fail(n: i64) -> Result<i64> {
    tvm_ffi::attach_context!(rust_inner(n))
}

fn catch_error(f: &Function, n: i64) -> Result<Array<String>> {
    let Err(error) = f.call_tuple((n,)) else {
        bail!(tvm_ffi::RUNTIME_ERROR, "nothing was raised")
    };
    let kind = error.kind();
    let parts = [kind.as_str(), error.message(), error.backtrace()];
    Ok(parts.into_iter().map(String::from).collect())
}

fn pass_on(f: &Function, n: i64) -> Result<Any> {
    tvm_ffi::attach_context!(f.call_tuple((n,)))
}

tvm_ffi_dll_export_typed_func!(make, make);
tvm_ffi_dll_export_typed_func!(change, change);
tvm_ffi_dll_export_typed_func!(describe, describe);
tvm_ffi_dll_export_typed_func!(fail, fail);
tvm_ffi_dll_export_typed_func!(catch_error, catch_error);
tvm_ffi_dll_export_typed_func!(pass_on, pass_on);
"""

CPP = """
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

class CounterObj : public Object {
 public:
  String name;
  int64_t count = 0;
  CounterObj(String name, int64_t count) : name(name), count(count) {}
  explicit CounterObj(UnsafeInit) {}
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("six.cpp", CounterObj, Object);
};

class Counter : public ObjectRef {
 public:
  Counter(String name, int64_t count)
      : ObjectRef(make_object<CounterObj>(std::move(name), count)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Counter, ObjectRef, CounterObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<CounterObj>()
      .def_ro("name", &CounterObj::name)
      .def_rw("count", &CounterObj::count)
      .def("describe", [](const CounterObj* self) {
        return String(std::string(self->name) + "=" + std::to_string(self->count));
      });
}

Counter make(String name, int64_t count) { return Counter(name, count); }

std::string KeyOf(const ObjectRef& object) { return object->GetTypeKey(); }

void change(ObjectRef object, int64_t by) {
  refl::FieldGetter get(KeyOf(object), "count");
  refl::FieldSetter set(KeyOf(object), "count");
  set(object, get(object).cast<int64_t>() + by);
}

Any describe(ObjectRef object) { return refl::GetMethod(KeyOf(object), "describe")(object); }

__attribute__((noinline)) int64_t cpp_inner(int64_t n) {
  TVM_FFI_THROW(IndexError) << "cpp says " << n;
}

int64_t fail(int64_t n) { return cpp_inner(n) + 1; }

Array<String> catch_error(Function f, int64_t n) {
  try {
    f(n);
  } catch (const Error& error) {
    return {String(error.kind()), String(error.message()), String(error.backtrace())};
  }
  TVM_FFI_THROW(RuntimeError) << "nothing was raised";
}

Any pass_on(Function f, int64_t n) { return f(n); }
"""

FUNCTIONS = ["make", "change", "describe", "fail", "catch_error", "pass_on"]


@dataclasses.py_class("six.python")
class Counter(tvm_ffi.Object):
    """Counts for somebody."""

    name: str
    count: int

    @dataclasses.method
    def describe(self) -> str:
        """Name and count."""
        return f"{self.name}={self.count}"


def change(counter: Any, by: int) -> None:
    counter.count += by


def describe(counter: Any) -> str:
    return counter.describe()


def python_inner(n: int) -> int:
    raise IndexError(f"python says {n}")


def fail(n: int) -> int:
    return python_inner(n)


def catch_error(f: Callable[[int], Any], n: int) -> list[str]:
    with pytest.raises(IndexError) as caught:
        f(n)
    frames = [f'"{entry.path}", in {entry.name}' for entry in caught.traceback]
    return [caught.type.__name__, str(caught.value), "\n".join(frames)]


def pass_on(f: Callable[[int], Any], n: int) -> Any:
    return f(n)


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("six")
    library = '[lib]\ncrate-type = ["cdylib"]'
    cargo_project.write(folder, "six_directions", {"lib.rs": RUST}, library)
    rust = tvm_ffi.load_module(str(cargo_project.build(folder) / "libsix_directions.so"))
    cpp = tvm_ffi.cpp.load_inline("six_directions", cpp_sources=CPP, functions=FUNCTIONS)
    python = SimpleNamespace(
        make=Counter,
        change=change,
        describe=describe,
        fail=fail,
        catch_error=catch_error,
        pass_on=pass_on,
    )
    return {"rust": rust, "cpp": cpp, "python": python}


@pytest.mark.parametrize(("maker", "changer", "caller"), list(itertools.permutations(LANGUAGES)))
def test_made_changed_and_called(
    languages: dict[str, Any], maker: str, changer: str, caller: str
) -> None:
    counter = languages[maker].make("ann", 1)
    languages[changer].change(counter, 41)
    assert languages[caller].describe(counter) == "ann=42"
    assert counter.count == 42


# What a frame of each language looks like in a backtrace.
FRAMES = {"rust": ["rust_inner", "fail"], "cpp": ["cpp_inner"], "python": ["python_inner", "fail"]}


@pytest.mark.parametrize(("raiser", "seer"), PAIRS)
def test_an_error_of_a_callback_is_seen_with_all_frames(
    languages: dict[str, Any], raiser: str, seer: str
) -> None:
    kind, message, frames = languages[seer].catch_error(languages[raiser].fail, 3)
    assert (kind, message) == ("IndexError", f"{raiser} says 3")
    for name in FRAMES[raiser]:
        assert name in frames, frames


@pytest.mark.parametrize(("raiser", "between"), PAIRS)
def test_an_error_passes_through_a_third_language(
    languages: dict[str, Any], raiser: str, between: str
) -> None:
    (seer,) = set(LANGUAGES) - {raiser, between}
    target = languages[raiser].fail
    through = tvm_ffi.convert(lambda n: languages[between].pass_on(target, n))
    kind, message, frames = languages[seer].catch_error(through, 4)
    assert (kind, message) == ("IndexError", f"{raiser} says 4")
    for name in FRAMES[raiser]:
        assert name in frames, frames
    if between == "rust":
        assert "pass_on" in frames, frames
    if seer == "python":
        assert Path(__file__).name in frames, frames
