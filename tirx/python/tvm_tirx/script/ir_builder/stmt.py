# SPDX-License-Identifier: Apache-2.0
"""Statements of the builder."""

from __future__ import annotations

from ...tirx.script.builder import (
    add_to_parent,
    assert_,
    break_,
    continue_,
    else_,
    evaluate,
    frame_scope,
    if_,
    return_,
    then_,
    unpack_,
    while_,
)
from ...tirx.script.loops import grid
from ...tirx.script.regions import region

__all__ = [
    "add_to_parent",
    "assert_",
    "break_",
    "continue_",
    "else_",
    "evaluate",
    "frame_scope",
    "grid",
    "if_",
    "region",
    "return_",
    "then_",
    "unpack_",
    "while_",
]
