# SPDX-License-Identifier: Apache-2.0
"""What code is generated for: kinds, options, tags."""

from __future__ import annotations

from . import detect_target, tag, tag_registry
from .tag_registry.registry import list_tags, register_tag
from .target import Target, TargetKind, device_from_target

__all__ = [
    "Target",
    "TargetKind",
    "detect_target",
    "device_from_target",
    "list_tags",
    "register_tag",
    "tag",
    "tag_registry",
]
