# SPDX-License-Identifier: Apache-2.0
"""Errors of scripts: kind, text, and the place that they name."""

import textwrap
import traceback

import pytest
from tvm_tirx.script import from_source

HEADER = "from tvm_tirx.script import ir as I, tirx as T\n"
SIGNATURE = '@T.function\ndef f(A: T.Tensor((16,), "int32"), n: T.int32):\n'

# statement, message, column of the caret (1-based, the statement is indented by four)
SYNTAX = [
    ("import os", "Unsupported statement: Import", 5),
    ("del n", "Unsupported statement: Delete", 5),
    ("raise ValueError('x')", "Unsupported statement: Raise", 5),
    ("class X: pass", "Unsupported statement: ClassDef", 5),
    ("x = (k := n)", "Unsupported expression: NamedExpr", 10),
    ("x = yield n", "Unsupported expression: Yield", 9),
    ("x: 'T.int32' = 3", "Quoted annotations are not supported", 8),
    ("A[0]: T.int32 = 3", "An annotated binding requires a name", 5),
    ("T = 3", "Script namespace 'T' cannot be rebound or shadowed", 5),
    ("Q = T", "Script namespace 'T' cannot be renamed through an alias", 9),
    ("range = 3", "Name 'range' is reserved for script syntax and cannot be rebound", 5),
    ("int = 3", "Name 'int' is reserved for script syntax and cannot be rebound", 5),
    ("A[0] = n < A[1] < 3", "Comparison chains support only names and numeric literals", 16),
    ("x = T.constexpr(1, 2)", "constexpr expects exactly one controlling value", 9),
    ("for i in range(3): A[i] = 1\n    else: pass", "does not support an else clause", 5),
    ("for A[0] in range(3): pass", "Loop targets must be names or a flat tuple of names", 9),
    ("for i, (j, k) in T.grid(2, 2): pass", "Loop targets must be names", 9),
]


@pytest.mark.parametrize("statement, message, column", SYNTAX, ids=[row[0] for row in SYNTAX])
def test_syntax_errors_point_at_their_place(statement, message, column):
    source = HEADER + SIGNATURE + "    " + statement + "\n"
    with pytest.raises(SyntaxError) as caught:
        from_source(source, filename="kernel.py")
    error = caught.value
    assert message in error.msg
    assert (error.filename, error.lineno, error.offset) == ("kernel.py", 4, column)
    assert error.text.strip() == statement.split("\n")[0]


BUILD = [
    ("A[n + 0.5] = 1", TypeError, "An index must be an integer expression or a slice, got a float"),
    ("A[0] = A[T.float32(n)]", TypeError, "integer expression or a slice, got a float32"),
    ("A[0:n * 0.5] = 1", TypeError, "integer expression or a slice, got a float32"),
    ("if n in (1, 2): pass", TypeError, "`in` is decided while the program is built"),
    ("if A[0] not in range(3): pass", TypeError, "write `x == a or x == b`"),
    ("if 3 in A: pass", TypeError, "`in` does not look into values of the program"),
    ("x = T.alloc_local((4,), 'float33')", ValueError, "unknown dtype `float33`"),
    ("x: T.let[T.int32]", ValueError, "An immutable binding requires an initializer"),
    ("x: T.float32[8] = 3", ValueError, "Vector annotation does not support an initializer"),
    ("x: T.Tensor((4,), 'int32') = 3", TypeError, "Mutable scalar annotations require"),
    ("for i in [1, 2]: pass", TypeError, "requires an iteration specification"),
    ("for i, j in range(3): pass", ValueError, "Loop target count differs"),
    ("for i in range(0, 4, 0): pass", ValueError, "range step cannot be zero"),
    ("for i in range(1, 2, 3, 4): pass", TypeError, "range expects one to three arguments"),
    ("for i in T.serial(4, unroll=0): pass", ValueError, "unroll must be a positive integer"),
    ("for i in T.serial(4, unroll='x'): pass", TypeError, "unroll must be a bool"),
    ("return", TypeError, "A primitive function return requires an expression"),
    ("A[0, 1] = 3", RuntimeError, "Destination A is 1-dimensional, cannot be indexed"),
    ("x = A[0, 1]", IndexError, "Too many indices for a 1-dimensional tensor"),
    ("n[0] = 3", TypeError, "`n` is not a tensor"),
    ("A[0:4] = A[0:4]", TypeError, "Expected `ir.PrimExpr` but got"),
    ("T.evaluate(A[0:4])", TypeError, "does not accept TensorRegion values"),
    ("A[0] = n / 2", RuntimeError, "multiple types of integer divisions"),
    ("A[0] = n // 0", RuntimeError, "Divide by zero"),
    ("if n: pass", TypeError, "must be a bool"),
    ("while A[0]: break", TypeError, "must be a bool"),
    ("x = not n", RuntimeError, ""),
    ("x = n ** 2", TypeError, "unsupported operand type"),
    ("x = zz", NameError, "name 'zz' is not defined"),
    ("b = 12345678901", ValueError, "Literal value 12345678901 exceeds range of int32"),
    ("x = T.alloc_local((4,), 'int32', allocated_addr=16)", ValueError, "allocation placement"),
    ("x = T.nothing", AttributeError, "No script namespace 'nothing'"),
]


