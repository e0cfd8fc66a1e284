# SPDX-License-Identifier: Apache-2.0
"""Writing a module and its imports as one library."""

from __future__ import annotations

import os
import struct
from typing import Any

from ..support import cc, tar

_HOST = "_lib"


def _collect(root: Any) -> tuple[list[Any], list[list[int]]]:
    """All modules, the root first, with the indices of what each imports."""
    modules, index, children = [root], {_key(root): 0}, []
    at = 0
    while at < len(modules):
        row = []
        for imported in modules[at].imports:
            key = _key(imported)
            if key not in index:
                index[key] = len(modules)
                modules.append(imported)
            row.append(index[key])
        children.append(row)
        at += 1
    return modules, children


def _key(module: Any) -> Any:
    return module.__chandle__() if hasattr(module, "__chandle__") else id(module)


def _u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def _string(text: bytes) -> bytes:
    return _u64(len(text)) + text


def pack_imports(root: Any) -> bytes | None:
    """The bytes of ``__tvm_ffi__library_bin``: which module imports which, and the content of those
    that the linker does not take. None when everything is linked and there is one module."""
    modules, children = _collect(root)
    if all(module.is_compilation_exportable() for module in modules):
        return None
    # All that is linked becomes one module, the library itself, which takes over its imports.
    number: dict[int, int] = {}
    order: list[int | None] = [None]
    for i, module in enumerate(modules):
        if module.is_compilation_exportable():
            number[i] = 0
        else:
            number[i] = len(order)
            order.append(i)
    rows: list[list[int]] = [[] for _ in order]
    for i, row in enumerate(children):
        for child in row:
            if number[child] != number[i] and number[child] not in rows[number[i]]:
                rows[number[i]].append(number[child])
    pointers, flat = [0], []
    for row in rows:
        flat += row
        pointers.append(len(flat))
    body = _u64(len(pointers)) + b"".join(map(_u64, pointers))
    body += _u64(len(flat)) + b"".join(map(_u64, flat))
    for item in order:
        if item is None:
            body += _string(_HOST.encode())
            continue
        module = modules[item]
        if not module.is_binary_serializable():
            raise RuntimeError(f"A module of kind {module.kind} cannot be exported")
        body += _string(module.kind.encode()) + _string(_save(module))
    return _u64(len(body)) + body


def _save(module: Any) -> bytes:
    import tvm_ffi

    return bytes(tvm_ffi.get_global_func("ffi.ModuleSaveToBytes")(module))


def _c_array(name: str, data: bytes) -> str:
    lines = [
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        '__attribute__((visibility("default")))',
        f"extern const unsigned char {name}[{len(data)}];",
        f"const unsigned char {name}[{len(data)}] = {{",
    ]
    for start in range(0, len(data), 16):
        lines.append("  " + ", ".join(str(byte) for byte in data[start : start + 16]) + ",")
    lines += ["};", "#ifdef __cplusplus", "}", "#endif", ""]
    return "\n".join(lines)


def _include_flags() -> list[str]:
    import tvm_ffi.libinfo as ffi_libinfo

    from .. import libinfo

    folders = [
        libinfo.find_include_path(),
        ffi_libinfo.find_include_path(),
        ffi_libinfo.find_dlpack_include_path(),
    ]
    return [f"-I{folder}" for folder in dict.fromkeys(folders)]


def export_library(
    root: Any,
    file_name: str,
    fcompile: Any,
    fpack_imports: Any,
    addons: list[str],
    folder: str,
    options: dict[str, Any],
) -> Any:
    modules, _ = _collect(root)
    files = list(addons)
    has_c = False
    for i, module in enumerate(m for m in modules if m.is_compilation_exportable()):
        formats = [str(name) for name in module.get_write_formats()]
        if module.kind == "static_library":
            suffix = "o"
        elif module.kind == "c":
            suffix = formats[0] if formats else "c"
            has_c = True
        else:
            suffix = "o"
        path = os.path.join(folder, f"lib{i}.{suffix}")
        module.write_to_file(path, suffix)
        files.append(path)
    if fpack_imports is not None:
        files.append(fpack_imports(root, False, "", folder))
    else:
        packed = pack_imports(root)
        if packed is not None:
            path = os.path.join(folder, "devc.c")
            with open(path, "w") as stream:
                stream.write(_c_array("__tvm_ffi__library_bin", packed))
            files.append(path)
            has_c = True
    if fcompile is None:
        fcompile = tar.tar if file_name.endswith(".tar") else cc.create_shared
    if fcompile is cc.create_shared or (has_c and fcompile is not tar.tar):
        options = dict(options)
        if has_c:
            options["options"] = _include_flags() + list(options.get("options") or [])
    if fcompile is tar.tar:
        return fcompile(file_name, files)
    return fcompile(file_name, files, **options)
