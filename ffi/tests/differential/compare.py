# SPDX-License-Identifier: Apache-2.0
"""Runs each script here under two interpreters and shows where their outputs differ.

Usage: ``python compare.py PYTHON_A PYTHON_B [script.py ...]``. Each interpreter has its own
``tvm_ffi``. Lines that are known to differ, with the reason, are listed in ``EXPECTED``.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

# Beginning of a line -> why the two may differ there.
EXPECTED = {
    "repr float": "all digits are kept; the published library cuts at six",
    "parse '1e-999'": "zero, as in Python; the published parser refuses what is not normal",
    "parse '5e-324'": "the same",
    "remap of an unchanged variable": "the input; the published library returns its marker",
}


def output_of(python: str, script: Path) -> list[str]:
    """Standard output of a script, line by line; a failure is a line as well."""
    run = subprocess.run(
        [python, str(script)], capture_output=True, text=True, check=False, timeout=300
    )
    lines = run.stdout.splitlines()
    if run.returncode != 0:
        lines.append(f"exit status {run.returncode}")
    return lines


def main(python_a: str, python_b: str, scripts: list[str]) -> int:
    """Compare all scripts, or those named. Returns how many differ unexpectedly."""
    paths = [HERE / name for name in scripts] or sorted(
        path for path in HERE.glob("*.py") if path.name != Path(__file__).name
    )
    failed = 0
    for path in paths:
        a, b = output_of(python_a, path), output_of(python_b, path)
        diff = [
            line
            for line in difflib.unified_diff(a, b, python_a, python_b, lineterm="", n=0)
            if line[:1] in "+-" and line[:3] not in ("---", "+++")
        ]
        unexpected = [line for line in diff if not line[1:].startswith(tuple(EXPECTED))]
        failed += bool(unexpected)
        print(f"{path.name}: {len(a)} lines, {len(unexpected)} unexpected differences")
        print("\n".join(unexpected))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
