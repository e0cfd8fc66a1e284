# SPDX-License-Identifier: Apache-2.0
"""Array, List, Map and Dict."""

from __future__ import annotations

import collections
import collections.abc
import copy
import gc
import random
import weakref

import pytest
import tvm_ffi
from tvm_ffi import Array, Dict, List, Map


def test_array_reads():
    array = Array([1, "two", 3.0, None])
    assert len(array) == 4 and array[0] == 1 and array[-1] is None and array[1] == "two"
    assert array[1:3] == ["two", 3.0] and isinstance(array[1:3], list)
    assert array[::-1] == [None, 3.0, "two", 1]
    assert list(reversed(array)) == [None, 3.0, "two", 1]
    assert list(array) == [1, "two", 3.0, None]
    assert "two" in array and "three" not in array
    assert array.index("two") == 1 and array.count(1) == 1
    assert bool(array) and not Array([])
    assert isinstance(array, collections.abc.Sequence)


@pytest.mark.parametrize("cls", [Array, List])
def test_index_errors(cls):
    values = cls([1, 2, 3, 4, 5])
    with pytest.raises(IndexError, match=r"Index out of range\. size: 5, got index 9"):
        values[9]
    with pytest.raises(IndexError, match=r"got index -6"):
        values[-6]
    with pytest.raises(IndexError):
        values[2**80]
    with pytest.raises(TypeError, match="indices must be integers or slices, not str"):
        values["a"]


def test_equal_to_python_sequences():
    assert Array([1, 2]) == [1, 2] and Array([1, 2]) == (1, 2) and [1, 2] == Array([1, 2])
    assert Array([1]) == List([1]) and List([[1], [2]]) == [[1], (2,)]
    assert Array([1]) != [2] and Array([1]) != [1, 2] and Array([1]) != "1"
    assert Array(["a" * 20]) == ["a" * 20]
    assert Array([List([1])]) == [[1]]
    assert Array([1]) != [1.0] and Array([1]) != [True]
    nan = float("nan")
    assert Array([nan]) == [nan]
    assert (Array([1]) == 3) is False and Array([]) != {}


def test_equal_to_python_mappings():
    assert Map({"a": 1}) == {"a": 1} and {"a": 1} == Map({"a": 1})
    assert Dict({"a": [1]}) == {"a": [1]}
    assert Map({"a": 1, "b": 2}) == {"b": 2, "a": 1}
    assert Map({"a": 1}) != {"a": 2} and Map({"a": 1}) != {"b": 1} and Map({"a": 1}) != {}
    assert Map({"a": {"b": [1]}}) == {"a": {"b": [1]}}
    big = {i: str(i) * 10 for i in range(1000)}
    assert Map(big) == big and Dict(big) == big
    assert Map({"a": 1}) == collections.OrderedDict(a=1)


def test_cyclic_lists_compare_and_print():
    a, b = List([1]), List([1])
    a.append(a)
    b.append(b)
    assert a == a and a == b
    assert "..." in repr(a)
    b[0] = 2
    assert a != b


def test_hash():
    assert hash(Array([1, "a"])) == hash(Array([1, "a"]))
    assert hash(Map({"a": 1})) == hash(Map({"a": 1}))
    assert len({Array([1]), Array([1]), Array([2])}) == 2


def test_printing_keeps_all_digits():
    assert repr(Array([1, "a"])) == '(1, "a")'
    assert repr(Array([1])) == "(1,)" and repr(Array([])) == "()"
    assert repr(List([1, 2])) == "[1, 2]"
    assert repr(Map({"a": 1})) == '{"a": 1}'
    assert repr(Array([1 / 3])) == "(0.3333333333333333,)"


def test_array_makes_arrays():
    assert Array([1]) + [2] == [1, 2]
    assert isinstance([0] + Array([1]), Array)
    assert [0] + Array([1]) == [0, 1]
    assert Array(range(3)) == [0, 1, 2] and Array(x * x for x in range(3)) == [0, 1, 4]
    with pytest.raises(TypeError):
        Array([1]) + 3
    with pytest.raises(TypeError):
        Array(3)
    with pytest.raises(TypeError):
        Array([1])[0] = 2


