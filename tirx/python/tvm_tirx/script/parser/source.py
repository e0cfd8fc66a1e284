# SPDX-License-Identifier: Apache-2.0
# The stubs of `ast` and SyntaxError leave out ends of ranges.
# mypy: disable-error-code="attr-defined,arg-type"
"""The source lines of one function or class, cut out of its file and parsed.

Only the lines of the definition are parsed. They keep their columns: an indented definition is put
under an ``if 1:`` line in place of being shifted to the left.
"""

from __future__ import annotations

import ast
import linecache
from types import CodeType, FunctionType

_PREFIX = "if 1:\n"


class SourceText:
    """Lines of a file, with the number of the first one, and how its tree maps back to the file."""

    __slots__ = ("filename", "first_line", "lines", "shift")

    def __init__(self, filename: str, lines: list[str], first_line: int = 1) -> None:
        self.filename = filename
        self.lines = lines
        self.first_line = first_line
        # Added to a line number of the tree, gives the line number in the file.
        self.shift = first_line - 1

    def parse(self) -> ast.stmt:
        """The definition as a syntax tree. Line numbers of the tree differ by ``shift``."""
        text = "".join(self.lines)
        if text[:1] in (" ", "\t"):
            self.shift = self.first_line - 2
            outer = compile(_PREFIX + text, self.filename, "exec", ast.PyCF_ONLY_AST).body[0]
            return outer.body[0]
        self.shift = self.first_line - 1
        return compile(text, self.filename, "exec", ast.PyCF_ONLY_AST).body[0]

    def line(self, number: int) -> str | None:
        """Line ``number`` of the file, None when it lies outside."""
        index = number - self.first_line
        if 0 <= index < len(self.lines):
            return self.lines[index]
        return linecache.getline(self.filename, number) or None

    def error(self, message: str, node: ast.AST) -> SyntaxError:
        """A SyntaxError that points at ``node``."""
        line = node.lineno + self.shift
        end_line = node.end_lineno + self.shift
        text = self.line(line)
        return SyntaxError(
            message,
            (
                self.filename,
                line,
                _column(text, node.col_offset) + 1,
                text,
                end_line,
                _column(self.line(end_line), node.end_col_offset) + 1,
            ),
        )


def _column(text: str | None, byte_offset: int) -> int:
    """A byte offset in the UTF-8 form of a line as a character offset."""
    if text is None or text.isascii():
        return byte_offset
    return len(text.encode()[:byte_offset].decode(errors="ignore"))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _is_blank(line: str) -> bool:
    text = line.strip()
    return not text or text[0] == "#"


def _cut(lines: list[str], start: int, body: int) -> list[str]:
    """Lines from ``start`` up to the end of the block that line ``body`` (both 0-based) is in."""
    margin = _indent(lines[start])
    end = body + 1
    for index in range(body + 1, len(lines)):
        line = lines[index]
        if line[:1].isspace() or line[:1] == "#":
            if _is_blank(line):
                continue
            if _indent(line) <= margin:
                break
        elif line != "":
            break
        end = index + 1
    return lines[start:end]


def _file_lines(filename: str, namespace: dict | None) -> list[str]:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, namespace)
    if not lines:
        raise OSError(
            f"could not get source code of {filename}: a script is parsed from the text of its "
            "definition, which Python keeps only for files"
        )
    return lines


def _last_code_line(code: CodeType, lines: list[str]) -> int:
    """1-based number of a line that is surely part of the body of a function."""
    first = last = code.co_firstlineno
    for _, _, line in code.co_lines():
        if line is not None and line > last:
            last = line
    if last > first:
        return last
    # The whole definition on the line of its `def`, or a body without code.
    for number in range(first, len(lines) + 1):
        if lines[number - 1].lstrip().startswith(("def ", "async def ", "class ")):
            return number
    return first


def cut_function(function: FunctionType) -> SourceText:
    """Cut out the lines of the definition of ``function``, decorators included.

    Raises OSError when Python can't recover the source."""
    code = function.__code__
    lines = _file_lines(code.co_filename, function.__globals__)
    first = code.co_firstlineno
    if first > len(lines):
        raise OSError(f"lineno is out of bounds in {code.co_filename}")
    return SourceText(
        code.co_filename, _cut(lines, first - 1, _last_code_line(code, lines) - 1), first
    )


def parse_cut(source: SourceText, function: FunctionType) -> tuple[SourceText, ast.stmt]:
    """The tree of a definition that was cut out."""
    try:
        return source, source.parse()
    except SyntaxError:
        # A string or a bracket that reaches the margin: let the tokenizer find the end.
        import inspect

        block, first = inspect.getsourcelines(function.__code__)
        source = SourceText(function.__code__.co_filename, block, first)
        return source, source.parse()


def of_class(cls: type, filename: str, namespace: dict, line: int) -> tuple[SourceText, ast.stmt]:
    """Cut and parse the definition of ``cls``; ``line`` is that of the decorator that runs."""
    lines = _file_lines(filename, namespace)
    body = line
    while body < len(lines) and not lines[body - 1].lstrip().startswith("class "):
        body += 1
    source = SourceText(filename, _cut(lines, line - 1, body - 1), line)
    try:
        return source, source.parse()
    except SyntaxError:
        import inspect

        block, first = inspect.getsourcelines(cls)
        source = SourceText(filename, block, first)
        return source, source.parse()


def move_lines(code: CodeType, shift: int) -> CodeType:
    """``code`` and the code inside it, with ``shift`` added to every line number."""
    if shift == 0:
        return code
    consts = tuple(
        move_lines(value, shift) if isinstance(value, CodeType) else value
        for value in code.co_consts
    )
    return code.replace(co_firstlineno=code.co_firstlineno + shift, co_consts=consts)
