# SPDX-License-Identifier: Apache-2.0
"""Repr, recursive hash and order, deep copy and JSON graphs of values and C++ classes."""

from __future__ import annotations

import itertools

import tvm_ffi
import tvm_ffi.testing

get = tvm_ffi.get_global_func
show, recursive_hash, recursive_eq = (
    get("ffi.ReprPrint"),
    get("ffi.RecursiveHash"),
    get("ffi.RecursiveEq"),
)
recursive_lt, recursive_le = get("ffi.RecursiveLt"), get("ffi.RecursiveLe")
to_graph, from_graph = get("ffi.ToJSONGraphString"), get("ffi.FromJSONGraphString")
deep_copy, make = get("ffi.DeepCopy"), get("ffi.MakeObjectFromPackedArgs")
Array, List, Map, Dict = tvm_ffi.Array, tvm_ffi.List, tvm_ffi.Map, tvm_ffi.Dict


def attempt(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


shared = List([1])
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**62,
    2**70,
    -(2**70),
    1.0,
    -0.0,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "a",
    "abc",
    "hello world",
    b"",
    b"abc",
    b"abcdefghijk",
    tvm_ffi.Shape((2, 3)),
    tvm_ffi.Shape(()),
    tvm_ffi.dtype("float16x2"),
    tvm_ffi.dtype("int8"),
    tvm_ffi.device("cuda:1"),
    tvm_ffi.device("cpu"),
    Array([]),
    Array([1]),
    Array([1, "a", None]),
    List([]),
    List([1]),
    Array([List([1])]),
    Map({}),
    Map({"a": 1}),
    Map({"a": 1, "b": Array([1])}),
    Map({1: 2, "x": 3}),
    Map({i: i * i for i in range(20)}),
    Dict({"a": 1}),
    Dict({i: str(i) for i in range(9)}),
    Array([shared, shared]),
    make("testing.TestIntPair", "a", 1, "b", 2),
    make("testing.TestObjectBase", "v_i64", 3),
    make("testing.TestCompare", "key", 1, "name", "x", "ignored_field", 3),
    make("testing.TestCompare", "key", 1, "name", "x", "ignored_field", 4),
    make("testing.TestHash", "key", 1, "name", "x", "hash_ignored", 3),
    make("testing.TestHash", "key", 1, "name", "x", "hash_ignored", 4),
    make("testing.TestCustomHash", "key", 1, "label", "x"),
    make("testing.TestCustomCompare", "key", 1, "label", "x"),
    make("testing.TestCustomCompare", "key", 1, "label", "y"),
    make("testing.TestEqWithoutHash", "key", 1, "label", "y"),
    get("testing.enum_variant_get")("Beta"),
    get("testing.enum_variant_get")("Alpha"),
    make("testing.TestDeepCopyEdges", "v_any", shared, "v_obj", shared),
]

for value in VALUES:
    print("repr", attempt(show, value))
    print("hash", str(attempt(recursive_hash, value))[:100])
    graph = attempt(to_graph, value, None)
    print("graph", graph)
    if not str(graph).startswith(("TypeError", "RuntimeError", "ValueError")):
        print("back", attempt(lambda g, v: recursive_eq(from_graph(g), v), graph, value))
    copy = attempt(deep_copy, value)
    print(
        "copy",
        copy if isinstance(copy, str) and copy.startswith("RuntimeError") else attempt(show, copy),
    )
for value in (1 / 3, 1234567.0, 1e5, 1e6, 1e20, 5e-324):
    print("repr float", show(value))
for a, b in itertools.product(VALUES, VALUES):
    print(
        "eq",
        str(attempt(recursive_eq, a, b))[:90],
        "lt",
        str(attempt(recursive_lt, a, b))[:90],
        "le",
        str(attempt(recursive_le, a, b))[:90],
    )

cycle = List([1])
cycle.append(Array([cycle]))
print("cycle", show(cycle), attempt(to_graph, cycle, None))
copy = deep_copy(cycle)
print("copied cycle", copy[1][0].same_as(copy), copy.same_as(cycle))
copy.clear()
cycle.clear()
