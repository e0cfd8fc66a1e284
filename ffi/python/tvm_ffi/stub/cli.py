# SPDX-License-Identifier: Apache-2.0
"""``tvm-ffi-stubgen``: fills the marked blocks of source files."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path

from .. import libinfo
from . import consts as C
from .file_utils import CodeBlock, FileInfo, collect_files, syntax_for
from .generator import generator_names, get_generator
from .layout import classify, write_coverage_report
from .lib_state import (
    collect_global_funcs,
    collect_type_keys,
    object_info_from_type_key,
    toposort_objects,
)
from .run import Run
from .utils import FuncInfo, InitConfig, Options

__all__ = [
    "C",
    "CodeBlock",
    "FileInfo",
    "FuncInfo",
    "InitConfig",
    "Options",
    "classify",
    "collect_files",
    "collect_global_funcs",
    "collect_type_keys",
    "generator_names",
    "get_generator",
    "object_info_from_type_key",
    "syntax_for",
    "toposort_objects",
    "write_coverage_report",
]


_MAX_INDENT = 32


def _indent(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,4}", text) is None or not 1 <= int(text) <= _MAX_INDENT:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {_MAX_INDENT}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tvm-ffi-stubgen",
        description=(
            "Fill the marked blocks of source files with bindings of what native libraries "
            "register. With --init-* the files are made first."
        ),
    )
    parser.add_argument("--imports", default="", metavar="A;B", help="modules to import first")
    parser.add_argument("--dlls", default="", metavar="L1;L2", help="libraries to load first")
    parser.add_argument("--init-pypkg", default="", help="distribution that holds the library")
    parser.add_argument("--init-lib", default="", help="name of the library, without lib and .so")
    parser.add_argument("--init-prefix", default="", help="prefix of the names to bind")
    parser.add_argument(
        "--indent", type=_indent, default=4, metavar="N", help="indent inside a block (default 4)"
    )
    parser.add_argument(
        "--target", choices=generator_names(), default="python", help="language to write"
    )
    parser.add_argument("--verbose", action="store_true", help="show the changes of every file")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if a file is out of date"
    )
    parser.add_argument("--coverage-out", metavar="FILE", help="write a JSON report on all types")
    parser.add_argument("files", nargs="*", metavar="PATH", help="files and folders to process")
    return parser


def _options(parser: argparse.ArgumentParser) -> Options:
    args = parser.parse_args()
    given = [args.init_pypkg, args.init_lib, args.init_prefix]
    if args.target == "rust" and args.init_prefix:  # a crate loads the library itself
        given = [given[0] or "-", given[1] or "-", given[2]]
    if any(given) and not all(given):
        parser.error(
            "--init-pypkg, --init-lib and --init-prefix go together (Rust needs the last alone)"
        )
    if any(given) and args.check:
        parser.error("--check can't be combined with --init-*")
    if any(given) and not args.files:
        parser.error("--init-* needs the PATH of the package folder")
    return Options(
        imports=[name for name in args.imports.split(";") if name],
        dlls=[name for name in args.dlls.split(";") if name],
        init=InitConfig(*given) if all(given) else None,
        indent=args.indent,
        files=args.files,
        verbose=args.verbose,
        dry_run=args.dry_run,
        check=args.check,
        target=args.target,
        coverage_out=args.coverage_out,
    )


def _import(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception as error:  # any code may run there
        message = f"cannot import {name}: {type(error).__name__}: {error}"
        raise RuntimeError(message) from error


def __main__() -> int:
    """The command. Status: 2 if a file failed, 1 if one is out of date or nothing was asked."""
    parser = _parser()
    opt = _options(parser)
    if not opt.files and opt.coverage_out is None:
        parser.print_help()
        return 1
    try:
        for name in opt.imports:
            _import(name)
        for name in opt.dlls:
            libinfo.open_ctypes(Path(name).resolve(), "RTLD_GLOBAL")
        return Run(opt).run()
    except (ValueError, OSError, RuntimeError) as error:
        print(f"{C.TERM_RED}{parser.prog}: error: {error}{C.TERM_RESET}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(__main__())
