# SPDX-License-Identifier: Apache-2.0
"""Every golden program, one test for each kind of check that applies to it (see README.md)."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def _load_checker():
    spec = importlib.util.spec_from_file_location("golden_checker", HERE / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden_checker"] = module
    spec.loader.exec_module(module)
    module.strict = True
    return module


checker = _load_checker()
PROGRAMS = sorted(
    p for p in HERE.glob("*.py") if p.name not in ("run.py", "test_golden.py", "conftest.py")
)
PRINTED = [p for p in PROGRAMS if p.with_suffix(".printed.txt").exists()]
WRONG = [p for p in PROGRAMS if p.with_suffix(".error.txt").exists()]
RUNNABLE = [p for p in PROGRAMS if re.search(r"^def case\(", p.read_text(), re.MULTILINE)]
HAS_COMPILER = any(shutil.which(name) for name in ("g++", "c++", "clang++"))


def _check(function, *arguments):
    try:
        function(*arguments)
    except checker.Skip as skip:
        pytest.skip(str(skip))


def _name(path):
    return path.stem


@pytest.mark.parametrize("path", PRINTED, ids=_name)
def test_print(path):
    _check(checker.check_print, path)


@pytest.mark.parametrize("path", PRINTED, ids=_name)
def test_roundtrip(path):
    _check(checker.check_roundtrip, path)


@pytest.mark.parametrize("path", WRONG, ids=_name)
def test_error(path):
    _check(checker.check_error, path)


@pytest.mark.parametrize("path", RUNNABLE, ids=_name)
def test_run_llvm(path):
    _check(checker.check_run, path, "llvm")


@pytest.mark.skipif(not HAS_COMPILER, reason="target c needs a C++ compiler")
@pytest.mark.parametrize("path", RUNNABLE, ids=_name)
def test_run_c(path):
    _check(checker.check_run, path, "c")
