# SPDX-License-Identifier: Apache-2.0
"""Levels of the thread hierarchy."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from ..ir.scope import NamedEntry

_script = Functions("script.")


@register_object("tirx.ThreadScope")
class ThreadScope(NamedEntry):
    """A level of the thread hierarchy, such as "cuda.warp". ValueError for an unknown name."""

    def __init__(self, name: Any) -> None:
        self.__init_handle_by_constructor__(_script.ThreadScope, str(name))

    @classmethod
    def get(cls, name: str) -> ThreadScope:
        """The scope of the name."""
        return cls(name)

    @property
    def backend(self) -> str:
        """The backend that the level belongs to."""
        return self.name.partition(".")[0]

    @property
    def local_name(self) -> str:
        """The name without the backend."""
        return self.name.partition(".")[2]


def as_thread_scope(value: Any, backend: str) -> ThreadScope:
    """A thread scope from a scope, its name, or its name inside ``backend``."""
    if isinstance(value, ThreadScope):
        return value
    return ThreadScope(value if "." in value else f"{backend}.{value}")
