# SPDX-License-Identifier: Apache-2.0
"""Reads a build's output from standard input and shows its progress: one line that moves on a terminal, few lines in a log."""

from __future__ import annotations

import re
import sys
import time

STEP = re.compile(r"\[(\d+)/(\d+)\]\s+(.*)")
CRATE = re.compile(r"\s*(?:Compiling|Downloaded) (\S+) v\d")
SECONDS_BETWEEN_LINES = 15.0


def main() -> None:
    terminal = sys.stdout.isatty()
    last = time.monotonic()
    done = total = 0
    for line in sys.stdin:
        step, crate = STEP.search(line), CRATE.match(line)
        if step is not None:
            done, total, what = int(step[1]), int(step[2]), step[3].split("/")[-1]
        elif crate is not None:
            what = f"crate {crate[1]}"
        else:
            continue
        text = f"    {done}/{total} {what[:80]}" if total else f"    {what[:80]}"
        now = time.monotonic()
        if terminal:
            sys.stdout.write(f"\r\033[K{text}")
            sys.stdout.flush()
        elif now - last >= SECONDS_BETWEEN_LINES or (step is not None and done == total):
            print(text, flush=True)
            last = now
    if terminal:
        sys.stdout.write("\r\033[K")


if __name__ == "__main__":
    main()
