# SPDX-License-Identifier: Apache-2.0
"""The targets."""

from __future__ import annotations

from . import consts as C
from .python_generator.generator import PythonGenerator

__all__ = ["C", "PythonGenerator", "generator_names", "get_generator"]

Generator = PythonGenerator

_GENERATORS = {PythonGenerator.name: PythonGenerator}


def generator_names() -> list[str]:
    """Names of the targets."""
    return sorted(_GENERATORS)


def get_generator(target: str) -> Generator:
    """The generator of a target. ``ValueError`` for an unknown one."""
    if target not in _GENERATORS:
        raise ValueError(f"Unknown target {target!r}; there are {', '.join(generator_names())}")
    return _GENERATORS[target]()
