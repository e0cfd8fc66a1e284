# SPDX-License-Identifier: Apache-2.0
"""Memory scopes: kinds of memory that pointers and tensors live in."""

from __future__ import annotations

from typing import Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions

_script = Functions("script.")


class NamedEntry(Object):
    """An object that is one of its kind by its name."""

    @property
    def name(self) -> str:
        """The name."""
        return str(_script.EntryName(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.name == other
        return type(other) is type(self) and self.name == other.name  # type: ignore[attr-defined]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)


@register_object("runtime.MemoryScope")
class MemoryScope(NamedEntry):
    """A kind of memory: "global", "shared", "local", ... ValueError for an unknown name."""

    def __init__(self, name: Any) -> None:
        self.__init_handle_by_constructor__(_script.MemoryScope, str(name))

    @classmethod
    def get(cls, name: str) -> MemoryScope:
        """The scope of the name."""
        return cls(name)
