# SPDX-License-Identifier: Apache-2.0
"""Loads backends by name, once each. A backend that can't be loaded never breaks the import: why
is kept for `status`."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings

#: Backends of this package, in the order in which they are loaded.
BUILT_IN = (
    "llvm",
    "c",
    "cuda",
    "metal",
    "rocm",
    "trn",
    "opencl",
    "vulkan",
    "webgpu",
    "hexagon",
    "adreno",
    "rust",
)
ENTRY_POINT_GROUP = "tvm_tirx.backends"

_loaded: dict[str, None] = {}
_failures: dict[str, str] = {}
_autoloaded = False


def is_loaded(name: str) -> bool:
    """Whether the backend is loaded."""
    return name in _loaded


def _package(name: str) -> str:
    return f"tvm_tirx.backend.{name}"


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(_package(name)) is not None
    except (ImportError, ValueError):
        return False


def load(name: str) -> None:
    """Load a backend: import ``tvm_tirx.backend.<name>`` and call its ``register_backend()``.

    Does nothing when it is loaded already. ImportError when there is no such package,
    AttributeError when it has no hook; an error of the hook passes through."""
    if name in _loaded:
        return
    if not name.isidentifier() or not _exists(name):
        raise ImportError(
            f"Cannot load TVM backend {name!r}: expected Python package {_package(name)!r}. "
            "Install the backend package or check the backend name."
        )
    module = importlib.import_module(_package(name))
    register = getattr(module, "register_backend", None)
    if register is None:
        raise AttributeError(f"Backend package {_package(name)!r} has no register_backend()")
    register()
    _loaded[name] = None
    _failures.pop(name, None)
    # The package is known under the compiler too.
    sys.modules.setdefault(f"tvm_tirx.tirx.{name}", module)


def is_autoloaded() -> bool:
    """Whether `autoload` did its work, or there is nothing to do."""
    return _autoloaded or os.environ.get("TVM_TIRX_DEVICE_BACKEND_AUTOLOAD", "1") == "0"


def autoload() -> None:
    """Load all backends that are there: the built-in ones, then those of other distributions.

    ``TVM_TIRX_DEVICE_BACKEND_AUTOLOAD=0`` switches it off."""
    global _autoloaded
    if is_autoloaded():
        return
    _autoloaded = True
    for name in BUILT_IN:
        if not _exists(name):
            _failures[name] = "not part of this installation"
            continue
        try:
            load(name)
        except Exception as error:  # whatever it is, the import goes on
            _failures[name] = f"{type(error).__name__}: {error}"
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name in _loaded:
            continue
        try:
            point.load()()
            _loaded[point.name] = None
        except Exception as error:
            _failures[point.name] = f"{type(error).__name__}: {error}"
            warnings.warn(f"Failed to autoload tvm backend {point.name!r}: {error}", stacklevel=2)


def status() -> dict[str, str]:
    """For each backend that is known: "loaded", or why it is not."""
    autoload()
    found = {name: "loaded" for name in _loaded}
    found.update(_failures)
    for name in BUILT_IN:
        found.setdefault(name, "not loaded")
    return found
