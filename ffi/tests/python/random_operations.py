# SPDX-License-Identifier: Apache-2.0
"""Random public operations on a pool of random objects, some of which run code in the middle of
everything: hooks, conversions and destructors that pick another operation themselves.

    python random_operations.py [SECONDS [SEED]]

runs for so long, in rounds of their own seed; the seed of the last round is printed, and
``run(seed, steps)`` repeats it. Meant for an interpreter with AddressSanitizer. Errors that the
operations raise are expected; a crash, a hang or one of ``NEVER`` is not."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

import tvm_ffi
import tvm_ffi.serialization
import tvm_ffi.structural as st
from tvm_ffi import core
from tvm_ffi import dataclasses as dc

NEVER = (SystemError, MemoryError, AssertionError, UnboundLocalError)
MAX_POOL, MAX_SIZE, MAX_MIDDLE = 40, 30, 3


class World:
    """The pool, and the operation that code in the middle runs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pool: list[Any] = []
        self.depth = 0

    def pick(self) -> Any:
        if self.pool and self.random.random() < 0.8:
            return self.random.choice(self.pool)
        return self.plain()

    def plain(self) -> Any:
        rng = self.random
        choices: list[Callable[[], Any]] = [
            lambda: None,
            lambda: rng.randint(-3, 3),
            lambda: rng.choice([2**70, -(2**63), 1.5, float("nan"), True]),
            lambda: "x" * rng.randint(0, 20),
            lambda: b"y" * rng.randint(0, 20),
            lambda: [self.pick() for _ in range(rng.randint(0, 3))],
            lambda: {rng.randint(0, 5): self.pick()},
            lambda: Middle(),
            lambda: tvm_ffi.Shape([1, 2]),
            lambda: tvm_ffi.dtype("float32"),
            lambda: tvm_ffi.device("cpu", 0),
        ]
        return rng.choice(choices)()

    def keep(self, value: Any) -> None:
        if isinstance(value, core.CContainerBase) and value.__chandle__() and len(value) > MAX_SIZE:
            return
        self.pool.append(value)
        if len(self.pool) > MAX_POOL:
            del self.pool[self.random.randrange(len(self.pool))]

    def middle(self) -> None:
        """Called by code in the middle of an operation."""
        if self.depth < MAX_MIDDLE and self.random.random() < 0.3:
            self.step()

    def step(self) -> None:
        self.depth += 1
        try:
            self.random.choice(OPERATIONS)(self)
        except NEVER:
            raise
        except Exception:
            pass
        finally:
            self.depth -= 1


world = World(0)


class Middle:
    """A value that runs code when it is converted and when it ends."""

    def __tvm_ffi_value__(self) -> Any:
        world.middle()
        return world.random.randint(0, 5)

    def __index__(self) -> int:
        world.middle()
        return world.random.randint(-3, 3)


class Ending:
    """A Python object, opaque to native code, that runs code when it ends."""

    living = 0

    def __new__(cls) -> Ending:
        Ending.living += 1
        return super().__new__(cls)

    def __del__(self) -> None:
        Ending.living -= 1
        world.middle()


@dc.py_class("random_operations.Node")
class Node(dc.Object):
    value: Any = None
    other: Any = None
    items: list[Any] = dc.field(default_factory=list)


@dc.py_class("random_operations.Hooked")
class Hooked(dc.Object):
    value: int = 0
    other: Any = None

    def __any_hash__(self) -> int:
        world.middle()
        return self.value % 4

    def __any_equal__(self, other: Any) -> bool:
        world.middle()
        return self.value == other.value

    def __ffi_hash__(self, hash_of: Any) -> int:
        world.middle()
        return self.value

    def __ffi_eq__(self, other: Any, equal: Any) -> bool:
        world.middle()
        return self.value == other.value

    def __ffi_repr__(self, repr_of: Any) -> str:
        world.middle()
        return f"Hooked({self.value})"

    def __s_equal__(self, other: Any, equal: Any) -> bool:
        world.middle()
        return self.value == other.value

    def __data_to_json__(self) -> Any:
        world.middle()
        return self.value


