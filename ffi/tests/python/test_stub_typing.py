# SPDX-License-Identifier: Apache-2.0
"""Stubs say what the classes are: a type checker accepts what runs and refuses what does not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi import cpp

SOURCE = r"""
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/reflection/registry.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

struct AccountObj : ffi::Object {
  ffi::String owner;
  int64_t balance = 0;
  ffi::Optional<ffi::Function> on_change;
  AccountObj(ffi::String owner, int64_t balance) : owner(std::move(owner)), balance(balance) {}
  int64_t Withdraw(int64_t amount, int64_t fee) { return balance -= amount + fee; }
  void Note(int64_t) {}
  void NoteText(const ffi::String&) {}
  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 4;
  TVM_FFI_DECLARE_OBJECT_INFO("stub_typing.Account", AccountObj, ffi::Object);
};

struct SavingsObj : AccountObj {
  double rate;
  explicit SavingsObj(double rate) : AccountObj("saver", 0), rate(rate) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("stub_typing.Savings", SavingsObj, AccountObj);
};

struct HiddenObj : ffi::Object {
  DLDataType dtype;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("stub_typing.Hidden", HiddenObj, ffi::Object);
};

struct Account : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Account, ffi::ObjectRef, AccountObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::OverloadObjectDef<AccountObj>()
      .def(refl::init<ffi::String, int64_t>())
      .def_ro("owner", &AccountObj::owner)
      .def_rw("balance", &AccountObj::balance)
      .def_rw("on_change", &AccountObj::on_change)
      .def("note", &AccountObj::Note)
      .def("withdraw", &AccountObj::Withdraw,
           refl::Metadata{{"param_names", "self, amount, fee"}, {"param_defaults", "{\"fee\": 0}"}})
      .def("note", &AccountObj::NoteText);
  refl::ObjectDef<SavingsObj>()
      .def(refl::init<double>(),
           refl::Metadata{{"param_names", "rate"}, {"param_defaults", "{\"rate\": 0.25}"}})
      .def_ro("rate", &SavingsObj::rate);
  refl::ObjectDef<HiddenObj>(refl::init(false)).def_ro("dtype", &HiddenObj::dtype);
  refl::GlobalDef()
      .def("stub_typing.total",
           [](const ffi::Array<Account>& accounts) {
             int64_t sum = 0;
             for (const Account& account : accounts) sum += account->balance;
             return sum;
           })
      .def("stub_typing.mix", [](double x, double y, double w) { return x + w * (y - x); },
           refl::Metadata{{"param_names", "x, y, weight"}, {"param_defaults", "{\"weight\": 0.5}"}})
      .def("stub_typing.tag",
           [](ffi::String text, ffi::Optional<int64_t> n, ffi::Array<int64_t>) { return text; },
           refl::Metadata{{"param_names", "text, n, more"},
                          {"param_defaults", "{\"text\": \"a\", \"n\": null, \"more\": []}"}})
      .def("stub_typing.keyword", [](int64_t x) { return x; },
           refl::Metadata{{"param_names", "lambda"}});
}
"""

CLASSES = """\
    # tvm-ffi-stubgen(begin): object/stub_typing.Account
    # fmt: off
    balance: int
    on_change: Callable[..., Any] | None
    if TYPE_CHECKING:
        @property
        def owner(self) -> str: ...
        def __init__(self, _0: str, _1: int, /) -> None: ...
        def __ffi_init__(self, _0: str, _1: int, /) -> None: ...
        @overload
        def note(self, _1: int, /) -> None: ...
        @overload
        def note(self, _1: str, /) -> None: ...
        def note(self, *args: Any, **kwargs: Any) -> Any: ...
        def withdraw(self, amount: int, fee: int = 0) -> int: ...
    # fmt: on
    # tvm-ffi-stubgen(end)
