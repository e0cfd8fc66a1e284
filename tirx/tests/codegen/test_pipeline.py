# SPDX-License-Identifier: Apache-2.0
"""Pipelines: what instruments see, disabled passes, passes given as the pipeline."""

from __future__ import annotations

import numpy as np
import pytest
from tvm_tirx import tirx
from tvm_tirx.codegen import llvm
from tvm_tirx.ir.transform import PassContext
from tvm_tirx.ir.transform.core import PassInstrument
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx import compilation_pipeline as pipelines


@T.function
def kernel(A: T.Tensor((4, 8), "float32"), n: T.int32):
    for i in T.unroll(4):
        for j in T.vectorized(8):
            A[i, j] = A[i, j] * T.float32(2) + T.cast(n // 3, "float32")


def want(array: np.ndarray, n: int) -> np.ndarray:
    return array * 2 + n // 3


class Names(PassInstrument):
    def __init__(self) -> None:
        self.names: list[str] = []

    def run_before_pass(self, mod, info) -> None:
        self.names.append(info.name)


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_instruments_see_each_pass(target):
    names = Names()
    with PassContext(instruments=[names]):
        executable = tirx.compile(kernel, target=target)
    assert names.names[0] == "_pipeline"
    wanted = [
        "tirx.BindTarget",
        "tirx.FlattenTensor",
        "tirx.VectorizeLoop",
        "tirx.UnrollLoop",
        "tirx.AnnotateEntryFunc",
        "tirx.MakePackedAPI",
        "tirx.LowerIntrin",
    ]
    positions = [names.names.index(name) for name in wanted]
    assert positions == sorted(positions)
    a = np.arange(32, dtype="float32").reshape(4, 8)
    result = a.copy()
    executable["kernel"](result, -7)
    assert np.array_equal(result, want(a, -7))


def test_disabled_pass():
    names = Names()
    with PassContext(instruments=[names], disabled_pass=["tirx.UnrollLoop"]):
        executable = tirx.compile(kernel, target="llvm")
    assert "tirx.UnrollLoop" not in names.names
    a = np.ones((4, 8), "float32")
    executable["kernel"](a, 4)
    assert np.array_equal(a, want(np.ones((4, 8), "float32"), 4))


def test_disabled_assertions():
    @T.function
    def check(n: T.int32):
        assert n > 3, "too small"

    run = tirx.compile(check, target="llvm")["check"]
    with pytest.raises(RuntimeError, match="too small"):
        run(1)
    with PassContext(config={"tirx.disable_assert": True}):
        run = tirx.compile(check, target="llvm")["check"]
    run(1)


def test_pipelines_by_name():
    with pytest.raises(ValueError, match="Unknown pre-built pipeline zz"):
        tirx.get_tir_pipeline("zz")
    lower, host, device = tirx.get_tir_pipeline("tirx", target="llvm")
    assert lower.info.name == "_pipeline"
    assert callable(host) and callable(device)
    a = np.ones((4, 8), "float32")
    tirx.compile(kernel, target="llvm", pipeline=pipelines.tirx_pipeline(target="llvm"))["kernel"](
        a, 0
    )
    assert (a == 2).all()


def test_what_llvm_says():
    assert llvm.version_major() == 19
    assert "x86-64" in llvm.get_targets()
    assert llvm.is_valid_cpu("skylake", "x86_64-unknown-linux-gnu")
    assert not llvm.is_valid_cpu("i9000", "x86_64-unknown-linux-gnu")
    skylake = {"kind": "llvm", "mtriple": "x86_64-unknown-linux-gnu", "mcpu": "skylake"}
    assert llvm.cpu_has_features(["avx2", "fma"], skylake)
    assert not llvm.cpu_has_features("avx512f", skylake)
    assert llvm.get_vector_width(skylake) == 256
    number = llvm.lookup_intrinsic_id("llvm.sqrt")
    assert llvm.get_intrinsic_name(number) == "llvm.sqrt"
    assert llvm.lookup_intrinsic_id("llvm.no.such") == 0
    assert llvm.backend_enabled("aarch64-unknown-linux-gnu")
    assert not llvm.backend_enabled("pdp11-dec-unix")
