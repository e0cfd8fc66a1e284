# SPDX-License-Identifier: Apache-2.0
"""Enumerations of native objects."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
from pathlib import Path
from typing import ClassVar

import pytest
import tvm_ffi
from tvm_ffi.dataclasses import Enum, IntEnum, StrEnum, auto, c_class, entry, py_class

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")


class Color(Enum, type_key="test_enum.Color"):
    red = auto()
    green = auto()


class Op(Enum, type_key="test_enum.Op"):
    arity: int
    note: str = "n"
    add = entry(arity=2)
    neg = entry(1, note="x")


class Priority(IntEnum, type_key="test_enum.Priority"):
    low = 1
    high = entry(value=10)


class Name(StrEnum, type_key="test_enum.Name"):
    a = "alpha"
    b = "beta"


def test_plain():
    assert [v._str_index for v in Color] == ["red", "green"] and len(Color) == 2
    assert Color(0) == Color("red") == Color.red == Color.get("red")
    assert Color.red != Color.green and Color.red != 0
    assert repr(Color.green) == "test_enum.Color.green" and Color.green._int_index == 1
    assert Color(Color.red) is Color.red and Color.red in Color and "red" not in Color
    assert isinstance(Color.red, Color) and hash(Color(0)) == hash(Color.red)
    assert tvm_ffi.convert(lambda x: x)(Color.red) == Color.red


def test_lookup_errors():
    with pytest.raises(ValueError, match="'x' is not a valid Color"):
        Color("x")
    with pytest.raises(ValueError, match="9 is not a valid Color"):
        Color(9)
    with pytest.raises(KeyError):
        Color.get("x")
    with pytest.raises(OverflowError, match="outside int64"):
        Color.get(2**70)
    with pytest.raises(TypeError, match="must be int or str, got float"):
        Color.get(1.5)
    with pytest.raises(TypeError):
        Color()
    for wrong in (1.5, None, True):
        with pytest.raises(TypeError, match="variants of Color are found by int or str, got "):
            Color(wrong)


def test_fields():
    assert (Op.add.arity, Op.add.note) == (2, "n") and (Op.neg.arity, Op.neg.note) == (1, "x")
    with pytest.raises(AttributeError):
        Op.add.arity = 3
    with pytest.raises(TypeError, match=r"Wrong\.x: invalid enum entry"):

        class Wrong(Enum, type_key="test_enum.Wrong"):
            n: int
            x = entry(n="text")


def test_payloads():
    assert Priority.low == 1 and hash(Priority.low) == hash(1) and Priority.low.value == 1
    assert str(Priority.high) == "10" and repr(Priority.high) == "Priority.high"
    assert Priority.high.name == "high" and Priority(10) == Priority.high != Priority.low
    assert Priority.low != True and Priority.low != 1.0  # noqa: E712
    assert Name.a == "alpha" and Name("alpha") == Name.a and Name(1) == Name.b
    assert f"{Name.b}" == "beta" and {Name.a: 1}["alpha"] == 1
    with pytest.raises(TypeError, match=r"Bad\.x value must be int"):

        class Bad(IntEnum, type_key="test_enum.Bad"):
            x = "s"

    with pytest.raises(TypeError, match=r"Bad2\.x requires a int value"):

        class Bad2(IntEnum, type_key="test_enum.Bad2"):
            x = auto()

    with pytest.raises(ValueError, match="taken"):

        class Bad3(IntEnum, type_key="test_enum.Bad3"):
            x = 1
            y = 1

    with pytest.raises(TypeError, match="reserves `value`"):

        class Bad4(IntEnum, type_key="test_enum.Bad4"):
            value: int


def test_fields_of_enum_type():
    @py_class("test_enum.Holder")
    class Holder(tvm_ffi.Object):
        priority: Priority
        name: Name = Name.a

    holder = Holder(1, "beta")
    assert holder.priority == Priority.low and holder.name == Name.b
    holder.priority = 10
    assert holder.priority == Priority.high
    with pytest.raises(TypeError, match="3 is not a valid Priority"):
        holder.priority = 3


def test_copies():
    assert pickle.loads(pickle.dumps(Priority.low)) == Priority.low
    assert copy.copy(Color.red) is Color.red and copy.deepcopy(Color.red) is Color.red
    assert pickle.loads(pickle.dumps(Color.red)) == Color.red


def test_attributes():
    cost = Color.def_attr("cost", default=3)
    assert cost[Color.red] == 3 and cost.get(Color.red) is None and Color.red not in cost
    cost[Color.red] = 7
    assert cost[Color.red] == 7 and Color.red in cost and cost.name == "cost"
    assert Color.attr_dict["cost"][Color.red] == 7
    with pytest.raises(TypeError, match="expected Color, got Priority"):
        cost[Priority.low] = 1
    with pytest.raises(KeyError, match="no extensible attribute 'other'"):
        Color.def_attr("other")[Color.red]


def test_native_enumeration():
    class Variant(Enum, type_key="testing.TestEnumVariant"):
        Alpha: ClassVar[Variant]
        Beta: ClassVar[Variant]

    assert [v._str_index for v in Variant][:2] == ["Alpha", "Beta"]
    assert Variant.Alpha == Variant("Alpha") == Variant(0)
    get = tvm_ffi.get_global_func("testing.enum_variant_get")
    assert isinstance(get("Beta"), Variant) and get("Beta") == Variant.Beta


def test_abstract_base():
    class Base(Enum):
        n: int

        def twice(self):
            return 2 * self.n

    class Made(Base, type_key="test_enum.Made"):
        x = entry(n=4)

    assert Made.x.twice() == 8
    assert list(Base) == [] and len(Base) == 0


def test_redefinition():
    def cell():
        class Again(Enum, type_key="test_enum.Again"):
            one = auto()
            two = auto()

        return Again

    cell()
    assert [v._str_index for v in cell()] == ["one", "two"]


class CxxPriority(IntEnum, type_key="testing.TestCxxIntEnum"):
    low: ClassVar
    high: ClassVar


class CxxOp(StrEnum, type_key="testing.TestCxxStrEnum"):
    pass


@c_class("testing.TestCxxEnumHolder")
class CxxHolder(tvm_ffi.Object):
    priority: CxxPriority
    opcode: CxxOp


def test_fields_of_native_classes_take_payloads():
    holder = CxxHolder(10, "+")
    assert holder.priority == CxxPriority.low and holder.opcode == CxxOp("+")
    assert CxxHolder(priority=20, opcode="*").priority.value == 20
    assert CxxHolder(CxxPriority.high, CxxOp("*")).opcode == "*"
    holder.priority = 20
    assert holder.priority == CxxPriority.high
    holder.priority = CxxPriority.low
    type(holder).opcode.set(holder, "*")
    assert (holder.priority, holder.opcode) == (10, "*")
    assert holder.__replace__(priority=20).priority == 20
    with pytest.raises(TypeError, match=r"field 'priority':\n  11 is not a valid CxxPriority"):
        CxxHolder(11, "+")
    with pytest.raises(TypeError, match=r"field 'opcode':\n  '-' is not a valid CxxOp"):
        CxxHolder(10, opcode="-")
    with pytest.raises(TypeError, match=r"Cannot convert from type `ffi\.SmallStr`"):
        CxxHolder("low", "+")
    with pytest.raises(TypeError, match="Cannot convert from type `bool`"):
        CxxHolder(True, "+")
    with pytest.raises(TypeError, match="3 is not a valid CxxPriority"):
        holder.priority = 3
    with pytest.raises(TypeError, match="positional"):
        CxxHolder(10, "+", 3)
    assert holder.priority == CxxPriority.low


def test_a_native_type_that_is_no_enumeration_is_refused():
    with pytest.raises(TypeError, match=r"Wrong: the native type `ffi\.Array` is no enumeration"):

        class Wrong(Enum, type_key="ffi.Array"):
            pass

    assert type(tvm_ffi.get_global_func("ffi.Array")(1)) is tvm_ffi.Array
