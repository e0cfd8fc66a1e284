# SPDX-License-Identifier: Apache-2.0
"""Rust modules of C++ classes with constructors, destructors and fields that others change."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import cargo_project
import pytest
from tvm_ffi import libinfo

LIBRARY = """
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

static int64_t live = 0;

struct AccountObj : ffi::Object {
  ffi::String owner;
  int64_t balance = 0;
  ffi::Optional<ffi::Function> on_change;

  AccountObj(ffi::String owner, int64_t balance) : owner(std::move(owner)), balance(balance) {
    TVM_FFI_CHECK(balance >= 0, ValueError) << "nobody starts with debts";
    ++live;
  }
  ~AccountObj() { --live; }
  void Deposit(int64_t amount) {
    balance += amount;
    owner = ffi::String("somebody else whose name is an object");
  }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bank.Account", AccountObj, ffi::Object);
};

// Read-only for other languages; its method writes all the same.
struct TallyObj : ffi::Object {
  int64_t sum = 0;
  explicit TallyObj(const ffi::Map<ffi::String, ffi::Any>& start) {
    for (const auto& [name, value] : start) sum += value.cast<int64_t>();
  }
  int64_t Add(int64_t amount) { return sum += amount; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("bank.Tally", TallyObj, ffi::Object);
};

struct VaultObj : ffi::Object {
  int64_t gold = 7;
  TVM_FFI_DECLARE_OBJECT_INFO("bank.Vault", VaultObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<AccountObj>()
      .def(refl::init<ffi::String, int64_t>())
      .def_ro("owner", &AccountObj::owner)
      .def_rw("balance", &AccountObj::balance)
      .def_rw("on_change", &AccountObj::on_change)
      .def("deposit", &AccountObj::Deposit);
  refl::ObjectDef<TallyObj>()
      .def(refl::init<ffi::Map<ffi::String, ffi::Any>>())
      .def_ro("sum", &TallyObj::sum)
      .def("add", &TallyObj::Add);
  refl::ObjectDef<VaultObj>(refl::init(false)).def_ro("gold", &VaultObj::gold);
  refl::GlobalDef()
      .def("bank.live", []() { return live; })
      .def("bank.open_vault", []() { return ffi::ObjectRef(ffi::make_object<VaultObj>()); });
}
"""

MAIN = """
pub mod bank;

use bank::*;
use tvm_ffi::{Any, Function, Map, Module, ObjectCore, Result, String};

fn live() -> Result<i64> {
    Function::get_global("bank.live")?.call_tuple(())?.try_into()
}

/// Borrows an account while somebody changes it.
fn read_twice(
    account: &AccountObj,
    act: &dyn Fn() -> Result<()>,
) -> Result<(i64, i64, String, String)> {
    let (balance, owner) = (account.balance()?, account.owner()?);
    act()?;
    Ok((balance, account.balance()?, owner, account.owner()?))
}

fn main() -> Result<()> {
    let early = Account::new("ann", 50).err().expect("no library yet");
    let text = "`bank.Account` is not registered: load the library that defines it first";
    assert_eq!((early.kind().as_str(), early.message()), ("TypeError", text));
    Module::load_from_file(std::env::args().nth(1).expect("the library"))?;

    let account = Account::new("ann, who has a name that is an object", 50)?;
    assert_eq!(live()?, 1);
    let deposit = Function::from_type_method(AccountObj::type_index(), "deposit")?;
    let act = || deposit.call_tuple((&account, 10)).map(drop);
    let (before, after, old, new) = read_twice(&account, &act)?;
    assert_eq!((before, after), (50, 60));
    assert_eq!(old, "ann, who has a name that is an object");
    assert_eq!(new, "somebody else whose name is an object");

    // The field is replaced while Rust calls what was in it.
    let answer = Function::from_typed(|x: i64| x + 1);
    let set = tvm_ffi::FieldSetter::new(AccountObj::type_index(), "on_change")?;
    // SAFETY: nothing in Rust can borrow the field.
    unsafe { set.set(&account, Some(answer))? };
    let held = account.on_change()?.expect("a function");
    unsafe { set.set(&account, Option::<Function>::None)? };
    assert!(account.on_change()?.is_none());
    assert_eq!(i64::try_from(held.call_tuple((41,))?)?, 42);

    // The constructor checks, the destructor counts.
    let error = Account::new("ann", -1).err().expect("debts");
    assert_eq!(error.kind().as_str(), "ValueError");
    assert!(error.message().ends_with("nobody starts with debts"), "{error}");
    let copy = account.clone();
    drop(account);
    assert_eq!(live()?, 1);
    drop(copy);
    assert_eq!(live()?, 0);

    let start = [("a", 3), ("b", 4)].map(|(name, n)| (String::from(name), Any::from(n)));
    let start = Map::<String, Any>::from_iter(start);
    let tally = Tally::new(start)?;
    let add = Function::from_type_method(TallyObj::type_index(), "add")?;
    let borrowed: &TallyObj = &tally;
    let before = borrowed.sum()?;
    add.call_tuple((&tally, 5))?;
    assert_eq!((before, borrowed.sum()?), (7, 12));

    let vault = Vault::try_from(Function::get_global("bank.open_vault")?.call_tuple(())?)?;
    assert_eq!(vault.gold()?, 7);
    println!("ok");
    Ok(())
}
"""

BUILD = """
fn main() {
    if let Ok(dir) = std::env::var("DEP_TVM_FFI_RUST_LIBDIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
"""

# What would see a change, or escape the constructor: (source, error of the compiler).
REFUSED = [
    ("fn f(a: &bank::Account) -> &i64 { &a.balance }", "E0615"),
    ("fn f() -> bank::AccountObj { bank::AccountObj::new() }", "E0599"),
    ("fn f() { bank::Vault::new(); }", "E0599"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("needs c++")
    folder = tmp_path_factory.mktemp("bank")
    (folder / "bank.cc").write_text(LIBRARY)
    out = folder / "libbank.so"
    include = [f"-I{path}" for path in libinfo.include_paths()]
    link = [f"-L{cargo_project.LIBDIR}", "-ltvm_ffi", f"-Wl,-rpath,{cargo_project.LIBDIR}"]
    command = [compiler, "-std=c++17", "-shared", "-fPIC", *include, str(folder / "bank.cc")]
    subprocess.run([*command, *link, "-o", str(out)], check=True)
    return out


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, library: Path) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    cargo_project.write(folder, "generated_classes", {"main.rs": MAIN})
    (folder / "build.rs").write_text(BUILD)
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--target", "rust", "--dlls", library]
    init = ["--init-prefix", "bank"]
    done = subprocess.run([*command, *init, folder / "src"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_fields_are_copied_and_the_library_makes_objects(project: Path, library: Path) -> None:
    program = cargo_project.build(project) / "generated_classes"
    done = subprocess.run([program, library], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


@pytest.mark.parametrize(("source", "code"), REFUSED)
def test_programs_that_would_see_changes_are_refused(project: Path, source: str, code: str) -> None:
    main = project / "src" / "main.rs"
    before = main.read_text()
    main.write_text(f"#![allow(dead_code)]\n{before}\n{source}\n")
    try:
        done = cargo_project.cargo(project, "check", "--quiet")
    finally:
        main.write_text(before)
    assert done.returncode != 0
    assert f"error[{code}]" in done.stderr
    assert done.stderr.count("error[") == 1, done.stderr
