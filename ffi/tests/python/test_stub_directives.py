# SPDX-License-Identifier: Apache-2.0
"""Directives that are malformed or about nothing: refused with file and line, nothing written."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi.stub.rust_generator.syntax import is_new_type_name, is_path, is_type, is_use

sys.path.insert(0, str(Path(__file__).parent))
LIBRARY = str(importlib.import_module("native_testing").library_path())


def stubgen(*args: str, target: str = "rust") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--target", target, "--dlls", LIBRARY]
    return subprocess.run([*command, *args], capture_output=True, text=True)


HEAD = """\
// tvm-ffi-stubgen(begin): import-section
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(begin): object/testing.TestIntPair
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(begin): object/testing.TestCxxClassDerived
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(begin): object/testing.TestCxxClassBase
// tvm-ffi-stubgen(end)
// tvm-ffi-stubgen(begin): object/testing.TestCxxNoAutoInit
// tvm-ffi-stubgen(end)
"""
EXAMPLE = "Example: `a.B.kind -> Kind(i32) { X=0, Y=1 }`"

# The lines of a file behind HEAD, and what is said about line 11.
REFUSED = [
    # about nothing
    (
        "field): testing.TestIntPiar.a -> u64",
        "`field`: the file has no block `object/testing.TestIntPiar`; "
        "did you mean `testing.TestIntPair`?",
    ),
    ("field): a -> u64", "`field`: the file has no block `object/a`"),
    (
        "nullable): testing.TestIntPair.c",
        "`nullable`: the type `testing.TestIntPair` has no field `c` of its own",
    ),
    (
        "field): testing.TestCxxClassDerived.v_i64 -> i64",
        "`field`: the type `testing.TestCxxClassDerived` has no field `v_i64` of its own; "
        "did you mean `v_f64`?",
    ),
    ("opaque): testing.TestHash", "`opaque`: the file has no block `object/testing.TestHash`"),
    ("custom-new): ffi.Object", "`custom-new`: the file has no block `object/ffi.Object`"),
    (
        "custom-new): testing.TestCxxNoAutoInit",
        "`custom-new`: the type `testing.TestCxxNoAutoInit` has no constructor",
    ),
    ("upcast): testing.X -> Y", "`upcast`: the file has no block `object/testing.X`"),
    (
        "ty-map): testing.Nothing -> crate::Nothing",
        "Invalid ty_map `testing.Nothing -> crate::Nothing`: "
        "no type `testing.Nothing` is registered",
    ),
    # what can't be
    (
        "nullable): testing.TestIntPair.a",
        "`nullable`: the field `testing.TestIntPair.a` holds no object but `int`, "
        "which can't be null",
    ),
    (
        "enum): testing.TestCxxClassDerived.v_f64 -> Kind(i64) { A=0 }",
        "`enum`: the field `testing.TestCxxClassDerived.v_f64` is no integer but `float`",
    ),
    (
        "enum): testing.TestCxxClassBase.v_i32 -> Kind(i64) { A=0 }",
        "`enum`: the field `testing.TestCxxClassBase.v_i32` has 4 bytes, `i64` has 8",
    ),
    (
        "field): testing.TestCxxClassBase.v_i32 -> u64",
        "`field`: the field `testing.TestCxxClassBase.v_i32` has 4 bytes, `u64` has 8",
    ),
    (
        "upcast): testing.TestCxxClassDerived -> TestCxxClassBase",
        "`upcast`: `testing.TestCxxClassDerived` is converted to `TestCxxClassBase` anyhow",
    ),
    # what would not compile
    ("field): testing.TestIntPair.a -> u64;", "Invalid directive `field`: `u64;` is no Rust type"),
    ("field): testing.TestIntPair.a -> a b", "Invalid directive `field`: `a b` is no Rust type"),
    (
        "field): testing.TestIntPair.a -> Array<",
        "Invalid directive `field`: `Array<` is no Rust type",
    ),
    ("field): testing.TestIntPair.a -> fn", "Invalid directive `field`: `fn` is no Rust type"),
    (
        "field): testing.TestIntPair.a -> a.b.C",
        "Invalid directive `field`: `a.b.C` is no Rust type",
    ),
    (
        "upcast): testing.TestIntPair -> Base<i64>",
        "Invalid directive `upcast`: `Base<i64>` is no path of a Rust type",
    ),
    (
        "upcast): testing.TestIntPair -> B, TestIntPair => C",
        "Invalid directive `upcast`: `B, TestIntPair => C` is no path of a Rust type",
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(f64) { A=0 }",
        "Invalid directive `enum`: `f64` is none of i16, i32, i64, i8, u16, u32, u64, u8. "
        + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> type(i64) { A=0 }",
        "Invalid directive `enum`: Rust can't have a type `type`. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> Option(i64) { A=0 }",
        "Invalid directive `enum`: Rust can't have a type `Option`. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> 1Kind(i64) { A=0 }",
        "Invalid directive `enum`: Rust can't have a type `1Kind`. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> TestIntPairObj(i64) { A=0 }",
        "`enum`: the file has a type `TestIntPairObj` already",
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(u8) { A=256 }",
        "Invalid directive `enum`: 256 does not fit u8. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(u64) { A=-1 }",
        "Invalid directive `enum`: -1 does not fit u64. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(i64) { A=0, A=1 }",
        "Invalid directive `enum`: a second member `A`. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(i64) { Self=0 }",
        "Invalid directive `enum`: a member can't be named `Self`. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(i64) { from_raw=0 }",
        "Invalid directive `enum`: a member can't be named `from_raw`. " + EXAMPLE,
    ),
    (
        "enum): testing.TestIntPair.a -> Kind(i64) { A=\u0663 }",
        "Invalid directive `enum`. " + EXAMPLE,
    ),
    ("import-object): crate::fn::x", "Invalid directive `import-object`: crate::fn::x"),
    ("import-object): a b", "Invalid directive `import-object`: a b"),
    (
        "ty-map): testing.TestObjectBase -> a b",
        "Invalid ty_map `testing.TestObjectBase -> a b`: `a b` is no path of a Rust type",
    ),
]

# Two directives that can't both hold; the second is refused.
TWICE = [
    ("opaque): testing.TestIntPair", "opaque): testing.TestIntPair"),
    ("field): testing.TestIntPair.a -> i64", "field): testing.TestIntPair.a -> u64"),
    (
        "field): testing.TestIntPair.a -> i64",
        "enum): testing.TestIntPair.a -> Kind(i64) { A=0 }",
    ),
    ("upcast): testing.TestIntPair -> a::B", "upcast): testing.TestIntPair -> a::B"),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "demo"\nversion = "0.1.0"\n')
    (tmp_path / "src").mkdir()
    return tmp_path / "src"


def test_directives_that_are_refused(source: Path) -> None:
    # Each in a file of its own: every file says what is wrong with it.
    expected = {}
    for i, (line, message) in enumerate(REFUSED):
        text = f"{HEAD}// tvm-ffi-stubgen({line}\n"
        (source / f"case_{i}.rs").write_text(text)
        expected[f"case_{i}.rs"] = (11, message)
    for i, (first, second) in enumerate(TWICE):
        text = f"{HEAD}// tvm-ffi-stubgen({first}\n// tvm-ffi-stubgen({second}\n"
        (source / f"twice_{i}.rs").write_text(text)
        key = second.split(": ", 1)[1].partition(" ->")[0]
        message = f"a second directive on `{key}`, after `{first.partition(')')[0]}` in line 11"
        expected[f"twice_{i}.rs"] = (12, message)
    done = stubgen(str(source))
    assert done.returncode == 2
    pattern = r'\[Failed\] File "[^"]*/([^/"]*)", line (\d+): (.*?)(?:\x1b\[0m)?\n'
    found = {
        name: (int(line), message)
        for name, line, message in re.findall(pattern, done.stderr + "\n")
    }
    assert found == expected
    assert "no file was written" in done.stdout
    assert all(path.read_text().startswith(HEAD) for path in source.iterdir())


def test_types_that_cannot_be_in_a_file(source: Path) -> None:
    def block(key: str) -> str:
        return f"// tvm-ffi-stubgen(begin): object/{key}\n// tvm-ffi-stubgen(end)\n"

    cases = {
        block("testing.TestIntPair") * 2: "`object/testing.TestIntPair`: the file has a type "
        "`TestIntPair` already, of `testing.TestIntPair`",
        block("testing.TestIntPair") + block("x.TestIntPairObj"): "`object/x.TestIntPairObj`: the "
        "file has a type `TestIntPairObj` already, of `testing.TestIntPair`",
        "\n\n"
        + block("x.type"): "`object/x.type`: Rust can't have a type `type`; delete the block "
        "and leave the type out with `skip: x.type`",
        "\n\n// tvm-ffi-stubgen(skip): testing.No": "`skip`: no type `testing.No` is registered",
        "\n\n// tvm-ffi-stubgen(prefix): tasting.": "`prefix`: nothing that is registered has "
        "`tasting`",
    }
    for i, text in enumerate(cases):
        (source / f"case_{i}.rs").write_text(text)
    done = stubgen(str(source))
    assert done.returncode == 2
    pattern = r'/case_(\d)\.rs", line 3: (.*?)(?:\x1b\[0m)?\n'
    found = dict(re.findall(pattern, done.stderr))
    assert found == {str(i): message for i, message in enumerate(cases.values())}


def test_every_wrong_directive_of_a_file_is_told(source: Path) -> None:
    path = source / "lib.rs"
    path.write_text(f"{HEAD}// tvm-ffi-stubgen(opaque): x.Y\n// tvm-ffi-stubgen(nullable): x.Y.z\n")
    done = stubgen(str(path))
    assert done.returncode == 2
    assert re.findall(r"line (\d+): `(\w+)`", done.stderr) == [("11", "opaque"), ("12", "nullable")]


def test_directives_on_ancestors_and_names_of_the_crate(source: Path) -> None:
    path = source / "lib.rs"
    head = HEAD.replace("testing.TestCxxClassBase\n", "testing.TestHash\n")
    path.write_text(
        f"{head}// tvm-ffi-stubgen(field): testing.TestCxxClassBase.v_i64 -> u64\n"
        "// tvm-ffi-stubgen(ty-map): testing.TestCxxClassBase -> other.Base\n"
        "// tvm-ffi-stubgen(enum): testing.TestIntPair.a -> Result(i64) { Ok=0, type=1 }\n"
    )
    done = stubgen(str(path))
    assert done.returncode == 0, done.stderr
    text = path.read_text()
    # The file's own `Result` takes the name, so the crate's is written as a path.
    assert "use tvm_ffi::Result;" not in text
    assert "pub fn a(&self) -> tvm_ffi::Result<Result> {" in text
    assert "    pub const r#type: Result = Result(1);\n" in text


@pytest.mark.parametrize(
    ("check", "accepted", "refused"),
    [
        (
            is_type,
            "u64 | crate::a::Kind | Option<tvm_ffi::Array<i64>> | *mut c_void | *const u8 | () | "
            "(i64, f64) | [u8; 4] | ::std::string::String | r#type | super::super::X | Map<A, B,>",
            " | a:: | :: | <i64> | a<> | a<b | a>b | fn | a.b | a, b | (a | [a] | [a; b] | *a | "
            "crate | &str | 'a | a{b} | " + "a<" * 100,
        ),
        (
            is_path,
            "a | a::b | crate::a | super::super::a",
            " | a:: | :: | crate | a::crate | a<b> | a b | self",
        ),
        (
            is_use,
            "a::b | a::* | a::b as c | a::b as _ | a::{b, c as d, self} | crate::x",
            " | * | a::{} | a::b as fn | a::b c | a::{b | a::{b c}",
        ),
        (
            is_new_type_name,
            "Kind | Result | r#type",
            " | type | None | i64 | r#self | _ | a b | a::B",
        ),
    ],
)
def test_syntax_of_rust(check: object, accepted: str, refused: str) -> None:
    assert callable(check)
    assert [text for text in accepted.split(" | ") if not check(text)] == []
    assert [text for text in refused.split(" | ") if check(text)] == []


@pytest.mark.parametrize("target", ["python", "rust"])
def test_a_file_that_starts_with_a_byte_order_mark(source: Path, target: str) -> None:
    suffix, comment = (".rs", "//") if target == "rust" else (".py", "#")
    path = source / f"lib{suffix}"
    blocks = (
        f"{comment} tvm-ffi-stubgen(begin): import-section\n{comment} tvm-ffi-stubgen(end)\n"
        f"class A:\n    {comment} tvm-ffi-stubgen(begin): object/testing.TestIntPair\n"
        f"    {comment} tvm-ffi-stubgen(end)\n"
    )
    path.write_text(blocks, encoding="utf-8")
    assert stubgen(str(path), target=target).returncode == 0
    filled = path.read_bytes()
    path.write_text(blocks, encoding="utf-8-sig")
    done = stubgen(str(path), target=target)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == b"\xef\xbb\xbf" + filled
    path.write_text(f"{comment} tvm-ffi-stubgen(skip-file)\n{blocks}", encoding="utf-8-sig")
    before = path.read_bytes()
    assert stubgen(str(path), target=target).returncode == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "value", ["0", "-1", "33", "999999999999", "four", "2.5", "", "\u0664", "+4"]
)
def test_indents_that_are_refused(value: str) -> None:
    done = stubgen(f"--indent={value}", ".")
    assert done.returncode == 2
    assert f"argument --indent: {value!r} is no number from 1 to 32" in done.stderr


@pytest.mark.parametrize("value", [1, 2, 32])
def test_indents_that_are_taken(source: Path, value: int) -> None:
    path = source / "a.py"
    path.write_text(
        "class A:\n  # tvm-ffi-stubgen(begin): object/testing.TestIntPair\n"
        "  # tvm-ffi-stubgen(end)\n"
    )
    assert stubgen("--indent", str(value), str(path), target="python").returncode == 0
    text = path.read_text()
    compile(text, "a.py", "exec")
    assert f"\n  {' ' * value}def a(self) -> int: ...\n" in text


def test_python_names_in_directives(tmp_path: Path) -> None:
    cases = {
        "import-object): a.class.b": "Invalid directive `import-object`: `a.class.b` is no name",
        "import-object): a.b;False;x y": "Invalid directive `import-object`: `x y` is no name",
        "ty-map): testing.X -> a b": "Invalid ty_map `testing.X -> a b`: `a b` is no dotted name "
        "of Python",
    }
    for i, line in enumerate(cases):
        (tmp_path / f"case_{i}.py").write_text(f"\n# tvm-ffi-stubgen({line}\n")
    done = stubgen(str(tmp_path), target="python")
    assert done.returncode == 2
    assert (
        re.findall(r", line 2: (.*?)(?:\x1b\[0m)?\n", done.stderr)
        == [
            *list(cases.values())[2:],  # the map of types is read first
            *list(cases.values())[:2],
        ]
    )
