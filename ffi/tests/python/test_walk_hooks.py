# SPDX-License-Identifier: Apache-2.0
"""Hooks of keys and values that change the container which native code is walking over."""

from __future__ import annotations

import gc

import pytest
import tvm_ffi
import tvm_ffi.serialization
from tvm_ffi import dataclasses as dc


@dc.py_class("test_walk_hooks.Acting")
class Acting(dc.Object):
    """Calls the current act from every hook."""

    value: int

    def __ffi_repr__(self, repr_of):
        ACT[0]()
        return f"a{self.value}"

    def __ffi_hash__(self, hash_of):
        ACT[0]()
        return self.value

    def __ffi_eq__(self, other, equal):
        ACT[0]()
        return self.value == other.value

    def __any_hash__(self):
        return self.value

    def __any_equal__(self, other):
        ACT[0]()
        return self.value == other.value

    def __s_equal__(self, other, equal):
        ACT[0]()
        return self.value == other.value

    def __data_to_json__(self):
        ACT[0]()
        return self.value


ACT = [lambda: None]
WALKS = {
    "repr": repr,
    "hash": hash,
    "RecursiveEq": lambda values: tvm_ffi._ffi_api.RecursiveEq(values, acting_dict()),
    "structural_equal": lambda values: tvm_ffi.structural_equal(values, acting_dict()),
    "mismatch": lambda values: tvm_ffi.get_first_structural_mismatch(values, acting_dict()),
    "json": tvm_ffi.serialization.to_json_graph_str,
    "map": lambda values: tvm_ffi.structural_map(values, (Acting, lambda _: ACT[0]())),
}


def acting_dict(count=12):
    return tvm_ffi.Dict(
        {Acting(i): [Acting(i + 100), "a text of some length"] for i in range(count)}
    )


def replace_entry(values):
    """Takes the entry that comes next out, and puts another one into its place in the size."""
    keys = list(values)
    for key in keys[1:4]:
        if key in values:
            del values[key]
            values[Acting(len(keys) * 50 + key.value)] = ["another text of some length"]


@pytest.mark.parametrize("count", [3, 12])
@pytest.mark.parametrize("act", [lambda values: values.clear(), replace_entry])
@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_dict_that_its_keys_change_during_a_walk(walk, act, count):
    values = acting_dict(count)
    calls = []

    def act_once():
        calls.append(1)
        if len(calls) == 2:
            act(values)
            gc.collect()

    ACT[0] = act_once
    try:
        walk(values)
    except RuntimeError as error:
        assert "changed during iteration" in str(error)
    finally:
        ACT[0] = lambda: None
    assert len(calls) >= 2
    assert len(list(values.items())) == len(values)


def test_replaced_elements_end_after_the_assignment():
    class Clearing:
        def __del__(self):
            if values is not None:
                values.clear()

    values = None
    values = tvm_ffi.List([Clearing() for _ in range(5)])
    values[1:3] = list(range(50))
    assert list(values) == []
    values = tvm_ffi.List(range(5))
    values[1:3] = ["x"]
    assert list(values) == [0, "x", 3, 4]
