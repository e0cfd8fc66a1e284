# SPDX-License-Identifier: Apache-2.0
"""Files with markers: read, split into blocks, written back when a block changed."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from . import consts as C
from .pending import PendingWrites


class MarkerError(ValueError):
    """A marker or a block that can't be used. ``lineno`` is its line, from 1."""

    def __init__(self, message: str, lineno: int) -> None:
        super().__init__(f"{message} at line {lineno}")
        self.message = message
        self.lineno = lineno


@dataclass
class CodeBlock:
    """Consecutive lines of a file. Blocks with an end marker include both markers.

    ``kind`` is a kind of block, the name of a directive, or None for ordinary text; ``param`` is
    what follows, a pair (prefix, module) for ``global/prefix@module``. Lines count from 1.
    """

    kind: C.STUB_BLOCK_KINDS
    param: str | tuple[str, ...]
    lineno_start: int
    lineno_end: int | None
    lines: list[str]

    __hash__ = None  # type: ignore[assignment]

    @property
    def indent(self) -> int:
        """Blanks before the first marker."""
        if not self.lines:
            return 0
        line = self.lines[0].removeprefix("\ufeff")
        return len(line) - len(line.lstrip())

    @staticmethod
    def from_begin_line(lineo: int, line: str, syntax: C.MarkerSyntax) -> CodeBlock:
        """The block that a begin marker opens. ``MarkerError`` for an unknown kind."""
        stub = _stripped(line)[len(syntax.begin) :].strip()
        kind, slash, rest = stub.partition("/")
        param: str | tuple[str, ...] = rest
        if kind not in C.BLOCK_KINDS or bool(slash) != (kind in ("global", "object", "export")):
            raise MarkerError(f"Unknown stub type `{stub}`", lineo)
        if kind == "global" and "@" in rest:
            prefix, _, module = rest.partition("@")
            param = (prefix.strip(), module.strip())
        return CodeBlock(kind, param, lineo, None, [line])


def _stripped(line: str) -> str:
    """A line without blanks around it, and without the mark that may start a file of UTF-8."""
    return line.removeprefix("\ufeff").strip()


def _lines(text: str) -> tuple[str, ...]:
    """The lines of a file. Only a newline ends one: other characters that end lines are content."""
    lines = text.split("\n")
    return tuple(lines if lines[-1] else lines[:-1])


@dataclass
class FileInfo:
    """A file and its blocks."""

    path: Path
    lines: tuple[str, ...]
    code_blocks: list[CodeBlock]
    syntax: C.MarkerSyntax

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def from_file(
        file: Path, include_empty: bool = False, syntax: C.MarkerSyntax | None = None
    ) -> FileInfo | None:
        """Reads a file. None for one without markers (unless asked for) or with ``skip-file``.

        Raises ``MarkerError`` for blocks that are nested, unmatched, unclosed or of unknown kind.
        """
        text = file.read_text(encoding="utf-8")
        return FileInfo.from_text(file, text, include_empty, syntax)

    @staticmethod
    def from_text(
        file: Path,
        text: str,
        include_empty: bool = False,
        syntax: C.MarkerSyntax | None = None,
    ) -> FileInfo | None:
        """The same for a text that the file has, or is to have."""
        syntax = syntax or syntax_for(file)
        lines = _lines(text)
        if any(_stripped(line).startswith(syntax.skip_file) for line in lines):
            return None
        blocks: list[CodeBlock] = []
        current: CodeBlock | None = None
        found = False
        for lineno, line in enumerate(lines, 1):
            text = _stripped(line)
            if text.startswith(syntax.begin):
                if current is not None:
                    raise MarkerError("Nested stub not permitted", lineno)
                current = CodeBlock.from_begin_line(lineno, line, syntax)
                found = True
            elif text.startswith(syntax.end):
                if current is None:
                    raise MarkerError(f"Unmatched `{syntax.end}`", lineno)
                current.lines.append(line)
                current.lineno_end = lineno
                blocks.append(current)
                current = None
            elif current is not None:
                current.lines.append(line)
            elif text.startswith(syntax.prefix):
                name, _, payload = text[len(syntax.prefix) :].partition("):")
                blocks.append(CodeBlock(name.strip(), payload.strip(), lineno, lineno, [line]))
                found = True
            else:
                if not blocks or blocks[-1].kind is not None:
                    blocks.append(CodeBlock(None, "", lineno, lineno, []))
                blocks[-1].lines.append(line)
                blocks[-1].lineno_end = lineno
        if current is not None:
            raise MarkerError("Unclosed stub block", current.lineno_start)
        if not found and not include_empty:
            return None
        return FileInfo(file, lines, blocks, syntax)

    def new_lines(self) -> tuple[str, ...]:
        """The file as its blocks are now."""
        return tuple(line for block in self.code_blocks for line in block.lines)

    def new_text(self) -> str:
        """The text of the file as its blocks are now."""
        return "\n".join(self.new_lines()) + "\n"

    def update(self, verbose: bool, dry_run: bool) -> bool:
        """Writes the file if a block changed, and tells whether one did."""
        lines = self.new_lines()
        changed = lines != self.lines
        if verbose:
            print(f"{C.TERM_CYAN}[File] {self.path}{C.TERM_RESET}")
            if not changed:
                print(f"{C.TERM_BLUE}[Unchanged]{C.TERM_RESET}")
            for line in list(difflib.unified_diff(self.lines, lines, lineterm=""))[2:]:
                colour = {"+": C.TERM_GREEN, "-": C.TERM_RED}.get(line[:1])
                print(f"{colour}{line}{C.TERM_RESET}" if colour else line)
        if changed and not dry_run:
            writes = PendingWrites()
            writes.put(self.path, self.new_text())
            writes.commit()
            self.lines = lines
        return changed

    def reload(self) -> None:
        """Reads the file again."""
        fresh = FileInfo.from_file(self.path, include_empty=True, syntax=self.syntax)
        assert fresh is not None
        self.lines, self.code_blocks = fresh.lines, fresh.code_blocks


def syntax_for(path: Path) -> C.MarkerSyntax:
    """The syntax of markers in a file; that of Python for an unknown suffix."""
    return C.SYNTAX_BY_EXT.get(path.suffix, C.PYTHON_SYNTAX)


def path_walk(
    p: Path,
    *,
    top_down: bool = True,
    on_error: Callable[[Exception], None] | None = None,
    follow_symlinks: bool = False,
) -> Iterable[tuple[Path, list[str], list[str]]]:
    """``Path.walk`` for every version of Python."""
    for folder, folders, files in os.walk(p, top_down, on_error, follow_symlinks):
        yield Path(folder), folders, files


def collect_paths(paths: list[Path], source_exts: Collection[str]) -> list[Path]:
    """The files that are named, and those with a source suffix below the folders that are."""
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"Path does not exist: {path}")
        if path.is_dir():
            for folder, folders, files in path_walk(path):
                folders.sort()
                for name in sorted(files):
                    if Path(name).suffix in source_exts:
                        found[(folder / name).resolve()] = None
        else:
            found[path.resolve()] = None
    return list(found)


def collect_files(paths: list[Path], source_exts: Collection[str]) -> list[FileInfo]:
    """The files below ``paths`` that have markers."""
    read = (FileInfo.from_file(path) for path in collect_paths(paths, source_exts))
    return [info for info in read if info is not None]
