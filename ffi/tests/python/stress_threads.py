# SPDX-License-Identifier: Apache-2.0
"""Many threads on the same functions, containers, fields and types; for a ThreadSanitizer run.

``python stress_threads.py [--seconds N] [--threads N]``. ``test_stress.py`` runs it for a moment.
"""

from __future__ import annotations

import argparse
import copy
import gc
import importlib
import pickle
import random
import sys
import threading
import time
import typing
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import tvm_ffi
import tvm_ffi._ffi_api as ffi_api
from tvm_ffi import dataclasses as dc
from tvm_ffi import structural

importlib.import_module("native_testing")

echo = tvm_ffi.get_global_func("testing.echo")
add_one = tvm_ffi.get_global_func("testing.add_one")
apply = tvm_ffi.get_global_func("testing.apply")


@dc.py_class("stress_threads.Node")
class Node(tvm_ffi.Object):
    number: int
    value: typing.Any = None
    text: str = "text"


shared_list = tvm_ffi.List([])
shared_dict = tvm_ffi.Dict({})
shared_array = tvm_ffi.Array([1, "a text of some length", [2, 3]])
shared_map = tvm_ffi.Map({"a": 1, "b": [1, 2], "key of some length": "value of some length"})
shared_node = Node(0)


def calls(rng: random.Random) -> None:
    number = rng.randrange(1000)
    assert add_one(number) == number + 1
    assert echo("short") == "short" and echo("a text of some length") == "a text of some length"
    assert echo(2**70) == 2**70 and echo([1, {"k": b"bytes"}])[1]["k"] == b"bytes"
    assert apply(lambda a, b: (a, b), number, "x") == (number, "x")


def errors(rng: random.Random) -> None:
    class Own(Exception):
        pass

    def fail(*args: object) -> None:
        raise Own(*args)

    try:
        apply(fail, 1, 2)
        raise AssertionError("the error got lost")
    except Own as error:
        assert error.args == (1, 2)
    try:
        add_one("text")
        raise AssertionError("the error got lost")
    except TypeError as error:
        assert "argument #0" in str(error)


def lists(rng: random.Random) -> None:
    shared_list.append(rng.randrange(100))
    shared_list.append([rng.randrange(100), object()])
    if len(shared_list) > 200:
        shared_list.clear()
    for item in shared_list[:10]:
        assert item is not None
    try:
        shared_list.pop()
        shared_list[0] = "a text of some length"
        shared_list.insert(1, shared_array)
    except IndexError:
        pass
    for _, item in zip(range(20), shared_list):
        assert item is not None


def dicts(rng: random.Random) -> None:
    key = f"key {rng.randrange(50)}"
    shared_dict[key] = [rng.randrange(10)]
    shared_dict.get(key, None)
    try:
        del shared_dict[f"key {rng.randrange(50)}"]
    except KeyError:
        pass
    try:
        for name in shared_dict:
            assert name.startswith("key")
    except RuntimeError as error:
        assert "changed size" in str(error)


def immutable(rng: random.Random) -> None:
    assert shared_array[2][1] == 3 and shared_array[1] == "a text of some length"
    assert shared_map["b"] == [1, 2] and "c" not in shared_map
    assert next(iter(shared_map)) == "a" and hash(shared_array) == hash(shared_array)
    assert shared_array == [1, "a text of some length", [2, 3]]


def fields(rng: random.Random) -> None:
    shared_node.value = [rng.randrange(10), "a text of some length"]
    assert len(shared_node.value) == 2
    shared_node.text = f"text number {rng.randrange(1000)}"
    assert shared_node.text.startswith("text")
    shared_node.number = rng.randrange(10)
    assert 0 <= shared_node.number < 10
    own = Node(3, shared_node)
    assert own.value.same_as(shared_node)
    own.value = Node(4, "a text of some length")
    assert repr(own).startswith("stress_threads.Node") and copy.deepcopy(own).value.number == 4


def classes(rng: random.Random) -> None:
    """Classes that no call has seen yet."""
    converted = type("Converted", (), {"__tvm_ffi_int__": lambda self: 5})
    assert echo(converted()) == 5
    plain = type("Plain", (), {})()
    assert echo(plain) is plain


def cycles(rng: random.Random) -> None:
    ring = tvm_ffi.List([object()])
    ring.append(ring)
    node = Node(1)
    node.value = [node, lambda: ring]
    if rng.randrange(20) == 0:
        gc.collect()


def copies(rng: random.Random) -> None:
    node = Node(rng.randrange(10), [1, "a text of some length"])
    assert copy.deepcopy(node).value == node.value
    assert pickle.loads(pickle.dumps(node)).number == node.number


