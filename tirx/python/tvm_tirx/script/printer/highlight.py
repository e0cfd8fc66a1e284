# SPDX-License-Identifier: Apache-2.0
"""Highlighted printing of scripts."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

_warned = False


def cprint(printable: Any, style: str | None = None) -> None:
    """Print a script with colours.

    ``style``: "light", "dark", "ansi" or the name of a Pygments style; the default is that of
    TVM_TIRX_PYGMENTIZE_STYLE, else "light" in a notebook and "ansi" in a terminal. Without Pygments
    (2.4 or newer) the text is plain, with one warning."""
    global _warned
    text = printable if isinstance(printable, str) else printable.script()
    style = style or os.environ.get("TVM_TIRX_PYGMENTIZE_STYLE") or None
    try:
        import pygments

        from packaging import version

        if version.parse(pygments.__version__) < version.parse("2.4.0"):
            raise ImportError("Pygments is too old")
    except ImportError as error:
        if not _warned:
            _warned = True
            warnings.warn(f"No highlighting without Pygments 2.4.0 or newer: {error}", stacklevel=2)
        print(text)
        return
    from pygments import highlight
    from pygments.formatters import HtmlFormatter, Terminal256Formatter, TerminalFormatter
    from pygments.lexers.python import Python3Lexer

    notebook = "ipykernel" in sys.modules
    named = {"light": "default", "dark": "monokai"}
    if notebook:
        from IPython import display

        formatter: Any = HtmlFormatter(style=named.get(style or "light", style))
        formatter.noclasses = True
        display.display(display.HTML(highlight(text, Python3Lexer(), formatter)))
        return
    if style in (None, "ansi"):
        if not sys.stdout.isatty() and style is None:
            print(text)
            return
        formatter = TerminalFormatter()
    else:
        formatter = Terminal256Formatter(style=named.get(style, style))
    print(highlight(text, Python3Lexer(), formatter))