def test_list_changes_like_list():
    rng = random.Random(7)
    ours, theirs = List(), []
    for step in range(2000):
        kind = rng.randrange(9)
        at = rng.randrange(-len(theirs) - 1, len(theirs) + 2)
        if kind == 0:
            ours.append(step), theirs.append(step)
        elif kind == 1:
            ours.insert(at, step), theirs.insert(at, step)
        elif kind == 2 and theirs:
            at = rng.randrange(-len(theirs), len(theirs))
            assert ours.pop(at) == theirs.pop(at)
        elif kind == 3 and theirs:
            at = rng.randrange(-len(theirs), len(theirs))
            ours[at] = theirs[at] = step
        elif kind == 4:
            low, high = sorted((rng.randrange(20), rng.randrange(20)))
            new = list(range(rng.randrange(4)))
            ours[low:high] = new
            theirs[low:high] = new
        elif kind == 5 and len(theirs) > 30:
            del ours[5:25:3], theirs[5:25:3]
        elif kind == 6:
            ours.extend([step, -step]), theirs.extend([step, -step])
        elif kind == 7:
            ours.reverse(), theirs.reverse()
        elif kind == 8 and theirs:
            at = rng.randrange(len(theirs))
            del ours[at], theirs[at]
        assert list(ours) == theirs


def test_list_edges():
    values = List([1, 2, 3, 4])
    values[::2] = [10, 30]
    assert values == [10, 2, 30, 4]
    with pytest.raises(
        ValueError, match="attempt to assign sequence of size 1 to extended slice of size 2"
    ):
        values[::2] = [1]

    def clears(target):
        target.clear()
        yield from (7, 8)

    ours, theirs = List(range(6)), list(range(6))
    ours[2:5], theirs[2:5] = clears(ours), clears(theirs)
    assert list(ours) == theirs == [7, 8]
    with pytest.raises(IndexError, match="pop from empty list"):
        List().pop()
    with pytest.raises(ValueError):
        values.remove(99)
    values.remove(2)
    values += [5]
    assert values == [10, 30, 4, 5]
    values.extend(values)
    assert len(values) == 8
    values[:] = values
    assert len(values) == 8
    values.clear()
    assert not values
    alias = tvm_ffi.convert(lambda x: x)(values)
    alias.append(1)
    assert values == [1]


def test_iteration_while_the_list_changes():
    values = List([1, 2, 3])
    seen = []
    for value in values:
        seen.append(value)
        if len(seen) == 1:
            values.clear()
    assert seen == [1]
    values = List([1])
    it = iter(values)
    assert next(it) == 1
    assert next(it, "end") == "end"
    values.append(2)
    assert next(it, "end") == "end"


def test_map_reads():
    mapping = Map({"b": 1, "a": "x", 3: [1, 2]})
    assert len(mapping) == 3 and mapping["b"] == 1 and mapping[3] == [1, 2]
    assert list(mapping) == ["b", "a", 3] == list(mapping.keys())
    assert list(mapping.values()) == [1, "x", [1, 2]]
    assert next(iter(mapping.items())) == ("b", 1)
    assert "b" in mapping and "z" not in mapping
    assert mapping.get("z") is None and mapping.get("z", 5) == 5
    assert ("b", 1) in mapping.items() and ("b", 2) not in mapping.items()
    assert 1 in mapping.values() and "b" in mapping.keys()
    assert repr(mapping.keys()) == "KeysView(['b', 'a', 3])"
    with pytest.raises(KeyError, match="key is not in Map"):
        mapping["z"]
    typed = Map({1: "int", 1.5: "float"})
    assert 1 in typed and 1.0 not in typed and True not in typed
    with pytest.raises((TypeError, AttributeError)):
        Map([1])


def test_dict_changes_like_dict():
    rng = random.Random(3)
    ours, theirs = Dict(), {}
    for step in range(3000):
        key = rng.randrange(60)
        kind = rng.randrange(4)
        if kind < 2:
            ours[key] = step
            theirs[key] = step
        elif kind == 2:
            assert ours.pop(key, None) == theirs.pop(key, None)
        elif key in theirs:
            del ours[key]
            del theirs[key]
        assert len(ours) == len(theirs)
        if step % 100 == 0:
            assert dict(ours.items()) == theirs
    assert dict(ours.items()) == theirs


def test_dict_edges():
    mapping = Dict()
    with pytest.raises(KeyError) as caught:
        mapping["x"]
    assert caught.value.args == ("x",)
    with pytest.raises(KeyError):
        del mapping["x"]
    with pytest.raises(KeyError):
        mapping.pop("x")
    mapping.update({"a": 1})
    mapping.update(b=2)
    mapping.update([("c", 3)])
    assert mapping == {"a": 1, "b": 2, "c": 3}
    assert mapping.setdefault("d", 4) == 4 and mapping.popitem()[0] in "abcd"
    mapping.clear()
    assert len(mapping) == 0 and not mapping


