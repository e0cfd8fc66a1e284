# SPDX-License-Identifier: Apache-2.0
"""Where tags are kept."""

from __future__ import annotations

from typing import Any

import tvm_ffi

_TAGS: dict[str, dict[str, Any]] = {}


@tvm_ffi.register_global_func("target.TagConfig", override=True)
def _tag_config(name: str) -> Any:
    return _TAGS.get(str(name))


def register_config(name: str, config: dict[str, Any]) -> None:
    """Add a tag without building its target."""
    _TAGS[name] = config


def register_tag(name: str, config: dict[str, Any], override: bool = False) -> Any:
    """Give the configuration of a target a name."""
    from ..target import Target

    if name in _TAGS and not override:
        raise ValueError(f'Tag "{name}" is registered already')
    _TAGS[name] = dict(config)
    return Target(config)


def list_tags() -> dict[str, Any]:
    """The targets of all tags by name."""
    from ..target import Target

    return {name: Target(config) for name, config in _TAGS.items()}
