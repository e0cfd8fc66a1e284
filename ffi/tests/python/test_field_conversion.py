# SPDX-License-Identifier: Apache-2.0
"""Values of fields: native code converts them as the rules of TypeSchema in Python do."""

from __future__ import annotations

import importlib
import sys
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm_ffi
from tvm_ffi import Object, core
from tvm_ffi.core import TypeSchema
from tvm_ffi.dataclasses import py_class
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")


@py_class("test_field_conversion.ConvertedLeaf")
class ConvertedLeaf(Object):
    x: int


@py_class("test_field_conversion.ConvertedChild")
class ConvertedChild(ConvertedLeaf):
    y: int


@py_class("test_field_conversion.ConvertedAsItIs")
class ConvertedAsItIs(Object):
    """A native object is taken as it is, whatever its class says about conversion."""

    x: int

    def __tvm_ffi_value__(self):
        return 7

    def __tvm_ffi_object__(self):
        return ConvertedLeaf(8)


class Value:
    def __tvm_ffi_value__(self):
        return 7


TYPES = [
    Any,
    int,
    float,
    bool,
    str,
    bytes,
    type(None),
    Object,
    ConvertedLeaf,
    tvm_ffi.dtype,
    tvm_ffi.Device,
    tvm_ffi.Tensor,
    int | None,
    ConvertedLeaf | None,
    int | str,
    float | int | None,
    str | list[int],
    ConvertedLeaf | str,
    list,
    list[int],
    list[float],
    list[Any],
    list[list[int]],
    tvm_ffi.Array[str],
    tvm_ffi.Array[ConvertedLeaf | None],
    dict,
    dict[str, int],
    dict[Any, float],
    tvm_ffi.Map[str, list[int]],
    tuple,
    tuple[int, str],
    tuple[float, Any],
]
VALUES: list[typing.Callable[[], Any]] = [
    lambda: None,
    lambda: True,
    lambda: 0,
    lambda: -3,
    lambda: 2**53 + 1,
    lambda: 2**63 - 1,
    lambda: 2**63,
    lambda: 2.5,
    lambda: float("inf"),
    lambda: "",
    lambda: "short",
    lambda: "text of more than seven bytes",
    lambda: b"bytes",
    lambda: b"bytes, more than seven",
    lambda: ConvertedLeaf(1),
    lambda: ConvertedChild(1, 2),
    lambda: ConvertedAsItIs(3),
    lambda: Value(),
    lambda: tvm_ffi.dtype("float16"),
    lambda: tvm_ffi.device("cpu:1"),
    lambda: tvm_ffi.Shape((1, 2)),
    lambda: np.float32(1.5),
    lambda: np.int8(3),
    lambda: np.zeros(2),
    lambda: object(),
    lambda: [],
    lambda: [1, 2, 3],
    lambda: [1, True],
    lambda: [1, "two"],
    lambda: (1, "two"),
    lambda: [[1], [2, 3]],
    lambda: tvm_ffi.Array([1, 2]),
    lambda: tvm_ffi.List([1, 2]),
    lambda: tvm_ffi.Array([ConvertedLeaf(1), None]),
    lambda: ["a", "text of more than seven bytes"],
    lambda: {},
    lambda: {"a": 1},
    lambda: {"a": [1]},
    lambda: {1: 2},
    lambda: tvm_ffi.Map({"a": 1, "b": True}),
    lambda: tvm_ffi.Dict({"a": 1}),
    lambda: {str(i): i for i in range(20)},
]


def name_of(annotation):
    return str(annotation).replace("typing.", "").replace("tvm_ffi.", "")


def by_the_rules(schema, value):
    """The kind and text of what the rules make of a value, or of the error."""
    try:
        return described(core._to_py_class_value(schema.convert(value)))
    except TypeError as error:
        return "TypeError", str(error).partition(": ")[2]


