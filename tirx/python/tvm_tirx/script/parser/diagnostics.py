# SPDX-License-Identifier: Apache-2.0
"""Says in an exception which line of the script it comes from."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any

from ...ir.location import CallSiteLoc, SourceLoc
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


def _describe(
    filename: str, line: int, start: int | None, end: int | None, end_line: int | None
) -> str:
    """File, line and text, with carets below the characters from ``start`` to ``end`` (0-based)."""
    text = f'  File "{filename}", line {line}'
    source = linecache.getline(filename, line).rstrip("\n")
    if not source.strip():
        return text
    stripped = source.lstrip()
    margin = len(source) - len(stripped)
    text += f"\n    {stripped}"
    if start is not None and end is not None:
        first = max(start - margin, 0)
        last = end - margin if end_line == line else len(stripped)
        text += f"\n    {' ' * first}{'^' * max(last - first, 1)}"
    return text


def _describe_frame(code: CodeType, line: int, lasti: int) -> str:
    start_line, end_line, start, end = _positions(code, lasti)
    if start_line != line or start is None or end is None:
        return _describe(code.co_filename, line, None, None, None)
    source = linecache.getline(code.co_filename, line)
    return _describe(
        code.co_filename, line, _character(source, start), _character(source, end), end_line
    )


def add_note(error: BaseException, note: str) -> None:
    """``error.add_note(note)``, which Python 3.10 does not have."""
    if hasattr(error, "add_note"):
        error.add_note(note)
    else:
        error.__notes__ = [*getattr(error, "__notes__", []), note]  # type: ignore[attr-defined]


def note_location(error: BaseException, location: Any) -> None:
    """Add a note with file, line, text and a caret of a location; calls of helpers first."""
    places = []
    while isinstance(location, CallSiteLoc):
        places.append(location.callee)
        location = location.caller
    places.append(location)
    known = [
        _describe(
            p.source_name.name, p.start_line, p.start_column - 1, p.end_column - 1, p.end_line
        )
        for p in reversed(places)
        if isinstance(p, SourceLoc)
    ]
    if known:
        add_note(error, "In the program at:\n" + "\n".join(known))


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
        places = "\n".join(_describe_frame(*f) for f in frames)
        add_note(error, f"While building the program at:\n{places}")
    try:
        error._tirx_located = True  # type: ignore[attr-defined]
    except AttributeError:
        pass
