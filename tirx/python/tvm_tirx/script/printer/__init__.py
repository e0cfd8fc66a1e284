# SPDX-License-Identifier: Apache-2.0
"""Printing of nodes as TVMScript."""

from .scriptable import PrinterConfig, script

__all__ = ["PrinterConfig", "script"]
