# SPDX-License-Identifier: Apache-2.0
"""Attributes of calls, regions, functions and modules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions

_ir = Functions("ir.")
_script = Functions("script.")


@register_object("ir.Attrs")
class Attrs(Object):
    """Base of attribute records."""

    def __getitem__(self, item: str) -> Any:
        try:
            return getattr(self, item)
        except AttributeError:
            raise KeyError(item) from None


@register_object("ir.DictAttrs")
class DictAttrs(Attrs):
    """Attributes with free keys."""

    def __init__(self, dict: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.DictAttrs, {} if dict is None else dict)

    def __getitem__(self, k: str) -> Any:
        return self.dict[k]

    def __contains__(self, k: object) -> bool:
        return k in self.dict

    def __len__(self) -> int:
        return len(self.dict)

    def __iter__(self) -> Iterator[str]:
        return iter(self.dict)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        attrs = self.dict
        if name in attrs:
            return attrs[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get(self, key: str, default: Any = None) -> Any:
        return self.dict.get(key, default)

    def items(self) -> Any:
        return self.dict.items()

    def keys(self) -> Any:
        return self.dict.keys()

    def values(self) -> Any:
        return self.dict.values()


def make_node(type_key: str, /, **kwargs: Any) -> Any:
    """An object of the native type ``type_key`` with the given fields."""
    if type_key == "ir.DictAttrs":
        return DictAttrs(kwargs)
    return _script.MakeNode(type_key, kwargs)
