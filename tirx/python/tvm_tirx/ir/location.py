# SPDX-License-Identifier: Apache-2.0
"""Where a node came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions
from ..base import _RUNTIME_ONLY

_ir = Functions("ir.")


@register_object("ir.SourceName")
class SourceName(Object):
    """The name of a source, usually a file."""

    def __init__(self, name: str) -> None:
        self.__init_handle_by_constructor__(_ir.SourceName, name)


@register_object("ir.Location")
class Location(Object):
    """Base of all locations."""

    if TYPE_CHECKING:
        # The fields of the native object.
        def __getattr__(self, name: str) -> Any: ...


@register_object("ir.UnknownLoc")
class UnknownLoc(Location):
    """No location."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_ir.UnknownLoc)


@register_object("ir.SourceLoc")
class SourceLoc(Location):
    """A range of a source. Lines and columns count from 1; the end is exclusive."""

    def __init__(
        self,
        source_name: SourceName | str,
        start_line: int,
        start_column: int,
        end_line: int,
        end_column: int,
    ) -> None:
        if isinstance(source_name, str):
            source_name = SourceName(source_name)
        self.__init_handle_by_constructor__(
            _ir.SourceLoc, source_name, start_line, start_column, end_line, end_column
        )


@register_object("ir.CallSiteLoc")
class CallSiteLoc(Location):
    """A place in a helper, and where the helper was called."""

    def __init__(self, callee: Location, caller: Location) -> None:
        self.__init_handle_by_constructor__(_ir.CallSiteLoc, callee, caller)


UNKNOWN_LOC = None if _RUNTIME_ONLY else UnknownLoc()
"""The default of ``loc`` parameters."""
