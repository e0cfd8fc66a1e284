# SPDX-License-Identifier: Apache-2.0
"""Reference cycles through Python objects, wrappers and native objects are collected."""

from __future__ import annotations

import copy
import gc
import importlib
import os
import subprocess
import sys
import typing
import weakref
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.testing  # loads the functions named testing.*
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm_ffi import dataclasses as dc

sys.path.insert(0, str(Path(__file__).parent))
interpreter = importlib.import_module("interpreter")


class Witness:
    """A Python object that native containers hold; it dies with them."""


@dc.py_class("test_cycles.Node")
class Node(tvm_ffi.Object):
    value: typing.Any = None
    items: typing.Optional[tvm_ffi.List] = None  # noqa: UP045


def list_in_itself(witness):
    values = tvm_ffi.List([witness])
    values.append(values)


def list_through_an_array(witness):
    values = tvm_ffi.List([witness])
    values.append([1, {"key": values}])


def list_by_each_change(witness):
    values = tvm_ffi.List([0, witness, 2])
    values[0] = values
    values.insert(0, values)
    values.extend([values])
    values[1:2] = [values]


def dict_in_itself(witness):
    table = tvm_ffi.Dict({"witness": witness})
    table["self"] = table


def dict_by_update(witness):
    table = tvm_ffi.Dict({"witness": witness})
    table.update(self=table)
    table.setdefault("again", [table])


def two_lists(witness):
    left = tvm_ffi.List([witness])
    right = tvm_ffi.List([left])
    left.append(right)


def node_in_its_own_field(witness):
    node = Node()
    node.value = [witness, node]


def nodes_in_a_ring(witness):
    first = last = Node(witness)
    for _ in range(5):
        last = Node(last, tvm_ffi.List())
    first.value = [first.value, last]


def node_in_its_list(witness):
    node = Node(witness, tvm_ffi.List())
    node.items.append(node)


def attribute_of_a_list_element(witness):
    values = tvm_ffi.List([witness])
    witness.values = values


def attribute_and_self(witness):
    values = tvm_ffi.List([witness])
    values.append(values)
    witness.values = values


def closure_in_a_field(witness):
    node = Node()
    node.value = lambda: (node, witness)


def closure_in_a_function(witness):
    cell = []
    function = tvm_ffi.convert(lambda: (cell, witness))
    cell.append(function)


def attribute_of_a_function(witness):
    function = tvm_ffi.convert(lambda: witness)
    function.itself = function


def opaque_object(witness):
    witness.opaque = tvm_ffi.convert(witness)


def shared_inside(witness):
    leaf = tvm_ffi.Array([witness])
    values = tvm_ffi.List([leaf, [leaf], leaf])
    del leaf
    witness.values = values


def python_subclass_with_a_dict(witness):
    class Noted(Node):
        __slots__ = ("__dict__",)

    node = Noted()
    node.extra = [node, witness]


def bound_method_as_callback(witness):
    class Owner:
        def __init__(self):
            self.witness = witness
            self.hooks = tvm_ffi.List()
            self.hooks.append(self.run)

        def run(self):
            return self.witness

    Owner()


def name_of(make):
    return make.__name__


CASES = [
    list_in_itself,
    list_through_an_array,
    list_by_each_change,
    dict_in_itself,
    dict_by_update,
    two_lists,
    node_in_its_own_field,
    nodes_in_a_ring,
    node_in_its_list,
    attribute_of_a_list_element,
    attribute_and_self,
    closure_in_a_field,
    closure_in_a_function,
    attribute_of_a_function,
    opaque_object,
    shared_inside,
    python_subclass_with_a_dict,
    pytest.param(
        bound_method_as_callback,
        marks=interpreter.classes_may_die,
        id="bound_method_as_callback",
    ),
]


