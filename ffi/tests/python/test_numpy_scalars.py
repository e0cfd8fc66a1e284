# SPDX-License-Identifier: Apache-2.0
"""Scalars of numpy and ml_dtypes as arguments."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
import tvm_ffi

np = pytest.importorskip("numpy")
ml_dtypes = pytest.importorskip("ml_dtypes")
sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("native_testing")
echo = tvm_ffi.get_global_func("testing.echo")


def test_bool():
    for value in (np.bool_(True), np.bool_(False), np.array([True])[0]):
        assert echo(value) is bool(value)
    assert tvm_ffi.get_global_func("testing.schema_id_bool")(np.bool_(True)) is True
    assert tvm_ffi.Array([np.bool_(False)])[0] is False
    assert tvm_ffi.convert(lambda: np.bool_(True))() is True


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers_at_their_limits(bits):
    for name in (f"int{bits}", f"uint{bits}"):
        info = np.iinfo(name)
        for number in (info.min, info.max, 0, 1):
            result = echo(getattr(np, name)(number))
            assert type(result) is int and result == number
    with pytest.raises(OverflowError, match="18446744073709551615"):
        tvm_ffi.get_global_func("testing.schema_id_int")(np.uint64(2**64 - 1))


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "longdouble"])
def test_floats(name):
    for number in (0.5, -0.0, float("inf"), 1 / 3):
        value = getattr(np, name)(number)
        result = echo(value)
        assert type(result) is float and result == float(value)
    assert np.isnan(echo(getattr(np, name)("nan")))


@pytest.mark.parametrize(
    "name",
    [
        "bfloat16",
        "float8_e3m4",
        "float8_e4m3",
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "float6_e2m3fn",
        "float6_e3m2fn",
        "float4_e2m1fn",
        "int4",
        "uint4",
        "int2",
        "uint2",
    ],
)
def test_ml_dtypes(name):
    cls = getattr(ml_dtypes, name)
    expected = int if "int" in name else float
    result = echo(cls(1))
    assert type(result) is expected and result == 1
    if expected is float and "e8m0" not in name:
        assert echo(cls(-1.5)) == -1.5
    if expected is float:
        assert tvm_ffi.get_global_func("testing.schema_id_float")(cls(2)) == 2.0


def test_text():
    assert echo(np.str_("a text of some length")) == "a text of some length"
    assert echo(np.bytes_(b"\x00\xff")) == b"\x00\xff"


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.complex64(1 + 2j),
        lambda: np.datetime64("2020-01-02"),
        lambda: np.timedelta64(3, "s"),
        lambda: np.zeros(1, "i4,f8")[0],
        lambda: np.void(b"ab"),
    ],
)
def test_what_has_no_native_form_stays_itself(make):
    value = make()
    assert echo(value) is value


def test_an_array_without_dimensions_is_a_tensor():
    tensor = echo(np.array(3, "int32"))
    assert isinstance(tensor, tvm_ffi.Tensor) and tensor.shape == ()
    assert np.from_dlpack(tensor)[()] == 3
