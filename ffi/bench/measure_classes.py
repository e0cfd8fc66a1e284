# SPDX-License-Identifier: Apache-2.0
"""The part of ``measure.py`` about objects of classes that are defined in Python."""

from __future__ import annotations

from typing import Any

import tvm_ffi
from measure import cost
from tvm_ffi.dataclasses import py_class
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

NODES = 10_000


@py_class("bench.Child")
class Child(tvm_ffi.Object):
    number: int


@py_class("bench.Parent")
class Parent(tvm_ffi.Object):
    number: int
    real: float
    flag: bool
    short: str
    text: str
    anything: Any
    child: tvm_ffi.Object
    array: tvm_ffi.Array[int]
    mapping: tvm_ffi.Map[str, int]
    dtype: tvm_ffi.dtype


@py_class("bench.Node")
class Node(tvm_ffi.Object):
    name: str
    value: int
    weight: float
    flag: bool
    inputs: list[int]


def figures() -> dict[str, float]:
    """Nanoseconds for fields of each kind, and for an object of a graph as JSON."""
    child: Any = Child(1)
    text = "text of more than seven bytes"
    parent: Any = Parent(1, 2.5, True, "short", text, None, child, [1], {"k": 1}, "float32")
    names = {"x": parent, "Child": Child, "child": child}
    kinds = [name for name in Parent.__annotations__ if name != "number"]
    out = {f"attribute read, {kind}": cost(f"x.{kind}", names) for kind in kinds}
    out["attribute write, int"] = cost("x.number = 7", names)
    out["attribute write, object"] = cost("x.child = child", names)
    out["an object made"] = cost("Child(3)", names)
    make: Any = Node
    nodes = tvm_ffi.Array([make(f"node number {i}", i, i / 2, True, [i]) for i in range(NODES)])
    names = {"nodes": nodes, "save": to_json_graph_str, "load": from_json_graph_str}
    names["graph"] = to_json_graph_str(nodes)
    out["to JSON, an object"] = cost("save(nodes)", names, 1, 3) / NODES
    out["from JSON, an object"] = cost("load(graph)", names, 1, 3) / NODES
    return out
