# SPDX-License-Identifier: Apache-2.0
"""Memory scopes."""

from ..ir.scope import MemoryScope

__all__ = ["MemoryScope"]
