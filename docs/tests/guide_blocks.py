# SPDX-License-Identifier: Apache-2.0
"""Reads a guide and runs its code blocks in a scratch folder, in the order of the page.

What a block is follows from its language and from the line above it:

* a line with a file name in backquotes: the block is that file; ``, continued`` appends to it;
* ``sh``: commands for bash, in the scratch folder, or with ``in=FOLDER`` in a copy of that folder;
* ``python`` without a name: goes on where the last unnamed Python block of its section stopped;
* ``text`` right after a block that ran: what the block printed, exactly;
* ``from=FILE``: an excerpt, which must be in that file of the repository, word for word;
* ``text`` elsewhere: a drawing;
* ``from-nothing``: commands that need a bare machine, run by ``from_nothing.py``.

A block that is nothing of this is an error, so no block of a guide goes unchecked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^```(\w+)?([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_LINE = re.compile(r"^`([\w./-]+)`(, continued)?$")
END_OF_BLOCK = "@@ end of block @@"


@dataclass
class Block:
    """One fenced block of a guide."""

    line: int
    language: str
    options: dict[str, str]
    text: str
    section: str
    file: str | None = None
    continued: bool = False
    expected: str | None = None

    @property
    def is_session(self) -> bool:
        """Whether it continues the Python session of its section."""
        return self.language == "python" and self.file is None and "from" not in self.options


@dataclass
class Guide:
    """The blocks of a page that are checked."""

    path: Path
    blocks: list[Block] = field(default_factory=list)


def read(path: Path) -> Guide:
    """The guide in ``path``. ValueError for a block that no test would check."""
    text = path.read_text(encoding="utf-8")
    guide = Guide(path)
    end = 0
    for match in FENCE.finditer(text):
        before = text[end : match.start()]
        end = match.end()
        options = dict(word.partition("=")[::2] for word in (match[2] or "").split())
        section = re.findall(r"^## (.*)$", text[: match.start()], re.MULTILINE)[-1:]
        block = Block(
            text.count("\n", 0, match.start()) + 1,
            match[1] or "",
            options,
            match[3],
            section[0] if section else "",
        )
        named = FILE_LINE.match(before.strip().rpartition("\n")[2])
        if named:
            block.file, block.continued = named[1], named[2] is not None
        if block.language == "text" and "from" not in options:
            if not before.strip():
                guide.blocks[-1].expected = block.text
            continue
        if block.file is None and not options and block.language not in ("sh", "python"):
            raise ValueError(f"{path}:{block.line}: nothing says what to do with this block")
        guide.blocks.append(block)
    return guide


class Scratch:
    """A folder in which the blocks of one guide are written and run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "VIRTUAL_ENV": str(tools.parent),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "CMAKE_BUILD_PARALLEL_LEVEL": "2",
            "TVM_FFI_CACHE_DIR": str(folder / "cache"),
        }

    def write(self, block: Block) -> None:
        assert block.file is not None
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if block.continued else "w", encoding="utf-8") as file:
            file.write(("\n\n" if block.continued else "") + block.text)

    def place_of(self, block: Block) -> Path:
        source = block.options.get("in")
        if source is None:
            return self.folder
        place = self.folder / Path(source).name
        if not place.exists():
            tracked = subprocess.run(
                ["git", "ls-files", "-co", "--exclude-standard", source],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
            for name in tracked:
                target = place / Path(name).relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, target)
        return place

    def run(self, command: list[str], where: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=where, env=self.environment, capture_output=True, text=True
        )

    def run_shell(self, block: Block) -> str:
        result = self.run(["bash", "-euo", "pipefail", "-c", block.text], self.place_of(block))
        assert result.returncode == 0, f"line {block.line}:\n{result.stdout}{result.stderr}"
        return result.stdout

    def run_session(self, blocks: list[Block]) -> list[str]:
        """Runs the blocks as one program and returns what each printed."""
        program = "".join(
            f"{block.text}\nprint({END_OF_BLOCK!r}, flush=True)\n" for block in blocks
        )
        result = self.run([sys.executable, "-c", program], self.folder)
        lines = ", ".join(str(block.line) for block in blocks)
        assert result.returncode == 0, f"lines {lines}:\n{result.stdout}{result.stderr}"
        return result.stdout.split(f"{END_OF_BLOCK}\n")[:-1]


def excerpt_fault(block: Block) -> str | None:
    """What is wrong with an excerpt, or None."""
    source = ROOT / block.options["from"]
    if not source.is_file():
        return f"line {block.line}: there is no file {block.options['from']}"
    if block.text not in source.read_text(encoding="utf-8"):
        return f"line {block.line}: these lines are not in {block.options['from']} (any more)"
    return None


def steps(guide: Guide) -> list[list[Block]]:
    """The blocks in order, with each Python session gathered into one step."""
    out: list[list[Block]] = []
    for block in guide.blocks:
        same_session = (
            out
            and block.is_session
            and out[-1][0].is_session
            and out[-1][0].section == block.section
            and out[-1][-1] is guide.blocks[guide.blocks.index(block) - 1]
        )
        if same_session:
            out[-1].append(block)
        else:
            out.append([block])
    return out