@pytest.fixture(autouse=True, scope="module")
def only_young_objects():
    """The many collections of this file leave out what exists already."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def collect():
    # What a first pass frees may lead to more.
    for _ in range(3):
        gc.collect()


@pytest.mark.parametrize("make", CASES, ids=name_of)
def test_collected(make):
    witness = Witness()
    alive = weakref.ref(witness)
    make(witness)
    del witness
    collect()
    assert alive() is None


@pytest.mark.parametrize("make", CASES, ids=name_of)
def test_not_collected_while_the_witness_is_held(make):
    witness = Witness()
    make(witness)
    collect()
    values = getattr(witness, "values", None)
    if values is not None:
        assert len(values) >= 1
    alone = Witness()  # since CPython 3.14 the argument of the call counts no more
    assert sys.getrefcount(witness) >= sys.getrefcount(alone)


def test_live_cycles_keep_their_content():
    values = tvm_ffi.List([Witness()])
    values.append(values)
    node = Node(1, tvm_ffi.List([values]))
    node.items.append(node)
    table = tvm_ffi.Dict({"node": node})
    node.value = table
    collect()
    assert isinstance(values[0], Witness) and values[1].same_as(values)
    assert node.items[1].same_as(node) and node.value["node"].same_as(node)


def test_a_cycle_that_another_object_holds_lives():
    inner = tvm_ffi.List([Witness()])
    inner.append(inner)
    outer = tvm_ffi.Array([inner])
    del inner
    collect()
    assert isinstance(outer[0][0], Witness)
    alive = weakref.ref(outer[0][0])
    del outer
    collect()
    assert alive() is None


def test_destructors_run_and_may_use_the_library():
    log = []

    class Loud:
        def __del__(self):
            log.append(tvm_ffi.Array([1, 2])[1])
            gc.collect()

    def make():
        values = tvm_ffi.List([Loud(), Loud()])
        values.append(values)

    make()
    collect()
    assert log == [2, 2]


def test_long_chains_are_walked_without_recursion():
    witness = Witness()
    alive = weakref.ref(witness)
    first = tvm_ffi.List([witness])
    last = first
    for _ in range(200_000):
        last = tvm_ffi.List([last])
    first.append(last)
    del witness, first, last
    collect()
    assert alive() is None


def test_changed_containers_take_no_memory_after_their_death():
    """Containers are remembered weakly; dead ones give their memory back without a collection."""
    program = """
import gc, resource, tvm_ffi
gc.disable()
def run(n):
    for _ in range(n):
        tvm_ffi.List().append([1])
