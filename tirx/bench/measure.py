# SPDX-License-Identifier: Apache-2.0
"""Measures one installation of ``tvm_tirx`` and prints a JSON object; ``run.py`` runs it for Kiln and for the peer.

Times are seconds, the best of several tries. The programs are written to files because the front end reads source files.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HEADER = "from tvm_tirx.script import tirx as T\n\n\n"

VECTOR_ADD = (
    HEADER
    + """@T.function
def main(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    for i in range(1024):
        C[i] = A[i] + B[i]
"""
)

MATMUL = (
    HEADER
    + """@T.function
def main(A: T.Tensor((512, 512), "float32"), B: T.Tensor((512, 512), "float32"), C: T.Tensor((512, 512), "float32")):
    for i in range(512):
        for j in range(512):
            C[i, j] = T.float32(0)
        for k in range(512):
            for j in range(512):
                C[i, j] = C[i, j] + A[i, k] * B[k, j]
"""
)

SOFTMAX = (
    HEADER
    + """@T.function
def main(A: T.Tensor((1024, 1024), "float32"), P: T.Tensor((1024, 1024), "float32")):
    for i in range(1024):
        m = T.alloc_local((1,), "float32")
        s = T.alloc_local((1,), "float32")
        m[0] = A[i, 0]
        for j in range(1024):
            m[0] = T.max(m[0], A[i, j])
        s[0] = T.float32(0)
        for j in range(1024):
            P[i, j] = T.exp(A[i, j] - m[0])
            s[0] = s[0] + P[i, j]
        for j in range(1024):
            P[i, j] = P[i, j] / s[0]
"""
)


def statements(count: int) -> str:
    """A loop with `count` long statements over two tensors."""
    lines = [
        f"        B[i, {k}] = A[i, {(k * 7 + 3) % count}] * T.float32({k % 13 + 1}) + A[i, {(k * 5 + 1) % count}]"
        f" - B[i, {(k * 3 + 2) % count}]"
        for k in range(count)
    ]
    shape = f'T.Tensor((64, {count}), "float32")'
    return (
        HEADER
        + f"@T.function\ndef main(A: {shape}, B: {shape}):\n    for i in range(64):\n"
        + "\n".join(lines)
        + "\n"
    )


def best(run: Callable[[], object], tries: int) -> float:
    """Seconds of the fastest of `tries` runs."""
    fastest = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        run()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


class Programs:
    """Writes programs to files of their own and imports them."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tirx-bench-"))
        self.count = 0

    def load(self, text: str):
        self.count += 1
        path = self.folder / f"program_{self.count}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        return module.main


def run_statements(programs: Programs, size: int, out: dict) -> None:
    """Run time of one big body: compile time must not be bought with it."""
    import numpy as np
    import tvm_tirx

    kernel = tvm_tirx.tirx.compile(programs.load(statements(size)), target="llvm")["main"]
    random = np.random.default_rng(0)
    tensors = [
        tvm_tirx.runtime.tensor(random.normal(size=(64, size)).astype("float32")) for _ in range(2)
    ]
    out[f"run {size} statements"] = best(lambda: kernel(*tensors), 200)


def growth(programs: Programs, sizes: list[int], compile_most: int, out: dict) -> None:
    from tvm_tirx import tirx

    for size in sizes:
        text = statements(size)
        tries = 3 if size <= 300 else 1
        out[f"parse {size}"] = best(lambda text=text: programs.load(text), tries)
        function = programs.load(text)
        out[f"print {size}"] = best(lambda function=function: function.script(), tries)
        if size <= compile_most:
            out[f"compile {size}"] = best(
                lambda function=function: tirx.compile(function, target="llvm")["main"], tries
            )
        print(
            f"  {size} statements: "
            + ", ".join(f"{k} {v:.3f} s" for k, v in out.items() if k.endswith(f" {size}")),
            file=sys.stderr,
        )


def kernels(programs: Programs, out: dict) -> None:
    import numpy as np
    import tvm_tirx
    from tvm_tirx import tirx

    def tensors(*shapes):
        random = np.random.default_rng(0)
        return [tvm_tirx.runtime.tensor(random.normal(size=s).astype("float32")) for s in shapes]

    add = programs.load(VECTOR_ADD)
    out["compile vector add"] = best(lambda: tirx.compile(add, target="llvm")["main"], 10)
    call = tirx.compile(add, target="llvm")["main"]
    a, b, c = tensors((1024,), (1024,), (1024,))

    def thousand() -> None:
        for _ in range(1000):
            call(a, b, c)

    out["call, 3 tensors of 1,024"] = best(thousand, 20) / 1000
    for name, text, shapes in (
        ("matmul 512", MATMUL, [(512, 512)] * 3),
        ("softmax 1024 x 1024", SOFTMAX, [(1024, 1024)] * 2),
    ):
        run = tirx.compile(programs.load(text), target="llvm")["main"]
        arguments = tensors(*shapes)
        out[name] = best(lambda run=run, arguments=arguments: run(*arguments), 10)
    run_statements(programs, 300, out)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="100,300,1000")
    parser.add_argument("--compile-most", type=int, default=1000)
    options = parser.parse_args()
    start = time.perf_counter()
    import tvm_tirx  # noqa: F401

    out: dict[str, float] = {"import": time.perf_counter() - start}
    programs = Programs()
    kernels(programs, out)
    growth(programs, [int(size) for size in options.sizes.split(",")], options.compile_most, out)
    out["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(out))


if __name__ == "__main__":
    main()
