# SPDX-License-Identifier: Apache-2.0
"""Environments with the published packages, which benchmarks and comparisons run beside ours. They are made in build/peer/ on first use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "build" / "peer"
BESIDE = [
    line
    for line in (HERE / "bench-requirements.txt").read_text().splitlines()
    if not line.startswith("#")
]

WANT = {
    "ffi": ["apache-tvm-ffi==0.1.15.post2", *BESIDE, "numpy", "ninja", "pytest"],
    "tirx": ["--pre", "apache-tvm-tirx==0.1.0a4", "numpy"],
}


def python(kind: str) -> Path | None:
    """The interpreter of the peer environment `kind` ("ffi" or "tirx"), or None when it can't be made."""
    folder = FOLDER / kind
    interpreter = folder / "bin" / "python"
    ready = folder / ".ready"
    wanted = " ".join(WANT[kind])
    if ready.exists() and ready.read_text() == wanted:
        return interpreter
    print(f"making the environment of the peer ({wanted})", file=sys.stderr, flush=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(interpreter), "-m", "pip", "install", "-q", *WANT[kind]], check=True)
    except subprocess.CalledProcessError as error:
        print(f"no peer to compare with: {error}", file=sys.stderr)
        return None
    ready.write_text(wanted)
    return interpreter
