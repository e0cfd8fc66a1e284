# SPDX-License-Identifier: Apache-2.0
"""Classes, functions and errors of the extension, used from Python."""

from __future__ import annotations

import gc

import numpy as np
import tvm_ffi
from harness import EXTENSION, finish, outcome

module = tvm_ffi.load_module(str(EXTENSION))


@tvm_ffi.register_object("third_party.Point")
class Point(tvm_ffi.Object):
    pass


@tvm_ffi.register_object("third_party.Segment")
class Segment(Point):
    pass


def function(name: str) -> tvm_ffi.Function:
    return tvm_ffi.get_global_func(f"third_party.{name}")


# Exported functions.
assert module.add(2**62, -1) == 2**62 - 1
assert module.greet("a name of more than seven bytes") == "hello a name of more than seven bytes"
assert list(module.twice_all([1, 2, 3])) == [2, 4, 6]
counts = module.count_words(tvm_ffi.List(["a", "b", "a"]))
assert dict(counts.items()) == {"a": 2, "b": 1}
print(outcome(module.fail, 3))
print(outcome(module.add, 1))
print(outcome(module.add, 1, "x"))
print(outcome(module.twice_all, [1, "x"]))
print(outcome(lambda: module.no_such_function))
print(outcome(module.get_function_metadata, "add"))

# Classes: fields, methods, inheritance, values that keep others alive.
point = Point.at(5)
assert type(point) is Point and point.x == 5 and point.weight == 1.5 and point.label == "origin"
point.x = -3
point.weight = 0.25
point.label = "a label of more than seven bytes"
point.extra = {"a": [1, point.label]}
point.move(10)
assert (point.x, point.weight, point.scaled(3)) == (7, 0.25, 21)
assert point.label == "a label of more than seven bytes"
assert point.extra["a"][1] == point.label
other = Point.at(100)
segment = Segment.between(point, other, [point, other, point])
del other
gc.collect()
assert type(segment) is Segment and isinstance(segment, Point)
assert segment.x == 7 and segment.end.x == 100 and segment.scaled(2) == 14
assert [stop.x for stop in segment.stops] == [7, 100, 7]
assert segment.stops[0].same_as(segment.stops[2]) and segment.stops[0].same_as(point)
assert function("is_segment")(segment) and not function("is_segment")(point)
assert function("sum_points")([point, segment, segment.end]) == 114
segment.end = segment
segment.end = point
print(outcome(function("sum_points"), [1]))
print(outcome(setattr, point, "x", "text"))
print(outcome(setattr, segment, "stops", [3]))
print(outcome(Point.at, None))

# Structural equality, copies and JSON of a class that only the extension knows.
twin = Point.at(7)
twin.weight, twin.label, twin.extra = point.weight, point.label, {"a": [1, point.label]}
assert tvm_ffi.structural_equal(point, twin)
assert tvm_ffi.structural_hash(point) == tvm_ffi.structural_hash(twin)
twin.extra = None
assert not tvm_ffi.structural_equal(point, twin)
print("structural hash", tvm_ffi.structural_hash(point), tvm_ffi.structural_hash(segment))
text = tvm_ffi.serialization.to_json_graph_str(segment)
print(text)
back = tvm_ffi.serialization.from_json_graph_str(text)
assert type(back) is Segment and back.stops[0].same_as(back.end)
assert tvm_ffi.structural_equal(back, segment)
copy = tvm_ffi.get_global_func("ffi.DeepCopy")(segment)
assert tvm_ffi.structural_equal(copy, segment) and not copy.end.same_as(segment.end)
print(tvm_ffi.get_global_func("ffi.ReprPrint")(Point.at(1)))

# Values with alternatives, functions as values.
assert function("joined")(["a", "b"], None) == "a/b"
assert function("joined")(["a", "b"], ", ") == "a, b"
assert function("joined")("alone", None) == "alone"
assert tuple(function("swapped")((1, "x"))) == ("x", 1)
assert function("adder")(40)(2) == 42
assert function("apply")(lambda value: value * 2, 21) == 42
print(outcome(function("joined"), 3, None))
print(outcome(function("swapped"), ("x", 1)))
print(outcome(function("swapped"), (1,)))

# Tensors.
data = np.arange(10, dtype="int32")
assert function("sum_tensor")(tvm_ffi.from_dlpack(data)) == 45
assert function("sum_tensor")(tvm_ffi.from_dlpack(data[::3])) == 18
print(outcome(function("sum_tensor"), tvm_ffi.from_dlpack(data.reshape(2, 5))))
print(outcome(function("sum_tensor"), tvm_ffi.from_dlpack(data.astype("float32"))))

# Errors, in both directions.
for kind in ("ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError"):
    try:
        function("raise")(kind, "the message")
    except Exception as error:
        assert type(error).__name__ == kind and "the message" in str(error), repr(error)
    else:
        raise AssertionError(f"{kind} was not raised")


def fails(value: object) -> None:
    raise ValueError(f"no {value}")


assert list(function("try")(fails, 3)) == ["ValueError", "no 3"]
assert function("try")(lambda value: value + 1, 3) == 4
try:
    function("apply")(fails, 4)
except ValueError as error:
    assert str(error) == "no 4"
else:
    raise AssertionError("the error of the callback was lost")

finish()
