# SPDX-License-Identifier: Apache-2.0
"""The content of blocks and of new files in Python."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from .. import consts as C
from ..file_utils import CodeBlock
from ..utils import FuncInfo, InitConfig, ObjectInfo, Options
from . import consts as PC
from .utils import (
    ImportItem,
    is_usable_name,
    render_func_signature,
    render_object_ffi_init,
    render_object_fields,
    render_object_init,
    render_object_methods,
    render_object_properties,
    unusable_name_remark,
)

_INIT_FUNC = "_FFI_INIT_FUNC"
_TYPE_CHECKING = "typing.TYPE_CHECKING"


def _fill(code: CodeBlock, lines: Iterable[str], *, isort: bool = False, fmt: bool = True) -> None:
    """Replaces what is between the markers of a block."""
    body = list(lines)
    if body and fmt:
        off = ["# fmt: off", *(["# isort: off"] if isort else [])]
        on = [*(["# isort: on"] if isort else []), "# fmt: on"]
        body = [*off, *body, *on]
    blanks = " " * code.indent
    indented = [f"{blanks}{line}" if line else line for line in body]
    code.lines = [code.lines[0], *indented, code.lines[-1]]


def _render(
    ty_map: dict[str, str],
    imports: list[ImportItem],
    taken: set[str],
    defaults: dict[str, str] | None = None,
) -> Callable[[str], str]:
    """A function from origins to names in the file, which records the imports."""

    def name_of(origin: str) -> str:
        full = ty_map.get(origin)
        if defaults is not None and origin in defaults:
            if full is None or full == PC.TY_MAP_DEFAULTS.get(origin):
                full = defaults[origin]
        if full is None:
            full = origin
        if "." not in full:
            if full not in taken or not hasattr(builtins, full):
                return full
            full = f"builtins.{full}"
        leaf = full.rpartition(".")[2]
        alias = None
        if leaf in taken:
            alias = f"_{leaf}"
            while alias in taken:
                alias = f"_{alias}"
        item = ImportItem(full, type_checking_only=True, alias=alias)
        if item not in imports:
            imports.append(item)
        return alias or leaf

    return name_of


def generate_python_global_funcs(
    code: CodeBlock,
    global_funcs: list[FuncInfo],
    ty_map: dict[str, str],
    imports: list[ImportItem],
    opt: Options,
) -> None:
    """Fills a ``global`` block: binds the functions of a prefix and declares them."""
    prefix, module = code.param if isinstance(code.param, tuple) else (code.param, "tvm_ffi")
    if not global_funcs:
        _fill(code, [])
        return
    taken = {func.schema.name for func in global_funcs}
    output = _render(ty_map, imports, taken)
    passed = _render(ty_map, imports, taken, PC.TY_MAP_INPUT_DEFAULTS)
    imports.append(ImportItem(f"{module}.init_ffi_api", alias=_INIT_FUNC))
    imports.append(ImportItem(_TYPE_CHECKING))
    lines = [f'{_INIT_FUNC}("{prefix}", __name__)', "if TYPE_CHECKING:"]
    declared = 0
    for func in global_funcs:
        if is_usable_name(func.schema.name):
            lines.append(render_func_signature(func, output, opt.indent, passed))
            declared += 1
        else:
            lines.append(f"{' ' * opt.indent}{unusable_name_remark(func.schema.name)}")
    if not declared:
        lines.append(f"{' ' * opt.indent}pass")
    _fill(code, lines)


def generate_python_object(
    code: CodeBlock,
    ty_map: dict[str, str],
    imports: list[ImportItem],
    opt: Options,
    obj_info: ObjectInfo,
    in_source: bool = True,
    around: AbstractSet[str] = frozenset(),
) -> None:
    """Fills an ``object`` block of a source file or a ``.pyi``: fields, constructor, methods.

    ``around`` are the names of the module, which hide builtin ones as those of the class do.
    """
    taken = {method.schema.name for method in obj_info.methods}
    taken |= {entry.name for entry in obj_info.fields} | around
    output = _render(ty_map, imports, taken)
    passed = _render(ty_map, imports, taken, PC.TY_MAP_INPUT_DEFAULTS)
    lines = render_object_fields(obj_info, output, 0)
    body = [
        *render_object_properties(obj_info, output, opt.indent),
        *render_object_init(obj_info, output, opt.indent, passed, in_source),
        *render_object_ffi_init(obj_info, output, opt.indent, passed),
        *render_object_methods(obj_info, output, opt.indent, passed, in_source),
    ]
    if body:
        imports.append(ImportItem(_TYPE_CHECKING))
        only_remarks = all(line.lstrip().startswith("#") for line in body)
        lines += [
            "if TYPE_CHECKING:",
            *body,
            *([" " * opt.indent + "pass"] if only_remarks else []),
        ]
    _fill(code, lines)


def generate_python_import_section(
    code: CodeBlock, imports: list[ImportItem], opt: Options
) -> None:
    """Fills an ``import-section`` block."""
    concrete = {item for item in imports if not item.type_checking_only}
    named = {(item.full_name, item.alias) for item in concrete}
    checked = {
        item
        for item in imports
        if item.type_checking_only and (item.full_name, item.alias) not in named
    }
    if not concrete and not checked:
        _fill(code, [])
        return
    if checked:
        concrete.add(ImportItem(_TYPE_CHECKING))

    def lines_of(items: set[ImportItem], indent: int) -> list[str]:
        by_module: dict[str, set[str]] = {}
        for item in items:
            by_module.setdefault(item.module, set()).add(item.name_with_alias)
        lines = []
        for module in sorted(by_module):
            names = ", ".join(sorted(by_module[module]))
            text = f"from {module} import {names}" if module else f"import {names}"
            lines.append(" " * indent + text)
        return lines

    lines = ["from __future__ import annotations", *lines_of(concrete, 0)]
    if checked:
        lines += ["if TYPE_CHECKING:", *lines_of(checked, opt.indent)]
    _fill(code, lines, isort=True)


def _export_group(name: str) -> tuple[int, str]:
    if name.isupper():
        return 0, name
    return (1 if name[:1].isupper() and "_" not in name else 2), name


def generate_python_all(code: CodeBlock, names: set[str], opt: Options) -> None:
    """Fills an ``__all__`` block: constants, classes, then the rest, each sorted."""
    exported = sorted(filter(is_usable_name, names), key=_export_group)
    _fill(code, [f'"{name}",' for name in exported], fmt=False)


def generate_python_export(code: CodeBlock) -> None:
    """Fills an ``export`` block: everything that a submodule exports."""
    module = code.param
    assert isinstance(module, str)
    alias = f"{module.replace('.', '_')}__all__"
    lines = [
        f"from .{module} import *  # noqa: F403",
        f"from .{module} import __all__ as {alias}",
        'if "__all__" not in globals():',
        "    __all__ = []",
        f"__all__.extend({alias})",
    ]
    _fill(code, lines, isort=True)


def _kinds(code_blocks: list[CodeBlock]) -> set[object]:
    return {block.kind for block in code_blocks}


def generate_python_ffi_api(
    code_blocks: list[CodeBlock],
    ty_map: dict[str, str],
    module_name: str,
    object_infos: list[ObjectInfo],
    init_cfg: InitConfig,
    is_root: bool,
    syntax: C.MarkerSyntax,
) -> str:
    """Text to append to ``_ffi_api.py``: the markers that it lacks, and a class for every type."""
    kinds = _kinds(code_blocks)
    lines: list[str] = []

    def block(kind: str, indent: int = 0) -> list[str]:
        blanks = " " * indent
        return [f"{blanks}{syntax.begin} {kind}", f"{blanks}{syntax.end}"]

    if not code_blocks:
        lines += [f'"""FFI API bindings for {module_name}."""', ""]
    if "import-section" not in kinds:
        lines += block("import-section")
    if "global" not in kinds:
        if is_root:
            load = "tvm_ffi.libinfo.load_lib_module;False;_FFI_LOAD_LIB"
            lines.append(f"{syntax.import_object} {load}")
            lines.append(f'LIB = _FFI_LOAD_LIB("{init_cfg.pkg}", "{init_cfg.shared_target}")')
        lines += block(f"global/{module_name}")
    if object_infos:
        register = "tvm_ffi.register_object;False;_FFI_REG_OBJ"
        lines += ["", f"{syntax.import_object} {register}"]
    here = {info.type_key for info in object_infos}
    here |= {b.param for b in code_blocks if b.kind == "object" and isinstance(b.param, str)}
    for info in object_infos:
        key = info.type_key or ""
        parent_key = info.parent_type_key or "ffi.Object"
        parent = parent_key.rpartition(".")[2]
        if parent_key not in here:
            full = ty_map.get(parent_key, parent_key)
            parent = "_" + full.replace(".", "_")
            lines.append(f"{syntax.import_object} {full};False;{parent}")
        lines += [
            f'@_FFI_REG_OBJ("{key}")',
            f"class {key.rpartition('.')[2]}({parent}):",
            f'    """FFI binding for `{key}`."""',
            "",
            *block(f"object/{key}", 4),
            "",
            "",
        ]
    if "__all__" not in kinds:
        lines += ["__all__ = [", *block("__all__", 4), "]"]
    return "\n".join(lines) + "\n" if lines else ""


def generate_python_init(
    code_blocks: list[CodeBlock], module_name: str, submodule: str, syntax: C.MarkerSyntax
) -> str:
    """Text to append to ``__init__.py``: the export of a submodule, unless it is there."""
    if any(block.kind == "export" and block.param == submodule for block in code_blocks):
        return ""
    head = "" if code_blocks else f'"""Package {module_name}."""\n\n'
    return f"{head}{syntax.begin} export/{submodule}\n{syntax.end}\n"
