# SPDX-License-Identifier: Apache-2.0
"""Reads a build's output from standard input and shows its progress: one line that moves on a terminal, few lines in a log."""

from __future__ import annotations

import re
import sys
import time

STEP = re.compile(r"\[(\d+)/(\d+)\]\s+(.*)")
SECONDS_BETWEEN_LINES = 15.0


def main() -> None:
    terminal = sys.stdout.isatty()
    last = time.monotonic()
    for line in sys.stdin:
        match = STEP.search(line)
        if match is None:
            continue
        done, total, what = int(match[1]), int(match[2]), match[3].split("/")[-1]
        now = time.monotonic()
        if terminal:
            sys.stdout.write(f"\r\033[K    {done}/{total} {what[:80]}")
            sys.stdout.flush()
        elif now - last >= SECONDS_BETWEEN_LINES or done == total:
            print(f"    {done}/{total} {what[:80]}", flush=True)
            last = now
    if terminal:
        sys.stdout.write("\r\033[K")


if __name__ == "__main__":
    main()
