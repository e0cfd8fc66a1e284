# SPDX-License-Identifier: Apache-2.0
"""Functions that run as Python compiled them give what rewriting gives, places included."""

import importlib.util
import itertools

import pytest
import tvm_tirx
from tvm_tirx.script.parser import direct

HEADER = "from tvm_tirx.script import tirx as T\n\n\n"
_serial = itertools.count()

LOOPS = '''
@T.function
def main(A: T.Tensor((8, 8), "float32"), B: T.Tensor((8, 8), "float32"), n: T.int32):
    """Loops over stores."""
    for i in range(8):
        for j, k in T.grid(n, (1, 4)):
            A[i, j] = B[j, k] * T.float32(2) + A[
                i, k
            ]
            A[i, j] += B[i, i]  # again
        for j in T.serial(0, 8, step=2):
            B[j, 0:4] = T.Broadcast(-A[j, 0], 4)
        B[i, 7] = T.max(A[i, 0], T.exp(B[i, 1]))
    A[0, 0] = 1.0
'''

HELPER = """
@T.inline
def put(buf, i):
    buf[i] = buf[i] + 1
    return buf[i]


@T.function(private=True)
def main(A: T.Tensor((8,), "int32")):
    for i in range(8):
        A[i] = put(A, i)
"""


def load(folder, text):
    path = folder / f"direct_{next(_serial)}.py"
    path.write_text(HEADER + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def places(node, found):
    """Lines and columns of all statements, in order; locations of helpers by callee."""
    for stmt in node.seq:
        loc = stmt.loc
        while type(loc).__name__ == "CallSiteLoc":
            loc = loc.callee
        found.append(
            (type(stmt).__name__, loc.start_line, loc.start_column, loc.end_line, loc.end_column)
        )
        if hasattr(stmt, "body"):
            places(stmt.body, found)
    return found


@pytest.fixture
def count(monkeypatch):
    runs = []
    original = direct.run
    monkeypatch.setattr(direct, "run", lambda *a: (runs.append(1), original(*a)))
    return runs


@pytest.mark.skipif(not direct._SUPPORTED, reason="the code of this Python is not known")
@pytest.mark.parametrize("text", [LOOPS, HELPER], ids=["loops", "helper"])
def test_both_ways_agree(tmp_path, monkeypatch, count, text):
    fast = load(tmp_path, text)
    assert count == [1]
    monkeypatch.setattr(direct, "plan", lambda *_: None)
    slow = load(tmp_path, text)
    tvm_tirx.ir.assert_structural_equal(fast, slow)
    assert fast.script() == slow.script()
    assert places(fast.body, []) == places(slow.body, [])


@pytest.mark.parametrize(
    "statement",
    [
        "x = A[0]",
        "x: T.int32",
        "if True: A[0] = 1",
        "A[0], A[1] = A[1], A[0]",
        "A[0] = 1 if n == 2 else 3",
        "A[0] = T.cast(n == 2, 'int32')",
        "T.evaluate(A[0])",
        "for i in range(2): break",
        "A[0] = A[1] = 2",
        "return n",
        "A[0] = (lambda v: v)(n)",
    ],
)
def test_other_statements_are_rewritten(tmp_path, count, statement):
    text = f'@T.function\ndef main(A: T.Tensor((8,), "int32"), n: T.int32):\n    {statement}\n'
    load(tmp_path, text)
    assert count == []


def test_range_keeps_its_python_meaning_in_expressions(tmp_path):
    text = '@T.function\ndef main(A: T.Tensor((8,), "int32")):\n    A[0] = sum(range(4))\n'
    assert load(tmp_path, text).body[0].value.value == 6


def test_error_of_a_direct_function_is_that_of_the_general_way(tmp_path):
    text = (
        '@T.function\ndef main(A: T.Tensor((8,), "int32")):\n'
        "    for i in range(8):\n        A[i] = A[i, 0]\n"
    )
    with pytest.raises(IndexError, match="Too many indices") as caught:
        load(tmp_path, text)
    assert "line 7" in caught.value.__notes__[-1] and "A[i, 0]" in caught.value.__notes__[-1]


def test_elements_cannot_be_assigned_outside_of_scripts():
    from tvm_tirx.script import tirx as T

    A = T.Var("A", T.Tensor((4,), "int32"))
    with pytest.raises(TypeError, match="'Var' object does not support item assignment"):
        A[0] = 1
    with pytest.raises(TypeError, match="'ForFrame' object is not iterable"):
        list(T.serial(4))
