# SPDX-License-Identifier: Apache-2.0
"""Instruments: time, print and dump passes."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .core import PassInfo, PassInstrument


class PassTimingInstrument(PassInstrument):
    """Measures passes; `render` gives the table of the thread."""

    _local = threading.local()

    def __init__(self) -> None:
        self._reset()

    @classmethod
    def _reset(cls) -> None:
        cls._local.open = []
        cls._local.done = []

    def enter_pass_ctx(self) -> None:
        self._reset()

    def exit_pass_ctx(self) -> None:
        self._reset()

    def run_before_pass(self, mod: Any, info: PassInfo) -> None:
        self._local.open.append((info.name, time.perf_counter(), len(self._local.open)))

    def run_after_pass(self, mod: Any, info: PassInfo) -> None:
        name, start, depth = self._local.open.pop()
        self._local.done.append((start, depth, name, time.perf_counter() - start))

    @staticmethod
    def render() -> str:
        """One line a pass, in the order in which they began, with its time in microseconds."""
        done = sorted(getattr(PassTimingInstrument._local, "done", ()))
        total = sum(seconds for _, depth, _, seconds in done if depth == 0)
        return "".join(
            f"{'  ' * depth}{name}: {seconds * 1e6:.0f}us ({seconds / (total or 1):.2%})\n"
            for _, depth, name, seconds in done
        )


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after passes of given names."""

    def __init__(
        self, print_before_pass_names: Sequence[str], print_after_pass_names: Sequence[str]
    ) -> None:
        self._before = frozenset(print_before_pass_names)
        self._after = frozenset(print_after_pass_names)

    def run_before_pass(self, mod: Any, info: PassInfo) -> None:
        if info.name in self._before:
            print(f"Print IR before: {info.name}\n{mod.script()}")

    def run_after_pass(self, mod: Any, info: PassInfo) -> None:
        if info.name in self._after:
            print(f"Print IR after: {info.name}\n{mod.script()}")


class PrintBeforeAll(PassInstrument):
    """Prints the module before each pass."""

    def run_before_pass(self, mod: Any, info: PassInfo) -> None:
        print(f"Before Running Pass: {info.name}\n{mod.script()}")


class PrintAfterAll(PassInstrument):
    """Prints the module after each pass."""

    def run_after_pass(self, mod: Any, info: PassInfo) -> None:
        print(f"After Running Pass: {info.name}\n{mod.script()}")


class DumpIR(PassInstrument):
    """Writes the module after each pass to numbered files of a folder."""

    def __init__(self, dump_dir: Path | str, refresh: bool = False) -> None:
        self.dump_dir = Path(dump_dir)
        self._count = 0
        self.dump_dir.mkdir(parents=True, exist_ok=True)
        if refresh:
            for old in self.dump_dir.glob("*.py"):
                old.unlink()

    def run_after_pass(self, mod: Any, info: PassInfo) -> None:
        name = info.name.replace("/", "_")
        (self.dump_dir / f"{self._count:03d}_{name}.py").write_text(mod.script(show_meta=True))
        self._count += 1
