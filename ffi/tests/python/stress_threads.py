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
from tvm_ffi import dataclasses as dc

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
    # A walk over nodes that other threads change is not safe: see docs/decisions/0017.
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
]


def run(seconds: float, num_threads: int) -> int:
    """Runs all the work on every thread; returns how many pieces were done."""
    failures: list[BaseException] = []
    done = [0] * num_threads
    start = threading.Barrier(num_threads)
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        rng = random.Random(number)
        start.wait()
        try:
            while time.monotonic() < end and not failures:
                rng.choice(WORK)(rng)
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
    options = parser.parse_args()
    print(run(options.seconds, options.threads), "pieces of work done")
