# SPDX-License-Identifier: Apache-2.0
"""Hooks that change what a walk of native code is walking over: a sane end, never freed memory."""

from __future__ import annotations

import copy
import importlib
import json
import threading
import typing

import pytest
import tvm_ffi
from tvm_ffi import structural
from tvm_ffi.dataclasses import py_class

importlib.import_module("native_testing")

MOST = 500

actions: list[typing.Callable[[], None]] = []


def act() -> None:
    """Runs the change once; what it does may lead back here."""
    if actions:
        action = actions.pop()
        action()
        actions.append(action)


@py_class("test_changes_by_hooks.Hooked", structural_eq="tree")
class Hooked(tvm_ffi.Object):
    """Every hook of it makes a change first."""

    x: int

    def __ffi_repr__(self, fn_repr):
        act()
        return f"Hooked({self.x})"

    def __ffi_hash__(self, fn_hash):
        act()
        return fn_hash(self.x)

    def __ffi_eq__(self, other, fn_eq):
        act()
        return fn_eq(self.x, other.x)

    def __ffi_compare__(self, other, fn_compare):
        act()
        return fn_compare(self.x, other.x)

    def __s_equal__(self, other, fn_equal):
        act()
        return fn_equal(self.x, other.x, False, "x")

    def __s_hash__(self, init, fn_hash):
        act()
        return fn_hash(self.x, init, False)

    def __s_visit__(self, visitor):
        act()

    def __ffi_shallow_copy__(self):
        act()
        return Hooked(self.x)

    def __any_hash__(self):
        act()
        return self.x

    def __any_equal__(self, other):
        act()
        return self.x == other.x


@py_class("test_changes_by_hooks.Holder", structural_eq="tree")
class Holder(tvm_ffi.Object):
    first: typing.Any
    rest: typing.Any


@pytest.fixture(autouse=True)
def no_actions():
    actions.clear()
    yield
    actions.clear()


def text(i: int) -> str:
    return f"a text that lies on the heap {i}"


def new_list(count: int = 6) -> tvm_ffi.List:
    return tvm_ffi.List([v for i in range(count) for v in (Hooked(i), tvm_ffi.List([text(i)]))])


def new_dict(count: int, hooked_keys: bool) -> tvm_ffi.Dict:
    keys = [Hooked(i) if hooked_keys else text(i) for i in range(count)]
    return tvm_ffi.Dict({k: [Hooked(i), text(i)] for i, k in enumerate(keys)})


def walks(root, other):
    """Each walk, with a look at what it gives."""

    def is_bool(value):
        assert isinstance(value, bool)

    def compare():
        try:
            is_bool(tvm_ffi._ffi_api.RecursiveLt(root, other))
        except TypeError as error:
            assert "Cannot order" in str(error) or "Cannot compare" in str(error)

    def json_graph():
        try:
            assert json.loads(tvm_ffi.serialization.to_json_graph_str(root))["nodes"]
        except TypeError as error:
            assert "ToJSONGraph" in str(error)

    seen = []
    kinds = structural
    return {
        "repr": lambda: is_str(repr(root)),
        "deepcopy": lambda: is_str(str(type(copy.deepcopy(root)))),
        "hash": lambda: is_int(tvm_ffi._ffi_api.RecursiveHash(root)),
        "eq": lambda: is_bool(tvm_ffi._ffi_api.RecursiveEq(root, other)),
        "compare": compare,
        "==": lambda: is_bool(root == other),
        "structural_equal": lambda: is_bool(kinds.structural_equal(root, other)),
        "mismatch": lambda: kinds.get_first_structural_mismatch(root, other),
        "structural_hash": lambda: is_int(kinds.structural_hash(root)),
        "walk": lambda: kinds.structural_walk(root, (Hooked, lambda v: (act(), None)[1])),
        "visit": lambda: kinds.structural_walk(root, (str, lambda v: seen.append(act()))),
        "map": lambda: kinds.structural_map(root, (str, changed_text)),
        "map pre": lambda: kinds.structural_map(root, (str, changed_text), order="pre"),
        "map ints": lambda: kinds.structural_map(root, (int, lambda v: (act(), v + 1)[1])),
        "json": json_graph,
    }


def is_str(value):
    assert isinstance(value, str)


def is_int(value):
    assert isinstance(value, int)


def changed_text(value):
    act()
    return value + "!"


WALKS = list(walks(None, None))


def list_changes(target):
    def rotate():
        target.append(target.pop(0))

    def replace():
        for i in range(len(target)):
            target[i] = text(i)

    def grow():
        if len(target) < MOST:  # every new element brings more
            for i in range(50):
                target.append(Hooked(i))

    return {
        "clear": target.clear,
        "pop": lambda: target.pop() if len(target) else None,
        "grow": grow,
        "append": lambda: target.append(Hooked(1)),
        "replace": replace,
        "rotate": lambda: rotate() if len(target) else None,
    }


