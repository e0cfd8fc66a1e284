# SPDX-License-Identifier: Apache-2.0
"""py_class and c_class."""

from __future__ import annotations

import copy
import importlib
import inspect
import sys
from pathlib import Path
from typing import Any, ClassVar, Optional

import pytest
import tvm_ffi
from tvm_ffi import core
from tvm_ffi.dataclasses import (
    KW_ONLY,
    MISSING,
    Field,
    asdict,
    astuple,
    c_class,
    field,
    fields,
    init_property,
    is_dataclass,
    method,
    py_class,
    replace,
)
from tvm_ffi.structural import structural_equal

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")


@py_class("test_dataclasses.Point")
class Point(tvm_ffi.Object):
    kind: ClassVar[str] = "point"
    x: int
    y: float = 0.5
    _: KW_ONLY
    tags: list[str] = field(default_factory=list)
    parent: Optional[Point] = None  # noqa: UP045


@py_class("test_dataclasses.Point3", eq=True, order=True, unsafe_hash=True)
class Point3(Point):
    z: int = 0


def test_construction():
    point = Point(1)
    assert (point.x, point.y, point.parent) == (1, 0.5, None) and point.tags == []
    other = Point(2, 1.5, tags=["a"], parent=point)
    assert other.parent.same_as(point) and other.tags == ["a"]
    assert repr(point) == "test_dataclasses.Point(x=1, y=0.5, tags=[], parent=None)"
    with pytest.raises(TypeError, match="expected int, got str"):
        Point("x")
    with pytest.raises(TypeError, match="positional"):
        Point(1, 2.0, ["a"])
    assert str(inspect.signature(Point)) == (
        "(x, y=<MISSING>, *, tags=<MISSING>, parent=<MISSING>)"
    )
    assert Point.__match_args__ == ("x", "y")
    assert Point.kind == "point"


def test_inheritance_and_comparison():
    a, b = Point3(1, z=2), Point3(1, z=2)
    assert a == b and hash(a) == hash(b) and not a != b
    assert Point3(1, z=1) < Point3(1, z=2) <= Point3(1, z=2)
    assert a != Point3(2) and (a == 3) is False
    assert isinstance(a, Point) and [f.name for f in fields(a)][:2] == ["x", "y"]
    assert Point(1) != Point(1)
    with pytest.raises(TypeError):
        _ = a < 3


def test_field_objects():
    made = fields(Point)
    assert [f.name for f in made] == ["x", "y", "tags", "parent"]
    assert made[0].type is int and made[0].default is MISSING
    assert made[1].default == 0.5 and made[2].default_factory is list and made[2].kw_only
    assert Field().compare is False and field().compare is True
    with pytest.raises(ValueError, match="cannot specify both"):
        field(default=1, default_factory=list)
    with pytest.raises(TypeError, match="must be callable"):
        field(default_factory=3)
    with pytest.raises(ValueError, match="structural_eq"):
        field(structural_eq="nope")
    with pytest.raises(TypeError, match=r"Bad\.f: unrecognized field options: foo"):

        @py_class("test_dataclasses.Bad")
        class Bad(tvm_ffi.Object):
            f: int = field(foo=3)


def test_helpers():
    point = Point(1, tags=["a"], parent=Point(2))
    assert asdict(point) == {
        "x": 1,
        "y": 0.5,
        "tags": ["a"],
        "parent": {"x": 2, "y": 0.5, "tags": [], "parent": None},
    }
    assert astuple(point)[3] == (2, 0.5, [], None)
    changed = replace(point, x=9)
    assert changed.x == 9 and point.x == 1 and changed.tags.same_as(point.tags)
    with pytest.raises(AttributeError):
        replace(point, nope=1)
    assert copy.copy(point).parent.same_as(point.parent)
    assert not copy.deepcopy(point).parent.same_as(point.parent)
    assert is_dataclass(point) and is_dataclass(Point) and not is_dataclass([])
    assert not is_dataclass(tvm_ffi.Array([]))
    with pytest.raises(TypeError):
        asdict(Point)


def test_frozen():
    @py_class("test_dataclasses.Frozen", frozen=True)
    class Frozen(tvm_ffi.Object):
        a: int

    value = Frozen(1)
    with pytest.raises(AttributeError):
        value.a = 2
    assert replace(value, a=5).a == 5
    Frozen.a.set(value, 3)
    assert value.a == 3


def test_user_init_and_post_init():
    @py_class("test_dataclasses.UserInit")
    class UserInit(Point):
        w: int = 3

        def __init__(self, value):
            assert self.x == 0 and self.tags is None
            super().__init__(77)
            self.x = value

    made = UserInit(5)
    assert (made.x, made.w) == (5, 0)

    @py_class("test_dataclasses.Post")
    class Post(tvm_ffi.Object):
        a: int
        total: int = 0

        def __post_init__(self):
            self.total = self.a * 2

        @init_property
        def label(self) -> str:
            return f"<{self.a}>"

    assert Post(4).total == 8 and Post(4).label == "<4>"


