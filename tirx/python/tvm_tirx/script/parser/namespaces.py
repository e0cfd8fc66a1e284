# SPDX-License-Identifier: Apache-2.0
"""The objects that count as script namespaces (``T``, ``I``): a definition must be decorated by an
attribute of one, and their names can't be rebound in a script."""

from __future__ import annotations

from typing import Any

_namespaces: dict[int, Any] = {}
_aliases: dict[str, Any] = {}


def register_namespace(alias: str, namespace: Any) -> None:
    """Make ``namespace`` known; ``alias`` is the name that printed text uses for it."""
    _namespaces[id(namespace)] = namespace
    _aliases[alias] = namespace


def is_namespace(value: Any) -> bool:
    """Whether ``value`` is a registered namespace."""
    return id(value) in _namespaces


def by_alias(alias: str) -> Any:
    """The namespace that printed text calls ``alias``, None for an unknown one."""
    return _aliases.get(alias)
