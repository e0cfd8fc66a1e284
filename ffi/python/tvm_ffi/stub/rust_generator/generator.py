# SPDX-License-Identifier: Apache-2.0
"""The Rust target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .. import consts as C
from ..file_utils import CodeBlock, MarkerError
from ..lib_state import is_registered, object_info_from_type_key
from ..utils import FuncInfo, InitConfig, ObjectInfo, Options
from . import consts as C_RUST
from .checks import check_directives, check_types
from .codegen import (
    finalize_rust_module_tree,
    generate_rust_api_file,
    generate_rust_import_section,
    generate_rust_object,
)
from .syntax import is_path, is_use
from .utils import RustImports, RustUse, check_tokens, is_crate_type_key, rust_module_path


class _Modules(Mapping[str, "tuple[str, ...]"]):
    """Type key -> module of the file that mirrors it."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files

    def __getitem__(self, type_key: str) -> tuple[str, ...]:
        return rust_module_path(self._files[type_key])

    def __contains__(self, type_key: object) -> bool:
        return type_key in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class RustGenerator:
    """Writes Rust structs with the layout of native types."""

    name = "rust"
    syntax = C.RUST_SYNTAX
    source_exts = frozenset({".rs"})
    directive_kinds = C_RUST.RUST_DIRECTIVE_KINDS

    def default_ty_map(self) -> dict[str, str]:
        """Nothing is renamed at first; built-in types are known."""
        return {}

    def api_filename(self) -> str:
        return "mod.rs"

    def init_filename(self) -> str:
        return "mod.rs"

    def is_builtin(self, type_key: str) -> bool:
        """Whether the crate itself has the type."""
        return is_crate_type_key(type_key)

    def canonical_type_name(self, type_key: str) -> str:
        """Full name of a type in the target."""
        return type_key.replace(".", "::")

    def new_imports(self) -> RustImports:
        return RustImports()

    def add_directive(self, imports: RustImports, name: str, payload: str, lineno: int) -> None:
        """Takes one directive. ``ValueError`` when it is malformed."""
        if name != "import-object":
            imports.directives.add(name, payload, lineno)
            return
        target = payload.split(";")[0].strip().replace(".", "::")
        if not is_use(target):
            raise MarkerError(f"Invalid directive `{name}`: {payload}", lineno)
        use = RustUse(target)
        if use not in imports.items:
            imports.items.append(use)

    def check_ty_map(self, source: str, target: str) -> str | None:
        """What is wrong with a pair of the map of types."""
        if not is_path(target.replace(".", "::")):
            return f"`{target}` is no path of a Rust type"
        if "." in source and not is_registered(source):
            return f"no type `{source}` is registered"
        return None

    def check_types(self, keys: Iterable[tuple[str, int]]) -> Iterator[MarkerError]:
        """An error for every object block whose types can't be in the file."""
        yield from check_types(keys)

    def check_directives(
        self, imports: RustImports, infos: Mapping[str, ObjectInfo]
    ) -> Iterator[MarkerError]:
        """An error for every directive that is about nothing in the file, whose types these are."""
        ancestors = {
            key: object_info_from_type_key(key)
            for info in infos.values()
            for key in info.ancestors
            if key not in infos
        }
        yield from check_directives(imports.directives, infos, ancestors)
        imports.reserved |= {spec.name for spec in imports.directives.enums.values()}

    def extra_export_names(self, imports: RustImports) -> set[str]:
        return set()

    def check_view(self, code_blocks: list[CodeBlock]) -> dict[tuple[str, object], tuple[str, ...]]:
        """The tokens of the generated definitions: what must be the same to be up to date."""
        return {
            (block.kind, block.param): check_tokens(block.lines)
            for block in code_blocks
            if block.kind == "object"
        }

    def generate_global_funcs_block(
        self,
        code: CodeBlock,
        global_funcs: list[FuncInfo],
        ty_map: dict[str, str],
        imports: RustImports,
        opt: Options,
    ) -> None:
        raise MarkerError("Rust files have no global block", code.lineno_start)

    def generate_object_block(
        self,
        code: CodeBlock,
        ty_map: dict[str, str],
        imports: RustImports,
        opt: Options,
        obj_info: ObjectInfo,
        declared: Mapping[str, Path],
    ) -> None:
        modules = _Modules(declared)
        here = modules[obj_info.type_key or ""]
        for key in declared:
            if modules[key] == here:
                leaf = key.rpartition(".")[2]
                imports.reserved |= {leaf, f"{leaf}Obj"}
        generate_rust_object(code, ty_map, imports, opt, obj_info, modules)

    def generate_helpers_block(self, code: CodeBlock, opt: Options) -> None:
        """The crate has all that mirrors need."""

    def generate_import_section_block(
        self, code: CodeBlock, imports: RustImports, opt: Options, defined_types: set[str]
    ) -> None:
        generate_rust_import_section(code, imports, opt, defined_types)

    def generate_all_block(self, code: CodeBlock, names: set[str], opt: Options) -> None:
        raise MarkerError("Rust files have no __all__ block", code.lineno_start)

    def generate_export_block(self, code: CodeBlock) -> None:
        raise MarkerError("Rust files have no export block", code.lineno_start)

    def generate_api_file(
        self,
        code_blocks: list[CodeBlock],
        ty_map: dict[str, str],
        module_name: str,
        object_infos: list[ObjectInfo],
        init_cfg: InitConfig,
        is_root: bool,
    ) -> str:
        return generate_rust_api_file(
            code_blocks, ty_map, module_name, object_infos, init_cfg, is_root, self.syntax
        )

    def generate_init_file(
        self, code_blocks: list[CodeBlock], module_name: str, submodule: str
    ) -> str:
        return ""

    def check_init_folder(self, folder: Path) -> None:
        """``ValueError`` when new files would be in no crate."""
        rust_module_path(folder / self.init_filename())

    def finalize_init(self, init_path: Path, generated_prefixes: set[str]) -> None:
        finalize_rust_module_tree(init_path, generated_prefixes)
