# SPDX-License-Identifier: Apache-2.0
"""Helpers around the compiler: names, saved programs, test helpers, locations in the builder."""

import sys

import numpy
import pytest
import tvm_tirx
from tvm_tirx import ir, testing
from tvm_tirx.ir.json_compact import upgrade_json
from tvm_tirx.ir.unique_name_supply import UniqueNameSupply
from tvm_tirx.script import tirx as T
from tvm_tirx.script.ir_builder import IRBuilder, parser_protocol
from tvm_tirx.testing import env


def test_unique_names():
    names = UniqueNameSupply()
    wanted = ["a", "a_1", "a_2", "a_1_1", "x_y"]
    assert [names.fresh_name(n) for n in ("a", "a", "a", "a_1", "x.y")] == wanted
    assert names.fresh_name("a", add_underscore=False) == "a3"
    assert names.contains_name("a") and not names.contains_name("b")
    assert names.reserve_name("r") == "r" and names.fresh_name("r") == "r_1"


def test_unique_names_with_prefix():
    names = UniqueNameSupply("p")
    assert names.fresh_name("a") == "p_a"
    assert names.fresh_name("a", add_prefix=False) == "a"
    assert names.contains_name("p_a", add_prefix=False)


def test_upgrade_json():
    assert upgrade_json('{"a":1}') == '{\n  "a": 1\n}'


def test_excepthook_passes_the_error_on():
    seen = []
    hook = tvm_tirx.tvm_wrap_excepthook(lambda *args: seen.append(args))
    hook(ValueError, ValueError("x"), None)
    assert seen[0][0] is ValueError


def test_allclose():
    testing.assert_allclose([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(AssertionError):
        testing.assert_allclose([1.0], [1.1])
    with pytest.raises(AssertionError):
        testing.assert_allclose([1.0], [[1.0]])


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "bool"])
def test_random_arrays(dtype):
    array = testing.generate_random_array(dtype, (3, 4))
    assert array.shape == (3, 4) and array.dtype == numpy.dtype(dtype)


def test_environment():
    assert isinstance(env.has_llvm(), bool)
    assert env.has_cuda() is (env.cuda_arch() is not None)
    assert env.has_cuda_compute(999) is False
    assert env.has_cpu_feature("no_such_feature") is False
    assert testing.device_enabled("c")


def test_lock():
    assert testing.run_with_gpu_lock(lambda a, b: a + b, 1, b=2) == 3


def test_loop_names():
    with IRBuilder() as builder:
        with T.function_(private=True):
            T.func_name_("main")
            nest = T.grid(2, 3)
            nest.set_names(["i", "j"])
            with nest as (i, j):
                T.evaluate(T.call_extern("f", i, j, ty="int32"))
            with pytest.raises(ValueError, match="1 names for 2 loop variables"):
                T.grid(2, 3).set_names("i")
    assert "for j in range(3):" in builder.get().script()


def test_frame_scope():
    with IRBuilder() as builder:
        with T.function_(private=True):
            T.func_name_("main")
            with T.frame_scope([T.serial(4), T.grid(2, 3)]) as (_, (a, b)):
                T.evaluate(T.call_extern("f", a, b, ty="int32"))
    assert builder.get().script().count("for ") == 3


def test_location_of_statements():
    location = ir.SourceLoc("a.py", 3, 4, 3, 9)
    with IRBuilder() as builder:
        with T.function_(private=True):
            T.func_name_("main")
            with builder.with_loc(location):
                T.evaluate(T.call_extern("f", 1, ty="int32"))
            with builder.line_trace_scope():
                T.evaluate(T.call_extern("g", 1, ty="int32"))
                line = sys._getframe().f_lineno - 1
            T.evaluate(T.call_extern("h", 1, ty="int32"))
    first, second, third = builder.get().body.seq
    assert first.loc.start_line == 3 and str(first.loc.source_name.name) == "a.py"
    assert second.loc.start_line == line and str(second.loc.source_name.name) == __file__
    assert isinstance(third.loc, ir.UnknownLoc)


def test_global_info_reference():
    with pytest.raises(ValueError, match="Invalid global-info reference: 'vdevice:0'"):
        parser_protocol.resolve_global_info_("vdevice:0")
