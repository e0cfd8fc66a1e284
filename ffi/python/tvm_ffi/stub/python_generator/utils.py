# SPDX-License-Identifier: Apache-2.0
"""Lines of Python stubs, and the imports that they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..utils import FuncInfo, InitFieldInfo, ObjectInfo
from . import consts as C

_TyMap = Callable[[str], str]


class ImportItem:
    """``from module import name as alias``. ``full_name`` is a type key or a dotted name."""

    type_checking_only: bool = False
    alias: str | None = None

    def __init__(
        self, full_name: str, type_checking_only: bool = False, alias: str | None = None
    ) -> None:
        head, dot, rest = full_name.partition(".")
        if dot and head in C.MOD_MAP:
            full_name = f"{C.MOD_MAP[head]}.{rest}"
        self._full_name = full_name
        self.type_checking_only = type_checking_only
        self.alias = alias or None

    @property
    def full_name(self) -> str:
        """Dotted name in Python."""
        return self._full_name

    @property
    def module(self) -> str:
        """The module to import from."""
        return self.full_name.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The name in its module."""
        return self.full_name.rpartition(".")[2]

    @property
    def name_with_alias(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImportItem) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, bool, str | None]:
        return self.full_name, self.type_checking_only, self.alias

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if self.module:
            return f"from {self.module} import {self.name_with_alias}"
        return f"import {self.name_with_alias}"


@dataclass
class PythonImports:
    """What one file imports."""

    items: list[ImportItem] = field(default_factory=list)
    has_lib_load: bool = False

    __hash__ = None  # type: ignore[assignment]


def _parameters(func: FuncInfo, ty_map: _TyMap) -> list[str] | None:
    params = func.params
    if params is None:
        return None
    first = 1 if func.is_member else 0
    parts = [f"_{i}: {param.input_repr(ty_map)}" for i, param in enumerate(params) if i >= first]
    if func.is_member:
        parts.insert(0, "self")
    return [*parts, "/"] if parts else []


def render_func_signature(
    func: FuncInfo, ty_map: _TyMap, indent: int, input_ty_map: _TyMap | None = None
) -> str:
    """One ``def`` line. Parameters are positional; an unknown signature is ``(*args: Any)``."""
    parts = _parameters(func, input_ty_map or ty_map)
    result = func.result.output_repr(ty_map) if func.result is not None else ty_map("Any")
    if parts is None:
        parts = [*(["self"] if func.is_member else []), f"*args: {ty_map('Any')}"]
    return f"{' ' * indent}def {func.schema.name}({', '.join(parts)}) -> {result}: ..."


def _init_parameters(info: ObjectInfo, ty_map: _TyMap) -> str:
    def in_order(entries: list[InitFieldInfo]) -> list[str]:
        ordered = sorted(entries, key=lambda entry: entry.has_default)
        return [
            f"{entry.name}: {entry.schema.input_repr(ty_map)}{' = ...' * entry.has_default}"
            for entry in ordered
        ]

    positional = in_order([entry for entry in info.init_fields if not entry.kw_only])
    keywords = in_order([entry for entry in info.init_fields if entry.kw_only])
    return ", ".join(["self", *positional, *(["*", *keywords] if keywords else [])])


def render_object_fields(info: ObjectInfo, ty_map: _TyMap, indent: int) -> list[str]:
    """``name: type`` for every own field."""
    return [f"{' ' * indent}{entry.name}: {entry.output_repr(ty_map)}" for entry in info.fields]


def render_object_init(
    info: ObjectInfo, ty_map: _TyMap, indent: int, input_ty_map: _TyMap | None = None
) -> list[str]:
    """``__init__`` from the fields that the constructor takes."""
    if not info.has_init:
        return []
    parameters = _init_parameters(info, input_ty_map or ty_map)
    return [f"{' ' * indent}def __init__({parameters}) -> None: ..."]


def render_object_ffi_init(
    info: ObjectInfo, ty_map: _TyMap, indent: int, input_ty_map: _TyMap | None = None
) -> list[str]:
    """``__ffi_init__`` of a generated constructor; an explicit one is among the methods."""
    if not info.has_init or any(m.schema.name == "__ffi_init__" for m in info.methods):
        return []
    parameters = _init_parameters(info, input_ty_map or ty_map)
    return [f"{' ' * indent}def __ffi_init__({parameters}) -> None: ..."]


def render_object_methods(
    info: ObjectInfo, ty_map: _TyMap, indent: int, input_ty_map: _TyMap | None = None
) -> list[str]:
    """The methods in order of registration, with ``@staticmethod`` and ``@overload``."""
    blanks = " " * indent
    names = [method.schema.name for method in info.methods]
    lines = []
    for method in info.methods:
        name = method.schema.name
        if names.count(name) > 1:
            lines.append(f"{blanks}@{ty_map('typing.overload')}")
        if name == "__ffi_init__":
            params = method.params
            passed = input_ty_map or ty_map
            parts = [f"_{i}: {p.input_repr(passed)}" for i, p in enumerate(params or ())]
            text = f", {', '.join(parts)}, /" if parts else ""
            if params is None:
                text = f", *args: {ty_map('Any')}"
            lines.append(f"{blanks}def __ffi_init__(self{text}) -> None: ...")
            continue
        if not method.is_member:
            lines.append(f"{blanks}@staticmethod")
        lines.append(render_func_signature(method, ty_map, indent, input_ty_map))
    return lines
