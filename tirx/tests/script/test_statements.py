# SPDX-License-Identifier: Apache-2.0
"""What statements of a script mean, seen in the printed program."""

import textwrap

import pytest
from tvm_tirx.script import from_source

HEADER = "from tvm_tirx.script import ir as I, tirx as T\n"
SIGNATURE = '@T.function(private=True)\ndef f(A: T.Tensor((16,), "int32"), n: T.int32):\n'


def body(text, **extra):
    """The printed body of a function with the given statements."""
    source = HEADER + SIGNATURE + textwrap.indent(textwrap.dedent(text), "    ")
    printed = from_source(source, extra_vars=extra or None).script()
    return textwrap.dedent(printed.split("):\n", 1)[1]).rstrip("\n")


def test_name_bound_again_is_a_new_variable():
    assert body("x = n + 1\nx = x * x\nA[0] = x") == (
        "x: T.let[T.int32] = n + 1\nx_1: T.let[T.int32] = x * x\nA[0] = x_1"
    )


def test_binding_a_variable_is_an_alias():
    assert body("x = n\nB = A\nB[x] = 1") == "A[n] = 1"


def test_explicit_let_of_a_variable_is_a_binding():
    assert body("x: T.let = n\nA[0] = x") == "x: T.let[T.int32] = n\nA[0] = x"


def test_name_of_a_branch_is_local_to_it():
    text = "x = n * 3\nif n > 0:\n    x = n + 1\n    A[1] = x\nA[0] = x"
    assert body(text) == (
        "x: T.let[T.int32] = n * 3\n"
        "if n > 0:\n    x_1: T.let[T.int32] = n + 1\n    A[1] = x_1\nA[0] = x"
    )
    with pytest.raises(NameError, match="'y' is not defined"):
        body("if n > 0:\n    y = n + 1\nA[0] = y")


def test_mutable_scalar_of_a_branch_does_not_change_the_outer_name():
    text = "x: T.int32 = 1\nif n > 0:\n    x: T.int32 = 2\n    x = x + 1\nx = 5"
    assert body(text).splitlines()[-1] == "x[0] = 5"


def test_name_of_a_loop_is_out_of_scope_behind_it():
    with pytest.raises(ValueError, match="not well-formed"):
        body("for i in range(n):\n    x = i * 2\nA[0] = x")


def test_exchange_through_a_tuple_reads_before_it_stores():
    text = "a: T.int32 = 1\nb: T.int32 = 2\na, b = b, a"
    assert body(text).splitlines()[-4:] == [
        "v: T.let[T.int32] = b[0]",
        "v_1: T.let[T.int32] = a[0]",
        "a[0] = v",
        "b[0] = v_1",
    ]


def test_tuple_of_values():
    assert body("a, b = n, n + 1\na, b = b, a\nA[0], A[1] = a, b") == (
        "b: T.let[T.int32] = n + 1\nA[0] = b\nA[1] = n"
    )
    assert body("a, *b = n, 2, 3\nA[0] = a + b[1]") == "A[0] = n + 3"


def test_constants_and_python_values():
    text = """
        a, b = 1, 2.5
        c = "text"
        d = None
        e = [1, 2]
        g = (1, n)
        h = {"a": 1}
        k = lambda x: x + 1
        A[0] = a + e[1] + g[0] + h["a"] + k(n)
    """
    assert body(text) == (
        "a: T.let[T.int32] = 1\nb: T.let[T.float32] = T.float32(2.5)\n"
        'c: T.let[T.String()] = "text"\nA[0] = a + 2 + 1 + 1 + (n + 1)'
    )


def test_python_containers_can_be_filled():
    assert body('h = {}\nh["a"] = n + 1\nl = [0]\nl[0] = h["a"]\nA[0] = l[0]') == "A[0] = n + 1"


