# SPDX-License-Identifier: Apache-2.0
"""Types defined in Python, at the level of ``tvm_ffi.core``: layout, conversion, redefinition."""

from __future__ import annotations

import gc
import typing
import weakref

import pytest
import tvm_ffi
from tvm_ffi import _type_info, core

_TREE = 1


class Field:
    """What ``core._register_fields`` needs to know of a field."""

    def __init__(self, name, annotation, default=core.MISSING, default_factory=core.MISSING, **kw):
        self.name = name
        self._ty_schema = core.TypeSchema.from_annotation(annotation)
        self.default, self.default_factory = default, default_factory
        self.doc = kw.get("doc")
        self.frozen = kw.get("frozen", False)
        self.init = kw.get("init", True)
        self.repr = kw.get("repr", True)
        self.hash = kw.get("hash")
        self.compare = kw.get("compare", True)
        self.kw_only = kw.get("kw_only", False)
        self.structural_eq = kw.get("structural_eq")


def define(key, fields, name="Made", parent=tvm_ffi.Object, structure_kind=_TREE):
    cls = type(tvm_ffi.Object)(name, (parent,), {"__module__": __name__, "__qualname__": name})
    info = core._register_py_class(core._type_cls_to_type_info(parent), key, cls)
    core._register_fields(info, fields, structure_kind)
    _type_info.add_class_attrs(cls, info)
    tvm_ffi.registry._install_init(cls, info)
    return cls


Point = define(
    "test_python_types.Point",
    [
        Field("x", int),
        Field("y", float, 1.5),
        Field("name", str, "origin"),
        Field("tags", list[int], default_factory=list),
        Field("flag", bool, False),
        Field("any", typing.Any, None),
        Field("dtype", tvm_ffi.dtype, tvm_ffi.dtype("int8"), kw_only=True),
    ],
    "Point",
)


def test_layout():
    fields = core._type_cls_to_type_info(Point).fields
    assert [(f.name, f.offset, f.size, f.alignment) for f in fields] == [
        ("x", 24, 8, 8),
        ("y", 32, 8, 8),
        ("name", 40, 16, 8),
        ("tags", 56, 8, 8),
        ("flag", 64, 1, 1),
        ("any", 72, 16, 8),
        ("dtype", 88, 4, 2),
    ]
    assert core._type_cls_to_type_info(Point).total_size == 96
    assert fields[0].ty == core.TypeSchema("int")
    assert fields[3].c_default_factory is list and fields[1].c_default == 1.5


def test_construction():
    point = Point(3)
    assert (point.x, point.y, point.name, point.flag, point.any) == (3, 1.5, "origin", False, None)
    assert point.tags == [] and point.dtype == "int8"
    assert Point(1, 2.5, "n", [1, 2], True, {"a": 1}, dtype="float32").tags == [1, 2]
    assert Point(x=1, any=[1]).any == [1]
    assert not Point(1).tags.same_as(Point(1).tags)
    with pytest.raises(TypeError, match=r"field 'x':\n  expected int, got str") as caught:
        Point("text")
    assert str(caught.value.__cause__) == "expected int, got str"
    with pytest.raises(TypeError, match=r"element \[1\]: expected int, got str"):
        Point(1, tags=[1, "x"])
    with pytest.raises(TypeError, match="missing required argument: 'x'"):
        Point()


def test_fields_convert():
    point = Point(3)
    point.y = 2
    assert type(point.y) is float and point.y == 2.0
    point.x = True
    assert point.x == 1
    point.name = "a text that needs the heap"
    assert point.name == "a text that needs the heap"
    with pytest.raises(TypeError, match="expected int, got str"):
        point.x = "text"
    with pytest.raises(TypeError, match="out of int64 range"):
        point.x = 2**70
    assert point.x == 1


def test_text_pickle_and_hash():
    point = Point(3, tags=[1])
    assert repr(point).startswith("test_python_types.Point(x=3, y=1.5, name=")
    state = point.__getstate__()
    again = core._new_object(Point)
    again.__setstate__(state)
    assert repr(again) == repr(point) and not again.same_as(point)


def test_inheritance_fills_tail_padding():
    base = define("test_python_types.Base", [Field("a", int), Field("b", bool, True)], "Base")
    child = define("test_python_types.Child", [Field("c", bool, False)], "Child", base)
    info = core._type_cls_to_type_info(child)
    assert info.fields[0].offset == 33 and info.total_size == 40
    value = child(5, c=True)
    assert (value.a, value.b, value.c) == (5, True, True)
    assert isinstance(tvm_ffi.convert(lambda x: x)(value), child)


def test_redefinition_replaces_the_class():
    first = define("test_python_types.Again", [Field("a", int)], "Again")
    old = first(1)
    second = define("test_python_types.Again", [Field("a", str), Field("b", int, 2)], "Again")
    new = second("text")
    assert (new.a, new.b, old.a) == ("text", 2, 1)
    echo = tvm_ffi.convert(lambda x: x)
    assert type(echo(new)) is second and type(echo(old)) is first
    assert core._object_type_key_to_index("test_python_types.Again") == (
        core._type_cls_to_type_info(second).type_index
    )


def test_a_key_belongs_to_one_definition():
    define("test_python_types.Taken", [], "Taken")
    with pytest.raises(ValueError, match=r"'test_python_types\.Taken' is already registered"):
        define("test_python_types.Taken", [], "Other")
    with pytest.raises(ValueError, match="already registered"):
        define("ffi.Array", [], "Array")


def test_rollback_frees_the_key():
    cls = type(tvm_ffi.Object)("Rolled", (tvm_ffi.Object,), {"__module__": __name__})
    info = core._register_py_class(
        core._type_cls_to_type_info(tvm_ffi.Object), "test_python_types.Rolled", cls
    )
    assert info.fields is None
    core._rollback_py_class(info)
    assert core._object_type_key_to_index("test_python_types.Rolled") is None
    assert define("test_python_types.Rolled", [Field("a", int)], "Elsewhere")(1).a == 1


def test_cycles_are_collected():
    holder = define("test_python_types.Holder", [Field("value", typing.Any, None)], "Holder")

    class Witness:
        pass

    def make():
        witness = Witness()
        witness.object = holder()
        witness.object.value = [lambda: witness]
        return weakref.ref(witness)

    ref = make()
    gc.collect()
    assert ref() is None