def described(value):
    if isinstance(value, core.Tensor):
        return "Tensor", str(value)
    if type(value) is object:
        return "object", str(value)
    if isinstance(value, (tvm_ffi.Array, tvm_ffi.List)):
        return type(value).__name__, [described(item) for item in value]
    if isinstance(value, (tvm_ffi.Map, tvm_ffi.Dict)):
        return type(value).__name__, [(described(k), described(v)) for k, v in value.items()]
    return type(value).__name__, repr(value)


@pytest.mark.parametrize("annotation", TYPES, ids=name_of)
def test_a_field_takes_what_the_rules_take(annotation):
    schema = TypeSchema.from_annotation(annotation)
    cls = type("Holder", (Object,), {"__annotations__": {"value": annotation}})
    cls = py_class(f"test_field_conversion.Holder.{name_of(annotation)}")(cls)
    for make in VALUES:
        value = make()
        # The value arrives converted as an argument: a list as an Array, a number of numpy as such.
        arrived = tvm_ffi.convert(lambda x: x)(value)
        expected = by_the_rules(schema, arrived)
        try:
            got = described(cls(value).value)
        except TypeError as error:
            text = str(error)
            got = "TypeError", "\n".join(line[2:] for line in text.splitlines()[1:])
        assert got == expected, (annotation, value)


def test_containers_of_the_right_kind_stay_themselves():
    @py_class("test_field_conversion.Containers")
    class Containers(Object):
        numbers: list[int]
        names: tvm_ffi.Map[str, Any]
        both: tvm_ffi.Array[int | str]

    numbers, names, both = tvm_ffi.List([1, 2]), tvm_ffi.Map({"a": 1}), tvm_ffi.Array([1, "x"])
    holder = Containers(numbers, names, both)
    assert holder.numbers.same_as(numbers) and holder.names.same_as(names)
    assert holder.both.same_as(both)
    numbers.append(3)
    assert list(holder.numbers) == [1, 2, 3]
    changed = tvm_ffi.List([1, True])
    holder.numbers = changed
    assert not holder.numbers.same_as(changed) and holder.numbers == [1, 1]
    assert [type(x) for x in holder.numbers] == [int, int]


def test_native_objects_are_not_unwrapped():
    value = ConvertedAsItIs(3)
    schema = TypeSchema.from_annotation(Any)
    assert core._to_py_class_value(schema.convert(value)).same_as(value)
    with pytest.raises(TypeError, match=r"expected int, got .*\.ConvertedAsItIs"):
        TypeSchema.from_annotation(int).convert(value)


def test_graphs_are_read_by_the_same_rules():
    @py_class("test_field_conversion.Node")
    class Node(Object):
        name: str
        weight: float
        inputs: list[ConvertedLeaf | None]
        table: dict[str, Any]
        extra: int | None

    leaf = ConvertedChild(1, 2)
    node = Node("a name that is long", 3, [leaf, None], {"k": leaf}, None)
    text = to_json_graph_str(node)
    read = from_json_graph_str(text)
    assert (read.name, read.weight, read.extra) == ("a name that is long", 3.0, None)
    assert read.inputs[0].same_as(read.table["k"]) and read.inputs[1] is None
    assert (type(read.inputs), type(read.table)) == (tvm_ffi.List, tvm_ffi.Dict)
    assert read.inputs[0].y == 2
    wrong = text.replace('"a name that is long"', "5")
    assert wrong != text
    with pytest.raises(TypeError, match="str"):
        from_json_graph_str(wrong)


def test_values_are_released():
    kept = tvm_ffi.Array([1])

    @py_class("test_field_conversion.Kept")
    class Kept(Object):
        one: Any
        many: list[Any]
        strict: tvm_ffi.Array[tvm_ffi.Array[float]]

    use_count = tvm_ffi.get_global_func("testing.object_use_count")
    before = use_count(kept)
    for wrong in ([kept, None], [kept, 3]) * 3:
        Kept(kept, [kept], [kept])
        with pytest.raises(TypeError):
            Kept(kept, [kept], wrong)
    assert use_count(kept) == before
