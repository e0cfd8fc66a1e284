# SPDX-License-Identifier: Apache-2.0
"""Names that do not collide."""

from __future__ import annotations


class UniqueNameSupply:
    """Gives out names, each one once. ``prefix`` stands before all of them."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._next: dict[str, int] = {}

    def _full(self, name: str, add_prefix: bool) -> str:
        name = name.replace(".", "_")
        return f"{self.prefix}_{name}" if add_prefix and self.prefix else name

    def fresh_name(self, name: str, add_prefix: bool = True, add_underscore: bool = True) -> str:
        """``name``, with a number behind it when it is taken."""
        full = self._full(name, add_prefix)
        if full not in self._next:
            self._next[full] = 0
            return full
        joint = "_" if add_underscore else ""
        while True:
            self._next[full] += 1
            candidate = f"{full}{joint}{self._next[full]}"
            if candidate not in self._next:
                self._next[candidate] = 0
                return candidate

    def reserve_name(self, name: str, add_prefix: bool = True) -> str:
        """Take a name without a number; returns the full name."""
        full = self._full(name, add_prefix)
        self._next.setdefault(full, 0)
        return full

    def contains_name(self, name: str, add_prefix: bool = True) -> bool:
        """Whether the name is taken."""
        return self._full(name, add_prefix) in self._next


__all__ = ["UniqueNameSupply"]
