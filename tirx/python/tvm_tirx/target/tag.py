# SPDX-License-Identifier: Apache-2.0
"""Tags: names for configurations of targets."""

from .tag_registry.registry import list_tags, register_tag

__all__ = ["list_tags", "register_tag"]