def test_init_property():
    @py_class("test_dataclasses.Computed")
    class Computed(tvm_ffi.Object):
        a: int
        label: str = init_property(lambda self: f"<{self.a}>")

    assert Computed(4).label == "<4>"
    assert "label" not in str(inspect.signature(Computed))


def test_forward_references():
    @py_class("test_dataclasses.Tree")
    class Tree(tvm_ffi.Object):
        leaf: Leaf | None = None

    @py_class("test_dataclasses.Lost")
    class Lost(tvm_ffi.Object):
        other: Nowhere  # noqa: F821

    for _ in range(2):  # the type is gone after the first
        with pytest.raises(TypeError, match=r"Cannot instantiate Lost: .*\['Nowhere'\]"):
            Lost(1)

    @py_class("test_dataclasses.Leaf")
    class Leaf(tvm_ffi.Object):
        value: int

    assert Tree(Leaf(3)).leaf.value == 3

    @py_class("test_dataclasses.Lost")
    class Found(tvm_ffi.Object):
        other: int

    assert Found(1).other == 1


def test_methods_and_hooks():
    @py_class("test_dataclasses.Rich", eq=True)
    class Rich(tvm_ffi.Object):
        a: int

        @method
        def add(self, other: int) -> int:
            """Adds."""
            return self.a + other

        @method
        @staticmethod
        def make(a: int) -> Any:
            return Rich(a)

        def __ffi_repr__(self, fn):
            return f"Rich<{fn(self.a)}>"

        def __ffi_eq__(self, other, fn):
            return self.a % 10 == other.a % 10

    assert repr(Rich(3)) == "Rich<3>" and Rich(3) == Rich(13) and Rich(3) != Rich(4)
    info = core._type_cls_to_type_info(Rich)
    table = {m.name: m for m in info.methods}
    assert table["add"].func(Rich(3), 4) == 7 and table["make"].func(8).a == 8
    assert table["make"].is_static and table["add"].doc == "Adds."
    assert '"ffi.Function"' in table["add"].metadata["type_schema"]
    with pytest.raises(TypeError):
        method(classmethod(lambda cls: None))


def test_structural_kinds():
    @py_class("test_dataclasses.Var", structural_eq="var")
    class Var(tvm_ffi.Object):
        name: str = field(structural_eq="ignore")

    @py_class("test_dataclasses.Lambda")
    class Lambda(tvm_ffi.Object):
        params: list[Var] = field(structural_eq="def")
        body: Any

    def make(name):
        var = Var(name)
        return Lambda([var], [var, 1])

    assert structural_equal(make("x"), make("y"))
    with pytest.raises(ValueError, match="const-tree, dag, singleton, tree, var or None"):
        py_class(structural_eq="nope")


def test_argument_checks():
    with pytest.raises(TypeError, match="must inherit from a registered FFI Object type"):

        @py_class
        class Plain:
            a: int

    with pytest.raises(ValueError, match="eq must be true"):
        py_class(order=True)
    with pytest.raises(TypeError, match="Cannot convert"):

        @py_class("test_dataclasses.Weird")
        class Weird(tvm_ffi.Object):
            a: object


def test_definition_runs_twice():
    def cell():
        @py_class("test_dataclasses.Cell")
        class Cell(tvm_ffi.Object):
            a: int

            def twice(self):
                return 2 * self.a

        return Cell

    first, second = cell(), cell()
    assert first(1).twice() == 2 and second(2).twice() == 4
    echo = tvm_ffi.convert(lambda x: x)
    assert type(echo(second(1))) is second


def test_marker_in_a_string_annotation():
    """Python 3.10's `typing` refuses markers, which can't be called, as types."""

    @py_class("test_dataclasses.Marked")
    class Marked(tvm_ffi.Object):
        a: int
        _: "KW_ONLY"  # noqa: UP037
        b: list[Point]

    assert [(f.name, f.type, f.kw_only) for f in fields(Marked)] == [
        ("a", int, False),
        ("b", list[Point], True),
    ]
    with pytest.raises(TypeError, match="positional"):
        Marked(1, [])
    assert Marked(1, b=[Point(2)]).b[0].x == 2


def test_annotations_that_name_no_type():
    with pytest.raises(TypeError, match=r"^Cannot convert <MISSING> to TypeSchema$"):

        @py_class("test_dataclasses.WrongMarker")
        class WrongMarker(tvm_ffi.Object):
            a: MISSING

    with pytest.raises(TypeError, match=r"^Cannot convert 'int \| 3' to TypeSchema$"):

        @py_class("test_dataclasses.WrongUnion")
        class WrongUnion(tvm_ffi.Object):
            a: int | 3