@pytest.mark.parametrize("size", [2, 3, 5, 100])
def test_dict_changed_during_iteration(size):
    mapping = Dict({i: i for i in range(size)})
    with pytest.raises(RuntimeError, match="changed size during iteration"):
        for key in mapping:
            mapping[key + 1000] = 0
    mapping = Dict({i: i for i in range(size)})
    rounds = 0
    for key in mapping:
        mapping[key] = -key
        rounds += 1
    assert rounds == size


def test_copies():
    inner = List([1])
    outer = Array([inner, inner])
    deep = copy.deepcopy(outer)
    assert deep == outer and deep[0].same_as(deep[1]) and not deep[0].same_as(inner)
    assert copy.deepcopy(Map({"a": inner}))["a"] == [1]


def test_weak_references_and_cycles():
    array = Array([1])
    ref = weakref.ref(array)
    del array
    assert ref() is None

    class Node:
        pass

    def make():
        node = Node()
        node.function = tvm_ffi.convert(lambda: node)
        node.held = Array([node, {"deep": [node]}])
        return weakref.ref(node)

    ref = make()
    gc.collect()
    assert ref() is None


def test_moved_container_raises():
    values = List([1])
    tvm_ffi.convert(lambda x: None)(values._move())
    for use in (
        lambda: len(values),
        lambda: values[0],
        lambda: values.append(1),
        lambda: list(values),
        lambda: 1 in values,
        lambda: tvm_ffi.convert(lambda x: x)(values),
    ):
        with pytest.raises(ValueError, match="holds no object"):
            use()
    assert "chandle=None" in repr(values)


def test_generic_alias():
    assert Array[int].__origin__ is Array and Map[str, int].__args__ == (str, int)


@pytest.mark.parametrize("cls", [tvm_ffi.Array, tvm_ffi.List])
def test_index_of_a_value(cls):
    plain = [1, "b", 1, [2], 1.0]
    values = cls(plain)
    for arguments in ((1,), ("b",), (1, 1), (1, -3), (1, 0, 1), ([2],), (1, 1, -2), (1, 0, 99)):
        assert values.index(*arguments) == plain.index(*arguments)
    for arguments in ((7,), ("b", 2), (1, 3, -1), (1, 9)):
        with pytest.raises(ValueError, match=f"{arguments[0]!r} is not in the {cls.__name__}"):
            values.index(*arguments)


def test_missing_values_are_named():
    values = tvm_ffi.List([1])
    with pytest.raises(ValueError, match="'x' is not in the List"):
        values.remove("x")
    values.remove(1)
    with pytest.raises(KeyError, match="popitem from an empty Dict"):
        tvm_ffi.Dict().popitem()
    table = tvm_ffi.Dict({"a": [1], "b": 2})
    assert table.popitem() == ("a", [1]) and table == {"b": 2}


def test_a_comparison_that_makes_the_list_shorter():
    values = tvm_ffi.List([object(), object(), object()])

    class Clears:
        def __eq__(self, other):
            values.clear()
            return False

    with pytest.raises(ValueError, match="is not in the List"):
        values.index(Clears())


def test_one_native_type_for_each_class():
    @tvm_ffi.dataclasses.py_class("test_container.Both")
    class Both(tvm_ffi.Object):
        value: int

    class Mixin(tvm_ffi.Object):
        def double(self):
            return 2 * self.value

    class Wide(Mixin, Both):
        pass

    assert Wide(3).double() == 6
    for bases in ((Both, tvm_ffi.Array), (tvm_ffi.List, Both), (tvm_ffi.Array, tvm_ffi.List)):
        with pytest.raises(TypeError, match="Wrong can't derive from both `"):
            type(Both)("Wrong", bases, {})


def test_no_types_below_those_that_reserve_no_room():
    """The C function ends the process in this case."""
    for base in (tvm_ffi.Array, tvm_ffi.Dict):
        with pytest.raises(TypeError, match=r"No type can derive from `ffi\.\w+`"):

            @tvm_ffi.dataclasses.py_class("test_container.Below")
            class Below(base):
                value: int


def test_deep_containers_are_released():
    deep = Array([])
    for _ in range(200_000):
        deep = Array([deep])
    del deep
