# SPDX-License-Identifier: Apache-2.0
"""Says in an exception which line of the script it comes from."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from types import CodeType, TracebackType

from .protocol import is_rewritten


def _positions(code: CodeType, lasti: int) -> tuple[int | None, int | None, int | None, int | None]:
    if lasti < 0 or not hasattr(code, "co_positions"):
        return None, None, None, None
    for index, position in enumerate(code.co_positions()):
        if index == lasti // 2:
            return position
    return None, None, None, None


def _script_frames(trace: TracebackType | None) -> Iterator[tuple[CodeType, int, int]]:
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_rewritten(code):
            yield code, trace.tb_lineno, trace.tb_lasti
        trace = trace.tb_next


def _character(line: str, offset: int) -> int:
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))


def _describe(code: CodeType, line: int, lasti: int) -> str:
    text = f'  File "{code.co_filename}", line {line}'
    source = linecache.getline(code.co_filename, line).rstrip("\n")
    if not source.strip():
        return text
    stripped = source.lstrip()
    margin = len(source) - len(stripped)
    text += f"\n    {stripped}"
    start_line, end_line, start, end = _positions(code, lasti)
    if start_line == line and start is not None and end is not None:
        first = max(_character(source, start) - margin, 0)
        last = _character(source, end) - margin if end_line == line else len(stripped)
        text += f"\n    {' ' * first}{'^' * max(last - first, 1)}"
    return text


def locate(error: BaseException) -> None:
    """Add a note with file, line, text and a caret for each script function the error passed.

    A SyntaxError raised while building, which has no place yet, gets the innermost one."""
    if getattr(error, "_tirx_located", False):
        return
    frames = list(_script_frames(error.__traceback__))
    if not frames:
        return
    if isinstance(error, UnboundLocalError):
        name = getattr(error, "name", None) or str(error).split("'")[1:2]
        name = name if isinstance(name, str) else "".join(name)
        if name and not name.startswith("@"):
            error.args = (f"name {name!r} is not defined",)
    if isinstance(error, SyntaxError):
        if error.lineno is None:
            code, line, lasti = frames[-1]
            _, end_line, start, end = _positions(code, lasti)
            source = linecache.getline(code.co_filename, line)
            error.filename, error.lineno, error.text = code.co_filename, line, source
            if start is not None and end is not None:
                error.offset, error.end_lineno, error.end_offset = start + 1, end_line, end + 1
    else:
        note = "While building the program at:\n" + "\n".join(_describe(*f) for f in frames)
        if hasattr(error, "add_note"):
            error.add_note(note)
        else:
            error.__notes__ = [*getattr(error, "__notes__", []), note]  # type: ignore[attr-defined]
    try:
        error._tirx_located = True  # type: ignore[attr-defined]
    except AttributeError:
        pass
