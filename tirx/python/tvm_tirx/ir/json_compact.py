# SPDX-License-Identifier: Apache-2.0
"""Saved programs of older versions."""

from __future__ import annotations

import json


def upgrade_json(json_str: str) -> str:
    """The text in the form of this version, laid out for reading. There is one form so far."""
    return json.dumps(json.loads(json_str), indent=2)


__all__ = ["upgrade_json"]