@pytest.mark.parametrize("statement, kind, message", BUILD, ids=[row[0] for row in BUILD])
def test_builder_errors_carry_the_place_as_a_note(statement, kind, message):
    source = HEADER + SIGNATURE + "    A[1] = 1\n    " + statement + "\n"
    with pytest.raises(kind) as caught:
        from_source(source, filename="kernel.py")
    assert message in str(caught.value)
    text = "".join(traceback.format_exception(caught.value))
    assert 'File "kernel.py", line 5\n    ' + statement in text
    assert "^" in text.split('File "kernel.py", line 5\n')[-1]


def test_caret_is_under_the_expression():
    source = HEADER + SIGNATURE + "    A[0] = A[1] + (n // 0)\n"
    with pytest.raises(RuntimeError) as caught:
        from_source(source)
    note = caught.value.__notes__[-1].splitlines()
    assert note[-2].strip() == "A[0] = A[1] + (n // 0)"
    assert note[-1].index("^") == note[-2].index("n // 0")
    assert note[-1].count("^") == len("n // 0")


def test_error_in_a_helper_names_helper_and_call(tmp_path):
    import importlib.util

    path = tmp_path / "prog.py"
    path.write_text(
        textwrap.dedent(
            """
            from tvm_tirx.script import tirx as T

            @T.inline
            def bad(buf):
                buf[0, 0] = 1

            @T.function
            def main(A: T.Tensor((4,), "int32")):
                bad(A)
            """
        )
    )
    spec = importlib.util.spec_from_file_location("prog", path)
    with pytest.raises(RuntimeError) as caught:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    note = caught.value.__notes__[-1]
    assert f'File "{path}", line 10' in note and "bad(A)" in note
    assert f'File "{path}", line 6' in note and "buf[0, 0] = 1" in note


@pytest.mark.parametrize(
    "text, message",
    [
        ("x = 3", "Source must contain one function or module class"),
        ("def f(): pass", "Function 'f' requires a qualified construction decorator"),
        ("@T.function\ndef f(a): pass", "Parameter 'a' requires an annotation"),
        (
            "@T.function\ndef f(*a: T.int32): pass",
            "IR signatures require ordinary named parameters",
        ),
        ("@T.function\ndef f(a: 'T.int32'): pass", "Quoted annotations"),
        ("@T.function(True)\ndef f(a: T.int32): pass", "accept keyword options only"),
        (
            "@I.ir_module\nclass M:\n    @T.function(private=True)\n    def g(n: T.int32) -> T.int32:"  # noqa: E501
            "\n        return n\n    @T.function\n    def main(n: T.int32):\n        x = M.g(n=n)",
            "Global function calls require positional arguments",
        ),
    ],
)
def test_text_that_is_no_program(text, message):
    with pytest.raises(SyntaxError, match=message.replace("(", r"\(")):
        from_source(HEADER + text + "\n")


def test_unknown_option():
    with pytest.raises(TypeError, match="unexpected keyword argument 'bogus'"):
        from_source(HEADER + "@T.function(bogus=1)\ndef f(a: T.int32): pass\n")


def test_early_return_of_an_inline_helper_is_refused():
    text = SIGNATURE + (
        "    @T.inline\n    def g(x):\n        if x > 0:\n            return 1\n        return 2\n"
        "    A[0] = g(n)\n"
    )
    with pytest.raises(SyntaxError, match=r"not supported in T\.inline"):
        from_source(HEADER + text)


def test_builder_is_left_clean_after_an_error():
    from tvm_tirx.script.ir_builder import IRBuilder

    with pytest.raises(NameError):
        from_source(HEADER + SIGNATURE + "    for i in range(3):\n        A[i] = zz\n")
    assert not IRBuilder.is_in_scope()


def test_value_that_a_loop_changes_names_the_place_and_the_way_out():
    source = (
        HEADER
        + SIGNATURE
        + "    s = n\n    for i in range(16):\n        s = s + A[i]\n    A[0] = s\n"
    )
    with pytest.raises(ValueError, match="not well-formed") as caught:
        from_source(source, filename="kernel.py")
    hint, place = caught.value.__notes__
    assert "needs a type: `s: T.int32 = 0`" in hint
    assert place.splitlines() == [
        "In the program at:",
        '  File "kernel.py", line 7',
        "    A[0] = s",
        "    ^^^^^^^^",
    ]
