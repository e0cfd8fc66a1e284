# SPDX-License-Identifier: Apache-2.0
"""Registration of global functions and object classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from . import _type_info, core
from .core import Function, TypeInfo

__all__ = [
    "get_global_func",
    "get_global_func_metadata",
    "get_registered_type_keys",
    "init_ffi_api",
    "list_global_func_names",
    "register_global_func",
    "register_object",
    "remove_global_func",
]

_T = TypeVar("_T", bound=type)

# True lets classes of types that the loaded libraries don't have pass as plain classes, as tools
# that only read signatures need it.
_SKIP_UNKNOWN_OBJECTS = False


def _no_constructor(cls: type) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            f"`{type(self).__name__}` cannot be constructed directly. "
            "Define a custom __init__ or use a factory method."
        )

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__ffi_generated__ = True  # type: ignore[attr-defined]
    return __init__


def _install_init(cls: type, type_info: TypeInfo) -> None:
    """Installs ``__init__`` over the native constructor unless the class body defines its own."""
    if "__init__" in cls.__dict__:
        return
    constructor = cls.__dict__.get("__ffi_init__")
    if isinstance(constructor, core._Constructor):
        cls.__init__ = core._Constructor(  # type: ignore[misc]
            constructor.__func__,
            "__init__",
            f"{cls.__qualname__}.__init__",
            constructor.__doc__,
            type_info,
        )
        if "__ffi_metadata__" in constructor.__dict__:
            _type_info.describe_constructor(cls.__init__, constructor.__ffi_metadata__)  # type: ignore[attr-defined, misc]
    else:
        cls.__init__ = _no_constructor(cls)  # type: ignore[misc]


def _check_holds_object(cls: Any, type_key: str) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"`{type_key}` must be registered for a class, got {cls!r}")
    if issubclass(cls, core.CObject) or hasattr(cls, "__from_tvm_ffi_object__"):
        return
    raise TypeError(
        f"{cls.__qualname__} can't be the class of `{type_key}`: derive it from tvm_ffi.Object, as "
        f"in `class {cls.__name__}(tvm_ffi.Object)`"
    )


def register_object(type_key: Any = None, *, init: bool = True) -> Any:
    """Makes a class the Python side of a native type.

    Parameters
    ----------
    type_key
        Key of the native type; the name of the class when left out. Usable as
        ``@register_object("key")``, ``@register_object()`` and ``@register_object``.
    init
        Whether to install an ``__init__`` over the native constructor when the class body has none.

    Raises
    ------
    ValueError
        No native type has the key.
    TypeError
        The class can't hold an object: it neither derives from ``tvm_ffi.Object`` nor makes values
        with ``__from_tvm_ffi_object__``.
    """

    def register(cls: _T) -> _T:
        name = type_key if isinstance(type_key, str) else cls.__name__
        type_index = core._object_type_key_to_index(name)
        if type_index is None:
            if _SKIP_UNKNOWN_OBJECTS:
                return cls
            raise ValueError(f"Cannot find object type index for {name}")
        _check_holds_object(cls, name)
        info = core._register_object_by_index(type_index, cls)
        _type_info.add_class_attrs(cls, info)
        if init:
            _install_init(cls, info)
        return cls

    if type_key is None or isinstance(type_key, str):
        return register
    if isinstance(type_key, type):
        return register(type_key)
    raise TypeError("type_key must be a string, type, or None")


@overload
def register_global_func(
    func_name: str, f: None = None, override: bool = False
) -> Callable[[Callable[..., Any]], Function]: ...
@overload
def register_global_func(
    func_name: str, f: Callable[..., Any], override: bool = False
) -> Function: ...
@overload
def register_global_func(
    func_name: Callable[..., Any], f: None = None, override: bool = False
) -> Function: ...
def register_global_func(
    func_name: str | Callable[..., Any],
    f: Callable[..., Any] | None = None,
    override: bool = False,
) -> Any:
    """Registers a global function. Returns the ``Function``.

    ``register_global_func("name", f)`` registers at once; ``@register_global_func("name")`` and
    ``@register_global_func`` (which takes the name of the function) are decorators.

    Raises
    ------
    RuntimeError
        The name is taken and ``override`` is false.
    """
    if callable(func_name):
        return core._register_global_func(func_name.__name__, func_name, override)
    if not isinstance(func_name, str):
        raise ValueError("expect string function name")
    name = func_name

    def register(func: Callable[..., Any]) -> Function:
        return core._register_global_func(name, func, override)

    return register if f is None else register(f)


def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """The global function ``name``.

    Raises ``ValueError`` when there is none; with ``allow_missing`` returns None instead.
    """
    return core._get_global_func(name, allow_missing)


def list_global_func_names() -> list[str]:
    """The names of all global functions."""
    at = core._get_global_func("ffi.FunctionListGlobalNamesFunctor", False)()
    return [str(at(i)) for i in range(at(-1))]


def remove_global_func(name: str) -> None:
    """Removes a global function; a name that is not registered is accepted."""
    core._get_global_func("ffi.FunctionRemoveGlobal", False)(name)


def get_global_func_metadata(name: str) -> dict[str, Any]:
    """The metadata of a global function: ``type_schema`` holds its signature as JSON text."""
    text = core._get_global_func("ffi.GetGlobalFuncMetadata", False)(name)
    if not text:
        return {}
    import json

    return json.loads(text)


def get_registered_type_keys() -> Sequence[str]:
    """The keys of all native types."""
    return core._get_global_func("ffi.GetRegisteredTypeKeys", False)()


def init_ffi_api(namespace: str, target_module_name: str | None = None) -> None:
    """Sets every global function ``<namespace>.<name>`` as attribute ``name`` of a module.

    Parameters
    ----------
    namespace
        Prefix of the names; a leading ``tvm.`` is dropped.
    target_module_name
        The module, which must be imported already; ``namespace`` when left out.
    """
    target = sys.modules[target_module_name or namespace]
    prefix = (namespace[4:] if namespace.startswith("tvm.") else namespace) + "."
    for full_name in list_global_func_names():
        if not full_name.startswith(prefix):
            continue
        name = full_name[len(prefix) :]
        if "." in name:
            continue
        function = core._get_global_func(full_name, False)
        function.__name__ = name
        setattr(target, name, function)


def _name_of_callable(function: Function) -> str | None:
    """What messages of native code call a function that was made from a Python callable."""
    callable_ = core._callable_of(function)
    if callable_ is None:
        return None
    name = getattr(callable_, "__qualname__", type(callable_).__qualname__)
    return name.rpartition("<locals>.")[2]


core._register_global_func("ffi.FunctionName", _name_of_callable, True)
