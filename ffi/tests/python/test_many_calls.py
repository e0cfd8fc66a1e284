# SPDX-License-Identifier: Apache-2.0
"""Many calls add no memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def test_memory_stays_the_same():
    pytest.importorskip("resource")
    program = Path(__file__).with_name("many_calls.py")
    done = subprocess.run(
        [sys.executable, str(program), "--calls", "400000"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("KiB more") == 11
