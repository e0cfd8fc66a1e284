# SPDX-License-Identifier: Apache-2.0
"""Classes of native types: fields, methods, constructors, fallback classes, moves, pickling."""

from __future__ import annotations

import copy
import gc
import importlib
import inspect
import pickle
import sys
import weakref
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.testing
from tvm_ffi import core

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")


class IntPair(tvm_ffi.Object):
    def __init__(self, a, b):
        self.__ffi_init__(a, b)


class Base(tvm_ffi.Object):
    pass


class Derived(Base):
    pass


class AutoInit(tvm_ffi.Object):
    pass


class KwOnly(tvm_ffi.Object):
    pass


OWN_CLASSES = {
    "testing.TestIntPair": IntPair,
    "testing.TestObjectBase": Base,
    "testing.TestObjectDerived": Derived,
    "testing.TestCxxAutoInit": AutoInit,
    "testing.TestCxxKwOnly": KwOnly,
}


@pytest.fixture(autouse=True, scope="module")
def classes_of_this_file():
    """``tvm_ffi.testing`` has classes for the same keys; each file of tests gets its own."""
    for key, cls in OWN_CLASSES.items():
        tvm_ffi.register_object(key)(cls)
    yield
    for key in OWN_CLASSES:
        other = getattr(tvm_ffi.testing, key.removeprefix("testing."), None)
        if other is not None:
            tvm_ffi.register_object(key)(other)


def test_fields_and_methods():
    pair = IntPair(3, 4)
    assert (pair.a, pair.b) == (3, 4)
    assert pair.sum() == 7 and IntPair.sum(pair) == 7
    assert repr(pair) == "testing.TestIntPair(a=3, b=4)"
    with pytest.raises(AttributeError):
        pair.a = 5
    type(pair).a.set(pair, 5)
    assert pair.a == 5
    with pytest.raises(AttributeError):
        pair.unknown = 1
    with pytest.raises(TypeError):
        IntPair.a.set(pair, "text")
    with pytest.raises(TypeError, match=r"testing\.TestIntPair"):
        IntPair.a.fget(tvm_ffi.Array([1]))
    with pytest.raises(TypeError):
        IntPair.a.fget(3)


def test_writable_fields():
    base = Base(v_i64=3, v_f64=2.5, v_str="abc")
    base.v_i64 = 7
    assert base.v_i64 == 7
    base.v_str = "a longer text than before"
    assert base.v_str == "a longer text than before"
    with pytest.raises(TypeError, match="Cannot convert from type"):
        base.v_i64 = "text"
    assert base.v_i64 == 7
    assert base.add_i64(3) == 10


def test_inheritance():
    info = core._type_cls_to_type_info(Derived)
    assert info.type_key == "testing.TestObjectDerived"
    assert info.parent_type_info is core._type_cls_to_type_info(Base)
    assert [f.name for f in info.fields] == ["v_map", "v_array"]
    derived = tvm_ffi.get_global_func("ffi.MakeObjectFromPackedArgs")(
        "testing.TestObjectDerived", "v_map", {"k": 1}, "v_array", [1, 2]
    )
    assert isinstance(derived, Derived) and isinstance(derived, Base)
    assert derived.v_i64 == 10 and derived.v_map["k"] == 1 and derived.v_array[1] == 2
    assert derived.add_i64(1) == 11


def test_type_info():
    info = core._type_cls_to_type_info(IntPair)
    assert info.type_cls is IntPair and info.total_size == 40
    first = info.fields[0]
    assert (first.name, first.size, first.alignment, first.offset) == ("a", 8, 8, 24)
    assert first.frozen and first.ty == core.TypeSchema("int") and first.c_init
    method = next(m for m in info.methods if m.name == "sum")
    assert not method.is_static and "type_schema" in method.metadata
    assert core._type_index_to_type_info(info.type_index) is info
    assert core._lookup_or_register_type_info_from_type_key("testing.TestIntPair") is info
    assert IntPair.__tvm_ffi_type_info__ is info
    with pytest.raises(ValueError):
        core._lookup_or_register_type_info_from_type_key("no.such.type")
    with pytest.raises(ValueError):
        core._type_record(100)
    with pytest.raises(ValueError):
        core._type_record(1 << 30)
    assert str(inspect.signature(IntPair.sum)) == "(self: 'testing.TestIntPair', /) -> 'int'"


