# SPDX-License-Identifier: Apache-2.0
"""Objects as JSON text that keeps sharing."""

from __future__ import annotations

from typing import Any

from . import _ffi_api

__all__ = ["from_json_graph_str", "to_json_graph_str"]


def to_json_graph_str(obj: Any, metadata: dict[str, Any] | None = None) -> str:
    """The graph of objects below ``obj`` as JSON text; ``metadata`` is stored beside it.

    Raises ``TypeError`` for types that can't be stored.
    """
    return _ffi_api.ToJSONGraphString(obj, metadata)


def from_json_graph_str(json_str: str) -> Any:
    """The value that ``to_json_graph_str`` stored. ``ValueError`` for malformed text."""
    return _ffi_api.FromJSONGraphString(json_str)
