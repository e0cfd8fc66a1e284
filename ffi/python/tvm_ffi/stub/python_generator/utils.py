# SPDX-License-Identifier: Apache-2.0
"""Lines of Python stubs, and the imports that they need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from ..utils import FuncInfo, InitFieldInfo, ObjectInfo, TypeSchema
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
    functions: set[str] = field(default_factory=set)

    __hash__ = None  # type: ignore[assignment]


def is_usable_name(name: str) -> bool:
    """Whether Python has syntax for an attribute of this name."""
    return name.isidentifier() and not iskeyword(name)


def unusable_name_remark(name: str) -> str:
    """What stands in the place of the definition of an attribute without syntax."""
    return f"# {name!r} is no name in Python: only getattr and setattr reach it"


def _usable_names(func: FuncInfo, count: int) -> list[str] | None:
    """The names of the parameters, if Python can use all of them."""
    names = func.param_names
    if names is None or len(names) != count or len(set(names)) != count:
        return None
    own = names[1:] if func.is_member else names
    usable = all(is_usable_name(name) and name != "self" for name in own)
    return names if usable else None


def _default(value: Any, annotation: str) -> str:
    """The text of a default value; ``...`` for one whose text or type is not that of the type."""
    accepted = {
        type(None): {"None", "Any"},
        bool: {"bool", "int", "float", "Any"},
        int: {"int", "float", "Any"},
        float: {"float", "Any"},
        str: {"str", "Any"},
    }.get(type(value), set())
    finite = not isinstance(value, float) or math.isfinite(value)
    return repr(value) if finite and accepted & set(annotation.split(" | ")) else "..."


def _passed(func: FuncInfo, ty_map: _TyMap) -> tuple[list[str], bool] | None:
    """What a caller passes, without the object, and whether it has names. None when unknown."""
    params, names = func.params, func.param_names
    if params is None and names is None:
        return None
    schemas = params if params is not None else [TypeSchema("Any")] * len(names or ())
    usable = _usable_names(func, len(schemas))
    first = 1 if func.is_member else 0
    if usable is None:
        texts = [f"_{i}: {schema.input_repr(ty_map)}" for i, schema in enumerate(schemas)]
        return texts[first:], False
    texts = []
    required = 0  # behind the last parameter without a default, Python takes defaults
    for i, name in enumerate(usable):
        required = i + 1 if name not in func.param_defaults else required
    for i, (name, schema) in enumerate(zip(usable, schemas, strict=True)):
        text = f"{name}: {schema.input_repr(ty_map)}"
        if i >= required:
            annotation = schema.input_repr(ty_map)
            text += f" = {_default(func.param_defaults[name], annotation)}"
        texts.append(text)
    return texts[first:], True


def _parameters(func: FuncInfo, ty_map: _TyMap, has_self: bool) -> str:
    passed = _passed(func, ty_map)
    this = ["self"] if has_self else []
    if passed is None:
        return ", ".join([*this, f"*args: {ty_map('Any')}"])
    texts, named = passed
    return ", ".join([*this, *texts, *(["/"] if (this or texts) and not named else [])])


def render_func_signature(
    func: FuncInfo, ty_map: _TyMap, indent: int, input_ty_map: _TyMap | None = None
) -> str:
    """One ``def`` line. Parameters without names are positional; an unknown signature is
    ``(*args: Any)``."""
    result = func.result.output_repr(ty_map) if func.result is not None else ty_map("Any")
    parameters = _parameters(func, input_ty_map or ty_map, func.is_member)
    return f"{' ' * indent}def {func.schema.name}({parameters}) -> {result}: ..."


def _init_parameters(info: ObjectInfo, ty_map: _TyMap) -> str:
    def in_order(entries: list[InitFieldInfo]) -> list[str]:
        ordered = sorted(entries, key=lambda entry: entry.has_default)
        return [
            f"{entry.name}: {entry.schema.input_repr(ty_map)}{' = ...' * entry.has_default}"
            for entry in ordered
        ]

    if not all(is_usable_name(entry.name) and entry.name != "self" for entry in info.init_fields):
        anything = ty_map("Any")
        return f"self, *args: {anything}, **kwargs: {anything}"
    positional = in_order([entry for entry in info.init_fields if not entry.kw_only])
    keywords = in_order([entry for entry in info.init_fields if entry.kw_only])
    return ", ".join(["self", *positional, *(["*", *keywords] if keywords else [])])


def render_object_fields(info: ObjectInfo, ty_map: _TyMap, indent: int) -> list[str]:
    """``name: type`` for every own field that may be written."""
    blanks = " " * indent
    return [
        f"{blanks}{entry.name}: {entry.output_repr(ty_map)}"
        if is_usable_name(entry.name)
        else f"{blanks}{unusable_name_remark(entry.name)}"
        for entry in info.fields
        if not entry.frozen
    ]


def render_object_properties(info: ObjectInfo, ty_map: _TyMap, indent: int) -> list[str]:
    """A property for every own field that is read-only."""
    blanks = " " * indent
    lines = []
    for entry in info.fields:
        if entry.frozen and not is_usable_name(entry.name):
            lines.append(f"{blanks}{unusable_name_remark(entry.name)}")
        elif entry.frozen:
            result = entry.output_repr(ty_map)
            decorator = ty_map("property")
            lines += [f"{blanks}@{decorator}", f"{blanks}def {entry.name}(self) -> {result}: ..."]
    return lines


def _init_method_parameters(init: FuncInfo, ty_map: _TyMap) -> str:
    passed = _passed(init, ty_map)
    if passed is None:
        return f"self, *args: {ty_map('Any')}"
    texts, named = passed
    return ", ".join(["self", *texts, *(["/"] if texts and not named else [])])


def _definitions(
    methods: list[FuncInfo],
    name: str,
    ty_map: _TyMap,
    indent: int,
    input_ty_map: _TyMap,
    in_source: bool,
    remark: str = "",
) -> list[str]:
    """The lines of ``name``, which has the signatures of the methods.

    Behind overloads type checkers want an implementation in a source file (``in_source``), and
    refuse one in a ``.pyi`` file.
    """
    blanks = " " * indent
    is_init = name in ("__init__", "__ffi_init__")
    lines = []
    for method in methods:
        if len(methods) > 1:
            lines.append(f"{blanks}@{ty_map('typing.overload')}{remark}")
        if is_init:
            parameters = _init_method_parameters(method, input_ty_map)
            lines.append(f"{blanks}def {name}({parameters}) -> None: ...{remark}")
            continue
        if not method.is_member:
            lines.append(f"{blanks}@{ty_map('staticmethod')}")
        lines.append(render_func_signature(method, ty_map, indent, input_ty_map))
    if len(methods) > 1 and in_source:
        anything = ty_map("Any")
        has_self = is_init or methods[0].is_member
        lines += [] if has_self else [f"{blanks}@{ty_map('staticmethod')}"]
        parameters = f"{'self, ' * has_self}*args: {anything}, **kwargs: {anything}"
        result = "None" if is_init else anything
        lines.append(f"{blanks}def {name}({parameters}) -> {result}: ...")
    return lines


def _ffi_init_remark(info: ObjectInfo) -> str:
    """Unlike ``__init__``, ``__ffi_init__`` must not differ from that of a parent without it."""
    return "  # type: ignore[override, unused-ignore]" if info.ancestor_has_init else ""


def _declared_inits(info: ObjectInfo) -> list[FuncInfo]:
    """The constructors that C++ declares."""
    return [method for method in info.methods if method.schema.name == "__ffi_init__"]


def render_object_init(
    info: ObjectInfo,
    ty_map: _TyMap,
    indent: int,
    input_ty_map: _TyMap | None = None,
    in_source: bool = True,
) -> list[str]:
    """``__init__`` as the constructor is: declared in C++, or from the fields that it takes."""
    if not info.has_init:
        return []
    passed = input_ty_map or ty_map
    declared = _declared_inits(info)
    if declared:
        return _definitions(declared, "__init__", ty_map, indent, passed, in_source)
    return [f"{' ' * indent}def __init__({_init_parameters(info, passed)}) -> None: ..."]


def render_object_ffi_init(
    info: ObjectInfo, ty_map: _TyMap, indent: int, input_ty_map: _TyMap | None = None
) -> list[str]:
    """``__ffi_init__`` of a generated constructor; a declared one is among the methods."""
    if not info.has_init or _declared_inits(info):
        return []
    parameters = _init_parameters(info, input_ty_map or ty_map)
    remark = _ffi_init_remark(info)
    return [f"{' ' * indent}def __ffi_init__({parameters}) -> None: ...{remark}"]


def render_object_methods(
    info: ObjectInfo,
    ty_map: _TyMap,
    indent: int,
    input_ty_map: _TyMap | None = None,
    in_source: bool = True,
) -> list[str]:
    """The methods in order of registration, those of one name together as overloads."""
    by_name: dict[str, list[FuncInfo]] = {}
    for method in info.methods:
        by_name.setdefault(method.schema.name, []).append(method)
    lines = []
    for name, methods in by_name.items():
        if not is_usable_name(name):
            lines.append(f"{' ' * indent}{unusable_name_remark(name)}")
            continue
        passed = input_ty_map or ty_map
        remark = _ffi_init_remark(info) if name == "__ffi_init__" else ""
        lines += _definitions(methods, name, ty_map, indent, passed, in_source, remark)
    return lines