def names(rng: random.Random) -> None:
    name = f"stress_threads.{threading.get_ident()}"
    tvm_ffi.register_global_func(name, lambda x: x, override=True)
    assert tvm_ffi.get_global_func(name)(3) == 3
    assert add_one.__name__ == "add_one"
    value = tvm_ffi.get_global_func("testing.make_unregistered_object")()
    assert type(value).__name__ == "TestUnregisteredObject"
    assert tvm_ffi.dtype("float32x4").lanes == 4 and echo(tvm_ffi.dtype("int8")) == "int8"
    assert echo(tvm_ffi.device("cuda:1")).index == 1


# ---- walks over what others change --------------------------------------------------------------
# Whatever a thread meets in the graph was put there by one of the functions below, so its kind is
# known; which of them it meets is chance.


@dc.py_class("stress_threads.Hooked")
class Hooked(tvm_ffi.Object):
    """Walks run Python code in it."""

    number: int

    def __ffi_repr__(self, fn_repr: Callable[[object], str]) -> str:
        return f"Hooked({fn_repr(self.number)})"

    def __ffi_hash__(self, fn_hash: Callable[[object], int]) -> int:
        return fn_hash(self.number)

    def __ffi_eq__(self, other: Hooked, fn_eq: Callable[[object, object], bool]) -> bool:
        return fn_eq(self.number, other.number)

    def __s_equal__(self, other: Hooked, fn_equal: Callable[..., bool]) -> bool:
        return fn_equal(self.number, other.number, False, "number")

    def __s_hash__(self, init: int, fn_hash: Callable[..., int]) -> int:
        return fn_hash(self.number, init, False)


@dc.py_class("stress_threads.Branch", structural_eq="tree")
class Branch(tvm_ffi.Object):
    name: str
    items: tvm_ffi.List[typing.Any]
    table: tvm_ffi.Dict[str, typing.Any]
    other: typing.Any = None


def leaf(rng: random.Random) -> typing.Any:
    """A value that lies on the heap and holds nothing that changes."""
    number = rng.randrange(1000)
    return rng.choice(
        [number, f"a text of some length {number}", [number, "an array"], {"key of a map": number}]
    )


def new_branch(name: str) -> Branch:
    return Branch(name, tvm_ffi.List([1, "a text of some length"]), tvm_ffi.Dict({"number": 1}))


branches = [new_branch(f"branch {i}") for i in range(4)]
tree = Branch("tree", tvm_ffi.List(branches), tvm_ffi.Dict({b.name: b for b in branches}))
keyed = tvm_ffi.Dict()


def change_tree(rng: random.Random) -> None:
    branch = rng.choice(branches)
    items, table = branch.items, branch.table
    try:
        items.append(leaf(rng))
        items.insert(0, Hooked(rng.randrange(9)) if rng.random() < 0.2 else leaf(rng))
        items[rng.randrange(4)] = leaf(rng)
        del items[0]
        items.reverse()
        if len(items) > 12:
            items.pop()
            items[2:5] = [leaf(rng)]
        if rng.random() < 0.1:
            items.clear()
    except IndexError:
        pass
    key = f"key of some length {rng.randrange(12)}"
    table[key] = leaf(rng)
    table.pop(f"key of some length {rng.randrange(12)}", None)
    if rng.random() < 0.1:
        table.clear()
    branch.name = f"branch with a name of some length {rng.randrange(10)}"
    branch.other = rng.choice([None, leaf(rng), tvm_ffi.List([leaf(rng)])])
    if rng.random() < 0.2:
        branch.items = tvm_ffi.List([leaf(rng), leaf(rng)])
        branch.table = tvm_ffi.Dict({"fresh": leaf(rng)})


def is_leaf(value: typing.Any) -> bool:
    if isinstance(value, (int, str, Hooked)) or value is None:
        return True
    if isinstance(value, (tvm_ffi.Array, tvm_ffi.List)):
        return all(is_leaf(item) for item in value)
    if isinstance(value, tvm_ffi.Map):
        return list(value) == ["key of a map"]
    return False


def check_branch(branch: Branch) -> None:
    assert branch.name.startswith("branch")
    assert all(is_leaf(item) for item in list(branch.items))
    for key in list(branch.table):
        assert key in ("number", "fresh") or key.startswith("key of some length")
    assert is_leaf(branch.other)


def told(error: RuntimeError) -> None:
    """The errors of a walk whose hooks let a change in."""
    assert "changed" in str(error), error


def walk_text(rng: random.Random) -> None:
    root = rng.choice([tree, tree.items, tree.table, rng.choice(branches)])
    text = repr(root)
    assert "stress_threads.Branch" in text or "changed" in text or "(0x" in text, text
    text = repr(rng.choice(branches).items)
    assert text.startswith(("[", "List(0x"))


