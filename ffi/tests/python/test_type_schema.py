# SPDX-License-Identifier: Apache-2.0
"""TypeSchema: annotations, JSON, text, conversion."""

from __future__ import annotations

import collections.abc
import ctypes
import typing

import pytest
import tvm_ffi
from tvm_ffi import core
from tvm_ffi.core import TypeSchema

ANNOTATIONS = [
    (None, "None"),
    (typing.Any, "Any"),
    (bool, "bool"),
    (int, "int"),
    (str, "str"),
    (list, "List[Any]"),
    (list[int], "List[int]"),
    (dict[str, int], "Dict[str, int]"),
    (tuple, "tuple"),
    (tuple[int, ...], "Array[int]"),
    (tuple[int, str], "tuple[int, str]"),
    (tuple[()], "tuple[()]"),
    (typing.Optional[int], "int | None"),  # noqa: UP045
    (int | str | None, "int | str | None"),
    (typing.Union[int, str], "int | str"),  # noqa: UP007
    (typing.Callable, "Callable[..., Any]"),
    (typing.Callable[[int], str], "Callable[[int], str]"),
    (typing.Callable[..., int], "Callable[..., int]"),
    (collections.abc.Callable[[], None], "Callable[[], None]"),
    (tvm_ffi.Object, "Object"),
    (tvm_ffi.Array, "Array[Any]"),
    (tvm_ffi.Map[str, int], "Map[str, int]"),
    (core.String, "str"),
    (tvm_ffi.dtype, "dtype"),
    (tvm_ffi.Device, "Device"),
    (ctypes.c_void_p, "ctypes.c_void_p"),
    (tvm_ffi.Tensor, "Tensor"),
    (tvm_ffi.Function, "Callable[..., Any]"),
    (core.Error, "ffi.Error"),
    (tvm_ffi.Module, "ffi.Module"),
    (tvm_ffi.Shape, "ffi.Shape"),
]


@pytest.mark.parametrize(("annotation", "text"), ANNOTATIONS, ids=[text for _, text in ANNOTATIONS])
def test_annotations(annotation, text):
    schema = TypeSchema.from_annotation(annotation)
    assert repr(schema) == text
    assert TypeSchema.from_json_obj(schema.to_json()) == schema


@pytest.mark.parametrize("annotation", [object, "int", set, typing.Sequence[int]], ids=repr)
def test_annotations_without_schema(annotation):
    with pytest.raises(TypeError, match="Cannot convert"):
        TypeSchema.from_annotation(annotation)


@pytest.mark.parametrize(
    ("json", "text", "index"),
    [
        ('{"type":"Variant","args":[{"type":"int"},{"type":"str"}]}', "int | str", -2),
        ('{"type":"Tuple","args":[{"type":"int"},{"type":"ffi.String"}]}', "tuple[int, str]", -3),
        (
            '{"type":"ffi.Function","args":[{"type":"int"},{"type":"str"}]}',
            "Callable[[str], int]",
            68,
        ),
        ('{"type":"std::vector","args":[{"type":"int"}]}', "Array[int]", 71),
        ('{"type":"foo.Bar","fallback":{"type":"int"}}', "int", -3),
        ('{"type":"foo.Bar"}', "foo.Bar", -3),
        ('{"type":"DLTensor*"}', "Tensor", 70),
        ('{"type":"ffi.BigInt"}', "int", 1),
        ('{"type":"ffi.Shape"}', "ffi.Shape", 69),
    ],
)
def test_json(json, text, index):
    schema = TypeSchema.from_json_str(json)
    assert repr(schema) == text and schema.origin_type_index == index


def test_arity():
    for bad in (
        lambda: TypeSchema("Optional", ()),
        lambda: TypeSchema("Union", (TypeSchema("int"),)),
        lambda: TypeSchema("Map", (TypeSchema("int"),)),
        lambda: TypeSchema("Array", (TypeSchema("int"), TypeSchema("int"))),
    ):
        with pytest.raises(ValueError, match="must have"):
            bad()
    with pytest.raises(TypeError):
        hash(TypeSchema("int"))


def test_renaming():
    schema = TypeSchema.from_annotation(typing.Callable[[list[int]], dict[str, tvm_ffi.Object]])
    assert schema.repr(str.lower) == "callable[[list[int]], dict[str, object]]"


CHECKS = [
    (int, True, 1),
    (float, 1, 1.0),
    (bool, 2, True),
    (bytes, bytearray(b"x"), b"x"),
    (list[int], (1, 2), [1, 2]),
    (tuple[int, str], [1, "a"], (1, "a")),
    (int | None, None, None),
    (int | str, "a", "a"),
    (tvm_ffi.dtype, "float32", "float32"),
    (dict[str, list[int]], {"a": (1,)}, {"a": [1]}),
    (tvm_ffi.Object, [1], [1]),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), CHECKS, ids=lambda v: repr(v)[:30])
def test_conversion(annotation, value, expected):
    schema = TypeSchema.from_annotation(annotation)
    schema.check_value(value)
    result = core._to_py_class_value(schema.convert(value))
    assert result == expected


FAILURES = [
    (int, "a", "expected int, got str"),
    (int, 2**70, "integer 1180591620717411303424 out of int64 range"),
    (bool, 1.0, "expected bool, got float"),
    (list[int], [1, "a"], r"element \[1\]: expected int, got str"),
    (list[list[int]], [[1], ["x"]], r"element \[1\]: element \[0\]: expected int, got str"),
    (dict[str, int], {"a": "b"}, "value for key 'a': expected int, got str"),
    (dict[str, int], {1: 1}, "key 1: expected str, got int"),
    (tuple[int, str], (1,), "expected tuple of length 2, got tuple of length 1"),
    (int | str, 1.5, r"expected int \| str, got float"),
    (tvm_ffi.dtype, "bad", "expected dtype, got invalid dtype string 'bad'"),
    (tvm_ffi.Device, "gpu", "expected Device, got invalid device string 'gpu'"),
    (tvm_ffi.Tensor, 1, "expected Tensor, got int"),
    (typing.Callable, 3, "expected Callable, got int"),
    (tvm_ffi.Object, 1, r"expected Object, got int\n(.|\n)*Cannot cast from `int` to `ffi.Object`"),
    (None, 1, "expected None, got int"),
]


@pytest.mark.parametrize(("annotation", "value", "text"), FAILURES, ids=lambda v: repr(v)[:30])
def test_failures(annotation, value, text):
    schema = TypeSchema.from_annotation(annotation)
    with pytest.raises(TypeError, match=f"type check failed for .*: {text}"):
        schema.check_value(value)
    with pytest.raises(TypeError, match=f"type conversion failed for .*: {text}"):
        schema.convert(value)


def test_unchanged_containers_pass_by_reference():
    value = tvm_ffi.List([1, 2])
    result = core._to_py_class_value(TypeSchema.from_annotation(list[int]).convert(value))
    assert result.same_as(value)
    result = core._to_py_class_value(TypeSchema.from_annotation(list[float]).convert(value))
    assert not result.same_as(value) and result == [1.0, 2.0]


def test_unwrapping_ends():
    class Loop:
        def __tvm_ffi_value__(self):
            return self

    with pytest.raises(TypeError, match="more than 64 times"):
        TypeSchema.from_annotation(int).check_value(Loop())


def test_deep_values():
    value: list = []
    value.append(value)
    with pytest.raises((TypeError, RecursionError)):
        TypeSchema.from_annotation(list[typing.Any]).convert(value)