"""

# A line of a program -> what mypy says of it, None for nothing.
PROGRAM: dict[str, str | None] = {
    "from stub_typing import Account, Hidden, Savings, mix, tag, total": None,
    "a = Account('x', 10)": None,
    "a.balance = a.withdraw(1) + a.withdraw(1, fee=2)": None,
    "a.on_change = print": None,
    "a.on_change = None": None,
    "a.note(1)": None,
    "a.note('text')": None,
    "print(a.owner, total([a, Savings(0.5), Savings(rate=0.1)]))": None,
    "print(mix(0, 1), mix(0, y=1, weight=0.1), tag(n=None))": None,
    "print(Savings().rate, Savings(0.5).rate)": None,
    "a.owner = 'y'": 'Property "owner" defined in "Account" is read-only  [misc]',
    "Account('x', 1, None)": 'Too many arguments for "Account"  [call-arg]',
    "Account(owner='x', balance=1)": "call-arg",
    "a.note(None)": "call-overload",
    "mix(0)": 'Missing positional argument "y" in call to "mix"  [call-arg]',
    "tag(3)": 'Argument 1 to "tag" has incompatible type "int"; expected "str"  [arg-type]',
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    library = cpp.build_inline(name="stub_typing", cpp_sources=SOURCE)
    init = ["--init-pypkg", "stub-typing", "--init-lib", "stub_typing", "--init-prefix"]
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--dlls", str(library)]
    done = subprocess.run(
        [*command, *init, "stub_typing", str(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (folder / "classes.pyi").write_text(
        "# tvm-ffi-stubgen(prefix): stub_typing\n"
        "from tvm_ffi import Object\n"
        "class Account(Object):\n"
        "    # tvm-ffi-stubgen(begin): object/stub_typing.Account\n"
        "    # tvm-ffi-stubgen(end)\n"
        + "".join(f"# tvm-ffi-stubgen(skip): stub_typing.{x}\n" for x in ("Hidden", "Savings"))
    )
    done = subprocess.run([*command, str(folder / "classes.pyi")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_text(package: Path) -> None:
    text = (package / "stub_typing" / "_ffi_api.py").read_text()
    assert CLASSES in text
    lines = text.splitlines()
    for line in [
        "    from typing import Any, Callable, overload",
        "    def mix(x: float, y: float, weight: float = 0.5) -> float: ...",
        "    def tag(text: str = 'a', n: int | None = None, more: Sequence[int] = ...) -> str: ...",
        "    def keyword(_0: int, /) -> int: ...",
        "        def dtype(self) -> _dtype: ...",
        "        def __init__(self, rate: float = 0.25) -> None: ...",
    ]:
        assert line in lines, line
    hidden = text[text.index("class Hidden(") : text.index("class Savings(")]
    assert "__init__" not in hidden and "__ffi_init__" not in hidden


def test_type_checker_agrees(package: Path) -> None:
    pytest.importorskip("mypy", reason="`./dev setup` installs mypy")
    program = package / "program.py"
    program.write_text("\n".join(PROGRAM) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(package / "cache")]
    paths = [str(program), str(package / "stub_typing"), str(package / "classes.pyi")]
    done = subprocess.run([*command, *paths], cwd=package, capture_output=True, text=True)
    found = re.findall(r"^(.*?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    expected = {line: said for line, said in enumerate(PROGRAM.values(), 1) if said is not None}
    assert {(name, int(line)) for name, line, _ in found} == {
        ("program.py", line) for line in expected
    }, done.stdout
    for _, line, said in found:
        assert expected[int(line)] in said


def test_what_the_type_checker_accepts_runs(package: Path) -> None:
    code = "\n".join(line for line, said in PROGRAM.items() if said is None)
    library = cpp.build_inline(name="stub_typing", cpp_sources=SOURCE)
    api = package / "stub_typing" / "_ffi_api.py"
    # Not installed as a distribution, so the library is loaded by its path.
    load = f"import tvm_ffi, tvm_ffi.libinfo; lib = tvm_ffi.load_module({str(library)!r}); "
    load += "tvm_ffi.libinfo.load_lib_module = lambda *_: lib\n"
    done = subprocess.run(
        [sys.executable, "-c", load + code], cwd=package, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("x 15\n0.5 0.1 a\n0.25 0.5\n", ""), api
