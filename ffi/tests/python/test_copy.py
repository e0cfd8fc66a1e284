# SPDX-License-Identifier: Apache-2.0
"""Copies and pickles of native classes, also of those without a default constructor."""

from __future__ import annotations

import copy
import pickle

import pytest
import tvm_ffi
import tvm_ffi.cpp
from tvm_ffi import dataclasses as dc

SOURCE = r"""
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/reflection/registry.h>
namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

struct IntPairObj : ffi::Object {
  int64_t a, b;
  IntPairObj(int64_t a, int64_t b) : a(a), b(b) {}
  int64_t Sum() const { return a + b; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_copy.IntPair", IntPairObj, ffi::Object);
};
struct HolderObj : ffi::Object {
  ffi::List<ffi::Any> items;
  double scale;
  HolderObj(ffi::List<ffi::Any> items, double scale) : items(items), scale(scale) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_copy.Holder", HolderObj, ffi::Object);
};
// The constructor turns its arguments round, so the fields don't remake the object.
struct SwappedObj : ffi::Object {
  int64_t a, b;
  SwappedObj(int64_t b, int64_t a) : a(a), b(b) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_copy.Swapped", SwappedObj, ffi::Object);
};
// A member that is no field.
struct HiddenObj : ffi::Object {
  int64_t a;
  int64_t hidden[4] = {};
  explicit HiddenObj(int64_t a) : a(a) { hidden[0] = a + 1; }
  int64_t GetHidden() const { return hidden[0]; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_copy.Hidden", HiddenObj, ffi::Object);
};
struct FixedObj : ffi::Object {
  int64_t a;
  explicit FixedObj(int64_t a) : a(a) {}
  FixedObj(const FixedObj&) = delete;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_copy.Fixed", FixedObj, ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<IntPairObj>()
      .def(refl::init<int64_t, int64_t>())
      .def("sum", &IntPairObj::Sum)
      .def_ro("a", &IntPairObj::a)
      .def_ro("b", &IntPairObj::b);
  refl::ObjectDef<HolderObj>()
      .def(refl::init<ffi::List<ffi::Any>, double>())
      .def_ro("items", &HolderObj::items)
      .def_ro("scale", &HolderObj::scale);
  refl::ObjectDef<SwappedObj>()
      .def(refl::init<int64_t, int64_t>())
      .def_ro("a", &SwappedObj::a)
      .def_ro("b", &SwappedObj::b);
  refl::ObjectDef<HiddenObj>()
      .def(refl::init<int64_t>())
      .def("get_hidden", &HiddenObj::GetHidden)
      .def_ro("a", &HiddenObj::a);
  refl::ObjectDef<FixedObj>().def(refl::init<int64_t>()).def_ro("a", &FixedObj::a);
}
"""
LIBRARY = tvm_ffi.cpp.load_inline("test_copy_classes", cpp_sources=SOURCE, functions=[])


@tvm_ffi.register_object("test_copy.IntPair")
class IntPair(tvm_ffi.Object):
    def __init__(self, a, b):
        self.__ffi_init__(a, b)


@tvm_ffi.register_object("test_copy.Holder")
class Holder(tvm_ffi.Object):
    pass


@tvm_ffi.register_object("test_copy.Swapped")
class Swapped(tvm_ffi.Object):
    pass


@tvm_ffi.register_object("test_copy.Hidden")
class Hidden(tvm_ffi.Object):
    pass


@tvm_ffi.register_object("test_copy.Fixed")
class Fixed(tvm_ffi.Object):
    pass


class Noted(IntPair):
    __slots__ = ("__dict__",)


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_class_without_default_constructor(duplicate):
    pair = IntPair(3, 4)
    again = duplicate(pair)
    assert type(again) is IntPair and not again.same_as(pair)
    assert (again.a, again.b, again.sum()) == (3, 4, 7)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_python_subclass_and_its_attributes(duplicate):
    noted = Noted(3, 4)
    noted.note = ["text"]
    again = duplicate(noted)
    assert type(again) is Noted and again.sum() == 7
    assert again.note == ["text"] and (again.note is noted.note) == (duplicate is copy.copy)


