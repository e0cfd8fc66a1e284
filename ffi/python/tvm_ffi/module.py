# SPDX-License-Identifier: Apache-2.0
"""Modules: libraries of functions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import IntEnum
from os import PathLike
from typing import Any, cast

from . import _ffi_api, core
from .registry import register_object

__all__ = ["Module", "ModulePropertyMask", "load_module", "system_lib"]


class ModulePropertyMask(IntEnum):
    """What can be done with a module."""

    BINARY_SERIALIZABLE = 1
    RUNNABLE = 2
    COMPILATION_EXPORTABLE = 4


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


# Larger files are not read for a better message.
_MOST_BYTES_READ = 1 << 26


def _find_exports(path: str) -> list[str]:
    """Names that a library seems to export: all texts in the file that look like such a symbol."""
    import re

    try:
        if os.path.getsize(path) > _MOST_BYTES_READ:
            return []
        with open(path, "rb") as file:
            found = re.findall(rb"__tvm_ffi_([A-Za-z][A-Za-z0-9_]*)\0", file.read())
    except OSError:
        return []
    return sorted({name.decode() for name in found})


@register_object("ffi.Module")
class Module(core.Object):
    """A library of functions, such as a loaded shared object.

    ``mod.name`` and ``mod["name"]`` look a function up; ``mod(...)`` calls the function ``main``.
    """

    __slots__ = ("__dict__",)

    entry_name = "main"

    @property
    def kind(self) -> str:
        """Kind of the module, such as ``"library"``."""
        return _ffi_api.ModuleGetKind(self)

    @property
    def imports(self) -> list[Module]:
        """The modules that this one imports."""
        return cast("list[Module]", self.imports_)

    def __repr__(self) -> str:
        if self.__chandle__() == 0:
            return super().__repr__()
        imports = ", ".join(map(repr, self.imports_))
        tail = "," if len(self.imports_) == 1 else ""
        return f"ffi.Module(kind={self.kind!r}, imports_=({imports}{tail}))"

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """Whether the module, or with ``query_imports`` one of its imports, has a function."""
        return _ffi_api.ModuleImplementsFunction(self, name, query_imports)

    def get_function(self, name: str, query_imports: bool = False) -> core.Function:
        """The function ``name``. AttributeError when there is none."""
        function = _ffi_api.ModuleGetFunction(self, name, query_imports)
        if function is None:
            raise AttributeError(f"Module has no function '{name}'{self._explain_missing(name)}")
        if core._callable_of(function) is None:
            core._describe_function(
                function,
                name,
                _text(_ffi_api.ModuleGetFunctionMetadata(self, name, query_imports)),
                _text(_ffi_api.ModuleGetFunctionDoc(self, name, query_imports)),
            )
        return function

    def _explain_missing(self, name: str) -> str:
        """End of the message about a function that the module lacks: its file, and the way out."""
        path = self.__dict__.get("_file_name")
        if path is None:
            return ""
        exports = self.__dict__.get("_export_names")
        if exports is None:
            exports = self.__dict__["_export_names"] = _find_exports(path)
        from difflib import get_close_matches

        for close in get_close_matches(name, exports, n=3):
            if self.implements_function(close):
                return f" in {path}. Did you mean: '{close}'?"
        if not name.isidentifier():
            return f" in {path}"
        return f" in {path}. TVM_FFI_DLL_EXPORT_TYPED_FUNC({name}, ...) in C++ exports one."

    def get_function_metadata(
        self, name: str, query_imports: bool = False
    ) -> dict[str, Any] | None:
        """Metadata of a function, None when the module has none."""
        text = _ffi_api.ModuleGetFunctionMetadata(self, name, query_imports)
        if text is None:
            return None
        import json

        return json.loads(text)

    def get_function_doc(self, name: str, query_imports: bool = False) -> str | None:
        """Documentation of a function, None when the module has none."""
        return _text(_ffi_api.ModuleGetFunctionDoc(self, name, query_imports))

    def import_module(self, module: Module) -> None:
        """Adds ``module`` to the imports. RuntimeError for a cycle."""
        _ffi_api.ModuleImportModule(self, module)

    def clear_imports(self) -> None:
        """Removes all imports."""
        _ffi_api.ModuleClearImports(self)

    def __getitem__(self, name: str) -> core.Function:
        if not isinstance(name, str):
            raise ValueError("Can only take string as function name")
        return self.get_function(name)

    def __getattr__(self, name: str) -> Any:
        # Names of Python protocols are asked for by many tools and never are exported functions.
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"Module has no function '{name}'")
        function = self.get_function(name)
        self.__dict__[name] = function
        return function

    def __call__(self, *args: Any) -> Any:
        return self.main(*args)

    def inspect_source(self, fmt: str = "") -> str:
        """Source text of the module, empty when there is none."""
        return _ffi_api.ModuleInspectSource(self, fmt)

    def get_write_formats(self) -> Sequence[str]:
        """Formats that ``write_to_file`` knows."""
        return _ffi_api.ModuleGetWriteFormats(self)

    def get_property_mask(self) -> int:
        """Sum of ``ModulePropertyMask`` values."""
        return _ffi_api.ModuleGetPropertyMask(self)

    def is_binary_serializable(self) -> bool:
        """Whether the module can be stored as bytes inside a library."""
        return (self.get_property_mask() & ModulePropertyMask.BINARY_SERIALIZABLE) != 0

    def is_runnable(self) -> bool:
        """Whether functions of the module can be called."""
        return (self.get_property_mask() & ModulePropertyMask.RUNNABLE) != 0

    def is_compilation_exportable(self) -> bool:
        """Whether the module can be written as an object file or source."""
        return (self.get_property_mask() & ModulePropertyMask.COMPILATION_EXPORTABLE) != 0

    def write_to_file(self, file_name: str | PathLike, fmt: str = "") -> None:
        """Writes the module to a file. RuntimeError when its kind can't be written."""
        _ffi_api.ModuleWriteToFile(self, os.fsdecode(file_name), fmt)


def load_module(path: str | PathLike, keep_module_alive: bool = True) -> Module:
    """Loads a module from a file; the extension chooses the loader.

    Parameters
    ----------
    path
        File to load.
    keep_module_alive
        Keeps the module for the rest of the process, so that functions and objects of the library
        may outlive every reference to it. A library that registers something stays in any case.

    Raises
    ------
    RuntimeError
        The path has no extension, no loader is registered for it, loading fails, or the library
        registers a global name or a type key that another one has. The message names the file and
        the way out. What an initialiser of the library throws is raised as the kind that it has.
    """
    name = os.fsdecode(path)
    module = _ffi_api.ModuleLoadFromFile(name)
    module.__dict__["_file_name"] = name
    if keep_module_alive:
        _ffi_api.ModuleGlobalsAdd(module)
    return module


def system_lib(symbol_prefix: str = "") -> Module:
    """The module of the functions that are linked into this process, one per prefix."""
    return _ffi_api.SystemLib(symbol_prefix)
