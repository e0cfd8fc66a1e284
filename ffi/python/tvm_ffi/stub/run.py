# SPDX-License-Identifier: Apache-2.0
"""One run of the stub generator over files: read, fill the blocks, write all or nothing."""

from __future__ import annotations

import contextlib
import difflib
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import consts as C
from .file_utils import CodeBlock, FileInfo, MarkerError, collect_paths
from .generator import Generator, get_generator
from .layout import classify, coverage_text
from .lib_state import (
    collect_global_funcs,
    collect_type_keys,
    is_registered,
    list_global_func_names,
    object_info_from_type_key,
    toposort_objects,
)
from .pending import PendingWrites, read_or_none
from .utils import InitConfig, Options


@contextlib.contextmanager
def _in(block: CodeBlock) -> Iterator[None]:
    """Gives the line of a block to the errors of what is made of it."""
    try:
        yield
    except MarkerError:
        raise
    except ValueError as error:
        raise MarkerError(str(error), block.lineno_start) from error


def _shown(path: Path) -> Path:
    """A path as one types it: without the folder in which the command runs."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


class Run:
    """One run over files: what they share, and what went wrong."""

    def __init__(self, opt: Options) -> None:
        self.opt = opt
        self.generator: Generator = get_generator(opt.target)
        self.ty_map = self.generator.default_ty_map()
        self.functions = collect_global_funcs()
        self.type_keys = collect_type_keys()
        self.failed = False
        self.stale: list[Path] = []
        self.writes = PendingWrites()
        self.scaffolded: tuple[Path, set[str]] | None = None

    def fail(self, path: Path, error: Exception) -> None:
        """Reports an exception in flight as the failure of a file."""
        self.failed = True
        if isinstance(error, MarkerError):
            text = f'[Failed] File "{path}", line {error.lineno}: {error.message}'
        elif isinstance(error, (ValueError, OSError)):
            text = f'[Failed] File "{path}": {error}'
        else:  # not the fault of the input: where it is raised matters
            text = f'[Failed] File "{path}"\n{traceback.format_exc().rstrip()}'
        print(f"{C.TERM_RED}{text}{C.TERM_RESET}", file=sys.stderr)

    # ---- stage 1: the map of types -------------------------------------------------------------

    def collect_ty_map(self, file: FileInfo) -> None:
        for block in file.code_blocks:
            if block.kind != "ty-map":
                continue
            source, arrow, target = str(block.param).partition("->")
            if not arrow or not source.strip() or not target.strip():
                raise MarkerError(
                    "Invalid ty_map format. Example: `A.B -> C.D`", block.lineno_start
                )
            source, target = source.strip(), target.strip()
            wrong = self.generator.check_ty_map(source, target)
            if wrong is not None:
                raise MarkerError(
                    f"Invalid ty_map `{source} -> {target}`: {wrong}", block.lineno_start
                )
            self.ty_map[source] = target

    # ---- stage 2: new files --------------------------------------------------------------------

    def scaffold(self, init: InitConfig, folder: Path, files: list[FileInfo]) -> list[FileInfo]:
        """Makes the files of every prefix at or below the one of the command line."""
        root = init.prefix.rstrip(".")
        skipped = {str(b.param) for f in files for b in f.code_blocks if b.kind == "skip"}
        prefixes = sorted(
            prefix
            for prefix in {*self.functions, *self.type_keys, root}
            if prefix == root or prefix.startswith(root + ".")
        )
        self._check_prefix(root)
        made = []
        for prefix in prefixes:
            place = folder.joinpath(*prefix.split("."))
            made.append(self._scaffold_api(init, prefix, place, prefix == root, skipped))
            if self.generator.init_filename() != self.generator.api_filename():
                made.append(self._scaffold_init(prefix, place))
        self.scaffolded = (folder, set(prefixes))
        return [file for file in made if file is not None]

    def _check_prefix(self, root: str) -> None:
        """``ValueError`` when nothing that is registered has the prefix."""
        known = {*self.functions, *self.type_keys}
        known |= {name.rpartition(".")[0] for name in list_global_func_names()}
        if any(prefix == root or prefix.startswith(root + ".") for prefix in known):
            return
        near = difflib.get_close_matches(root, sorted(known), 1)
        text = f"--init-prefix: no global function or type has the prefix `{root}`; "
        text += f"did you mean `{near[0]}`? " if near else ""
        raise ValueError(text + "--dlls or --imports loads the library that registers it")

    def _extend(self, path: Path, text: str) -> FileInfo | None:
        old = self.writes.text_of(path) or ""
        if text:
            gap = "\n" if old and not old.endswith("\n") else ""
            text = old + gap + text
            self.writes.put(path, text, may_make_folder=True)
        file = FileInfo.from_text(path, text or old, syntax=self.generator.syntax)
        if file is not None:  # what it differs from is what is on disk
            file.lines = tuple((read_or_none(path) or "").splitlines())
        return file

    def _blocks(self, path: Path) -> list[CodeBlock] | None:
        """The blocks of a file, none for one that is missing, None for one to leave alone."""
        text = self.writes.text_of(path)
        if text is None:
            return []
        syntax = self.generator.syntax
        info = FileInfo.from_text(path, text, include_empty=True, syntax=syntax)
        return info.code_blocks if info is not None else None

    def _finish_scaffold(self) -> None:
        """Lets the generator finish the tree of files, in a copy of the folders on the way."""
        if self.scaffolded is None:
            return
        folder, prefixes = self.scaffolded
        places = {folder}
        for prefix in prefixes:
            parts = prefix.split(".")
            places |= {folder.joinpath(*parts[:i]) for i in range(1, len(parts) + 1)}
        with tempfile.TemporaryDirectory() as name:
            mirror = Path(name)
            before = {}
            for place in places:
                copy = mirror / place.relative_to(folder)
                copy.mkdir(parents=True, exist_ok=True)
                present = set(place.iterdir()) if place.is_dir() else set()
                present |= {path for path in self.writes.paths() if path.parent == place}
                for path in present:
                    if path.suffix in self.generator.source_exts:
                        before[path] = self.writes.text_of(path) or ""
                        (copy / path.name).write_text(before[path], encoding="utf-8")
            self.generator.finalize_init(mirror, prefixes)
            for copy in sorted(path for path in mirror.rglob("*") if path.is_file()):
                path = folder / copy.relative_to(mirror)
                text = copy.read_text(encoding="utf-8")
                if before.get(path) != text:
                    self.writes.put(path, text, may_make_folder=True)

    def _scaffold_api(
        self, init: InitConfig, prefix: str, place: Path, is_root: bool, skipped: set[str]
    ) -> FileInfo | None:
        path = place / self.generator.api_filename()
        blocks = self._blocks(path)
        if blocks is None:
            return None
        present = {block.param for block in blocks if block.kind == "object"}
        missing = [
            key
            for key in self.type_keys.get(prefix, ())
            if key not in present and key not in skipped and not self.generator.is_builtin(key)
        ]
        text = self.generator.generate_api_file(
            blocks, self.ty_map, prefix, toposort_objects(missing), init, is_root
        )
        return self._extend(path, text)

    def _scaffold_init(self, prefix: str, place: Path) -> FileInfo | None:
        path = place / self.generator.init_filename()
        submodule = Path(self.generator.api_filename()).stem
        blocks = self._blocks(path)
        if blocks is None:
            return None
        text = self.generator.generate_init_file(blocks, prefix, submodule)
        return self._extend(path, text)

    # ---- stage 2b: files that follow a prefix --------------------------------------------------

    def roll_out(self, files: list[FileInfo]) -> None:
        """Adds a block for every type of a file's prefix, and drops those of vanished types."""
        owners: dict[str, Path] = {}
        for file in list(files):
            declared = [block for block in file.code_blocks if block.kind == "prefix"]
            if not declared:
                continue
            try:
                if len(declared) > 1:
                    line = declared[1].lineno_start
                    raise MarkerError("a second prefix; a file has one", line)
                prefix = str(declared[0].param).rstrip(".")
                if prefix in owners:
                    line = declared[0].lineno_start
                    raise MarkerError(f"the prefix `{prefix}` is in {owners[prefix]} as well", line)
                if prefix not in self.type_keys and prefix not in self.functions:
                    line = declared[0].lineno_start
                    raise MarkerError(f"`prefix`: nothing that is registered has `{prefix}`", line)
            except MarkerError as error:
                self.fail(file.path, error)
                files.remove(file)
                continue
            owners[prefix] = file.path
            self._roll_out_one(file, prefix)

    def _roll_out_one(self, file: FileInfo, prefix: str) -> None:
        blocks = file.code_blocks
        skipped = {str(block.param) for block in blocks if block.kind == "skip"}
        known = set(self.type_keys.get(prefix, ()))
        file.code_blocks = blocks = [
            block
            for block in blocks
            if block.kind != "object"
            or not str(block.param).startswith(prefix + ".")
            or str(block.param) in known
        ]
        present = {str(block.param) for block in blocks if block.kind == "object"}
        keys = [key for key in known - present - skipped if not self.generator.is_builtin(key)]
        syntax = file.syntax

        def new_block(kind: str, param: str = "") -> list[CodeBlock]:
            head = f"{syntax.begin} {kind}/{param}" if param else f"{syntax.begin} {kind}"
            return [
                CodeBlock(None, "", 0, 0, [""]),
                CodeBlock(kind, param, 0, 0, [head, syntax.end]),
            ]

        if not any(block.kind == "import-section" for block in blocks):
            at = next(i for i, block in enumerate(blocks) if block.kind == "prefix")
            blocks[at + 1 : at + 1] = new_block("import-section")
        for info in toposort_objects(keys):
            blocks += new_block("object", info.type_key or "")

    # ---- stage 3: the blocks of one file -------------------------------------------------------

    def process(self, file: FileInfo, declared: dict[str, Path]) -> None:
        generator, opt = self.generator, self.opt
        before = generator.check_view(
            [CodeBlock(b.kind, b.param, 0, 0, list(b.lines)) for b in file.code_blocks]
        )
        imports = generator.new_imports()
        names: set[str] = set()
        defined: set[str] = set()
        for block in file.code_blocks:
            self._directive(imports, block)
        if not self._directives_fit(file, imports):
            return
        for block in file.code_blocks:
            if block.kind == "global":
                prefix = block.param[0] if isinstance(block.param, tuple) else block.param
                functions = self.functions.get(prefix, [])
                with _in(block):
                    generator.generate_global_funcs_block(
                        block, functions, self.ty_map, imports, opt
                    )
                names.update(function.schema.name for function in functions)
        for block in file.code_blocks:
            if block.kind == "object":
                key = str(block.param)
                try:
                    info = object_info_from_type_key(key)
                except ValueError:
                    text = f"`object/{key}`: the type is not registered; load its library with "
                    text += "--imports or --dlls, or delete the block"
                    self.fail(file.path, MarkerError(text, block.lineno_start))
                    continue
                with _in(block):
                    generator.generate_object_block(
                        block, self.ty_map, imports, opt, info, declared
                    )
                names.add(key.rpartition(".")[2])
                defined.add(self.ty_map.get(key, key))
            elif block.kind == "helpers":
                generator.generate_helpers_block(block, opt)
        first = {"import-section": True, "__all__": True}
        for block in file.code_blocks:
            kind = block.kind
            if kind == "import-section" and first.pop(kind, False):
                generator.generate_import_section_block(block, imports, opt, defined)
            elif kind == "__all__" and first.pop(kind, False):
                exported = names | generator.extra_export_names(imports)
                generator.generate_all_block(block, exported, opt)
            elif kind == "export":
                generator.generate_export_block(block)
        changed = file.update(opt.verbose, dry_run=True)
        if changed:
            self.writes.put(file.path, file.new_text())
        after = generator.check_view(file.code_blocks)
        if opt.check and changed and before != after:
            self.stale.append(file.path)

    def _directives_fit(self, file: FileInfo, imports: Any) -> bool:
        """Whether the directives of a file are about its types; reports all that are not."""
        blocks = [block for block in file.code_blocks if block.kind == "object"]
        keys = [(str(block.param), block.lineno_start) for block in blocks]
        infos = {key: object_info_from_type_key(key) for key, _ in keys if is_registered(key)}
        errors = list(self.generator.check_types(keys))
        errors += self.generator.check_directives(imports, infos)
        for block in file.code_blocks:
            if block.kind == "skip" and not is_registered(str(block.param)):
                text = f"`skip`: no type `{block.param}` is registered"
                errors.append(MarkerError(text, block.lineno_start))
        for error in errors:
            self.fail(file.path, error)
        return not errors

    def _directive(self, imports: object, block: CodeBlock) -> None:
        kind = block.kind
        if kind is None or kind in C.BLOCK_KINDS or kind in C.PIPELINE_DIRECTIVE_KINDS:
            return
        if kind not in self.generator.directive_kinds:
            raise MarkerError(f"Unknown directive `{kind}`", block.lineno_start)
        self.generator.add_directive(
            imports,
            kind,
            str(block.param),
            block.lineno_start,
        )

    # ---- the run -------------------------------------------------------------------------------

    def _read(self, paths: list[Path]) -> list[FileInfo]:
        files = []
        for path in collect_paths(paths, self.generator.source_exts):
            try:
                info = FileInfo.from_file(path)
            except (ValueError, OSError) as error:
                self.fail(path, error)
                continue
            if info is not None:
                files.append(info)
        return files

    def run(self) -> int:
        """Processes all files and returns the exit status."""
        opt = self.opt
        # A pair of texts for one file must meet under one name.
        paths = [Path(path).resolve() for path in opt.files]
        if opt.init is not None and paths:
            self.generator.check_init_folder(paths[0])
        for path, given in zip(paths, opt.files, strict=True):
            if not path.exists() and (opt.init is None or path != paths[0]):
                raise FileNotFoundError(f"Path does not exist: {given}")
        files = self._read([path for path in paths if path.exists()])
        for file in list(files):
            try:
                self.collect_ty_map(file)
            except ValueError as error:
                self.fail(file.path, error)
                files.remove(file)
        if opt.init is not None and paths:
            made = self.scaffold(opt.init, paths[0], files)
            fresh = {file.path.resolve() for file in made}
            files = [file for file in files if file.path.resolve() not in fresh] + made
        if not files and not self.failed and paths and opt.init is None:
            places = ", ".join(opt.files)
            rust = opt.target == "rust"
            makers = "--dlls and --init-prefix" if rust else "the three --init-* options"
            print(
                f"Nothing to do: no file in {places} has a tvm-ffi-stubgen marker "
                f"({makers} make files)"
            )
        self.roll_out(files)
        declared = {
            str(block.param): file.path
            for file in files
            for block in file.code_blocks
            if block.kind == "object"
        }
        for file in files:
            try:
                self.process(file, declared)
            except Exception as error:
                self.fail(file.path, error)
        self._finish_scaffold()
        coverage = None
        if opt.coverage_out is not None:
            keys = [key for group in self.type_keys.values() for key in group]
            infos = {key: object_info_from_type_key(key) for key in keys}
            coverage = Path(opt.coverage_out), coverage_text(classify(infos))
        return self._finish(len(files), coverage)

    def _finish(self, count: int, coverage: tuple[Path, str] | None) -> int:
        """Writes all or nothing, says which, and returns the exit status."""
        opt = self.opt
        if self.failed:
            if not opt.check and not opt.dry_run:
                print("no file was written, because of what failed")
            return 2
        planned: list[Path] = []
        if opt.check or opt.dry_run:
            planned = [] if opt.check else self.writes.changes()
            self.writes = PendingWrites()
        if coverage is not None:
            self.writes.put(*coverage)
        written = self.writes.commit()
        for path in planned:
            print(f"would write {_shown(path)}")
        for path in written:
            print(f"wrote {_shown(path)}")
        for path in self.stale:
            print(f"{C.TERM_YELLOW}[Stale] {path}{C.TERM_RESET}")
        if count and not (planned or written or self.stale):
            print(f"up to date: {count} file{'s' * (count != 1)}")
        return 1 if self.stale else 0
