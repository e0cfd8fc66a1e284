# SPDX-License-Identifier: Apache-2.0
"""The package's own test types and functions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import testing


def test_create_object_fills_defaults() -> None:
    made = testing.create_object("testing.TestObjectBase", v_i64=9)
    assert isinstance(made, testing.TestObjectBase)
    assert (made.v_i64, made.v_f64, made.v_str) == (9, 10.0, "hello")


def test_create_object_of_an_unknown_type() -> None:
    with pytest.raises(Exception, match=r"testing\.Nope"):
        testing.create_object("testing.Nope")


def test_unregistered_object_gets_a_class() -> None:
    made = testing.make_unregistered_object()
    assert type(made).__qualname__ == "testing.TestUnregisteredObject"
    assert (made.v1, made.v2) == (41, 42)
    assert made.get_v1_plus_one() == 42


def test_functions_are_attributes() -> None:
    assert testing.add_one(41) == 42
    assert testing.echo([1, "x"]) == [1, "x"]
    assert testing.schema_no_args() == 1
    with pytest.raises(ValueError, match="boo"):
        testing.test_raise_error("ValueError", "boo")


def test_add_one_by_c_symbol() -> None:
    symbol = testing.get_add_one_c_symbol()
    function = tvm_ffi.Function.__from_extern_c__(symbol)
    assert function(7) == 8


def test_gpu_lock_excludes_other_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_FFI_TEST_LOCK_DIR", str(tmp_path / "locks"))
    code = (
        "import os; from tvm_ffi.utils import FileLock; "
        "print(FileLock(os.environ['TVM_FFI_TEST_LOCK_DIR'] + '/gpu.lock').acquire())"
    )

    def probe(first: int, *, second: int) -> tuple[int, str]:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return first + second, done.stdout.strip()

    assert testing.run_with_gpu_lock(probe, 1, second=2) == (3, "False")
    assert probe(1, second=3) == (4, "True")
    assert os.listdir(tmp_path / "locks") == ["gpu.lock"]
