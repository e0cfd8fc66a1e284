# SPDX-License-Identifier: Apache-2.0
"""Structural equality and walks, access paths, JSON graphs, streams."""

from __future__ import annotations

import ctypes

import pytest
import tvm_ffi
from tvm_ffi import serialization, structural
from tvm_ffi.access_path import AccessKind, AccessPath
from tvm_ffi.structural import (
    DefRegionKind,
    StructuralKey,
    VisitInterrupt,
    WalkResult,
    structural_equal,
    structural_hash,
    structural_map,
    structural_mutate,
    structural_visit,
    structural_walk,
)


def test_equal_and_hash():
    assert structural_equal([1, {"a": 2}], [1, {"a": 2}])
    assert not structural_equal([1], [1.0]) and not structural_equal([1], [True])
    assert structural_equal([float("nan")], [float("nan")])
    assert not structural_equal([0.0], [-0.0])
    assert structural_hash([1, "a"]) == structural_hash([1, "a"]) != structural_hash([2, "a"])
    assert 0 <= structural_hash([1, "a"]) < 2**64


def test_first_mismatch():
    assert structural.get_first_structural_mismatch([1], [1]) is None
    left, right = structural.get_first_structural_mismatch([1, [2, 3]], [1, [2, 4]])
    assert left == right == AccessPath.root().array_item(1).array_item(1)
    left, right = structural.get_first_structural_mismatch({"a": 1}, {"a": 1, "b": 2})
    assert right == AccessPath.root().map_item("b")


def test_keys():
    table = {StructuralKey([1, 2]): "x"}
    assert table[StructuralKey([1, 2])] == "x" and StructuralKey([1, 3]) not in table
    assert StructuralKey([1]).key == [1]
    assert StructuralKey([1]) != [1]


def test_walk():
    seen = []
    assert structural_walk([1, [2, "x"]], (int, seen.append)) is None
    assert seen == [1, 2]
    order = []
    structural_walk([1, [2]], lambda v: order.append(v if isinstance(v, int) else len(v)))
    assert order == [1, 2, 1, 2]
    order.clear()
    structural_walk([1, [2]], lambda v: order.append(v if isinstance(v, int) else "c"), order="pre")
    assert order == ["c", 1, "c", 2]

    def skip(value):
        seen.append("array")
        return WalkResult.SKIP

    seen.clear()
    structural_walk({"k": [1, 2]}, [(tvm_ffi.Array, skip), (int, seen.append)], order="pre")
    assert seen == ["array"]
    stop = structural_walk([1, 2, 3], (int, lambda v: VisitInterrupt(v) if v == 2 else None))
    assert isinstance(stop, VisitInterrupt) and stop.value == 2
    kinds = []
    structural_walk([1], with_def_region_kind=(int, lambda v, kind: kinds.append(kind)))
    assert kinds == [DefRegionKind.NONE]


def test_walk_arguments():
    with pytest.raises(ValueError, match="Unknown structural walk order: 'in'"):
        structural_walk([1], lambda v: None, order="in")
    with pytest.raises(TypeError):
        structural_walk([1], [lambda v: None])
    with pytest.raises(TypeError):
        structural_walk([1], 3)
    with pytest.raises(TypeError, match="WalkResult"):
        structural_walk([1], lambda v: "text")
    with pytest.raises(ZeroDivisionError):
        structural_walk([1], lambda v: 1 / 0)


def test_visit():
    seen = []

    def on_array(value, visitor):
        seen.append(len(value))
        for item in value:
            result = visitor.visit(item)
            if result is not None:
                return result
        return None

    assert structural_visit([1, [2, 3, 4]], (tvm_ffi.Array, on_array)) is None
    assert seen == [2, 3]
    with pytest.raises(TypeError, match="cannot be constructed directly"):
        structural.StructuralVisitor()


def test_map_and_mutate():
    value = tvm_ffi.convert([1, [2, 3], "x"])
    assert structural_map(value, (int, lambda v: v + 1)) == [2, [3, 4], "x"]
    assert structural_map(value, (str, lambda v: v)).same_as(value)
    assert structural_mutate(value, (int, lambda v, m: v * 10)) == [10, [20, 30], "x"]
    modes = []

    def with_mode(v, m, mode):
        modes.append(mode)
        return v

    structural_mutate(value, (int, with_mode))
    assert len(modes) == 3
    with pytest.raises(TypeError, match="must accept"):
        structural_mutate(value, (int, lambda v: v))


def test_a_map_that_never_ends_raises():
    def grow(v):
        return [v]

    with pytest.raises(RecursionError, match="more than 500000 replacements within each other"):
        structural_map(1, (int, grow), order="pre")
    assert structural_map(1, (int, grow)) == [1]  # the callback sees children first, and is done
    # A value may be deep, and every level of it replaced.
    deep = tvm_ffi.Array([1])
    for _ in range(20_000):
        deep = tvm_ffi.Array([deep])
    out = structural_map(deep, (tvm_ffi.Array, lambda v: tvm_ffi.Array([v[0], 2])), order="pre")
    for _ in range(20_000):
        assert len(out) == 2
        out = out[0]
    assert out == [1, 2]


def test_access_paths():
    root = AccessPath.root()
    path = root.attr("a").array_item(2).map_item("k")
    assert repr(path) == '<root>.a[2]["k"]' and path.depth == 3
    assert [step.kind for step in path.to_steps()] == [
        AccessKind.ATTR,
        AccessKind.ARRAY_ITEM,
        AccessKind.MAP_ITEM,
    ]
    assert path == root.attr("a").array_item(2).map_item("k") and path != root
    assert root.attr("a").is_prefix_of(path) and not path.is_prefix_of(root)
    assert path.parent == root.attr("a").array_item(2) and root.parent is None
    assert repr(root.array_item_missing(1)) == "<root>[<missing:1>]"
    assert repr(root.map_item_missing("q")) == '<root>[<missing:"q">]'
    with pytest.raises(ValueError):
        AccessPath()


def test_json_graph():
    inner = tvm_ffi.List([1, 2])
    text = serialization.to_json_graph_str([inner, inner, {"k": None}], {"made": "here"})
    again = serialization.from_json_graph_str(text)
    assert again == [[1, 2], [1, 2], {"k": None}] and again[0].same_as(again[1])
    assert '"made"' in text
    with pytest.raises(TypeError, match="does not support ToJSONGraph"):
        serialization.to_json_graph_str(lambda: 1)
    with pytest.raises(ValueError):
        serialization.from_json_graph_str("{")


def test_streams():
    device = tvm_ffi.device("cuda", 3)
    assert tvm_ffi.get_raw_stream(device) == 0
    with tvm_ffi.use_raw_stream(device, 0x1234):
        assert tvm_ffi.get_raw_stream(device) == 0x1234
        with tvm_ffi.use_raw_stream(device, ctypes.c_void_p(0x5678)):
            assert tvm_ffi.get_raw_stream(device) == 0x5678
        assert tvm_ffi.get_raw_stream(device) == 0x1234
    assert tvm_ffi.get_raw_stream(device) == 0
    with pytest.raises(ValueError):
        tvm_ffi.use_raw_stream(device, "text")
