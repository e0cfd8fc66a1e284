# SPDX-License-Identifier: Apache-2.0
"""JSON graphs, pickle and copies: values come back, sharing is kept, bad text raises."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
import tvm_ffi
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm_ffi import serialization
from tvm_ffi.dataclasses import py_class
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(2**63, 2**200),
    st.integers(-(2**200), -(2**63) - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-9, 9)),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)


def plain(value: Any) -> Any:
    """Native containers as list and dict, tagged leaves that tell 1, 1.0 and True apart."""
    if isinstance(value, (tvm_ffi.Array, tvm_ffi.List, list)):
        return [plain(item) for item in value]
    if isinstance(value, (tvm_ffi.Map, tvm_ffi.Dict, dict)):
        return {str(key): plain(item) for key, item in value.items()}
    for kind in (bool, int, float, str, bytes):
        if isinstance(value, kind):
            return kind.__name__, kind(value)
    return value


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_values_come_back(value: Any) -> None:
    text = to_json_graph_str(value)
    again = from_json_graph_str(text)
    assert plain(again) == plain(value)
    assert tvm_ffi.structural_equal(again, value)
    assert to_json_graph_str(again) == text


@settings(max_examples=50, deadline=None)
@given(st.lists(VALUES, max_size=4))
def test_containers_pickle_and_copy(items: list[Any]) -> None:
    for made in (tvm_ffi.Array(items), tvm_ffi.List(items)):
        for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
            assert type(again) is type(made)
            assert again == made
            assert not again.same_as(made)


def test_form_of_the_graph() -> None:
    graph = json.loads(to_json_graph_str([1, 2.5, None, b"\x00\x01", {"k": True}]))
    nodes = graph["nodes"]
    root = nodes[graph["root_index"]]
    assert root["type"] == "ffi.Array"
    kinds = [nodes[i]["type"] for i in root["data"]]
    assert kinds == ["int", "float", "None", "ffi.Bytes", "ffi.Map"]
    assert [nodes[i].get("data") for i in root["data"]][:4] == [1, 2.5, None, "AAE="]
    key, value = nodes[root["data"][4]]["data"]
    assert (nodes[key], nodes[value]) == (
        {"type": "ffi.String", "data": "k"},
        {"type": "bool", "data": True},
    )


def test_metadata_is_beside_the_graph() -> None:
    text = to_json_graph_str([1], {"who": "me", "n": 3})
    assert json.loads(text)["metadata"] == {"who": "me", "n": 3}
    assert from_json_graph_str(text) == [1]


def test_sharing_is_kept() -> None:
    shared = tvm_ffi.List([1, 2])
    for again in (
        from_json_graph_str(to_json_graph_str([shared, shared])),
        pickle.loads(pickle.dumps(tvm_ffi.Array([shared, shared]))),
        copy.deepcopy(tvm_ffi.Array([shared, shared])),
    ):
        assert again[0].same_as(again[1])
        again[0].append(3)
        assert list(again[1]) == [1, 2, 3]
        assert list(shared) == [1, 2]


@py_class("test_serialization.Node")
class Node(tvm_ffi.Object):
    value: int
    children: list[Any]
    note: str | None = None
    dtype: tvm_ffi.dtype = tvm_ffi.dtype("int8")


def test_objects_come_back() -> None:
    leaf = Node(1, [], note="leaf")
    root = Node(2, [leaf, leaf, None])
    for again in (pickle.loads(pickle.dumps(root)), from_json_graph_str(to_json_graph_str(root))):
        assert isinstance(again, Node)
        assert (again.value, again.note, again.dtype) == (2, None, "int8")
        assert again.children[0].same_as(again.children[1])
        assert again.children[0].note == "leaf"
        assert again.children[2] is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"root_index": 0}',
        '{"root_index": 1, "nodes": []}',
        '{"root_index": 0, "nodes": [{"type": "ffi.Array", "data": [7]}]}',
        '{"root_index": 0, "nodes": [{"type": "ffi.Array", "data": [0]}]}',
        '{"root_index": 0, "nodes": [{"type": "ffi.Map", "data": [0]}]}',
        '{"root_index": -1, "nodes": [{"type": "int", "data": 1}]}',
        '{"root_index": 0, "nodes": [{"type": "int", "data": "x"}]}',
        "[" * 200_000,
    ],
)
def test_malformed_text_raises(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        from_json_graph_str(text)


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(Exception, match=r"no\.such\.type"):
        from_json_graph_str('{"root_index": 0, "nodes": [{"type": "no.such.type", "data": {}}]}')


def test_unsupported_types_are_named() -> None:
    with pytest.raises(TypeError, match=r"ffi\.Function"):
        to_json_graph_str([lambda: 1])
    with pytest.raises(TypeError, match=r"Function"):
        pickle.dumps(tvm_ffi.convert(lambda: 1))


def test_deep_values_come_back_or_raise() -> None:
    value: Any = tvm_ffi.Array([])
    for _ in range(20_000):
        value = tvm_ffi.Array([value])
    try:
        again = from_json_graph_str(to_json_graph_str(value))
    except (ValueError, RecursionError, RuntimeError):
        return
    for _ in range(20_000):
        value, again = value[0], again[0]
    assert len(value) == len(again) == 0


def test_a_list_that_holds_itself_raises_or_comes_back() -> None:
    loop = tvm_ffi.List([])
    loop.append(loop)
    try:
        again = from_json_graph_str(to_json_graph_str(loop))
    except (ValueError, TypeError, RuntimeError):
        pass
    else:
        assert again[0].same_as(again)
        again.clear()
    loop.clear()


def test_exports() -> None:
    assert set(serialization.__all__) == {"to_json_graph_str", "from_json_graph_str"}
