# SPDX-License-Identifier: Apache-2.0
"""Libraries that tests compile, and processes that load them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tvm_ffi import libinfo

GOOD = """
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
static int64_t Twice(int64_t x) { return 2 * x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice);
TVM_FFI_STATIC_INIT_BLOCK() { tvm::ffi::reflection::GlobalDef().def("bad_libraries.twice", Twice); }
"""

# Loads libraries in turn and says what came of each, then that the runtime still works.
DRIVER = """
import sys, tvm_ffi
modules = []
for path in sys.argv[1:]:
    try:
        modules.append(tvm_ffi.load_module(path))
        print("loaded")
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
twice = tvm_ffi.get_global_func("bad_libraries.twice", allow_missing=True)
own = [module.twice(4) for module in modules if module.implements_function("twice")]
print("twice:", None if twice is None else twice(4), own)
print("alive:", list(tvm_ffi.convert([1, 2])))
"""


class Folder:
    """Compiled libraries, made when they are first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def library(self, name: str, source: str, *flags: str) -> Path:
        out = self.path / f"{name}.so"
        if not out.exists():
            is_c = "extern int" in source
            file = self.path / (f"{name}.c" if is_c else f"{name}.cc")
            file.write_text(source)
            compiler = ["gcc"] if is_c else ["g++", "-std=c++17", "-O0"]
            include = [f"-I{folder}" for folder in libinfo.include_paths()]
            libdir = str(Path(libinfo.find_libtvm_ffi()).parent)
            command = [*compiler, "-shared", "-fPIC", str(file), *include]
            command += [*flags, f"-L{libdir}", "-ltvm_ffi", "-o", str(out)]
            subprocess.run(command, check=True)
        return out


def load(*paths: Path | str) -> tuple[list[str], str]:
    """What loading each of ``paths`` in one process printed, and its standard error."""
    command = [sys.executable, "-c", DRIVER, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"status {done.returncode}\\n{done.stdout}{done.stderr}"
    lines = done.stdout.splitlines()
    assert lines[-1] == "alive: [1, 2]"
    return lines[:-1], done.stderr


def run(script: str) -> tuple[list[str], str]:
    """What a Python program printed, and its standard error. It must end well."""
    # A deadlock would hold up the tests for ever.
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.splitlines(), done.stderr
