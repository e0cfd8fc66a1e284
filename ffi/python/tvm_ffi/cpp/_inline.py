# SPDX-License-Identifier: Apache-2.0
"""The files that inline sources are compiled from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_INCLUDES = (
    "tvm/ffi/container/tensor.h",
    "tvm/ffi/dtype.h",
    "tvm/ffi/error.h",
    "tvm/ffi/extra/c_env_api.h",
    "tvm/ffi/function.h",
)
_ESCAPES = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"},
)


def exports_of(functions: Mapping[str, str]) -> list[str]:
    """The lines that export functions."""
    lines = []
    for name, doc in functions.items():
        lines.append(f"TVM_FFI_DLL_EXPORT_TYPED_FUNC({name}, {name});")
        if doc:
            lines.append(f'TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC({name}, "{doc.translate(_ESCAPES)}");')
    return lines


def inline_files(
    file_name: str,
    text_name: str,
    sources: Sequence[str],
    functions: Mapping[str, str],
    folder: str,
) -> dict[str, str]:
    """File name -> content for the sources of one language.

    The file that is compiled holds all of them. Each is also written alone, and line directives
    point there, so that messages of the compiler and debuggers count the lines of the user.
    """
    stem, dot, suffix = text_name.rpartition(".")
    files: dict[str, str] = {}
    lines = [f"#include <{header}>" for header in _INCLUDES]
    lines.append("")
    for i, source in enumerate(sources):
        own = text_name if len(sources) == 1 else f"{stem}_{i}{dot}{suffix}"
        files[own] = source if source.endswith("\n") else source + "\n"
        path = f"{folder}/{own}".translate(_ESCAPES)
        lines.append(f'#line 1 "{path}"')
        lines += source.removesuffix("\n").split("\n")
    exports = exports_of(functions)
    if exports:
        path = f"{folder}/{file_name}".translate(_ESCAPES)
        lines.append(f'#line {len(lines) + 2} "{path}"')
        lines += exports
    files[file_name] = "\n".join(lines) + "\n"
    return files