def test_mixins():
    class Mixin:
        m: int = 5

    @py_class("test_dataclasses.Mixed")
    class Mixed(Mixin, tvm_ffi.Object):
        a: int

    assert [f.name for f in fields(Mixed)] == ["m", "a"]
    assert (Mixed(1).a, Mixed(1).m) == (1, 5)


@c_class("testing.TestCxxAutoInitSimple", eq=True, frozen=True)
class Simple(tvm_ffi.Object):
    x: int
    y: int


def test_c_class():
    assert Simple(1, 2) == Simple(x=1, y=2) and repr(Simple(1, 2)).endswith("(x=1, y=2)")
    assert [f.name for f in fields(Simple)] == ["x", "y"]
    with pytest.raises(AttributeError):
        Simple(1, 2).x = 3
    assert replace(Simple(1, 2), x=7).x == 7
    assert asdict(Simple(1, 2)) == {"x": 1, "y": 2}
    with pytest.warns(UserWarning, match="no annotation"):

        @c_class("testing.TestCxxAutoInitSimple")
        class Partial(tvm_ffi.Object):
            x: int


def test_copy_of_uncopyable():
    @c_class("testing.TestNonCopyable")
    class NonCopyable(tvm_ffi.Object):
        value: int

    with pytest.raises(TypeError, match="does not support copy"):
        copy.copy(NonCopyable(1))


def test_generated_header(tmp_path):
    import shutil
    import subprocess

    from tvm_ffi import libinfo
    from tvm_ffi.dataclasses import gen_abi_cpp

    @py_class("test_dataclasses.gen-abi.First")
    class First(tvm_ffi.Object):
        a: int
        flag: bool = False
        name: str = "x"
        items: list[int] = field(default_factory=list)

    @py_class("test_dataclasses.gen-abi.Second")
    class Second(First):
        tail: bool = False
        parent: First | None = None
        any: Any = None
        dtype: tvm_ffi.dtype = tvm_ffi.dtype("int8")
        new: float = 1.0

    text = gen_abi_cpp("test_dataclasses.gen-abi.*")
    assert text.startswith("#pragma once\n")
    assert 'TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("test_dataclasses.gen-abi.Second", 2);' in text
    assert "namespace __ffi_escape_67656e2d616269 {" in text
    with pytest.raises(ValueError, match="no registered type matches"):
        gen_abi_cpp("no.such.*")
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    source = tmp_path / "check.cc"
    source.write_text(text + gen_abi_cpp(["testing.TestObjectDerived"]).replace("#pragma once", ""))
    include = libinfo.find_include_path()
    subprocess.run([compiler, "-std=c++17", "-fsyntax-only", f"-I{include}", source], check=True)


@pytest.mark.parametrize("key", [5, b"test.Key", 1.5])
def test_a_type_key_is_text(key: object) -> None:
    with pytest.raises(TypeError, match=f"takes a class or a type key, got {type(key).__name__}"):
        py_class(key)  # type: ignore[arg-type]


@py_class("test_dataclasses.Waiting")
class Waiting(tvm_ffi.Object):
    x: int
    later: Optional[Later] = None  # noqa: UP045


@py_class("test_dataclasses.BelowWaiting")
class BelowWaiting(Waiting):
    z: int = 7


@py_class("test_dataclasses.Later")
class Later(tvm_ffi.Object):
    v: int


def test_fields_lie_behind_those_of_a_parent_that_waited():
    """The parent names a class that came after both; the child names none."""
    offsets = [
        (made.name, made.offset)
        for cls in (Waiting, BelowWaiting)
        for made in cls.__tvm_ffi_type_info__.fields
    ]
    assert offsets == [("x", 24), ("later", 32), ("z", 48)]
    made = BelowWaiting(1, Later(5))
    assert (made.x, made.later.v, made.z) == (1, 5, 7)
    made.z = -1
    assert (made.x, made.later.v, made.z) == (1, 5, -1)


def test_child_of_a_parent_that_waits_for_ever():
    @py_class("test_dataclasses.Forever")
    class Forever(tvm_ffi.Object):
        later: NeverDefined | None = None  # noqa: F821

    @py_class("test_dataclasses.BelowForever")
    class BelowForever(Forever):
        z: int = 7

    with pytest.raises(TypeError, match=r"unresolved forward references: \['NeverDefined'\]"):
        BelowForever()
    with pytest.raises(TypeError, match=r"unresolved forward references: \['NeverDefined'\]"):
        Forever()
