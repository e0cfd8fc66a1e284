# SPDX-License-Identifier: Apache-2.0
"""The Python target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from pathlib import Path

from .. import consts as C
from ..file_utils import CodeBlock, MarkerError
from ..utils import FuncInfo, InitConfig, ObjectInfo, Options
from . import codegen as G
from . import consts as PC
from .utils import ImportItem, PythonImports


class PythonGenerator:
    """Writes Python stubs. Generators of all targets have these methods."""

    name = "python"
    syntax = C.PYTHON_SYNTAX
    source_exts = frozenset({".py", ".pyi"})
    directive_kinds = frozenset({"import-object"})

    def default_ty_map(self) -> dict[str, str]:
        """Origin -> full name in the target."""
        return dict(PC.TY_MAP_DEFAULTS)

    def api_filename(self) -> str:
        return "_ffi_api.py"

    def init_filename(self) -> str:
        return "__init__.py"

    def is_builtin(self, type_key: str) -> bool:
        """Whether the package itself has the type."""
        return type_key in C.BUILTIN_TYPE_KEYS

    def canonical_type_name(self, type_key: str) -> str:
        """Full name of a type in the target."""
        return ImportItem(type_key).full_name

    def new_imports(self) -> PythonImports:
        return PythonImports()

    def add_directive(self, imports: PythonImports, name: str, payload: str, lineno: int) -> None:
        """Takes ``import-object: full.name;type_checking_only;alias``."""
        parts = [part.strip() for part in payload.split(";")]
        if name != "import-object" or not parts[0] or len(parts) > 3:
            raise MarkerError(f"Invalid directive `{name}`: {payload}", lineno)
        for text in filter(None, (parts[0], *parts[2:])):
            if not all(word.isidentifier() and not iskeyword(word) for word in text.split(".")):
                raise MarkerError(f"Invalid directive `{name}`: `{text}` is no name", lineno)
        only = len(parts) > 1 and parts[1].lower() in ("true", "1")
        imports.items.append(ImportItem(parts[0], only, parts[2] if len(parts) > 2 else None))
        if parts[0].endswith("libinfo.load_lib_module"):
            imports.has_lib_load = True

    def check_ty_map(self, source: str, target: str) -> str | None:
        """What is wrong with a pair of the map of types."""
        if not all(part.isidentifier() and not iskeyword(part) for part in target.split(".")):
            return f"`{target}` is no dotted name of Python"
        return None

    def check_types(self, keys: Iterable[tuple[str, int]]) -> Iterator[MarkerError]:
        """Blocks are in classes that the file names itself."""
        return iter(())

    def check_directives(
        self, imports: PythonImports, infos: Mapping[str, ObjectInfo]
    ) -> Iterator[MarkerError]:
        """Python has no directives on types."""
        return iter(())

    def extra_export_names(self, imports: PythonImports) -> set[str]:
        return {"LIB"} if imports.has_lib_load else set()

    def check_view(self, code_blocks: list[CodeBlock]) -> tuple[str, ...]:
        """What must be the same for a file to be up to date."""
        return tuple(line for block in code_blocks for line in block.lines)

    def generate_global_funcs_block(
        self,
        code: CodeBlock,
        global_funcs: list[FuncInfo],
        ty_map: dict[str, str],
        imports: PythonImports,
        opt: Options,
    ) -> None:
        G.generate_python_global_funcs(code, global_funcs, ty_map, imports.items, opt)
        imports.functions |= {func.schema.name for func in global_funcs}

    def generate_object_block(
        self,
        code: CodeBlock,
        ty_map: dict[str, str],
        imports: PythonImports,
        opt: Options,
        obj_info: ObjectInfo,
        declared: Mapping[str, Path],
    ) -> None:
        path = declared.get(obj_info.type_key or "")
        in_source = path is None or path.suffix != ".pyi"
        G.generate_python_object(
            code, ty_map, imports.items, opt, obj_info, in_source, imports.functions
        )

    def generate_helpers_block(self, code: CodeBlock, opt: Options) -> None:
        raise MarkerError("Python files have no helpers block", code.lineno_start)

    def generate_import_section_block(
        self, code: CodeBlock, imports: PythonImports, opt: Options, defined_types: set[str]
    ) -> None:
        defined = {ImportItem(name).full_name for name in defined_types}
        items = [
            item
            for item in imports.items
            if item.alias is not None or item.full_name not in defined
        ]
        G.generate_python_import_section(code, items, opt)

    def generate_all_block(self, code: CodeBlock, names: set[str], opt: Options) -> None:
        G.generate_python_all(code, names, opt)

    def generate_export_block(self, code: CodeBlock) -> None:
        G.generate_python_export(code)

    def generate_api_file(
        self,
        code_blocks: list[CodeBlock],
        ty_map: dict[str, str],
        module_name: str,
        object_infos: list[ObjectInfo],
        init_cfg: InitConfig,
        is_root: bool,
    ) -> str:
        return G.generate_python_ffi_api(
            code_blocks, ty_map, module_name, object_infos, init_cfg, is_root, self.syntax
        )

    def generate_init_file(
        self, code_blocks: list[CodeBlock], module_name: str, submodule: str
    ) -> str:
        return G.generate_python_init(code_blocks, module_name, submodule, self.syntax)

    def check_init_folder(self, folder: Path) -> None:
        """Packages may be anywhere."""

    def finalize_init(self, init_path: Path, generated_prefixes: set[str]) -> None:
        """Packages need no further file."""
