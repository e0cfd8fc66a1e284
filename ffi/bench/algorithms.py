# SPDX-License-Identifier: Apache-2.0
"""Generic algorithms beside the published package: one process each, taking turns, best of rounds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

import peer  # noqa: E402

ROUNDS = 5


class Side:
    """A process that measures on request."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE / "algorithm_times.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.names = self._read().split("\t")

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the measuring process ended")
        return line.rstrip("\n")

    def time(self, name: str) -> float:
        """Best time of a case, in seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        return float(self._read())


def main(wanted: list[str]) -> None:
    """Print a line for each case whose name contains one of the words (all without words)."""
    other = peer.python("ffi")
    ours, theirs = Side(sys.executable), Side(str(other)) if other is not None else None
    print(f"{'microseconds':32}{'kiln':>10}{'peer':>10}{'ratio':>9}")
    for name in ours.names:
        if wanted and not any(word in name for word in wanted):
            continue
        a = b = float("inf")
        for _ in range(ROUNDS):
            a = min(a, ours.time(name))
            if theirs is not None:
                b = min(b, theirs.time(name))
        shown = f"{b * 1e6:10.1f}{a / b:9.3f}" if theirs is not None else f"{'-':>10}{'-':>9}"
        print(f"{name:32}{a * 1e6:10.1f}{shown}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