class Attributes(tvm_ffi.List):
    __slots__ = ("__dict__",)


def of_kind(*kinds: Any) -> Callable[[World], Any]:
    def pick(w: World) -> Any:
        found = [value for value in w.pool if isinstance(value, kinds)]
        return w.random.choice(found) if found else kinds[0]()

    return pick


a_list, a_dict = of_kind(tvm_ffi.List), of_kind(tvm_ffi.Dict)
a_node, an_object = of_kind(Node), of_kind(Node, Hooked, core.CObject)


def called(w: World, *args: Any) -> Any:
    w.middle()
    return args[0] if args else None


def functions(w: World) -> Any:
    return tvm_ffi.convert(lambda *args: called(w, *args))


def move(w: World) -> Any:
    return functions(w)(an_object(w)._move(), w.pick())


def walk(w: World, value: Any) -> None:
    w.middle()


def iterate(w: World) -> None:
    for item in w.random.choice([iter, reversed])(a_list(w)):
        w.middle()
        w.keep(item)
        if w.random.random() < 0.1:
            break


def iterate_dict(w: World) -> None:
    for _ in w.random.choice([tvm_ffi.Dict.items, tvm_ffi.Dict.values, iter])(a_dict(w)):
        w.middle()


def fail(w: World) -> None:
    error = ValueError("expected")
    if w.random.random() < 0.5:
        error.held = w.pick()  # type: ignore[attr-defined]

    def raising(*args: Any) -> None:
        w.middle()
        raise error

    try:
        tvm_ffi.convert(raising)(w.pick())
    except ValueError as caught:
        w.keep(core._convert_to_ffi_error(caught))


def key(w: World) -> Any:
    return w.random.choice([w.random.randint(0, 9), "k" * 12, Hooked(w.random.randint(0, 9))])


def a_slice(w: World) -> slice:
    rng = w.random
    return slice(rng.randint(-2, 6), rng.randint(-2, 9), rng.choice([None, 1, 2, -1]))


