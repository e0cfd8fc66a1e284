# SPDX-License-Identifier: Apache-2.0
"""Checks of what callers of ``build`` and ``load`` pass; each error names the argument."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def _kind(value: Any) -> str:
    return type(value).__name__


def texts(what: str, values: Any) -> list[str]:
    """Texts from one, an iterable of them, or None. TypeError for anything else."""
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    if isinstance(values, (bytes, os.PathLike, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be str or a sequence of str, got {_kind(values)}")
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise TypeError(f"{what} must be str or a sequence of str, got one of {_kind(value)}")
    return found


def paths(what: str, values: Any) -> list[Path]:
    """Paths from one, an iterable of them, or None. TypeError for anything else."""
    if values is None:
        return []
    if isinstance(values, (str, os.PathLike)):
        values = [values]
    if isinstance(values, bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be a path or a sequence of paths, got {_kind(values)}")
    found = list(values)
    for value in found:
        if not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"{what} must be a path or a sequence of paths, got one {_kind(value)}")
        if not os.fspath(value):
            raise ValueError(f"{what} holds an empty path")
    return [Path(value) for value in found]


def flags(what: str, values: Any) -> list[str]:
    """Flags of a command from a sequence; one text holds several, as in a shell."""
    if isinstance(values, str):
        try:
            return shlex.split(values)
        except ValueError as error:
            raise ValueError(f"{what}: {error} in {values!r}") from None
    return [flag.strip() for flag in texts(what, values)]


def file_name(what: str, value: Any) -> str:
    """The name of a file without a folder. TypeError or ValueError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, got {_kind(value)}")
    if os.path.basename(value) != value or value in ("", ".", "..") or "\0" in value:
        raise ValueError(f"{what} must be a file name without a folder, got {value!r}")
    return value


def functions(values: Any) -> dict[str, str]:
    """Names of C++ functions -> documentation, empty without any."""
    if isinstance(values, Mapping):
        found = dict(values)
    else:
        found = dict.fromkeys(_names("functions", values), "")
    for name, doc in found.items():
        if not isinstance(name, str):
            raise TypeError(f"functions must be names, got {_kind(name)}")
        if not name.isidentifier():
            raise ValueError(f"functions must be names of C++ functions, got {name!r}")
        if doc is not None and not isinstance(doc, str):
            raise TypeError(f"the documentation of {name!r} must be str, got {_kind(doc)}")
    return {name: doc or "" for name, doc in found.items()}


def _names(what: str, values: Any) -> list[str]:
    try:
        return texts(what, values)
    except TypeError:
        raise TypeError(
            f"{what} must be a name, a sequence of names, or a mapping from names to "
            f"documentation, got {values!r}"
        ) from None


def cubins(values: Any) -> dict[str, bytes]:
    """Names -> bytes of CUDA binaries."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"embed_cubin must be a mapping from names to bytes, got {_kind(values)}")
    found: dict[str, bytes] = {}
    for name, data in values.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a cubin must be str, got {_kind(name)}")
        if not name.isidentifier():
            raise ValueError(f"the name of a cubin must be an identifier, got {name!r}")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"the cubin {name!r} must be bytes, got {_kind(data)}")
        found[name] = bytes(data)
    return found


def folder(value: Any) -> Path:
    """A build directory, made when it does not exist."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"build_directory must be a path, got {_kind(value)}")
    path = Path(value).resolve()
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"build_directory must be a folder, but {path} is a file")
    return path