def test_python_value_selects_a_conditional_expression():
    assert body("A[0] = n if True else zz") == "A[0] = n"
    assert body("A[0] = n if n > 2 else 3") == "A[0] = T.if_then_else(n > 2, n, 3)"


def test_boolean_operators():
    assert body("A[0] = T.cast(n > 1 and not n == 3 or n < 0, 'int32')") == (
        'A[0] = T.Cast("int32", n > 1 and not n == 3 or n < 0)'
    )
    assert body("x = None\nif T.constexpr(x is not None and x[3] > 1):\n    A[0] = 1\n") == "pass"


def test_comparison_chain():
    assert body("if 0 < n <= 4:\n    A[0] = 1") == "if n > 0 and n <= 4:\n    A[0] = 1"


def test_python_condition_stays_in_the_program():
    assert body("if True:\n    A[0] = 1\nwhile T.constexpr(True):\n    break") == (
        "if T.bool(True):\n    A[0] = 1\nwhile T.bool(True):\n    break"
    )


def test_constexpr_condition_selects_a_branch():
    text = "if T.constexpr(2 > 1):\n    x = n + 1\nelse:\n    x = n\nA[0] = x"
    assert body(text) == "x: T.let[T.int32] = n + 1\nA[0] = x"


def test_slices_store_vectors():
    text = """
        A[0:4] = T.Broadcast(n, 4)
        A[:4] = T.Broadcast(n, 4)
        A[12:] = T.Broadcast(n, 4)
        A[n:n + 2] = T.Broadcast(n, 2)
        A[4 * n:4 * n + 8:2] = T.Broadcast(n, 4)
    """
    assert body(text).splitlines() == [
        "A[0:4] = T.Broadcast(n, 4)",
        "A[0:4] = T.Broadcast(n, 4)",
        "A[12:16] = T.Broadcast(n, 4)",
        "A[n:n + 2] = T.Broadcast(n, 2)",
        "A[4 * n:4 * n + 8:2] = T.Broadcast(n, 4)",
    ]
    with pytest.raises(RuntimeError, match="constant length"):
        body("A[0:n] = T.Broadcast(n, 4)")


def test_constant_that_would_change_is_not_stored():
    with pytest.raises(ValueError, match="lose its fraction"):
        body("A[0] = 1.5")
    assert body("A[0] = 2.0") == "A[0] = 2"


def test_twenty_five_nested_loops():
    lines = [f"{'    ' * d}for i{d} in range(2):" for d in range(25)]
    text = "\n".join([*lines, "    " * 25 + "A[0] = i0 + i24"])
    assert body(text).splitlines()[-1].strip() == "A[0] = i0 + i24"


def test_regions_as_plain_statements_reach_to_the_end_of_the_block():
    text = """
        if n > 0:
            tx = T.launch_thread("threadIdx.x", 4)
            A[tx] = 1
        A[5] = 2
    """
    assert body(text) == (
        'if n > 0:\n    with T.launch_thread("threadIdx.x", 4) as tx:\n        A[tx] = 1\nA[5] = 2'
    )


def test_asserts():
    assert body(
        'assert n > 0\nassert n < 9, "small"\nassert n != 4, ("ValueError", ["a", "b"])'
    ) == (
        'assert n > 0, ("RuntimeError", [""])\n'
        'assert n < 9, ("RuntimeError", ["small"])\n'
        'assert n != 4, ("ValueError", ["a", "b"])'
    )
    with pytest.raises(TypeError, match="Assertion metadata"):
        body("assert n > 0, n")


def test_expression_statements():
    assert body('n\nn + 1\n"text"\nNone\nT.evaluate(0)\nA[0]') == (
        "T.evaluate(n + 1)\nT.evaluate(A[0])"
    )


def test_helpers_inside_a_function_capture_its_values():
    text = """
        @T.inline
        def put(i):
            A[i] = n
        put(3)
        put(4)
    """
    assert body(text) == "A[3] = n\nA[4] = n"
