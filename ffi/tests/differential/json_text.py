# SPDX-License-Identifier: Apache-2.0
"""JSON text: what the parser accepts, where it puts errors, what the writer writes."""

from __future__ import annotations

import tvm_ffi

parse = tvm_ffi.get_global_func("ffi.json.Parse")
write = tvm_ffi.get_global_func("ffi.json.Stringify")
show = tvm_ffi.get_global_func("ffi.ReprPrint")


def attempt(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shown(text: str) -> str:
    """The value of a JSON text; floats in Python's digits."""
    value = parse(text)
    return repr(value) if isinstance(value, float) else show(value)


TEXTS = r"""
[ { [1, [1,] {"a" {"a": {"a":1 {"a":1, {"a":1,} {"a":1,2} {a:1} [1~2] {"a"~1} "abc "\x" "\u12"
"\u12g4" "\ud800" "\ud800x" "\ud800\u0041" "\ud800\u00" "\udc00" "\ud83d\ude00" nul tru NaN
Infinity -Infinity -Inf - +1 01 1. .5 1e5 1e999 -1e999 1e-999 5e-324 1.2.3 1-2 --1
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 1~2 []~x 1e e -e
1e+ +-1 -+1 -~1 [1} {"a":1] nullx [nullx] "a"~, [,] {,} {"a":} {"a":,} [1,,2] 0x10 -0 -0.0 1E5
{"a":1,"b":2,"c":3,"a":4} {"a":1,"a":4} {"a":1,"b":2,"c":3,"d":4,"e":5,"b":6} [[],{},[{}]]
""".split()

for text in ["", "  ", "\n\n  x", "[\n1,\n 2\n", '"a\nb"', '"\x7f"', '"é"', '"tab\t"', '"\\']:
    print("parse", repr(text), "->", attempt(shown, text))
for word in TEXTS:
    text = word.replace("~", " ")
    print("parse", repr(text), "->", attempt(shown, text))

VALUES = [
    None,
    True,
    1,
    1.0,
    1e15,
    1e16,
    2.0**53,
    0.1,
    1 / 3,
    1e300,
    -0.0,
    float("nan"),
    float("inf"),
    -float("inf"),
    'a/"\\\b\f\n\r\t\x01\x7fé',
    tvm_ffi.Array([]),
    tvm_ffi.Array([1, tvm_ffi.Array([])]),
    tvm_ffi.Map({}),
    tvm_ffi.Map({"a": 1, "b": tvm_ffi.Array([1, 2])}),
    tvm_ffi.Map({1: 2}),
    tvm_ffi.Shape((1,)),
    b"a",
    tvm_ffi.Dict({"a": 1}),
]
for value in VALUES:
    for indent in (None, 2, 0, -1):
        print("write", repr(attempt(write, value, indent)))
cycle = tvm_ffi.List([1])
cycle.append(tvm_ffi.Array([cycle]))
print("cycle", attempt(write, cycle, None))
cycle.clear()
