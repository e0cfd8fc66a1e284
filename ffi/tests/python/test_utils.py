# SPDX-License-Identifier: Apache-2.0
"""Keyword wrappers and dataclass unpacking."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import tvm_ffi
from tvm_ffi.utils.kwargs_wrapper import (
    MISSING,
    make_kwargs_wrapper,
    make_kwargs_wrapper_from_signature,
)
from tvm_ffi.utils.unpack_dataclass import unpack_dataclass_to_tuple


def record(*args: Any) -> tuple[Any, ...]:
    return args


def test_defaults_and_keywords() -> None:
    call = make_kwargs_wrapper(record, ["a", "b", "c"], (10, None), ["k", "l"], {"l": "x"})
    assert str(inspect.signature(call)) == "(a, b=<MISSING>, c=None, *, k, l=<MISSING>)"
    assert call(1, k=2) == (1, 10, None, 2, "x")
    assert call(1, c=3, b=4, l=5, k=6) == (1, 4, 3, 6, 5)
    assert call(1, MISSING, k=2) == (1, 10, None, 2, "x")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'k'"):
        call(1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        call(1, k=2, z=3)


def test_defaults_are_not_shared_text() -> None:
    default: list[int] = []
    call = make_kwargs_wrapper(record, ["a"], (default,))
    assert call()[0] is default


def test_prototype_gives_the_name() -> None:
    def proto(a: int, b: int) -> None:
        """Adds."""

    call = make_kwargs_wrapper(record, ["x"], prototype=proto)
    assert (call.__name__, call.__doc__, call.__module__) == ("proto", "Adds.", __name__)
    assert list(inspect.signature(call).parameters) == ["x"]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((["a", "a"],), ValueError, "Duplicate argument names found in: ['a', 'a']"),
        ((["1a"],), ValueError, "'1a' is not a valid Python identifier"),
        ((["if"],), ValueError, "'if' is a Python keyword"),
        (([3],), TypeError, "Argument name must be a string, got int: 3"),
        ((["__i_MISSING"],), ValueError, "conflict with internal names: {'__i_MISSING'}"),
        ((["a"], (1, 2)), ValueError, "arg_defaults has 2 values but only 1 positional"),
        ((["a"], [1]), TypeError, "arg_defaults must be a tuple, got list"),
        ((["a"], (), ["a"]), ValueError, "both positional and keyword-only: {'a'}"),
        ((["a"], (), ["b", "b"]), ValueError, "Duplicate keyword-only argument names"),
        ((["a"], (), ["b"], {"c": 1}), ValueError, "Default provided for 'c'"),
    ],
)
def test_bad_names(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        make_kwargs_wrapper(record, *arguments)
    assert text in str(caught.value)


def test_from_signature() -> None:
    def proto(a, b=2, *, c=None, d): ...

    call = make_kwargs_wrapper_from_signature(record, inspect.signature(proto), proto)
    assert call(1, d=4) == (1, 2, None, 4)
    shorter = make_kwargs_wrapper_from_signature(
        record, inspect.signature(proto), exclude_arg_names=["b"]
    )
    assert shorter(1, d=4) == (1, None, 4)


@pytest.mark.parametrize(
    ("function", "text"),
    [(lambda *a: a, r"\*args not supported"), (lambda **a: a, r"\*\*kwargs not supported")],
)
def test_open_signatures_raise(function: Callable[..., Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make_kwargs_wrapper_from_signature(record, inspect.signature(function))


def test_wrapper_over_a_native_function() -> None:
    native = tvm_ffi.convert(lambda a, b: a * 10 + b)
    call = make_kwargs_wrapper(native, ["a", "b"], (3,))
    assert (call(a=1), call(b=2, a=1)) == (13, 12)


@dataclasses.dataclass
class Point:
    x: int
    y: Any


class Pair(NamedTuple):
    first: Any
    second: Any


class Kept(list):
    pass


def test_unpacking() -> None:
    shared = object()
    value = Point(1, [Point(2, shared), Pair(Point(3, 4), {"k": Point(5, 6)})])
    unpacked = unpack_dataclass_to_tuple(value)
    assert unpacked == (1, [(2, shared), ((3, 4), {"k": (5, 6)})])
    assert isinstance(unpacked[1][1], Pair)
    assert type(unpack_dataclass_to_tuple(Kept([Point(1, 2)]))) is Kept
    assert unpack_dataclass_to_tuple(Point) is Point
    array = tvm_ffi.Array([1])
    assert unpack_dataclass_to_tuple(array) is array


def test_wrapper_unpacks_named_parameters() -> None:
    call = make_kwargs_wrapper(record, ["a", "b"], map_dataclass_to_tuple=["b"])
    point = Point(1, Point(2, 3))
    assert call(point, b=point) == (point, (1, (2, 3)))


def test_unpacking_a_cycle_raises() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        unpack_dataclass_to_tuple(loop)
