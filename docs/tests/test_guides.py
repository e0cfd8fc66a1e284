# SPDX-License-Identifier: Apache-2.0
"""Runs every code block of the guides that promise it."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import guide_blocks
import pytest

ROOT = guide_blocks.ROOT
GUIDES = ["docs/guides/python_packaging.md", "docs/tutorial.md"]
TOOLS = ("g++", "cc", "cmake", "ninja", "readelf", "git")


@pytest.mark.parametrize("name", GUIDES)
def test_blocks_run_and_print_what_the_page_says(name: str, tmp_path: Path) -> None:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    guide = guide_blocks.read(ROOT / name)
    if "tvm_tirx" in (ROOT / name).read_text() and importlib.util.find_spec("tvm_tirx") is None:
        pytest.skip("tvm_tirx is not installed: `./dev build` installs it")
    scratch = guide_blocks.Scratch(tmp_path)
    for step in guide_blocks.steps(guide):
        first = step[0]
        if "from-nothing" in first.options:
            continue
        if "from" in first.options:
            fault = guide_blocks.excerpt_fault(first)
            assert fault is None, fault
            continue
        if first.file is not None:
            scratch.write(first)
            continue
        if first.language == "sh":
            output = scratch.run_shell(first)
            assert first.expected in (None, output), f"{name}:{first.line}"
            continue
        for block, output in zip(step, scratch.run_session(step), strict=True):
            assert output == (block.expected or ""), f"{name}:{block.line}"


def test_a_block_that_nothing_checks_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n```cpp\nint x;\n```\n")
    with pytest.raises(ValueError, match=r"page\.md:3: nothing says what to do with this block"):
        guide_blocks.read(page)


def test_an_excerpt_that_changed_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```toml from=pyproject.toml\n[tool.nothing]\n```\n")
    (block,) = guide_blocks.read(page).blocks
    fault = guide_blocks.excerpt_fault(block)
    assert fault is not None and "not in pyproject.toml" in fault
