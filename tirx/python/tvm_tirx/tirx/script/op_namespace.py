# SPDX-License-Identifier: Apache-2.0
"""Operators of one name prefix as attributes: ``T.cuda.warp_sync`` is ``tirx.cuda.warp_sync``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ...ir.op import Op
from ...ir.op_builder import make_builder


class OpNamespace:
    """Builders of the operators ``<prefix><name>``, and nested namespaces, made on first use.

    ``extras`` are further attributes, ``defaults`` the default operands of operators by name."""

    def __init__(
        self,
        prefix: str,
        extras: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._prefix = prefix
        self._defaults = defaults or {}
        self.__dict__.update(extras or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        full = self._prefix + name
        names = Op.list_op_names()
        if full in names:
            value: Any = make_builder(full)
            if name in self._defaults:
                value = _with_defaults(value, full, self._defaults[name])
        elif any(other.startswith(full + ".") for other in names):
            value = OpNamespace(full + ".")
        elif any(other.startswith(full + "_") for other in names):
            value = OpNamespace(full + "_")
        else:
            raise AttributeError(f"No operator {full} is registered")
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        short = [n[len(self._prefix) :] for n in Op.list_op_names() if n.startswith(self._prefix)]
        return sorted({*self.__dict__, *(n.split(".")[0] for n in short)})


def _with_defaults(build: Any, op_name: str, defaults: Mapping[str, Any]) -> Any:
    names = [str(info.name) for info in Op.get(op_name).args_info]

    @functools.wraps(build)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for name in names[len(args) :]:
            if name in defaults:
                kwargs.setdefault(name, defaults[name])
        return build(*args, **kwargs)

    return wrapper
