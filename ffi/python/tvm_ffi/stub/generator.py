# SPDX-License-Identifier: Apache-2.0
"""The targets."""

from __future__ import annotations

from typing import Any

from . import consts as C
from .python_generator.generator import PythonGenerator
from .rust_generator.generator import RustGenerator

__all__ = ["C", "Generator", "PythonGenerator", "RustGenerator", "generator_names", "get_generator"]

# Generators have the same methods; each has its own kind of imports.
Generator = Any

_GENERATORS: dict[str, Any] = {
    PythonGenerator.name: PythonGenerator,
    RustGenerator.name: RustGenerator,
}


def generator_names() -> list[str]:
    """Names of the targets."""
    return sorted(_GENERATORS)


def get_generator(target: str) -> Generator:
    """The generator of a target. ``ValueError`` for an unknown one."""
    if target not in _GENERATORS:
        raise ValueError(f"Unknown target {target!r}; there are {', '.join(generator_names())}")
    return _GENERATORS[target]()
