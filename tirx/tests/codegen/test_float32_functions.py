# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (the programs are as long as they are)
"""The float32 functions of the LLVM backend are within 4 units in the last place everywhere, against
float64 of numpy, and right at the special values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tvm_tirx import tirx
from tvm_tirx.script import from_source

COUNT = 1 << 14


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


FUNCTIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: 10.0**x,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sigmoid": sigmoid,
    "erf": np.vectorize(math.erf),
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


def compiled(name: str, count: int):
    text = f"""
from tvm_tirx.script import tirx as T

@T.function
def main(A: T.Tensor(({count},), "float32"), B: T.Tensor(({count},), "float32")):
    for i in range({count}):
        B[i] = T.{name}(A[i])
"""
    return tirx.compile(from_source(text), target="llvm")["main"]


def ulps(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Distance in units in the last place; infinite where one is finite or NaN and the other not."""
    rounded = want.astype("float32")
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    unit = np.spacing(np.maximum(np.abs(rounded), np.float32(2.0**-126))).astype("float64")
    distance = np.abs(got.astype("float64") - want) / unit
    # The largest float32 and infinity are neighbours.
    edge = (np.abs(want) > 3.4028e38) & (np.abs(got) > 3.4028e38) & (np.sign(got) == np.sign(want))
    return np.where(same | edge, 0, np.where(np.isnan(distance), np.inf, distance))


def samples(rng: np.random.Generator) -> list[np.ndarray]:
    return [
        rng.integers(0, 1 << 32, COUNT, dtype="uint32").view("float32"),
        rng.uniform(-100, 100, COUNT).astype("float32"),
        rng.uniform(-10, 10, COUNT).astype("float32"),
        rng.uniform(-1, 1, COUNT).astype("float32"),
        (rng.uniform(-1, 1, COUNT) * 10.0 ** rng.uniform(-44, 0, COUNT)).astype("float32"),
        (1 + rng.uniform(-0.3, 0.5, COUNT)).astype("float32"),
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_accuracy(name):
    run = compiled(name, COUNT)
    special = np.array(
        [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 3.4e38, -3.4e38, 1.1754944e-38],
        "float32",
    )
    for x in samples(np.random.default_rng(7)):
        x[: special.size] = special
        got = np.empty_like(x)
        run(x, got)
        error = ulps(got, FUNCTIONS[name](x.astype("float64")))
        at = int(np.argmax(error))
        assert error[at] <= 4, (name, float(x[at]), float(got[at]))


@pytest.mark.parametrize("name", ["sin", "tan", "tanh", "erf", "log1p"])
def test_sign_of_zero(name):
    run = compiled(name, 2)
    got = np.zeros(2, "float32")
    run(np.array([0.0, -0.0], "float32"), got)
    assert np.signbit(got).tolist() == [False, True]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pow():
    text = f"""
from tvm_tirx.script import tirx as T

@T.function
def main(A: T.Tensor(({COUNT},), "float32"), B: T.Tensor(({COUNT},), "float32"), C: T.Tensor(({COUNT},), "float32")):
    for i in range({COUNT}):
        C[i] = T.pow(A[i], B[i])
"""
    run = tirx.compile(from_source(text), target="llvm")["main"]
    rng = np.random.default_rng(3)
    values = [0.0, -0.0, 1, -1, 2, -2, 0.5, 3, -3, 2.5, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-40]
    grid = np.array([(a, b) for a in values for b in values], "float32")
    for scale in (2, 30):
        x = np.exp(rng.uniform(-scale, scale, COUNT)).astype("float32")
        y = rng.uniform(-8, 8, COUNT).astype("float32")
        x[: len(grid)], y[: len(grid)] = grid[:, 0], grid[:, 1]
        got = np.empty_like(x)
        run(x, y, got)
        error = ulps(got, np.power(x.astype("float64"), y.astype("float64")))
        at = int(np.argmax(error))
        assert error[at] <= 4, (float(x[at]), float(y[at]), float(got[at]))
