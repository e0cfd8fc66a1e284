# SPDX-License-Identifier: Apache-2.0
"""Maps whose keys run Python code when hashed and compared, and what that code does to the map."""

from __future__ import annotations

import random

import pytest
import tvm_ffi
from tvm_ffi.dataclasses import py_class

hook = {"equal": None, "hash": None}


def run(which: str) -> None:
    """Runs the hook once: it is taken away first, so that it may use the map."""
    action, hook[which] = hook[which], None
    if action is not None:
        action()


@py_class("test_map_hooks.Key")
class Key(tvm_ffi.Object):
    x: int
    h: int = 1

    def __any_equal__(self, other):
        run("equal")
        return self.x == other.x

    def __any_hash__(self):
        run("hash")
        return self.h


@pytest.fixture(autouse=True)
def no_hooks():
    hook.update(equal=None, hash=None)
    yield
    hook.update(equal=None, hash=None)


def filled(count: int) -> tvm_ffi.Dict:
    return tvm_ffi.Dict({Key(i): tvm_ffi.List([i]) for i in range(count)})


def changes(d: tvm_ffi.Dict):
    def grow():
        for i in range(200):
            d[i] = tvm_ffi.List([i])

    def refill():
        kept = list(d.items())
        d.clear()
        for key, value in kept[:-1]:
            d[key] = value
        d["last"] = 1

    def erase_one():
        del d[next(iter(d))]

    return {"clear": d.clear, "grow": grow, "refill": refill, "erase": erase_one}


@pytest.mark.parametrize("which", ["equal", "hash"])
@pytest.mark.parametrize("change", ["clear", "grow", "refill", "erase"])
@pytest.mark.parametrize("count", [1, 3, 4, 5, 8, 40])
@pytest.mark.parametrize("operation", ["get", "set", "overwrite", "pop", "in"])
def test_a_change_by_a_hook_is_told(which, change, count, operation):
    d = filled(count)
    operations = {
        "get": lambda: d[Key(count + 1)],
        "set": lambda: d.__setitem__(Key(count + 1), 1),
        "overwrite": lambda: d.__setitem__(Key(count - 1), 1),
        "pop": lambda: d.pop(Key(count - 1)),
        "in": lambda: Key(count + 1) in d,
    }
    hook[which] = changes(d)[change]
    try:
        operations[operation]()
    except RuntimeError as error:
        assert "the map changed while a key of it was hashed or compared" in str(error)
    except KeyError:
        assert operation in ("get", "pop")
    # Whole afterwards: every entry is found, and as many as the length says.
    hook.update(equal=None, hash=None)
    keys = list(d)
    assert len(keys) == len(d)
    for key in keys:
        assert key in d
    d.clear()
    d[Key(1)] = 2
    assert d[Key(1)] == 2


def test_a_lookup_ends_when_a_comparison_empties_the_map():
    d = filled(5)
    hook["equal"] = d.clear
    with pytest.raises(RuntimeError, match="the map changed while a key of it was hashed"):
        d[Key(9)]
    assert len(d) == 0


@pytest.mark.parametrize("seed", range(20))
def test_keys_whose_hash_changes_harm_nothing(seed):
    """They may not be found again; the others are, and every entry is there and goes away once."""
    rng = random.Random(seed)
    d = tvm_ffi.Dict()
    keys = []
    for i in range(300):
        key = Key(i, rng.randrange(40))
        d[key] = tvm_ffi.List([i])
        keys.append(key)
        if rng.random() < 0.3:
            rng.choice(keys).h = rng.randrange(40)
        if rng.random() < 0.2:
            d.pop(rng.choice(keys), None)
    listed = list(d.items())
    assert len(listed) == len(d)
    assert len({key.x for key, _ in listed}) == len(listed)
    for key, value in listed:
        assert value[0] == key.x


def test_the_overwritten_entry_of_a_full_small_map_becomes_the_last():
    m = tvm_ffi.Dict({"a": 1, "b": 2, "c": 3, "d": 4})
    m["b"] = 5
    assert list(m.items()) == [("a", 1), ("c", 3), ("d", 4), ("b", 5)]