def test_generated_constructor():
    assert repr(AutoInit(1, c=5, d=7)) == "testing.TestCxxAutoInit(a=1, b=42, c=5, d=7)"
    assert AutoInit(a=1, c=2).d == 99
    assert AutoInit(1, c=2, d=core.MISSING).d == 99
    with pytest.raises(TypeError, match="missing required argument: 'a'"):
        AutoInit()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        AutoInit(1, c=2, z=3)
    with pytest.raises(TypeError, match="field 'a'"):
        AutoInit("x", c=1)
    with pytest.raises(TypeError, match="positional"):
        KwOnly(1, 2, 3)
    assert KwOnly(x=1, y=2, z=3).w == 100


def test_constructor_belongs_to_its_type():
    with pytest.raises(TypeError):
        IntPair.__ffi_init__(AutoInit(1, c=2), 1, 2)
    with pytest.raises(TypeError):
        IntPair.__ffi_init__(3, 1, 2)

    class Sub(IntPair):
        pass

    assert Sub(1, 2).sum() == 3


def test_types_without_constructor():
    @tvm_ffi.register_object("testing.TestCxxNoAutoInit")
    class Visitor(tvm_ffi.Object):
        pass

    with pytest.raises(TypeError, match="`Visitor` cannot be constructed directly"):
        Visitor()


def test_register_object_forms():
    with pytest.raises(ValueError, match=r"Cannot find object type index for no\.such\.key"):

        @tvm_ffi.register_object("no.such.key")
        class Missing(tvm_ffi.Object):
            pass

    with pytest.raises(TypeError, match="type_key must be a string, type, or None"):
        tvm_ffi.register_object(3)

    @tvm_ffi.register_object("testing.TestIntPair")
    class Again(tvm_ffi.Object):
        pass

    try:
        assert type(tvm_ffi.convert(lambda x: x)(IntPair(1, 2))) is Again
    finally:
        tvm_ffi.register_object("testing.TestIntPair")(IntPair)


def test_fallback_classes():
    value = tvm_ffi.get_global_func("testing.make_unregistered_object")()
    cls = type(value)
    assert (cls.__name__, cls.__qualname__, cls.__module__) == (
        "TestUnregisteredObject",
        "testing.TestUnregisteredObject",
        "testing",
    )
    assert cls.__mro__[1].__name__ == "TestUnregisteredBaseObject"
    assert (value.v1, value.v2) == (41, 42)
    assert value.get_v1_plus_one() == 42 and value.get_v2_plus_two() == 44


def test_identity():
    pair = IntPair(1, 2)
    same = tvm_ffi.convert(lambda x: x)(pair)
    assert same == pair and same.same_as(pair) and pair.is_(same)
    assert hash(same) == hash(pair) and same.id_ == pair.__chandle__()
    assert pair != IntPair(1, 2) and pair != 3
    assert pair.__ctypes_handle__().value == pair.id_


def test_empty_wrappers_raise():
    empty = tvm_ffi.Object()
    assert empty.__chandle__() == 0 and "chandle=None" in repr(empty)
    with pytest.raises(ValueError, match="holds no object"):
        tvm_ffi.convert(lambda x: x)(empty)
    with pytest.raises(ValueError):
        IntPair.a.fget(IntPair.__new__(IntPair))
    with pytest.raises(TypeError):
        tvm_ffi.Object(1)


def test_move():
    count = tvm_ffi.get_global_func("testing.object_use_count")
    pair = IntPair(1, 2)
    assert count(pair) >= 1
    kept = tvm_ffi.convert(lambda x: x)(pair._move())
    assert kept.sum() == 3 and pair.__chandle__() == 0
    with pytest.raises(ValueError, match="holds no object"):
        tvm_ffi.convert(lambda x: x)(pair._move())
    with pytest.raises(ValueError):
        _ = pair.a
    target = IntPair.__new__(IntPair)
    target.__move_handle_from__(kept)
    assert target.a == 1 and kept.__chandle__() == 0


