# SPDX-License-Identifier: Apache-2.0
"""Every published name exists, with its kind and with parameters that take the same calls."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Name(NamedTuple):
    module: str
    name: str
    kind: str
    signature: str


def _table() -> Iterator[Name]:
    lines = (Path(__file__).parent / "public_names.tsv").read_text().splitlines()
    assert lines[0] == "module\tname\tkind\tsignature"
    for line in lines[1:]:
        fields = line.split("\t")
        yield Name(*fields, *[""] * (4 - len(fields)))


LEFT_OUT = {
    # An import of the release's module, which is no part of its interface.
    ("tvm_ffi.dataclasses.common", "TypeSchema"),
    # A step of the release's own registration; it takes a private class.
    ("tvm_ffi.dataclasses.py_class", "on_fields_resolved"),
}

NAMES = [entry for entry in _table() if (entry.module, entry.name) not in LEFT_OUT]
MODULES = sorted({entry.module for entry in NAMES})


def _find(entry: Name) -> Any:
    found: Any = importlib.import_module(entry.module)
    if entry.name == "<module>":
        return found
    for part in entry.name.split("."):
        found = getattr(found, part)
    return found


def _is_instance_only(entry: Name) -> bool:
    """Fields of a standard dataclass without default are attributes of instances alone."""
    owner_name, dot, field = entry.name.rpartition(".")
    if not dot:
        return False
    owner = _find(entry._replace(name=owner_name))
    return field in getattr(owner, "__dataclass_fields__", ())


@pytest.mark.parametrize("module", MODULES)
def test_names_exist(module: str) -> None:
    missing = []
    for entry in NAMES:
        if entry.module != module:
            continue
        try:
            _find(entry)
        except AttributeError:
            if not _is_instance_only(entry):
                missing.append(entry.name)
    assert missing == []


def _exported(entry: Name) -> set[str]:
    listed = entry.signature.removeprefix("__all__=")
    return set() if listed == "none" else set(listed.split(","))


@pytest.mark.parametrize("module", MODULES)
def test_exports(module: str) -> None:
    entry = next((e for e in NAMES if e.module == module and e.name == "<module>"), None)
    if entry is None or not _exported(entry):
        return
    assert _exported(entry) - set(importlib.import_module(module).__all__) == set()


def test_kinds() -> None:
    tests = {"module": inspect.ismodule, "class": inspect.isclass, "function": callable}
    wrong = [
        (entry.module, entry.name, entry.kind)
        for entry in NAMES
        if entry.kind in tests and not tests[entry.kind](_find(entry))
    ]
    assert wrong == []


def _parameters(text: str) -> list[str] | None:
    """The parameters of a published signature, None when the text is none."""
    text = re.sub(r"^(static|classmethod) ", "", text)
    if not text.startswith("("):
        return None
    depth, start, parts = 0, 1, []
    quote = ""
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[i - 1] != "-"):
            depth -= 1
            if depth == 0:
                parts.append(text[start:i])
                break
        elif char == "," and depth == 1:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts if part.strip()]


def test_signatures_take_the_published_parameters() -> None:
    """Each published parameter can be passed by its name; what has a default keeps one."""
    wrong = []
    for entry in NAMES:
        is_special = entry.name.rpartition(".")[2].startswith("__")
        if entry.kind not in ("function", "method") or is_special:
            continue
        published = _parameters(entry.signature)
        if published is None:
            continue
        found = _find(entry)
        text = "" if inspect.isfunction(found) else getattr(found, "__text_signature__", "")
        if text is None or text.endswith(("($self, /)", "object, /)")):
            # Methods of the extension module tell their parameters by their documentation alone.
            # Python 3.13 makes up a signature for them where earlier ones raise ValueError.
            assert entry.module == "tvm_ffi.core", entry
            continue
        ours = inspect.signature(found).parameters
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in ours.values()):
            continue
        for text in published:
            match = re.match(r"(\*{0,2}\w+)(?::[^=]*)?( ?= ?.*)?", text)
            if match is None or text.startswith("*") or match.group(1) in ("self", "cls"):
                continue
            name, default = match.group(1), match.group(2)
            parameter = ours.get(name)
            if parameter is None:
                wrong.append((entry.module, entry.name, f"lacks {name}"))
            elif default and parameter.default is inspect.Parameter.empty:
                wrong.append((entry.module, entry.name, f"{name} has no default"))
    assert wrong == []


def test_modules_do_not_hide_functions_of_their_names() -> None:
    """An imported submodule becomes an attribute of its package, whatever was there before."""
    code = """
import importlib, inspect, pkgutil, sys, tvm_ffi

names = [module.name for module in pkgutil.walk_packages(tvm_ffi.__path__, "tvm_ffi.")]
names = [name for name in names if not name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
hidden = [
    name
    for name in names
    for package, _, leaf in [name.rpartition(".")]
    if leaf in getattr(sys.modules[package], "__all__", ())
    and inspect.ismodule(getattr(sys.modules[package], leaf))
    and hasattr(sys.modules[name], leaf)
]
print(hidden)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
