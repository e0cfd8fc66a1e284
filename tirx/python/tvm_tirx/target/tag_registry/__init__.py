# SPDX-License-Identifier: Apache-2.0
"""The tags that are known without further packages."""

from . import registry
from .registry import list_tags, register_tag

__all__ = ["list_tags", "register_tag", "registry"]