def test_pickle_and_copy():
    value = AutoInit(1, c=2)
    again = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value) and not again.same_as(value)
    assert repr(copy.deepcopy(tvm_ffi.Array([value]))[0]) == repr(value)
    assert pickle.loads(pickle.dumps(tvm_ffi.Array([1, "a"]))) == [1, "a"]
    assert pickle.loads(pickle.dumps(tvm_ffi.Map({"a": [1]}))) == {"a": [1]}


def test_sentinels():
    assert repr(core.MISSING) == "<MISSING>" and repr(core.KWARGS) == "<KWARGS>"
    assert tvm_ffi.convert(lambda x: x)(core.MISSING).same_as(core.MISSING)


def test_weak_references():
    pair = IntPair(1, 2)
    ref = weakref.ref(pair)
    assert ref() is pair
    del pair
    assert ref() is None


def test_cycles_through_fields_are_collected():
    class Witness:
        pass

    @tvm_ffi.register_object("testing.TestCxxClassBase")
    class WithDict(tvm_ffi.Object):
        __slots__ = ("__dict__",)

    def make():
        interrupt = tvm_ffi.get_global_func("ffi.VisitInterrupt")
        witness = Witness()
        witness.object = interrupt([lambda: witness])
        return weakref.ref(witness)

    ref = make()
    gc.collect()
    assert ref() is None


def test_opaque_objects():
    class Plain:
        pass

    value = Plain()
    opaque = tvm_ffi.convert(value)
    assert isinstance(opaque, core.OpaquePyObject) and opaque.pyobject() is value
    assert tvm_ffi.convert(lambda x: x)(opaque) is value


def test_convert():
    convert = tvm_ffi.convert
    assert isinstance(convert([1]), tvm_ffi.Array) and isinstance(convert({}), tvm_ffi.Map)
    assert isinstance(convert("a"), core.String) and isinstance(convert(b"a"), core.Bytes)
    assert isinstance(convert(bytearray(b"a")), core.Bytes)
    assert isinstance(convert(len), tvm_ffi.Function)
    assert isinstance(convert(ValueError("x")), core.Error)
    assert convert(None) is None and convert(3) == 3 and convert(True) is True
    pair = IntPair(1, 2)
    assert convert(pair) is pair

    class Convertible(tvm_ffi.ObjectConvertible):
        def asobject(self):
            return pair

    assert convert(Convertible()) is pair
    assert tvm_ffi.convert(lambda x: x)(Convertible()).same_as(pair)
    with pytest.raises(NotImplementedError):
        tvm_ffi.convert(lambda x: x)(tvm_ffi.ObjectConvertible())


def test_any():
    assert core.CAny(3).type_index == 1 and repr(core.CAny(3)) == "CAny(int=3)"
    assert repr(core.CAny()) == "CAny(None)"
    assert repr(core.CAny([1])) == "CAny(object, type_index=71)"
    assert core._to_py_class_value(core.CAny([1])) == [1]


def test_registered_keys():
    keys = tvm_ffi.registry.get_registered_type_keys()
    assert "ffi.Array" in keys and "testing.TestIntPair" in keys


def test_init_ffi_api():
    module = type(sys)("test_object_api")
    sys.modules["test_object_api"] = module
    try:
        tvm_ffi.init_ffi_api("testing", "test_object_api")
        assert module.add_one(1) == 2 and module.add_one.__name__ == "add_one"
        with pytest.raises(KeyError):
            tvm_ffi.init_ffi_api("testing", "no_such_module_here")
    finally:
        del sys.modules["test_object_api"]


def test_a_reference_that_is_never_null_refuses_none() -> None:
    total = tvm_ffi.get_global_func("testing.TestIntPairSum")
    assert total(IntPair(2, 3)) == 5
    with pytest.raises(TypeError, match=r"Expected `testing\.TestIntPair` but got `None`"):
        total(None)
