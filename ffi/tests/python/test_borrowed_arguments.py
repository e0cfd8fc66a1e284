# SPDX-License-Identifier: Apache-2.0
"""Wrappers that lose their object while a call uses it: to the conversion of a later argument, to a
callback, to another thread, or to ``_move()`` in the same call. The call goes on with the object
that it was given, and the object goes away afterwards."""

from __future__ import annotations

import gc
import sys
import sysconfig
import threading
import weakref
from typing import Any

import pytest
import tvm_ffi
import tvm_ffi.testing  # loads the functions named testing.*
from tvm_ffi import dataclasses as dc

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
make_array = tvm_ffi.get_global_func("ffi.Array")
use_count = tvm_ffi.get_global_func("testing.object_use_count")


@dc.py_class("test_borrowed.Node")
class Node(dc.Object):
    value: int
    payload: Any = None


@dc.py_class("test_borrowed.Two")
class Two(dc.Object):
    first: Any
    second: Any


class Meddler:
    """A value whose conversion runs ``act``."""

    def __init__(self, act, value=7):
        self.act, self.value = act, value

    def __tvm_ffi_value__(self):
        self.act()
        return self.value


class Index:
    def __init__(self, act, value=0):
        self.act, self.value = act, value

    def __index__(self):
        self.act()
        return self.value


class Payload:
    """Lies in an object so that the object's end can be seen."""


def consume(value):
    tvm_ffi.convert(lambda taken: None)(value._move())


def reset_state(node):
    node.__setstate__(Node(5).__getstate__())


