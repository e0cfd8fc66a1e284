# SPDX-License-Identifier: Apache-2.0
"""Operators that are written in Rust: the built-in library, and one that a user builds."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
import tvm_tirx
from tvm_ffi import libinfo
from tvm_tirx import ir, tirx
from tvm_tirx.script import from_source
from tvm_tirx.script import tirx as T

CRATE = Path(__file__).resolve().parents[2] / "rust"

if shutil.which("cargo") is None:
    pytest.skip("no cargo on PATH", allow_module_level=True)


@T.function
def blend(A: T.Tensor((37,), "float32"), B: T.Tensor((37,), "float32")):
    for i in T.vectorized(32):
        B[i] = T.lerp(A[i], B[i], T.float32(0.25))
    for i in range(32, 37):
        B[i] = T.lerp(A[i], B[i], T.float32(0.25))


def test_the_built_in_library_is_loaded():
    assert tvm_tirx.backend.is_loaded("rust")
    op = ir.Op.get("tirx.lerp")
    assert op.doc.startswith("Linear interpolation")
    assert [(arg.name, arg.doc) for arg in op.args_info][2] == ("t", "position")
    assert len(op.args_info) == 3


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_an_operator_with_an_expansion_runs_on_every_target(target):
    random = np.random.default_rng(3)
    a, b = (random.normal(size=37).astype("float32") for _ in range(2))
    expected = a + (b - a) * np.float32(0.25)
    tirx.compile(blend, target=target)["blend"](a, b)
    np.testing.assert_array_equal(b, expected)


def test_its_calls_print_and_parse():
    text = blend.script()
    assert "T.lerp(A[i], B[i], T.float32(0.25))" in text
    again = from_source(text.replace("# from tvm_tirx", "from tvm_tirx"))
    ir.assert_structural_equal(again, blend)


def test_wrong_operands_are_refused():
    with pytest.raises(TypeError, match=r"missing operand 't'"):
        T.lerp(T.float32(1), T.float32(2))


@pytest.fixture(scope="module")
def own_library():
    """The example library of the crate, built and registered."""
    libdir = str(Path(libinfo.find_libtvm_ffi()).parent)
    command = ["cargo", "build", "--quiet", "--release", "--example", "define_ops"]
    environment = {**os.environ, "TVM_FFI_LIB_DIR": libdir}
    subprocess.run(command, cwd=CRATE, env=environment, check=True)
    library = tvm_ffi.load_module(str(CRATE / "target/release/examples/libdefine_ops.so"))
    library.tirx_register_ops()
    return library


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_a_users_operator(own_library, target):
    text = """
from tvm_tirx.script import tirx as T

@T.function
def gather(
    index: T.Tensor((6,), "int32"), A: T.Tensor((4,), "float32"), B: T.Tensor((6,), "float32")
):
    T.example_mark()
    for i in range(6):
        B[i] = A[T.example_hint(T.example_clamp(index[i], 4), attrs={"note": "clamped"})]
"""
    gather = from_source(text)
    assert "T.example_mark()" in gather.script()
    index = np.array([-5, 0, 1, 3, 4, 100], "int32")
    a, b = np.array([1, 2, 3, 4], "float32"), np.zeros(6, "float32")
    tirx.compile(gather, target=target)["gather"](index, a, b)
    np.testing.assert_array_equal(b, a[np.clip(index, 0, 3)])


def test_a_users_region_prints(own_library):
    text = """
from tvm_tirx.script import tirx as T

@T.function
def f(n: T.int32, A: T.Tensor((4,), "int32")):
    with T.example_loop(n) as j:
        A[j] = 1
"""
    function = from_source(text)
    assert "with T.example_loop(n) as j:" in function.script()


def test_an_expansion_of_another_type_is_an_error(own_library):
    op = ir.Op.get("tirx.example_hint")
    good = op.get_attr("default.FLowerIntrin")
    op.set_attr("default.FLowerIntrin", lambda call: tirx.const(1, "int64"), override=True)
    try:
        text = """
from tvm_tirx.script import tirx as T

@T.function
def f(A: T.Tensor((4,), "float32")):
    A[0] = T.example_hint(A[1])
"""
        with pytest.raises(TypeError, match=r"expansion of operator `tirx.example_hint` has type"):
            tirx.compile(from_source(text), target="llvm")
    finally:
        op.set_attr("default.FLowerIntrin", good, override=True)