def dict_changes(target):
    fresh = iter(range(100, 10**9))

    def replace():
        for key in list(target):
            target[key] = text(1)

    def swap():
        """As many entries as before, and another one among them."""
        if len(target):
            target.popitem()
            target[text(next(fresh))] = [text(2)]

    def move_to_end():
        if len(target):
            key = next(iter(target))
            target[key] = target[key]

    def grow():
        if len(target) < MOST:
            for _ in range(50):
                target[text(next(fresh))] = text(3)

    return {
        "clear": target.clear,
        "pop": lambda: target.popitem() if len(target) else None,
        "grow": grow,
        "replace": replace,
        "swap": swap,
        "move": move_to_end,
    }


def check(walk) -> None:
    try:
        walk()
    except RuntimeError as error:
        assert "changed" in str(error)


@pytest.mark.parametrize("change", ["clear", "pop", "grow", "append", "replace", "rotate"])
@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("nested", [False, True])
def test_list(name, change, nested):
    target, other = new_list(), new_list()
    root = Holder(target, tvm_ffi.Array([target])) if nested else target
    like = Holder(other, tvm_ffi.Array([other])) if nested else other
    for changed in (target, other):
        actions[:] = [list_changes(changed)[change]]
        check(walks(root, like)[name])
        actions.clear()
        assert len(list(changed)) == len(changed)


@pytest.mark.parametrize("change", ["clear", "pop", "grow", "replace", "swap", "move"])
@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("count", [2, 4, 5, 20])
@pytest.mark.parametrize("hooked_keys", [False, True])
def test_dict(name, change, count, hooked_keys):
    target, other = new_dict(count, hooked_keys), new_dict(count, hooked_keys)
    for changed in (target, other):
        actions[:] = [dict_changes(changed)[change]]
        check(walks(target, other)[name])
        actions.clear()
        assert len(list(changed)) == len(changed)


@pytest.mark.parametrize("name", WALKS)
def test_field(name):
    root, like = Holder(Hooked(1), [text(1)]), Holder(Hooked(1), [text(1)])
    for changed in (root, like):

        def reassign(changed=changed):
            changed.first = [text(2)]
            changed.rest = Hooked(3)

        actions[:] = [reassign]
        check(walks(root, like)[name])
        actions.clear()
        assert changed.rest is not None


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_within_a_walk(name):
    target, other = new_list(), new_list()

    def again():
        actions.clear()
        for inner in walks(target, other).values():
            check(inner)
        if len(target):
            target.pop()

    actions[:] = [again]
    check(walks(target, other)[name])


@pytest.mark.parametrize("kind", ["ArrayContains", "ListContains", "in"])
def test_contains(kind):
    target = tvm_ffi.List([Hooked(i) for i in range(5)])
    actions[:] = [target.clear]
    wanted = Hooked(9)
    if kind == "in":
        assert wanted not in target
    elif kind == "ListContains":
        assert not tvm_ffi.get_global_func("ffi.ListContains")(target, wanted)
    else:
        array = tvm_ffi.Array([Hooked(i) for i in range(5)])
        assert not tvm_ffi.get_global_func("ffi.ArrayContains")(array, wanted)


def test_conversion_of_a_field_reads_a_list_that_a_key_changes():
    @py_class("test_changes_by_hooks.Typed")
    class Typed(tvm_ffi.Object):
        maps: tvm_ffi.Array[tvm_ffi.Map[typing.Any, float]]

    target = tvm_ffi.List([{Hooked(i): i, Hooked(i + 9): i} for i in range(5)])
    actions[:] = [target.clear]
    made = Typed(target)
    actions.clear()
    assert all(isinstance(value, float) for part in made.maps for value in part.values())


class Held:
    """Makes the change when it dies."""

    def __del__(self):
        act()


@pytest.mark.parametrize("name", WALKS)
def test_what_dies_during_a_walk(name):
    target = tvm_ffi.List([Hooked(1), Held(), [Held()], text(1)])
    other = tvm_ffi.List([Hooked(1), Held(), [Held()], text(1)])

    def change():
        for changed in (target, other):
            changed.clear()
            changed.extend([Hooked(2), Held(), text(2)])

    actions[:] = [change]
    try:
        walks(target, other)[name]()
    except (TypeError, RuntimeError) as error:
        # Opaque values have no copy and no structure.
        told = ("changed", "Cannot deep copy", "Type metadata is not set", "__ffi_shallow_copy__")
        assert any(part in str(error) for part in told), error
    actions.clear()


def test_functions_of_hooks_belong_to_their_thread():
    results = []

    @py_class("test_changes_by_hooks.Giver")
    class Giver(tvm_ffi.Object):
        x: int

        def __ffi_repr__(self, fn_repr):
            def call():
                try:
                    results.append(fn_repr(self.x))
                except RuntimeError as error:
                    results.append(str(error))

            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
            return fn_repr(self.x)

    assert repr(Giver(3)) == "3"
    assert results == ["The printing function of __ffi_repr__ was called on another thread"]


def test_visitors_serve_one_thread_at_a_time():
    results = []

    def visit(value, visitor):
        def call():
            try:
                results.append(visitor.visit(1))
            except RuntimeError as error:
                results.append(str(error))

        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        return None

    structural.structural_visit(tvm_ffi.Array([1]), (tvm_ffi.Array, visit))
    assert results == ["The visitor is in use by another thread"]
