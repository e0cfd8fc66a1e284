# SPDX-License-Identifier: Apache-2.0
"""The Python package over the library: values, containers, errors, arrays, algorithms."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import tvm_ffi
import tvm_ffi.testing
from harness import finish, outcome

echo = tvm_ffi.get_global_func("testing.echo")
show = tvm_ffi.get_global_func("ffi.ReprPrint")
Array, List, Map, Dict = tvm_ffi.Array, tvm_ffi.List, tvm_ffi.Map, tvm_ffi.Dict

# Values that go through a function come back.
numbers = (0, -1, 2**62, -(2**63), 1.5, float("inf"))
for value in (None, True, False, *numbers, "", "short", "x" * 1000):
    assert echo(value) == value and isinstance(echo(value), type(value))
for data in (b"", b"short", b"\x00\xff" * 100):
    assert echo(data) == data
assert echo(tvm_ffi.dtype("bfloat16")) == "bfloat16"
assert str(echo(tvm_ffi.dtype("float8_e4m3fn")).with_lanes(4)) == "float8_e4m3fnx4"
assert echo(tvm_ffi.device("cuda", 3)) == tvm_ffi.device("cuda:3")
assert tuple(echo(tvm_ffi.Shape((1, 2, 3)))) == (1, 2, 3)
for text in ("float32", "int8x4", "bool", "uint64", "float4_e2m1fn", "handle", "none", "int", ""):
    print("dtype", text, outcome(lambda text=text: str(tvm_ffi.dtype(text))))
for text in ("cpu", "cuda:1", "vulkan", "nothing", "cuda:x"):
    print("device", text, outcome(lambda text=text: str(tvm_ffi.device(text))))

# Containers.
array = tvm_ffi.convert([1, "two", 3.0, None, [4, 5]])
assert isinstance(array, Array) and len(array) == 5 and array[-1][0] == 4
assert list(array[1:4]) == ["two", 3.0, None] and 3.0 in array
assert list(Array([1]) + Array([2])) == [1, 2]
print(outcome(lambda: array[5]), outcome(lambda: array[-6]))
map_ = tvm_ffi.convert({"a": 1, "b": [2], 3: {"c": 4}})
assert isinstance(map_, Map) and map_["b"][0] == 2 and map_[3]["c"] == 4
assert list(map_.keys()) == ["a", "b", 3] and len(list(map_.values())) == 3
assert map_.get("none", 7) == 7 and "a" in map_ and "z" not in map_
assert outcome(lambda: map_["z"]).startswith("KeyError")  # one package names the key as well
items = List([3, 1, 2])
items.append(9)
items.extend([7, 8])
items.insert(0, 0)
items[2:4] = [10, 11, 12]
del items[0]
items.reverse()
assert list(items) == [8, 7, 9, 12, 11, 10, 3]
assert items.pop() == 3 and items.pop(0) == 8 and len(items) == 5
items.remove(9)
# The published text about a value that is not there is empty.
print(list(items), outcome(lambda: items[10]), outcome(items.remove, 1000).partition(":")[0])
print(outcome(lambda: List([]).pop()))
table = Dict({"a": 1})
table["b"] = 2
table.update({"c": 3})
table["a"] = 4
del table["b"]
assert dict(table.items()) == {"a": 4, "c": 3}
assert table.pop("c") == 3 and table.pop("z", 5) == 5 and table.setdefault("d", 6) == 6
print(list(table.items()))
for missing in (lambda: table.pop("z"), lambda: table["z"]):
    assert outcome(missing).startswith("KeyError")  # as above
print(show(array), show(map_), show(items), show(table))
assert echo(items).same_as(items) and echo(map_).same_as(map_)

# Functions and callbacks.
assert tvm_ffi.get_global_func("testing.add_one")(4) == 5
assert tvm_ffi.get_global_func("testing.apply")(lambda *parts: sum(parts), 1, 2, 3) == 6
assert tvm_ffi.get_global_func("no such function", allow_missing=True) is None
print(outcome(tvm_ffi.get_global_func, "no such function"))
print(outcome(tvm_ffi.get_global_func("testing.add_one")))
print(outcome(tvm_ffi.get_global_func("testing.add_one"), "x"))
print(outcome(tvm_ffi.get_global_func("testing.add_one"), [1, 2]))


@tvm_ffi.register_global_func("third_party.python.scale")
def scale(value: int, factor: int = 10) -> int:
    return value * factor


assert tvm_ffi.get_global_func("third_party.python.scale")(3) == 30
print(outcome(tvm_ffi.register_global_func, "third_party.python.scale", scale))
tvm_ffi.register_global_func("third_party.python.scale", lambda value: -value, override=True)
assert tvm_ffi.get_global_func("third_party.python.scale")(3) == -3
tvm_ffi.remove_global_func("third_party.python.scale")
assert tvm_ffi.get_global_func("third_party.python.scale", allow_missing=True) is None


class Held:
    pass


held = Held()
alive = weakref.ref(held)
keeper = tvm_ffi.convert(lambda held=held: held is not None)
del held
gc.collect()
assert alive() is not None and keeper()
del keeper
gc.collect()
assert alive() is None, "a function that is gone still holds its closure"

# Errors keep their kind and message through native frames, in both directions.
apply = tvm_ffi.get_global_func("testing.apply")
for kind in (ValueError, TypeError, IndexError, AttributeError, RuntimeError):

    def fails(kind: type = kind) -> None:
        raise kind("the message")

    try:
        apply(tvm_ffi.convert(fails))
    except kind as error:
        assert "the message" in str(error)
    else:
        raise AssertionError(kind)
print(outcome(tvm_ffi.get_global_func("testing.test_raise_error"), "ValueError", "from C++"))
print(outcome(tvm_ffi.get_global_func("testing.test_raise_error"), "KeyError", "from C++"))


@tvm_ffi.register_error("ThirdPartyError")
class ThirdPartyError(RuntimeError):
    pass


try:
    tvm_ffi.get_global_func("testing.test_raise_error")("ThirdPartyError", "mine")
except ThirdPartyError as error:
    assert "mine" in str(error)
else:
    raise AssertionError("the registered class was not used")

# Arrays.
for name in ("float32", "float64", "float16", "int8", "uint8", "int64", "uint16", "bool"):
    source = np.arange(24).reshape(2, 3, 4).astype(name)
    tensor = tvm_ffi.from_dlpack(source)
    assert tuple(tensor.shape) == (2, 3, 4) and str(tensor.dtype) == name
    back = np.from_dlpack(echo(tensor))
    np.testing.assert_array_equal(back, source)
    assert back.__array_interface__["data"] == source.__array_interface__["data"]
strided = np.arange(24, dtype="int32").reshape(4, 6)[::2, 1:4]
np.testing.assert_array_equal(np.from_dlpack(tvm_ffi.from_dlpack(strided)), strided)
print(tuple(tvm_ffi.from_dlpack(strided).strides), outcome(tvm_ffi.from_dlpack, 3))

# Classes of the testing library.
pair = tvm_ffi.testing.TestIntPair(3, 4)
assert (pair.a, pair.b, pair.sum()) == (3, 4, 7)
base = tvm_ffi.testing.TestObjectBase(v_i64=5, v_f64=2.5, v_str="text")
base.v_i64 += 1
assert base.v_i64 == 6 and base.add_i64(10) == 16 and base.v_str == "text"
derived = tvm_ffi.testing.TestObjectDerived(v_map={"k": 1}, v_array=[1, 2])
assert isinstance(derived, tvm_ffi.testing.TestObjectBase) and derived.v_map["k"] == 1
print(outcome(setattr, base, "v_i64", "x"), outcome(lambda: base.no_such_field))
print(outcome(setattr, pair, "a", 5), outcome(tvm_ffi.testing.TestIntPair, 1))
print(show(pair), show(base), show(derived))

# Structural algorithms, JSON and pickles.
first, second = tvm_ffi.convert([1, {"a": [2, 3]}]), tvm_ffi.convert([1, {"a": [2, 4]}])
assert tvm_ffi.structural_equal(first, tvm_ffi.convert([1, {"a": [2, 3]}]))
assert not tvm_ffi.structural_equal(first, second)
print(tvm_ffi.get_first_structural_mismatch(first, second))
print(tvm_ffi.structural_hash(first), tvm_ffi.structural_hash(second))
key = {tvm_ffi.StructuralKey(first): 1}
assert key[tvm_ffi.StructuralKey(tvm_ffi.convert([1, {"a": [2, 3]}]))] == 1
for value in (first, map_, items, table, pair, base, derived, tvm_ffi.Shape((1, 2)), "x", 3, None):
    text = tvm_ffi.serialization.to_json_graph_str(value)
    print(text)
    back = tvm_ffi.serialization.from_json_graph_str(text)
    assert tvm_ffi.get_global_func("ffi.RecursiveEq")(back, value)
print(outcome(tvm_ffi.serialization.from_json_graph_str, "{"))
print(outcome(tvm_ffi.serialization.from_json_graph_str, '{"root_index":5,"nodes":[]}'))
parse, write = (
    tvm_ffi.get_global_func("ffi.json.Parse"),
    tvm_ffi.get_global_func("ffi.json.Stringify"),
)
for text in ('{"a":[1,2.5,"x\\u00e9",null,true]}', "[]", '"x"', "[1,]", '{"a"}', "", "1 2", "tru"):
    print(text, outcome(lambda text=text: str(write(parse(text), None))))
unpickled = pickle.loads(pickle.dumps(derived))
assert tvm_ffi.get_global_func("ffi.RecursiveEq")(unpickled, derived)
copy = tvm_ffi.get_global_func("ffi.DeepCopy")(first)
assert tvm_ffi.structural_equal(copy, first) and not copy.same_as(first)
finish()
