# SPDX-License-Identifier: Apache-2.0
"""Random graphs with sharing and odd keys: both sides describe them, and their copies, alike."""

from __future__ import annotations

import hashlib
import random
import struct

import tvm_ffi
from harness import EXTENSION, finish, outcome

module = tvm_ffi.load_module(str(EXTENSION))
describe = tvm_ffi.get_global_func("third_party.describe")
address = tvm_ffi.get_global_func("third_party.address")
make_graph = tvm_ffi.get_global_func("third_party.make_graph")
deep_copy = tvm_ffi.get_global_func("ffi.DeepCopy")
recursive_eq = tvm_ffi.get_global_func("ffi.RecursiveEq")
to_graph, from_graph = (
    tvm_ffi.serialization.to_json_graph_str,
    tvm_ffi.serialization.from_json_graph_str,
)


@tvm_ffi.register_object("third_party.Point")
class Point(tvm_ffi.Object):
    pass


class Describer:
    """The text of the extension's ``describe``, written with nothing but the Python package."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}

    def __call__(self, value: object) -> str:
        if value is None:
            return "N"
        if isinstance(value, bool):
            return "T" if value else "F"
        if isinstance(value, tvm_ffi.dtype):  # a str as well
            return f"d{value}"
        if isinstance(value, int):
            return f"i{value}"
        if isinstance(value, float):
            return f"f{struct.unpack('<Q', struct.pack('<d', value))[0]}"
        if isinstance(value, str):
            return f"s{value.encode().hex()}"
        if isinstance(value, bytes):
            return f"b{value.hex()}"
        if isinstance(value, tvm_ffi.Shape):
            return "S" + "".join(f"{extent}," for extent in value)
        return self.describe_object(value)

    def describe_object(self, value: object) -> str:
        where, new = address(value), len(self.numbers)
        number = self.numbers.setdefault(where, new)
        known = number != new
        kinds = {tvm_ffi.Array: "A", tvm_ffi.List: "L", tvm_ffi.Map: "M", tvm_ffi.Dict: "D"}
        kind = kinds.get(type(value), "P")
        text = f"{kind}#{number}"
        if known:
            return text
        if kind in "AL":
            return text + "[" + "".join(f"{self(item)}," for item in value) + "]"
        if kind in "MD":
            pairs = (f"{self(key)}:{self(item)}," for key, item in value.items())
            return text + "{" + "".join(pairs) + "}"
        assert isinstance(value, Point), type(value)
        return f"{text}{self(value.x)},{self(value.extra)}"


LEAVES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**62,
    -(2**63),
    0.0,
    -0.0,
    1.0,
    1e300,
    float("inf"),
    float("nan"),
    "",
    "short",
    "seven b",
    "eight by",
    "snow \u2603 and \U0001f600",
    b"",
    b"\x00\xff",
    b"bytes of more than seven",
    tvm_ffi.Shape((2, 3)),
    tvm_ffi.Shape(()),
    tvm_ffi.dtype("float16x2"),
    tvm_ffi.dtype("int8"),
]


def graph_of(seed: int, count: int) -> object:
    """A random graph made by the runtime. Keys are anything, containers and points included."""
    rng = random.Random(seed)
    nodes: list = list(LEAVES)
    for i in range(count):
        kind, size = rng.randrange(5), rng.randrange(9)
        if kind == 0:
            node = tvm_ffi.Array([rng.choice(nodes) for _ in range(size)])
        elif kind == 1:
            node = tvm_ffi.List([rng.choice(nodes) for _ in range(size)])
        elif kind in (2, 3):
            # A dict of Python would take True, 1 and 1.0 for one key.
            node = tvm_ffi.Dict({})
            for _ in range(size):
                node[rng.choice(nodes)] = rng.choice(nodes)
            if kind == 2:
                node = tvm_ffi.Map(node)
        else:
            node = Point.at(i)
            node.extra = rng.choice(nodes)
        nodes.append(node)
    return tvm_ffi.Array(nodes[-4:])


def check(name: str, graph: object) -> None:
    text = describe(graph)
    assert Describer()(graph) == text
    print(name, len(text), hashlib.sha256(text.encode()).hexdigest())
    copy = outcome(lambda: describe(deep_copy(graph)) == text)
    print("  copy", copy[:120])
    saved = outcome(to_graph, graph)
    print("  graph", len(saved), hashlib.sha256(saved.encode()).hexdigest())
    if not saved.split(":")[0].endswith("Error"):
        back = outcome(lambda: describe(from_graph(to_graph(graph))) == text)
        print("  back", back[:120])
    print("  equal to itself", outcome(recursive_eq, graph, graph)[:120])
    print("  structural", outcome(tvm_ffi.structural_hash, graph)[:120])


for seed in range(40):
    check(f"extension {seed}", make_graph(seed, 4 + 3 * seed))
for seed in range(40):
    check(f"runtime {seed}", graph_of(seed, 4 + 3 * seed))
finish()
