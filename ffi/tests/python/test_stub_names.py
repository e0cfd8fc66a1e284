# SPDX-License-Identifier: Apache-2.0
"""Fields, methods and functions with names that Python or Rust has for itself."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tvm_ffi.core import TypeSchema
from tvm_ffi.stub.consts import PYTHON_SYNTAX
from tvm_ffi.stub.file_utils import CodeBlock
from tvm_ffi.stub.python_generator import codegen
from tvm_ffi.stub.python_generator.consts import TY_MAP_DEFAULTS
from tvm_ffi.stub.python_generator.utils import ImportItem
from tvm_ffi.stub.rust_generator.utils import (
    rust_bindings,
    rust_ident,
    rust_idents,
    rust_module_ident,
    rust_text,
)
from tvm_ffi.stub.utils import FuncInfo, NamedTypeSchema, ObjectInfo, Options

HERE = Path(__file__).parent
BLOCKS = """\
# tvm-ffi-stubgen(begin): import-section
# tvm-ffi-stubgen(end)
import odd_names
# tvm-ffi-stubgen(import-object): tvm_ffi.Object


class Together(Object):
    # tvm-ffi-stubgen(begin): object/odd_names.Together
    # tvm-ffi-stubgen(end)


class Lists(Object):
    # tvm-ffi-stubgen(begin): object/odd_names.Lists
    # tvm-ffi-stubgen(end)


def first(lists: Lists, together: Together) -> int:
    return lists.int[0] + lists.items[0] + together.match + together.property
"""


def test_python_stubs_of_odd_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="`./dev setup` installs mypy")
    path = tmp_path / "stub.py"
    path.write_text(BLOCKS)
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--imports", "odd_names", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = path.read_text()
    compile(text, "stub.py", "exec")
    assert "    from builtins import int as _int\n" in text
    assert "    match: _int\n" in text
    assert "    # 'None' is no name in Python: only getattr and setattr reach it\n" in text
    assert "        def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n" in text
    assert "        def __init__(self, int: Sequence[_int], items: Sequence[_int])" in text
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "stub.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout


def function(name: str, is_member: bool) -> FuncInfo:
    schema = TypeSchema(
        "Callable", (TypeSchema("int"),), named_args={"return": [TypeSchema("int")]}
    )
    return FuncInfo(NamedTypeSchema(name, schema), is_member)


def filled(fill: str, *args: object) -> str:
    begin = f"{PYTHON_SYNTAX.begin} x"
    block = CodeBlock("object", "x.Y", 1, 2, [begin, PYTHON_SYNTAX.end])
    imports: list[ImportItem] = []
    if fill == "object":
        codegen.generate_python_object(block, dict(TY_MAP_DEFAULTS), imports, Options(), *args)  # type: ignore[arg-type]
    else:
        block.param = "x"
        codegen.generate_python_global_funcs(
            block,
            *args,  # type: ignore[arg-type]
            ty_map=dict(TY_MAP_DEFAULTS),
            imports=imports,
            opt=Options(),
        )
    lines = block.lines[2:-2]
    return "\n".join(lines)


def test_methods_of_python() -> None:
    fields = [
        NamedTypeSchema("property", TypeSchema("int"), frozen=True),
        NamedTypeSchema("import", TypeSchema("int"), frozen=True),
        NamedTypeSchema("a-b", TypeSchema("str")),
    ]
    methods = [
        function("staticmethod", is_member=False),
        function("int", is_member=False),
        function("lambda", is_member=True),
    ]
    text = filled("object", ObjectInfo(fields, methods, "x.Y"))
    assert text == (
        "# 'a-b' is no name in Python: only getattr and setattr reach it\n"
        "if TYPE_CHECKING:\n"
        "    @_property\n"
        "    def property(self) -> _int: ...\n"
        "    # 'import' is no name in Python: only getattr and setattr reach it\n"
        "    @_staticmethod\n"
        "    def staticmethod(*args: Any) -> _int: ...\n"
        "    @_staticmethod\n"
        "    def int(*args: Any) -> _int: ...\n"
        "    # 'lambda' is no name in Python: only getattr and setattr reach it"
    )
    compile("class Y:\n    'doc'\n" + textwrap.indent(text, "    "), "y.py", "exec")


def test_a_class_with_nothing_but_words() -> None:
    text = filled("object", ObjectInfo([], [function("lambda", is_member=True)], "x.Y"))
    compile("class Y:\n    'doc'\n" + textwrap.indent(text, "    "), "y.py", "exec")


def test_functions_of_python() -> None:
    text = filled("global", [function("import", is_member=False)])
    compile(text, "y.py", "exec")
    text = filled("global", [function("int", is_member=False), function("f", is_member=False)])
    assert "    def f(*args: Any) -> _int: ..." in text
    block = CodeBlock("__all__", "", 1, 2, ["", ""])
    codegen.generate_python_all(block, {"import", "int", "f"}, Options())
    assert block.lines[1:-1] == ['"f",', '"int",']


@pytest.mark.parametrize(
    ("name", "ident"),
    [
        ("new", "new_"),
        ("_", "__"),
        ("None", "None"),
        ("a-b", "a_b"),
        ("1st", "_1st"),
        ("crate", "crate_"),
        ("match", "r#match"),
    ],
)
def test_identifiers_of_rust(name: str, ident: str) -> None:
    assert rust_ident(name) == ident


def test_identifiers_of_rust_are_different() -> None:
    assert rust_idents(["value_", "value", "__value__"]) == ["value_", "value", "value__"]
    assert rust_idents(["type_", "type"]) == ["r#type", "type_"]
    assert rust_idents(["a", "a"]) == ["a", "a_"]
    # What is a variant or a constant can't be bound.
    assert rust_bindings(["None", "None_", "INIT", "x"]) == [
        "None__",
        "None___",
        "INIT_",
        "x",
    ]
    assert [rust_module_ident(name) for name in ("base", "value_", "type")] == [
        "base",
        "value_",
        "r#type",
    ]
    assert rust_text('a"\\') == r'"a\"\\"'