OPERATIONS: list[Callable[[World], Any]] = [
    lambda w: w.keep(tvm_ffi.Array([w.pick() for _ in range(w.random.randint(0, 4))])),
    lambda w: w.keep(tvm_ffi.List([w.pick() for _ in range(w.random.randint(0, 4))])),
    lambda w: w.keep(Attributes([w.pick()])),
    lambda w: w.keep(tvm_ffi.Map({w.random.randint(0, 9): w.pick(), "k" * 12: w.pick()})),
    lambda w: w.keep(tvm_ffi.Dict(tvm_ffi.Map({key(w): w.pick() for _ in range(9)}))),
    lambda w: w.keep(Node(w.pick(), w.pick())),
    lambda w: w.keep(Hooked(w.random.randint(0, 9), w.pick())),
    lambda w: w.keep(core.CAny(w.pick())),
    lambda w: w.keep(functions(w)),
    lambda w: w.keep(core._convert_to_opaque_object(Ending())),
    lambda w: w.keep(core._new_object(type(an_object(w)))),
    lambda w: w.keep(weakref.ref(an_object(w), lambda _: w.middle())),
    lambda w: w.keep(functions(w)(w.pick(), w.pick())),
    lambda w: w.keep(move(w)),
    lambda w: a_list(w).append(w.pick()),
    lambda w: a_list(w).append(Ending()),
    lambda w: a_list(w).insert(Middle(), w.pick()),
    lambda w: a_list(w).extend(iter([w.pick(), Middle()])),
    lambda w: a_list(w).pop(Middle()),
    lambda w: a_list(w).remove(w.pick()),
    lambda w: a_list(w).index(w.pick()),
    lambda w: a_list(w).reverse(),
    lambda w: a_list(w).clear(),
    lambda w: a_list(w).__setitem__(Middle(), w.pick()),
    lambda w: a_list(w).__setitem__(a_slice(w), [w.pick() for _ in range(3)]),
    lambda w: a_list(w).__delitem__(a_slice(w)),
    lambda w: w.keep(a_list(w)[a_slice(w)]),
    lambda w: w.keep(a_list(w)[Middle()]),
    lambda w: w.keep(a_list(w) + [w.pick()]),
    lambda w: a_dict(w).__setitem__(key(w), w.pick()),
    lambda w: a_dict(w).update({w.random.randint(0, 50): Ending()}),
    lambda w: a_dict(w).pop(key(w)),
    lambda w: a_dict(w).popitem(),
    lambda w: a_dict(w).clear(),
    lambda w: a_dict(w).__delitem__(key(w)),
    lambda w: w.keep(a_dict(w).get(key(w))),
    lambda w: (key(w), w.pick()) in a_dict(w).items(),
    lambda w: w.pick() in a_list(w),
    lambda w: w.pick() == w.pick(),
    lambda w: a_list(w) == a_list(w),
    lambda w: a_dict(w) == a_dict(w),
    lambda w: hash(an_object(w)),
    lambda w: repr(an_object(w)),
    lambda w: w.keep(copy.copy(an_object(w))),
    lambda w: w.keep(copy.deepcopy(an_object(w))),
    lambda w: w.keep(pickle.loads(pickle.dumps(an_object(w)))),
    lambda w: tvm_ffi.serialization.to_json_graph_str(w.pick()),
    lambda w: setattr(a_node(w), "value", w.random.randint(0, 9)),
    lambda w: setattr(a_node(w), "other", w.pick()),
    lambda w: setattr(a_node(w), "items", w.pick()),
    lambda w: w.keep(a_node(w).other),
    lambda w: a_node(w).__ffi_init__(),
    lambda w: an_object(w).__init__([w.pick()]),
    lambda w: an_object(w).__setstate__(an_object(w).__getstate__()),
    lambda w: an_object(w).__move_handle_from__(an_object(w)),
    lambda w: setattr(an_object(w), "__class__", type(an_object(w))),
    lambda w: st.structural_equal(w.pick(), w.pick()),
    lambda w: st.structural_hash(w.pick()),
    lambda w: st.get_first_structural_mismatch(w.pick(), w.pick()),
    lambda w: st.structural_walk(w.pick(), [(Any, lambda value: walk(w, value))]),
    lambda w: st.structural_map(w.pick(), [(int, lambda value: called(w, value))]),
    lambda w: st.structural_mutate(
        an_object(w)._move(), [(Any, lambda value, mutator: mutator.default_mutate(value))]
    ),
    iterate,
    iterate_dict,
    fail,
    lambda w: tvm_ffi.register_global_func("random_operations.f", functions(w), override=True),
    lambda w: w.keep(tvm_ffi.get_global_func("random_operations.f")(w.pick())),
    lambda w: tvm_ffi.remove_global_func("random_operations.f"),
    lambda w: w.pool.clear() if w.random.random() < 0.05 else None,
    lambda w: gc.collect(w.random.randint(0, 2)) if w.random.random() < 0.1 else None,
]


def run(seed: int, steps: int) -> int:
    """One round: ``steps`` operations on a new pool. The number of objects that still live."""
    global world
    world = World(seed)
    automatic = gc.isenabled()
    gc.disable()  # a collection at another time would run other code in the middle
    try:
        for _ in range(steps):
            world.step()
        world.depth = MAX_MIDDLE  # nothing runs in the middle any more
        tvm_ffi.remove_global_func("random_operations.f")
        world.pool.clear()
        for _ in range(3):
            gc.collect()
    finally:
        if automatic:
            gc.enable()
    left, Ending.living = Ending.living, 0
    return left


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 10**9
    end = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < end:
        print(f"\rround {rounds}, seed {seed}", end="", flush=True)
        if left := run(seed, 500):
            print(f": {left} objects were never freed")
        seed, rounds = seed + 1, rounds + 1
    print()


if __name__ == "__main__":
    main()
