# SPDX-License-Identifier: Apache-2.0
"""A moment of the stress run that ``./dev freethreaded`` makes under ThreadSanitizer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_threads_share_everything():
    program = Path(__file__).with_name("stress_threads.py")
    done = subprocess.run(
        [sys.executable, str(program), "--seconds", "1", "--threads", "8"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("pieces of work done\n")
