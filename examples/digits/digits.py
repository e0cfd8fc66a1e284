# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits: train in numpy, run the kernels from Python, then from C++ and Rust.

``python digits.py [--out FOLDER]``. Ends with status 1 when a prediction differs from numpy's.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import network
import numpy as np
import programs
import tensor_file

CLASSES = 10


def heading(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def fastest(run: Callable[[], object], repeats: int = 30) -> float:
    """Milliseconds of the fastest of `repeats` runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def main() -> int:
    parser = argparse.ArgumentParser(description="Classify handwritten digits with Kiln.")
    parser.add_argument("--out", type=Path, help="where the library and the programs go")
    out = parser.parse_args().out or Path(tempfile.mkdtemp(prefix="kiln-digits-"))
    out.mkdir(parents=True, exist_ok=True)

    heading("1. Train a 64-32-10 network in numpy")
    start = time.perf_counter()
    images, labels = network.load()
    seen = len(images) * 3 // 4
    weights = network.train(images[:seen], labels[:seen], hidden=32, classes=CLASSES)
    print(f"{seen} of {len(images)} images, trained in {time.perf_counter() - start:.1f} s")

    heading("2. Compile the kernels")
    start = time.perf_counter()
    import tvm_tirx
    from kernels import Digits

    loaded = time.perf_counter()
    executable = tvm_tirx.tirx.compile(Digits, target="llvm")
    print(f"import and parse {loaded - start:.2f} s, compile {time.perf_counter() - loaded:.2f} s")

    heading("The softmax kernel as written")
    print(Digits["softmax"].script())
    heading("and as lowered")
    print(programs.lowered_text(Digits, "softmax"))

    heading("3. Run on plain numpy arrays")
    dense_relu, dense = executable["dense_relu"], executable["dense"]
    softmax, argmax = executable["softmax"], executable["argmax"]
    hidden = np.empty((len(images), 32), "float32")
    scores = np.empty((len(images), CLASSES), "float32")
    chances = np.empty_like(scores)
    predicted = np.empty(len(images), "int32")

    def classify() -> None:
        dense_relu(images, weights.w1, weights.b1, hidden)
        dense(hidden, weights.w2, weights.b2, scores)
        softmax(scores, chances)
        argmax(chances, predicted)

    classify()
    expected = network.probabilities(images, weights).argmax(axis=1).astype("int32")
    different = int((predicted != expected).sum())
    rows = [
        ("numpy", expected, fastest(lambda: network.probabilities(images, weights).argmax(axis=1))),
        ("kiln", predicted, fastest(classify)),
    ]
    print(
        f"{'':8}{'accuracy':>10}{'time':>12}    (accuracy on the {len(images) - seen} unseen images)"
    )
    for name, got, milliseconds in rows:
        accuracy = (got == labels)[seen:].mean()
        print(f"{name:8}{accuracy:>10.2%}{milliseconds:>9.2f} ms")
    print(f"predictions that differ from numpy's: {different}")

    heading("4. Export, and classify from C++ and Rust")
    library = out / "libdigits.so"
    executable.export_library(str(library))
    print(f"{library} ({library.stat().st_size // 1024} KiB)")
    data = out / "digits.bin"
    tensor_file.write(data, [images, *weights, labels, expected])
    failed = different != 0
    for name, build in (("C++", programs.build_cpp), ("Rust", programs.build_rust)):
        try:
            program = build(out)
        except programs.ToolMissing as missing:
            print(f"{name}: left out, {missing}")
            continue
        failed |= programs.run(name, program, [str(library), str(data)])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
