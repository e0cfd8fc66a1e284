# SPDX-License-Identifier: Apache-2.0
"""A compiled module: call it, or export it as a library."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import tvm_ffi

from .. import base
from .._ffi_functions import Functions

_runtime = Functions("runtime.")


def _tree(root: Any) -> list[Any]:
    """The module and all that it imports, each once, importers first."""
    modules: list[Any] = []
    seen: set[Any] = set()
    queue = [root]
    while queue:
        module = queue.pop(0)
        key = module.__chandle__() if hasattr(module, "__chandle__") else id(module)
        if key in seen:
            continue
        seen.add(key)
        modules.append(module)
        queue.extend(module.imports)
    return modules


class Executable:
    """What ``tirx.compile`` gives. ``ex(*args)`` calls ``main``, ``ex["name"]`` is a function."""

    def __init__(self, mod: Any) -> None:
        self.mod = mod
        self._jitted: Any = None

    def __getitem__(self, name: str) -> Any:
        return self.jit().get_function(name, query_imports=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = self._bind("main", args, kwargs)
        return self["main"](*args)

    def _bind(self, name: str, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """The arguments in order, with those given by name in their places."""
        metadata = self.mod.get_function_metadata(name, query_imports=True) or {}
        names = [word for word in str(metadata.get("param_names", "")).split(",") if word]
        values = dict(zip(names, args))
        for key, value in kwargs.items():
            if key not in names:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if key in values:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            values[key] = value
        missing = [key for key in names if key not in values]
        if missing or len(args) > len(names):
            raise TypeError(
                f"{name}() takes {len(names)} arguments ({', '.join(names)}), "
                f"{len(args)} given by place and {len(kwargs)} by name"
            )
        return tuple(values[key] for key in names)

    def jit(
        self,
        *,
        fcompile: Callable[[str, list[str], dict[str, Any]], None] | None = None,
        addons: list[str] | None = None,
        force_recompile: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The module itself when it runs as it is, else a library made from it, once."""
        if self._jitted is not None and not force_recompile:
            return self._jitted
        if all(module.kind not in ("c", "static_library") for module in _tree(self.mod)):
            self._jitted = self.mod
            return self.mod
        with tempfile.TemporaryDirectory(prefix="tvm_tirx_") as folder:
            path = os.path.join(folder, "module.so")
            self.export_library(
                path, fcompile=fcompile, addons=addons, workspace_dir=folder, **kwargs
            )
            # A library that is loaded stays usable after its file is gone.
            self._jitted = tvm_ffi.load_module(path)
        return self._jitted

    def export_library(
        self,
        file_name: str | os.PathLike[str],
        *,
        fcompile: Any = None,
        fpack_imports: Any = None,
        addons: list[str] | None = None,
        workspace_dir: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Write everything into one file: a shared library, or an archive of its parts when the
        name ends in ``.tar``. Load it with ``tvm_ffi.load_module``.

        ``fcompile(file_name, files, options=..., **kwargs)`` links the files, a C++ compiler by
        default; ``addons`` are further files to link."""
        if base._RUNTIME_ONLY:
            raise RuntimeError("Cannot call export_library in runtime only mode")
        from . import export

        with tempfile.TemporaryDirectory(prefix="tvm_tirx_") as temporary:
            return export.export_library(
                self.mod,
                os.fspath(file_name),
                fcompile,
                fpack_imports,
                list(addons or []),
                workspace_dir or temporary,
                kwargs,
            )


def load_static_library(path: str | os.PathLike[str], func_names: list[str]) -> Any:
    """A module of an object file or archive that defines the functions. It does not run: link it
    into a library with ``import_module`` and ``export_library``."""
    return _runtime.ModuleLoadStaticLibrary(os.fspath(path), list(func_names))
