# SPDX-License-Identifier: Apache-2.0
"""The same programs under three runtimes: they pass, and their outputs are equal.

The programs check themselves against values computed in plain Python; comparing their outputs adds
what a program can't know: texts of errors, hashes, printed programs, serialized graphs.
"""

from __future__ import annotations

import difflib

import pytest

PROGRAMS = (
    "python_package",
    "extension",
    "containers",
    "graphs",
    "object_file",
    "object_file_cxx",
    "wheel_imports",
    "compiler",
)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("runtime", ("published", "kiln", "mixed"))
def test_program(runtimes, runtime: str, program: str) -> None:
    output = runtimes.output(runtime, program)
    assert output.splitlines()[-1:] == ["done"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("runtime", ("kiln", "mixed"))
def test_same_output(runtimes, runtime: str, program: str) -> None:
    want = runtimes.output("published", program).splitlines()
    got = runtimes.output(runtime, program).splitlines()
    difference = list(difflib.unified_diff(want, got, "published", runtime, lineterm="", n=0))
    assert not difference, "\n".join(difference[:60])
