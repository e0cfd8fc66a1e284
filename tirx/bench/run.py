# SPDX-License-Identifier: Apache-2.0
"""Times of Kiln's compiler beside the peer's, as ratios in one run, with the growth of each stage.

``./dev bench tirx``; ``--alone`` leaves the peer out; ``--plot FILE.svg`` draws the growth.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

import peer  # noqa: E402
from growth_plot import growth_plot  # noqa: E402

STAGES = ("parse", "print", "compile")


def measure(python: str, *options: str) -> dict[str, float]:
    result = subprocess.run(
        [python, str(HERE / "measure.py"), *options], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(result.stdout)


def series(values: dict[str, float], stage: str) -> list[tuple[int, float]]:
    """(statements, seconds) of one stage, ascending."""
    points = [
        (int(k.split()[1]), v)
        for k, v in values.items()
        if k.startswith(stage + " ") and k.split()[1].isdigit()
    ]
    return sorted(points)


def exponent(points: list[tuple[int, float]]) -> float | None:
    """The growth exponent between the first and the last point: 1 is linear."""
    if len(points) < 2:
        return None
    (n0, t0), (n1, t1) = points[0], points[-1]
    return math.log(t1 / t0) / math.log(n1 / n0)


def show(value: float | None, unit: str = "") -> str:
    if value is None:
        return "-"
    if unit:
        return f"{value:.0f} {unit}"
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value:.3g} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--sizes", default="100,1000,10000")
    parser.add_argument("--peer-sizes", default="100,1000")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()

    ours = measure(sys.executable, "--sizes", options.sizes, "--compile-most", "10000")
    theirs: dict[str, float] = {}
    other = None if options.alone else peer.python("tirx")
    if other is not None:
        theirs = measure(str(other), "--sizes", options.peer_sizes, "--compile-most", "1000")

    print(f"{'':28}{'kiln':>12}{'peer':>12}{'ratio':>9}")
    for name, value in ours.items():
        unit = "MB" if name.endswith("MB") else ""
        base = theirs.get(name)
        ratio = f"{value / base:.3f}" if base else "-"
        print(f"{name:28}{show(value, unit):>12}{show(base, unit):>12}{ratio:>9}")
    print("\ngrowth exponent (1 = linear)")
    for stage in STAGES:
        mine, peers = exponent(series(ours, stage)), exponent(series(theirs, stage))
        print(
            f"  {stage:10}{'-' if mine is None else f'{mine:.2f}':>6}{'-' if peers is None else f'{peers:.2f}':>8}"
        )
    if options.plot:
        lines = {f"kiln {stage}": series(ours, stage) for stage in STAGES}
        lines |= {f"peer {stage}": series(theirs, stage) for stage in STAGES if theirs}
        options.plot.write_text(growth_plot(lines))
        print(f"wrote {options.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