run(20_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run(200_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    if os.name == "nt":
        pytest.skip("needs the resource module of POSIX systems")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    # Every dead List that stayed would add 64 bytes: 12 MiB.
    assert int(done.stdout) < 4096


def new_node(kind, witness):
    if kind == "list":
        return tvm_ffi.List([witness])
    if kind == "dict":
        return tvm_ffi.Dict({"witness": witness})
    return Node([witness], tvm_ffi.List())


def add_edge(source, target, number):
    if isinstance(source, tvm_ffi.List):
        source.append(target if number % 2 else [target, (target,)])
    elif isinstance(source, tvm_ffi.Dict):
        source[f"edge {number}"] = target
    else:
        source.items.append(target)


def reachable(roots, edges):
    seen = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [target for source, target in edges if source == node]
    return seen


KINDS = st.lists(st.sampled_from(["list", "dict", "node"]), min_size=1, max_size=8)
PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16)


@settings(max_examples=60, deadline=None)
@given(KINDS, PAIRS, st.sets(st.integers(0, 7)))
def test_any_graph_of_native_objects(kinds, pairs, kept):
    size = len(kinds)
    edges = [(a % size, b % size) for a, b in pairs]
    kept = {k % size for k in kept}
    witnesses = [Witness() for _ in kinds]
    alive = [weakref.ref(witness) for witness in witnesses]
    nodes = [new_node(kind, witness) for kind, witness in zip(kinds, witnesses)]
    del witnesses
    for number, (source, target) in enumerate(edges):
        add_edge(nodes[source], nodes[target], number)
    held = [nodes[k] for k in sorted(kept)]
    del nodes
    collect()
    expected = reachable(kept, edges)
    assert {i for i, ref in enumerate(alive) if ref() is not None} == expected
    del held
    collect()
    assert [ref() for ref in alive] == [None] * size


@settings(max_examples=60, deadline=None)
@given(KINDS, PAIRS, st.sets(st.integers(0, 7)), st.lists(st.integers(0, 7), max_size=8))
def test_nothing_that_is_reachable_is_lost(kinds, pairs, kept, back):
    """With references from the Python objects back to the native ones."""
    size = len(kinds)
    edges = [(a % size, b % size) for a, b in pairs]
    kept = {k % size for k in kept}
    witnesses = [Witness() for _ in kinds]
    alive = [weakref.ref(witness) for witness in witnesses]
    nodes = [new_node(kind, witness) for kind, witness in zip(kinds, witnesses)]
    for number, (source, target) in enumerate(edges):
        add_edge(nodes[source], nodes[target], number)
    for number, target in enumerate(back[:size]):
        witnesses[number].back = nodes[target % size]
    edges += [(i, target % size) for i, target in enumerate(back[:size])]
    held = [nodes[k] for k in sorted(kept)]
    del nodes, witnesses
    collect()
    living = {i for i, ref in enumerate(alive) if ref() is not None}
    assert living >= reachable(kept, edges)
    for i in reachable(kept, edges):
        back_edge = getattr(alive[i](), "back", None)
        assert back_edge is None or back_edge.__chandle__() != 0
    del held


@dc.py_class("test_cycles.WithAttributes")
class WithAttributes(tvm_ffi.Object):
    value: typing.Any = None

    __slots__ = ("__dict__",)

    def method(self):
        return self.value


class OwnDevice(tvm_ffi.Device):
    pass


class OwnString(tvm_ffi.core.String):
    pass


def with_attribute(holder, owner):
    holder.owner = owner
    return holder


def error_that_holds(owner):
    def fail():
        raise ValueError(owner)

    try:
        tvm_ffi.convert(fail)()
    except ValueError as error:
        return error


@pytest.mark.parametrize(
    "hold",
    [
        lambda owner: owner._move(),
        lambda owner: tvm_ffi.List([owner]),
        lambda owner: tvm_ffi.Map({"k": owner}).items(),
        lambda owner: iter(tvm_ffi.List([owner])),
        lambda owner: tvm_ffi.core.CAny([owner]),
        lambda owner: tvm_ffi.convert(lambda: owner),
        lambda owner: owner.method,
        lambda owner: with_attribute(tvm_ffi.convert(len), owner),
        lambda owner: with_attribute(OwnDevice("cpu"), owner),
        lambda owner: with_attribute(OwnString("text"), owner),
        lambda owner: with_attribute(tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), 0), owner),
        error_that_holds,
    ],
)
def test_cycles_through_attributes(hold):
    owner = WithAttributes()
    owner.held = hold(owner)
    ref = weakref.ref(owner)
    del owner
    for _ in range(3):
        gc.collect()
    assert ref() is None


def cyclic_list(text):
    values = tvm_ffi.List([text])
    values.append(values)
    return values


def cyclic_dict_in_an_array(text):
    values = tvm_ffi.Dict({1: text})
    values[2] = tvm_ffi.List([values])
    return tvm_ffi.Array([values])


def cyclic_node(text):
    node = Node(text)
    node.items = [node]
    return node


@pytest.mark.parametrize("make", [cyclic_list, cyclic_dict_in_an_array, cyclic_node])
def test_copies_of_cycles_are_collected(make):
    use_count = tvm_ffi.get_global_func("testing.object_use_count")
    text = tvm_ffi.get_global_func("testing.echo")("a text that copies share with what is copied")
    original = make(text)
    before = use_count(text)
    for _ in range(5):
        copy.deepcopy(original)
    assert use_count(text) > before
    gc.collect()
    gc.collect()
    assert use_count(text) == before


def test_copy_of_a_cycle_that_fails_leaves_nothing():
    use_count = tvm_ffi.get_global_func("testing.object_use_count")
    text = tvm_ffi.get_global_func("testing.echo")("a text that all copies share")
    values, entries = tvm_ffi.List([text]), tvm_ffi.Dict({1: text})
    values.append(values)
    values.append(entries)
    entries[2] = entries
    values.append(object())  # can't be copied
    before = use_count(text)
    for _ in range(5):
        with pytest.raises(RuntimeError, match="not copy-constructible"):
            copy.deepcopy(values)
    assert use_count(text) == before
