# SPDX-License-Identifier: Apache-2.0
"""Locations of statements from the lines of Python that make them."""

from __future__ import annotations

import linecache
import sys
from types import FrameType
from typing import Any

from ..._ffi_functions import Functions
from ...ir.location import SourceLoc, SourceName

_b = Functions("script.ir_builder.")


class LineTraceScope:
    """While it is entered, the line that runs is the location of what is built."""

    def __init__(self, builder: Any, *, exclude_paths: Any = ()) -> None:
        self.builder = builder
        self.exclude_paths = tuple(str(path) for path in exclude_paths)
        self._frame: FrameType | None = None
        self._previous: Any = None
        self._pushed = False

    def source_loc(self, filename: str, line: int) -> Any:
        """The location of a whole line."""
        text = linecache.getline(filename, line).rstrip("\n")
        return SourceLoc(SourceName(filename), line, 1, line, len(text) + 1)

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self._move(frame)
        return self._trace

    def _move(self, frame: FrameType) -> None:
        filename = frame.f_code.co_filename
        if filename.startswith(self.exclude_paths) and self.exclude_paths:
            return
        self._drop()
        _b.PushLocation(self.source_loc(filename, frame.f_lineno))
        self._pushed = True

    def _drop(self) -> None:
        if self._pushed:
            _b.PopSource()
            self._pushed = False

    def __enter__(self) -> LineTraceScope:
        frame = sys._getframe(1)
        self._previous = (sys.gettrace(), frame.f_trace)
        self._frame = frame
        frame.f_trace = self._trace
        # Python asks the trace function of a frame only while there is a global one.
        sys.settrace(lambda *_: None)
        return self

    def __exit__(self, *_: Any) -> None:
        assert self._frame is not None
        previous, self._frame.f_trace = self._previous
        sys.settrace(previous)
        self._frame = None
        self._drop()


__all__ = ["LineTraceScope"]
