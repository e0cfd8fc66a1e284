# SPDX-License-Identifier: Apache-2.0
"""Times of the generic algorithms of one installation of ``tvm_ffi``, as JSON lines on request.

``algorithms.py`` starts it once for Kiln and once for the published package, and lets them take
turns: each line on standard input names a case, each line on standard output is its best time.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import tvm_ffi
from tvm_ffi import Object
from tvm_ffi.dataclasses import py_class

get = tvm_ffi.get_global_func


@py_class("kiln.bench.Node", structural_eq="tree")
class Node(Object):
    """A node of an expression tree."""

    op: str
    left: Any
    right: Any


def tree(depth: int, random_source: random.Random) -> Any:
    """A full binary tree with integers, floats and strings as leaves."""
    if depth == 0:
        return random_source.choice([random_source.randrange(100), 0.5, "name", "a longer name"])
    return Node(op="add", left=tree(depth - 1, random_source), right=tree(depth - 1, random_source))


def nested(depth: int, random_source: random.Random) -> Any:
    """Arrays and maps."""
    if depth == 0:
        return random_source.randrange(1000)
    if depth % 2 == 0:
        return tvm_ffi.Array([nested(depth - 1, random_source) for _ in range(6)])
    return tvm_ffi.Map({f"key {i}": nested(depth - 1, random_source) for i in range(6)})


def cases() -> dict[str, Callable[[], object]]:
    """What is measured, by name."""
    equal, digest, walk = (
        get("ffi.StructuralEqual"),
        get("ffi.StructuralHash"),
        get("ffi.StructuralWalk"),
    )
    map_values, copy, parse = get("ffi.StructuralMap"), get("ffi.DeepCopy"), get("ffi.json.Parse")
    write, show, to_graph = (
        get("ffi.json.Stringify"),
        get("ffi.ReprPrint"),
        get("ffi.ToJSONGraphString"),
    )
    from_graph = get("ffi.FromJSONGraphString")
    digest_all, same = get("ffi.RecursiveHash"), get("ffi.RecursiveEq")
    objects, objects_too = tree(10, random.Random(1)), tree(10, random.Random(1))
    containers, containers_too = nested(5, random.Random(2)), nested(5, random.Random(2))
    integers, integers_too = tvm_ffi.Array(range(5000)), tvm_ffi.Array(range(5000))
    text = write(containers, None)
    numbers = "[" + ", ".join(str(i * 0.37) for i in range(5000)) + "]"
    strings = "[" + ", ".join(f'"a text of some words, {i}"' for i in range(5000)) + "]"
    graph = to_graph(objects, None)
    none = tvm_ffi.Array([])
    add = tvm_ffi.Array([(1, tvm_ffi.convert(lambda x: x))])
    rare = tvm_ffi.Array([(5, tvm_ffi.convert(lambda x: x))])
    out: dict[str, Callable[[], object]] = {}
    for name, a, b in (
        ("objects", objects, objects_too),
        ("containers", containers, containers_too),
        ("integers", integers, integers_too),
    ):
        out[f"equal, {name}"] = lambda a=a, b=b: equal(a, b, False, False)
        out[f"hash, {name}"] = lambda a=a: digest(a, False, False)
        out[f"walk, {name}"] = lambda a=a: walk(a, rare, none, 0)
        out[f"map nothing, {name}"] = lambda a=a: map_values(a, rare, none, 0)
        out[f"deep copy, {name}"] = lambda a=a: copy(a)
        out[f"repr, {name}"] = lambda a=a: show(a)
        out[f"recursive hash, {name}"] = lambda a=a: digest_all(a)
        out[f"recursive equal, {name}"] = lambda a=a, b=b: same(a, b)
    out["map integers, containers"] = lambda: map_values(containers, add, none, 1)
    out["parse, containers"] = lambda: parse(text)
    out["parse, numbers"] = lambda: parse(numbers)
    out["parse, strings"] = lambda: parse(strings)
    out["write, containers"] = lambda: write(containers, None)
    out["save, objects"] = lambda: to_graph(objects, None)
    out["load, objects"] = lambda: from_graph(graph)
    return out


def best_time(run: Callable[[], object]) -> float:
    """Seconds of the quickest of some runs."""
    best = float("inf")
    end = time.perf_counter() + 0.06
    while True:
        begin = time.perf_counter()
        run()
        now = time.perf_counter()
        best = min(best, now - begin)
        if now > end:
            return best


def main() -> None:
    """Answer requests until the input ends. The first line is the list of names."""
    table = cases()
    print("\t".join(table), flush=True)
    for line in sys.stdin:
        print(best_time(table[line.strip()]), flush=True)


if __name__ == "__main__":
    main()
