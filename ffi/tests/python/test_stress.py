# SPDX-License-Identifier: Apache-2.0
"""A moment of the stress run that ``./dev freethreaded`` makes under ThreadSanitizer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WALKS = (
    "walk_text walk_copy walk_json walk_hashes walk_structure walk_visit keys constructors".split()
)


@pytest.mark.parametrize("pieces", [[], WALKS + ["change_tree"] * 6], ids=["all", "walks"])
def test_threads_share_everything(pieces):
    program = Path(__file__).with_name("stress_threads.py")
    only = [word for name in pieces for word in ("--only", name)]
    done = subprocess.run(
        [sys.executable, str(program), "--seconds", "1", "--threads", "8", *only],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("pieces of work done\n")
