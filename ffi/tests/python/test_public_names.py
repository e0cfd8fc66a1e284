# SPDX-License-Identifier: Apache-2.0
"""Every published name exists, with its kind and with parameters that take the same calls."""

from __future__ import annotations

import ast
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


class Parameters(NamedTuple):
    """Parameters of a published signature, without ``self``."""

    positional: list[str]
    positional_only: set[str]
    keyword_only: list[str]
    required: set[str]


def _published(entry: Name) -> Parameters | None:
    parts = _parameters(entry.signature)
    if parts is None:
        return None
    positional: list[str] = []
    positional_only: set[str] = set()
    keyword_only: list[str] = []
    required: set[str] = set()
    names = positional
    for i, part in enumerate(parts):
        match = re.match(r"(\*{0,2})(\w*)(?::[^=]*)?( ?= ?.*)?", part)
        assert match is not None, entry
        stars, name, default = match.groups()
        if part == "/":
            positional_only = set(positional)
            continue
        if i == 0 and name in ("self", "cls", "mcls"):
            continue
        if stars:
            if stars == "*":
                names = keyword_only
            continue
        names.append(name)
        if not default:
            required.add(name)
    return Parameters(positional, positional_only, keyword_only, required)


# Functions that pass keywords on: their own first parameter has no name, so that any name is free.
FREE_KEYWORDS = {"Dict.update", "replace", "run_with_gpu_lock"}
# The release shows another signature for methods that C++ describes.
REFLECTED = {"TestObjectBase.add_i64"}


def test_published_calls_bind() -> None:
    """Every call that the published signature allows is allowed here: all by position in the
    published order, all by name, and only what is required."""
    wrong = []
    for entry in NAMES:
        is_special = entry.name.rpartition(".")[2].startswith("__")
        published = _published(entry) if entry.kind in ("function", "method") else None
        if published is None or is_special or entry.name in REFLECTED:
            continue
        found = _find(entry)
        try:
            ours = inspect.signature(found)
        except ValueError:
            assert entry.module == "tvm_ffi.core", entry
            continue
        is_static = entry.signature.startswith(("static ", "classmethod "))
        owner_is_class = entry.kind == "method" and not is_static and "self" in entry.signature
        first = [None] if owner_is_class and not inspect.ismethod(found) else []
        by_name = dict.fromkeys(published.keyword_only)
        unnamed = published.positional_only
        if entry.name in FREE_KEYWORDS:
            unnamed = set(published.positional)
        leading = [name for name in published.positional if name in unnamed]
        named = [name for name in published.positional if name not in unnamed]
        calls = {
            "by position": ([*first, *published.positional], by_name),
            "by name": ([*first, *leading], by_name | dict.fromkeys(named)),
            "required": (
                [*first, *(name for name in leading if name in published.required)],
                dict.fromkeys(name for name in [*named, *by_name] if name in published.required),
            ),
        }
        if entry.module == "tvm_ffi.core" and not inspect.isfunction(found):
            # Functions of the extension whose parameters have no names.
            kinds = {p.kind for p in ours.parameters.values()}
            if inspect.Parameter.POSITIONAL_ONLY in kinds:
                calls = {"by position": calls["by position"]}
        for name, (args, kwargs) in calls.items():
            try:
                ours.bind(*args, **kwargs)
            except TypeError as error:
                wrong.append((entry.module, entry.name, name, str(error), str(ours)))
    assert wrong == []


def _value(text: str) -> Any:
    match = re.fullmatch(r"frozenset\((.*)\)", text)
    return frozenset(ast.literal_eval(match.group(1))) if match else ast.literal_eval(text)


# More kinds of errors are known here, and more packages and words.
LARGER = {("tvm_ffi.stub.consts", "BUILTIN_TYPE_KEYS")}


def test_constants_have_the_published_values() -> None:
    wrong = []
    for entry in NAMES:
        if entry.kind != "constant" or not entry.signature:
            continue
        try:
            found = _find(entry)
        except AttributeError:
            assert _is_instance_only(entry), entry
            continue
        if isinstance(found, property):
            continue  # a default of instances that is made when it is first read
        if entry.signature.startswith(("<", "dtype(")):
            same = repr(found) == entry.signature
        elif (entry.module, entry.name) in LARGER:
            same = set(_value(entry.signature)) <= set(found)
        else:
            same = found == _value(entry.signature)
        if not same:
            wrong.append((entry.module, entry.name, entry.signature, repr(found)[:300]))
    assert wrong == []


def test_read_only_properties() -> None:
    wrong = []
    for entry in NAMES:
        if entry.kind != "property" or not entry.signature.startswith(("ro", "rw")):
            continue
        owner_name, _, name = entry.name.rpartition(".")
        owner = _find(entry._replace(name=owner_name))
        found = inspect.getattr_static(owner, name)
        if isinstance(found, property):
            is_writable = found.fset is not None
        elif inspect.isgetsetdescriptor(found):
            continue  # of the extension; whether it can be set shows on instances alone
        else:
            continue
        if is_writable != entry.signature.startswith("rw"):
            wrong.append((entry.module, entry.name, entry.signature))
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
