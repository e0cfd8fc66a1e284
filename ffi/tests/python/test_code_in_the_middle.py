# SPDX-License-Identifier: Apache-2.0
"""Python code that runs in the middle of an operation and takes away what the operation works on:
the dict of a function, the state that is set, the object of another wrapper, elements that are
compared. And attributes that give another object each time they are read."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import pytest
import tvm_ffi
import tvm_ffi.testing  # loads the functions named testing.*
from tvm_ffi import core
from tvm_ffi import dataclasses as dc

echo = tvm_ffi.get_global_func("testing.echo")
make_array = tvm_ffi.get_global_func("ffi.Array")


@dc.py_class("test_middle.Node")
class Node(dc.Object):
    value: int


class Same:
    """A key that collides with ``name`` and runs ``act`` when it is compared."""

    def __init__(self, name, act):
        self.name, self.act = name, act

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        self.act()
        return False


def test_function_gets_another_dict_while_an_attribute_is_looked_up():
    def named():
        return 1

    function = tvm_ffi.convert(named)

    def reset():
        function.__dict__ = {}

    function.__dict__ = {Same("__name__", reset): 1}
    assert function.__name__ == "named" and function.__dict__ == {}
    function.__dict__ = {Same("__name__", reset): 1}
    function.__name__ = "other"
    assert function.__dict__ == {}
    function.__dict__ = {Same("__name__", reset): 1}
    with pytest.raises(AttributeError, match="__name__ is not set"):
        del function.__name__


def test_state_is_emptied_while_it_is_set():
    class Listed(tvm_ffi.List):
        __slots__ = ("__dict__",)

    state: dict[str, Any] = {}

    class Attributes:
        def keys(self):
            state.clear()
            gc.collect()
            return ["seen"]

        def __getitem__(self, key):
            return 5

    state["handle"] = "".join(list(Listed([1, "some text"]).__getstate__()["handle"]))
    state["__dict__"] = Attributes()
    restored = Listed([2])
    restored.__setstate__(state)
    assert list(restored) == [1, "some text"] and restored.seen == 5 and state == {}


def test_other_wrapper_is_emptied_while_its_object_is_checked():
    other = tvm_ffi.Array([1, "some text"])

    class Meddling(tvm_ffi.Array):
        def __getattribute__(self, name):
            if name == "__tvm_ffi_type_info__":
                other.__setstate__({"handle": None})
                gc.collect()
            return super().__getattribute__(name)

    wrapper = core._new_object(Meddling)
    with pytest.raises(RuntimeError, match="Array got another object while it was moved"):
        wrapper.__move_handle_from__(other)
    assert wrapper.__chandle__() == 0


def test_compared_lists_are_emptied_by_their_elements():
    lists = []

    @dc.py_class("test_middle.Emptying")
    class Emptying(dc.Object):
        value: int

        def __ffi_eq__(self, other, equal):
            for values in lists:
                values.clear()
            gc.collect()
            return True

    def fill():
        inner = tvm_ffi.List([Emptying(1), "a text in the list"])
        return tvm_ffi.List([[Emptying(2), "a text inside"], inner, "another text", Emptying(3)])

    lists += [fill(), fill()]
    assert lists[0] == lists[1]
    assert not lists[0] and not lists[1]


def test_compared_mapping_is_changed_by_its_keys():
    changed = []

    @dc.py_class("test_middle.Key")
    class Key(dc.Object):
        value: int

        def __any_hash__(self):
            return self.value

        def __any_equal__(self, other):
            for values in changed:
                values.clear()
            gc.collect()
            return self.value == other.value

    left = tvm_ffi.Dict({Key(i): ["a value of some length", i] for i in range(3)})
    right = tvm_ffi.Dict({Key(i): ["a value of some length", i] for i in range(3)})
    changed.append(left)
    with pytest.raises(RuntimeError, match="a mapping changed size during comparison"):
        left == right  # noqa: B015


def test_exception_gives_a_new_error_each_time():
    class Fresh(Exception):
        @property
        def __tvm_ffi_error__(self):
            return core.Error("ValueError", "made anew", "")

    def fail():
        raise Fresh("raised")

    function = tvm_ffi.convert(fail)
    for _ in range(3):
        with pytest.raises(ValueError, match="made anew"):
            function()
    assert core._convert_to_ffi_error(Fresh("x")).message == "made anew"


def test_metaclass_of_an_exception_changes_its_bases():
    class Meta(type):
        def __hash__(cls):
            if cls.__name__ == "Changing" and len(cls.__bases__) == 1:
                cls.__bases__ = (Exception, Mixin)
                gc.collect()
            return type.__hash__(cls)

    class Mixin:
        pass

    class Base(ValueError):
        pass

    class Changing(Base, metaclass=Meta):
        pass

    assert core._convert_to_ffi_error(Changing("text")).message == "text"


@pytest.mark.parametrize("result", [b"", "no", None, b"x" * 3])
def test_big_integers_of_a_class_with_its_own_bytes(result):
    class Strange(int):
        def to_bytes(self, *args, **kwargs):
            return result

    assert echo(Strange(2**80 + 3)) == 2**80 + 3
    assert echo(Strange(-(2**80))) == -(2**80)


def test_property_is_initialised_anew_while_it_writes():
    node = Node(1)
    field = Node.__dict__["value"]
    made = core.FFIProperty(field.fget, field.fset, False)

    class Meddler:
        def __tvm_ffi_value__(self):
            made.__init__(None, None, False)
            gc.collect()
            return 7

    made.set(node, Meddler())
    assert node.value == 7


# ---- wrappers whose object is of another type ----------------------------------------------------


@pytest.mark.parametrize("cls", [tvm_ffi.Function, tvm_ffi.Tensor])
def test_functions_and_tensors_hold_nothing_else(cls):
    class Derived(cls):
        __tvm_ffi_type_info__ = tvm_ffi.Array.__tvm_ffi_type_info__

    array = tvm_ffi.Array([1, 2])
    for made in (core._new_object(cls), core._new_object(Derived)):
        with pytest.raises(TypeError, match=r"an object of type `ffi\.Array` is no"):
            made.__init_handle_by_constructor__(make_array, 1, 2)
        with pytest.raises(TypeError, match=r"`ffi\.Array`"):
            made.__move_handle_from__(array)
        with pytest.raises(TypeError, match=r"`ffi\.Array`"):
            made.__setstate__(array.__getstate__())
        with pytest.raises(TypeError, match=r"an object of type `ffi\.Array` is no"):
            core._Constructor(make_array, "__ffi_init__", "T.__ffi_init__")(made, 1, 2)
        assert made.__chandle__() == 0
    assert list(array) == [1, 2]


@pytest.mark.parametrize("base", [tvm_ffi.Function, tvm_ffi.Tensor])
def test_classes_of_functions_and_tensors_are_for_those_alone(base):
    made = tvm_ffi.testing.make_unregistered_object()  # of a native type without a class of its own
    index = core.CAny(made).type_index
    key = core._type_index_to_type_info(index).type_key
    cls = type("Derived", (base,), {})
    with pytest.raises((TypeError, ValueError)):
        tvm_ffi.register_object(key)(cls)
    with pytest.raises(
        TypeError, match=rf"Derived can't be the class of type index {index}: it is"
    ):
        core._set_class(index, cls)
    assert type(tvm_ffi.testing.make_unregistered_object()) is type(made)


def test_error_without_an_error():
    error = core._new_object(core.Error)
    error.__init_handle_by_constructor__(make_array, 1, 2)
    assigned = core._convert_to_opaque_object(5)
    assigned.__class__ = core.Error
    for wrong in (error, assigned):
        for use in (
            lambda wrong: wrong.kind,
            lambda wrong: wrong.message,
            lambda wrong: wrong.backtrace,
            lambda wrong: wrong.extra_context,
            lambda wrong: wrong.update_backtrace(""),
            lambda wrong: wrong.py_error(),
            lambda wrong: wrong.__reduce__(),
        ):
            with pytest.raises(TypeError, match="holds no error"):
                use(wrong)

        def fail(wrong=wrong):
            exception = ValueError("raised")
            exception.__tvm_ffi_error__ = wrong
            raise exception

        with pytest.raises(ValueError, match="raised"):
            tvm_ffi.convert(fail)()


def test_opaque_object_without_one():
    opaque = core._new_object(core.OpaquePyObject)
    opaque.__init_handle_by_constructor__(make_array, 1, 2)
    with pytest.raises(TypeError, match="holds no Python object"):
        opaque.pyobject()


# ---- methods -------------------------------------------------------------------------------------


def test_names_of_methods_are_texts():
    constructor = core._Constructor(make_array, "__ffi_init__", "Some.__ffi_init__")
    for name in ("__name__", "__qualname__"):
        with pytest.raises(TypeError, match="the name of a method must be a str"):
            setattr(constructor, name, 5)
        with pytest.raises(TypeError, match="the name of a method must be a str"):
            delattr(constructor, name)
    constructor.__qualname__ = "Other.__ffi_init__"
    assert repr(constructor) == "<native method Other.__ffi_init__>"
    with pytest.raises(RuntimeError, match=r"Other\.__ffi_init__ is initialised already"):
        constructor.__init__(echo, "a", "b")
    assert constructor.__func__ is make_array
    empty = core._Method.__new__(core._Method)
    assert empty.__name__ is None and "native method" in repr(empty)
    with pytest.raises(TypeError):
        empty(1)


# ---- cycles --------------------------------------------------------------------------------------


class Payload:
    pass


def through_iterator(payload):
    values = tvm_ffi.List([payload])
    values.append(iter(values))


def through_reversed(payload):
    values = tvm_ffi.List([payload])
    values.append(reversed(values))


def through_items(payload):
    values = tvm_ffi.Dict({1: payload})
    values[2] = iter(values.items())


def through_any(payload):
    values = tvm_ffi.List([payload])
    values.append(core.CAny(values))


@pytest.mark.parametrize("make", [through_iterator, through_reversed, through_items, through_any])
def test_cycles_are_collected(make):
    payload = Payload()
    gone = weakref.ref(payload)
    make(payload)
    del payload
    gc.collect()
    gc.collect()
    assert gone() is None


# ---- the end of the interpreter ------------------------------------------------------------------

AT_EXIT = """
import atexit


@atexit.register
def last():
    function = tvm_ffi.convert(lambda x: x + 1)
    assert function(1) == 2
    node.values = [1.5, 2]
    print(list(node.values), repr(kept), tvm_ffi.structural_map(kept, (int, lambda x: x + 1)))


import tvm_ffi
import tvm_ffi.dataclasses as dc


@dc.py_class("test_middle.AtExit")
class AtExit(dc.Object):
    values: "list[float]"


node = AtExit([1])
kept = tvm_ffi.List([1, 2])
"""


def test_handlers_registered_before_the_import_still_call_python():
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout == "[1.5, 2.0] [1, 2] [2, 3]\n"