def test_shallow_and_deep():
    holder = Holder(tvm_ffi.List([[1], 2]), 0.5)
    shallow, deep, loaded = copy.copy(holder), copy.deepcopy(holder), pickled(holder)
    assert shallow.items.same_as(holder.items)
    for made in (deep, loaded):
        assert not made.items.same_as(holder.items) and made.items == [[1], 2]
        assert made.scale == 0.5
    deep.items.append(3)
    assert len(holder.items) == 2


def test_sharing_survives_a_deep_copy():
    shared = tvm_ffi.List([1])
    holder = Holder(tvm_ffi.List([shared, shared]), 1.0)
    again = copy.deepcopy(holder)
    assert again.items[0].same_as(again.items[1]) and not again.items[0].same_as(shared)
    pair = IntPair(1, 2)
    first, second = copy.deepcopy([pair, pair])
    assert first is second


def test_containers_of_such_objects():
    again = pickled(tvm_ffi.Array([IntPair(1, 2), {"k": IntPair(3, 4)}]))
    assert again[0].sum() == 3 and again[1]["k"].sum() == 7
    table = pickled(tvm_ffi.Map({1: IntPair(1, 2), "1": 2}))
    assert table[1].sum() == 3 and table["1"] == 2
    mixed = tvm_ffi.Dict({1: "int"})
    mixed[True] = IntPair(1, 2)
    assert len(pickled(mixed)) == 2 and pickled(mixed)[True].sum() == 3
    assert copy.copy(tvm_ffi.List([IntPair(1, 2)]))[0].sum() == 3


@pytest.mark.parametrize("make", [lambda: Swapped(1, 2), lambda: Hidden(1)])
def test_what_the_constructor_does_not_remake_is_refused(make):
    value = make()
    with pytest.raises(TypeError, match="can't be pickled") as caught:
        pickle.dumps(value)
    assert "does not support ToJSONGraph" in str(caught.value.__cause__)
    assert repr(copy.copy(value)) == repr(value)


def test_hidden_members_are_copied():
    assert copy.copy(Hidden(4)).get_hidden() == 5 and copy.deepcopy(Hidden(4)).get_hidden() == 5


def test_class_that_is_not_copyable():
    for duplicate in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"Type `test_copy\.Fixed` does not support copy"):
            duplicate(Fixed(1))
    assert pickled(Fixed(7)).a == 7


def test_empty_wrappers():
    for duplicate in (copy.copy, copy.deepcopy, pickled):
        assert duplicate(IntPair.__new__(IntPair)).__chandle__() == 0


def test_functions_modules_tensors_are_refused():
    numpy = pytest.importorskip("numpy")
    for value in (tvm_ffi.convert(len), tvm_ffi.from_dlpack(numpy.zeros(3)), LIBRARY):
        with pytest.raises(TypeError):
            pickle.dumps(value)


def test_functions_are_their_own_copies():
    """As functions of Python are; what holds one can be copied."""
    function = tvm_ffi.convert(len)
    assert copy.copy(function) is function and copy.deepcopy([function])[0] is function


def test_keywords_of_a_constructor_without_names():
    @tvm_ffi.register_object("test_copy.IntPair")
    class Generated(tvm_ffi.Object):
        pass

    try:
        assert Generated(1, 2).sum() == 3
        message = (
            r"Generated\.__init__\(\) got a keyword argument 'a', but the native constructor names "
            r"no parameters: pass \(int, int\) by position"
        )
        with pytest.raises(TypeError, match=message):
            Generated(a=1, b=2)
        with pytest.raises(TypeError, match="got a keyword argument 'b'"):
            Generated(1, b=2)
        with pytest.raises(TypeError, match=r"__ffi_init__\(\) got a keyword argument 'x'"):
            Generated.__new__(Generated).__ffi_init__(x=1)
        with pytest.raises(TypeError, match="Expected 2 but got 1 arguments"):
            Generated(1)
    finally:
        tvm_ffi.register_object("test_copy.IntPair")(IntPair)


def test_state_of_python_classes_is_kept():
    @dc.py_class("test_copy.Local")
    class Local(tvm_ffi.Object):
        value: int
        __slots__ = ("__dict__",)

    local = Local(3)
    local.note = "n"
    assert (copy.copy(local).note, copy.deepcopy(local).note) == ("n", "n")
    assert copy.copy(local).value == 3