WAYS = {
    "initialised anew": lambda node: node.__ffi_init__(9),
    "moved": consume,
    "moved to another wrapper": lambda node: Node(3).__move_handle_from__(node),
    "moved from another wrapper": lambda node: node.__move_handle_from__(Node(3)),
    "state set": reset_state,
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def lose(request):
    return request.param


def test_an_argument_stays_for_its_call(lose):
    payload = Payload()
    gone = weakref.ref(payload)
    node = Node(1, payload)
    del payload
    nodes = [node]
    del node
    array = make_array(nodes[0], Meddler(lambda: lose(nodes[0])))
    assert array[0].value == 1 and array[1] == 7
    assert array[0].payload is gone()
    del array
    nodes.clear()
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("many", [3, 20])
def test_of_many_arguments(lose, many):
    nodes = [Node(i) for i in range(many)]

    def act():
        for node in nodes:
            lose(node)

    array = make_array(*nodes, Meddler(act))
    assert [node.value for node in array[:-1]] == list(range(many))


@pytest.mark.parametrize(
    "make",
    [
        lambda *both: tvm_ffi.Array(both)[0],
        lambda *both: tvm_ffi.List(both)[0],
        lambda *both: tvm_ffi.Map({1: both[0], 2: both[1]})[1],
        lambda *both: tvm_ffi.Dict({1: both[0], 2: both[1]})[1],
        lambda *both: make_array({1: both[0], 2: both[1]})[0][1],
        lambda *both: make_array([both[0], both[1]])[0][0],
        lambda *both: Two(*both).first,
        lambda *both: Two(first=both[0], second=both[1]).first,
        lambda *both: tvm_ffi.convert(lambda *args: args[0])(*both),
    ],
)
def test_an_element_stays_for_its_container(lose, make):
    node = Node(1)
    assert make(node, Meddler(lambda: lose(node))).value == 1


@pytest.mark.parametrize("kind", [tvm_ffi.Map, tvm_ffi.Dict])
@pytest.mark.parametrize(
    "read",
    [
        lambda mapping, key: mapping[key],
        lambda mapping, key: mapping.get(key),
        lambda mapping, key: key in mapping and 70,
    ],
)
@pytest.mark.parametrize("act", [lambda mapping: mapping.__init__({1: 2}), consume])
def test_a_mapping_stays_for_its_lookup(kind, read, act):
    mapping = kind({7: 70, 8: 80})
    assert read(mapping, Meddler(lambda: act(mapping))) == 70


def test_a_dict_stays_while_an_entry_is_taken():
    # The key is converted first, so the wrapper's new object is asked.
    mapping = tvm_ffi.Dict({7: 70, 8: 80})
    assert mapping.pop(Meddler(lambda: mapping.__init__({7: 71})), None) == 71
    assert mapping.pop(Meddler(lambda: mapping.__init__({})), None) is None
    mapping = tvm_ffi.Dict({7: 70})
    with pytest.raises(ValueError, match="holds no object"):
        mapping.pop(Meddler(lambda: consume(mapping)))


@pytest.mark.parametrize("kind", [tvm_ffi.Array, tvm_ffi.List])
def test_a_sequence_that_its_index_changes(kind):
    values = kind([1, 2, 3])
    assert values[Index(lambda: values.__init__([5]))] == 5
    values = kind(range(100))
    assert values[Index(lambda: values.__init__([5, 6])) :] == [5, 6]
    values = kind([1])
    with pytest.raises(ValueError, match="holds no object"):
        values[Index(lambda: consume(values))]
    values = kind([1])
    with pytest.raises(ValueError, match="holds no object"):
        values[: Index(lambda: consume(values))]
    values = tvm_ffi.core.CContainerBase()  # fits any container
    values.__move_handle_from__(kind([1, 2]))
    with pytest.raises(RuntimeError, match="got another object while it was read"):
        values[Index(lambda: values.__move_handle_from__(tvm_ffi.Dict({1: 1})))]


@pytest.mark.parametrize("kind", [tvm_ffi.Array, tvm_ffi.List])
def test_a_sequence_stays_for_a_search_and_a_comparison(kind):
    values = kind([1, 2, 7])
    assert Meddler(lambda: values.__init__([])) in values
    values = kind([1, 2, 7])
    assert values == [1, 2, Meddler(lambda: consume(values))]


def test_a_list_that_is_popped_by_an_index_that_changes_it():
    values = tvm_ffi.List([1, 2, 3])
    assert values.pop(Index(lambda: values.__init__([5, 6]))) == 5
    with pytest.raises(ValueError, match="holds no object"):
        values.pop(Index(lambda: consume(values)))


def test_the_target_of_a_field_write(lose):
    node, kept = Node(1), Payload()
    node.payload = kept
    value = Meddler(lambda: lose(node), value=8)
    try:
        node.payload = value
    except ValueError as error:
        assert "holds no object" in str(error)  # the wrapper is empty
    else:
        assert node.payload == 8 and node.value != 1


def test_a_tensor_that_its_export_empties():
    numpy = pytest.importorskip("numpy")
    tensor = tvm_ffi.from_dlpack(numpy.arange(4.0))
    with pytest.raises(ValueError, match="moved away"):
        tensor.__dlpack__(max_version=(Index(lambda: consume(tensor), 1), 0))
    tensor = tvm_ffi.from_dlpack(numpy.arange(4.0))
    with pytest.raises(ValueError, match="moved away"):
        tensor.size(Index(lambda: consume(tensor)))


@pytest.mark.skipif(FREE_THREADED, reason="what a wrapper loses stays until the wrapper is gone")
def test_what_a_call_kept_goes_with_the_call(lose):
    """Even when the object leads back to the wrapper that lost it."""
    payload = Payload()
    gone = weakref.ref(payload)
    node = Node(1, payload)
    payload.wrapper = node
    del payload
    make_array(node, Meddler(lambda: lose(node)))
    gc.collect()
    assert gone() is None


# ---- _move() ----------------------------------------------------------------------------------


def test_move_beside_a_loan_in_one_call():
    node = Node(1)
    both = tvm_ffi.convert(lambda *args: [arg.value for arg in args])(node, node._move())
    assert list(both) == [1, 1]
    assert node.__chandle__() == 0
    node = Node(1)
    with pytest.raises(ValueError, match="holds no object"):
        make_array(node._move(), node)
    assert node.value == 1  # it was not taken


@pytest.mark.skipif(FREE_THREADED, reason="what a wrapper loses stays until the wrapper is gone")
def test_a_moved_object_has_one_owner_unless_it_is_lent():
    owners = tvm_ffi.convert(use_count.__call__)
    alone = use_count(Node(1))
    assert owners(Node(1)._move()) == alone
    node, counts = Node(1), []
    make_array(node, Meddler(lambda: counts.append(owners(node._move()))))
    assert counts == [alone + 1]
    # Within a call that borrows another object.
    node, other = Node(1), Node(2)
    make_array(node, Meddler(lambda: counts.append(owners(other._move()))))
    assert counts == [alone + 1, alone]


def test_a_callee_that_refuses_leaves_the_object():
    node = Node(4)
    with pytest.raises(TypeError):
        tvm_ffi.get_global_func("testing.add_one")(node._move())
    assert node.value == 4
    with pytest.raises(ZeroDivisionError):
        make_array(node._move(), Meddler(lambda: 1 // 0))
    assert node.value == 4


def test_a_wrapper_that_got_another_object_keeps_it():
    node = Node(1)
    with pytest.raises(ZeroDivisionError):
        make_array(node._move(), Meddler(lambda: (node.__init__(2), 1 // 0)))
    assert node.value == 2


def test_what_a_wrapper_loses_outside_of_calls_goes_at_once():
    payload = Payload()
    gone = weakref.ref(payload)
    node = Node(1, payload)
    del payload
    consume(node)
    if FREE_THREADED:
        del node
    gc.collect()
    assert gone() is None


# ---- callbacks and threads -----------------------------------------------------------------------


@pytest.mark.parametrize("release_gil", [True, False])
def test_a_callback_takes_the_argument_of_its_caller(lose, release_gil):
    """The native function goes on with its argument when the callback is over."""
    call = tvm_ffi.get_global_func("testing.apply")
    results = []
    inner = tvm_ffi.convert(lambda node: (lose(outer), results.append(node.value)))
    call.release_gil = release_gil
    outer = Node(6)
    call(inner, outer)
    assert results == [6]


def test_a_function_stays_for_its_call(lose):
    function = tvm_ffi.convert(lambda: (consume(function), gc.collect(), 5)[2])
    assert function() == 5
    assert function.__chandle__() == 0


def test_a_text_whose_object_is_replaced():
    text = tvm_ffi.core.String("a text of more than seven bytes")
    other = tvm_ffi.get_global_func("testing.echo")(text)
    array = make_array(other, Meddler(lambda: setattr(other, "_tvm_ffi_cached_object", None)))
    assert array[0] == "a text of more than seven bytes"


def test_another_thread_takes_the_argument_of_a_running_call():
    """A call without the GIL, whose argument other threads move and initialise anew."""
    hash_of = tvm_ffi.get_global_func("ffi.RecursiveHash")
    expected = hash_of(tvm_ffi.Array(range(2000)))
    done = threading.Event()
    shared = [tvm_ffi.Array(range(2000))]

    def take():
        count = 0
        while not done.is_set():
            array = shared[0]
            consume(array) if count % 2 else array.__init__(range(2000))
            shared[0] = tvm_ffi.Array(range(2000))
            count += 1

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    taker = threading.Thread(target=take)
    taker.start()
    hashes = set()
    try:
        for _ in range(1500):
            try:
                hashes.add(hash_of(shared[0]))
            except ValueError as error:
                assert "holds no object" in str(error)
    finally:
        done.set()
        taker.join()
        sys.setswitchinterval(switch)
    assert hashes <= {expected}
