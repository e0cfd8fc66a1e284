# SPDX-License-Identifier: Apache-2.0
"""Does what a newcomer does with the packaging guide alone on a bare checkout, with the time taken.

The first section of the guide is followed to its first output: an environment is made, ``./ffi`` is
compiled by pip as on any machine, and the extension is written, built and run. Run by itself, or by
``./dev wheels --from-nothing``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tests"))
import guide_blocks

GUIDE = guide_blocks.ROOT / "docs" / "guides" / "python_packaging.md"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        checkout = folder / "kiln"
        subprocess.run(["git", "clone", "-q", str(guide_blocks.ROOT), str(checkout)], check=True)
        # Compiled for real: a compiler cache would make the figure a lie.
        environment = {**os.environ, "CCACHE_DISABLE": "1"}
        environment.pop("VIRTUAL_ENV", None)
        script, steps, expected = "set -e\n", 0, None
        for block in guide_blocks.read(GUIDE).blocks:
            if block.file is not None:
                (checkout / block.file).write_text(block.text)
                steps += 1
                continue
            script += block.text
            steps += len(block.text.strip().splitlines())
            if block.expected is not None:
                expected = block.expected
                break
        started, before = time.monotonic(), os.times()
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        took, after = time.monotonic() - started, os.times()
        work = sum(after[2:4]) - sum(before[2:4])
        if done.returncode != 0 or not done.stdout.endswith(str(expected)):
            sys.exit(f"{done.stdout}\nerror: the guide does not lead to {expected!r}")
        print(
            f"from nothing to a running extension: {steps} commands and files, {took:.0f} s on the "
            f"clock, {work:.0f} s of processor time on {os.cpu_count()} cores"
        )


if __name__ == "__main__":
    main()