def walk_copy(rng: random.Random) -> None:
    try:
        made = copy.deepcopy(tree)
        assert [b.same_as(made.items[i]) for i, b in enumerate(made.table.values())] == [True] * 4
    except RuntimeError as error:
        return told(error)
    for branch in made.items:
        check_branch(branch)
    assert all(is_leaf(item) for item in copy.deepcopy(rng.choice(branches).items))
    copied = copy.copy(rng.choice(branches))
    assert copied.name.startswith("branch")


def walk_json(rng: random.Random) -> None:
    try:
        made = pickle.loads(pickle.dumps(tree))
        text = tvm_ffi.serialization.to_json_graph_str(tree.items)
    except RuntimeError as error:
        return told(error)
    for branch in made.items:
        check_branch(branch)
    for branch in tvm_ffi.serialization.from_json_graph_str(text):
        check_branch(branch)


def walk_hashes(rng: random.Random) -> None:
    branch, another = rng.choice(branches), rng.choice(branches)
    try:
        assert isinstance(hash(branch.items), int)
        assert isinstance(ffi_api.RecursiveHash(tree), int)
        assert isinstance(ffi_api.RecursiveEq(branch, another), bool)
        assert isinstance(branch.items == another.items, bool)
        assert isinstance(branch.table == dict(another.table), bool)
        assert isinstance("a text of some length 5" in branch.items, bool)
    except RuntimeError as error:
        told(error)


def walk_structure(rng: random.Random) -> None:
    branch, another = rng.choice(branches), rng.choice(branches)
    try:
        assert structural.structural_equal(tree, tree) in (True, False)
        assert isinstance(structural.structural_equal(branch, another), bool)
        assert isinstance(structural.structural_hash(tree), int)
        structural.get_first_structural_mismatch(branch, another)
    except RuntimeError as error:
        told(error)


def walk_visit(rng: random.Random) -> None:
    seen: list[str] = []
    try:
        structural.structural_walk(tree, (str, seen.append))
        # Texts are leaves, and there are more than the names.
        assert len(seen) >= 4 and all(isinstance(text, str) for text in seen)
        made = structural.structural_map(tree, (int, lambda number: -number))
        assert isinstance(made, Branch) and len(made.items) == 4
        numbers: list[int] = []
        structural.structural_walk(
            tvm_ffi.Array([rng.choice(branches).items]), (int, numbers.append)
        )
        assert all(-1000 < number < 1000 for number in numbers)
    except RuntimeError as error:
        told(error)


def keys(rng: random.Random) -> None:
    """Keys that are compared by what they hold, which others change."""
    try:
        key = structural.StructuralKey(rng.choice(branches).items)
        keyed[key] = leaf(rng)
        assert keyed.get(key) is None or is_leaf(keyed.get(key))
        keyed.pop(structural.StructuralKey(rng.choice(branches).items), None)
        if len(keyed) > 20:
            keyed.clear()
    except RuntimeError as error:
        told(error)


def constructors(rng: random.Random) -> None:
    branch = rng.choice(branches)
    assert all(is_leaf(item) for item in tvm_ffi.Array(branch.items))
    assert all(is_leaf(item) for item in tvm_ffi.List(branch.items))
    try:
        assert all(is_leaf(item) for item in tvm_ffi.Map(branch.table).values())
        assert all(is_leaf(item) for item in dict(branch.table.items()).values())
    except RuntimeError as error:
        told(error)
    items = branch.items
    made = Branch("branch", items, branch.table, branch.other)
    assert made.items.same_as(items)
    gc.get_referents(branch.items, tree)


WALKS: list[Callable[[random.Random], None]] = [
    walk_text,
    walk_copy,
    walk_json,
    walk_hashes,
    walk_structure,
    walk_visit,
    keys,
    constructors,
]

WORK: list[Callable[[random.Random], None]] = [
    calls,
    errors,
    lists,
    dicts,
    immutable,
    fields,
    classes,
    cycles,
    copies,
    names,
    *WALKS,
    *[change_tree] * 4,
]


def run(
    seconds: float, num_threads: int, pieces: list[Callable[[random.Random], None]] = WORK
) -> int:
    """Runs work on every thread; returns how many pieces were done."""
    failures: list[BaseException] = []
    done = [0] * num_threads
    start = threading.Barrier(num_threads)
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        rng = random.Random(number)
        start.wait()
        try:
            while time.monotonic() < end and not failures:
                rng.choice(pieces)(rng)
                done[number] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(num_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(done)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--only", action="append", help="a function of this file")
    options = parser.parse_args()
    sys.setswitchinterval(1e-5)
    chosen = [globals()[name] for name in options.only] if options.only else WORK
    print(run(options.seconds, options.threads, chosen), "pieces of work done")
