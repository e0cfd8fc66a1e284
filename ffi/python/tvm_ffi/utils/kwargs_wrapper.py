# SPDX-License-Identifier: Apache-2.0
"""Functions with keyword arguments and defaults over callables that only take positions."""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable, Iterable
from typing import Any

from ..core import MISSING
from .unpack_dataclass import unpack_dataclass_to_tuple

__all__ = [
    "MISSING",
    "make_kwargs_wrapper",
    "make_kwargs_wrapper_from_signature",
    "unpack_dataclass_to_tuple",
]

_TARGET = "__i_target_func"
_MISSING_NAME = "__i_MISSING"
_DEFAULTS = "__i_arg_defaults"
_UNPACK_NAME = "__i_unpack"
_INTERNAL = {_TARGET, _MISSING_NAME, _DEFAULTS, _UNPACK_NAME}


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"Argument name must be a string, got {type(name).__name__}: {name!r}")
    if not name.isidentifier():
        raise ValueError(f"Invalid argument name: {name!r} is not a valid Python identifier")
    if keyword.iskeyword(name):
        raise ValueError(
            f"Invalid argument name: {name!r} is a Python keyword and cannot be used as a "
            "parameter name"
        )


def _check(
    arg_names: list[str],
    arg_defaults: tuple[Any, ...],
    kwonly_names: list[str],
    kwonly_defaults: dict[str, Any],
) -> None:
    if not isinstance(arg_defaults, tuple):
        raise TypeError(f"arg_defaults must be a tuple, got {type(arg_defaults).__name__}")
    for name in [*arg_names, *kwonly_names]:
        _check_name(name)
    if len(set(arg_names)) != len(arg_names):
        raise ValueError(f"Duplicate argument names found in: {arg_names}")
    if len(set(kwonly_names)) != len(kwonly_names):
        raise ValueError(f"Duplicate keyword-only argument names found in: {kwonly_names}")
    shared = set(arg_names) & set(kwonly_names)
    if shared:
        raise ValueError(f"Arguments cannot be both positional and keyword-only: {shared}")
    taken = _INTERNAL & {*arg_names, *kwonly_names}
    if taken:
        raise ValueError(
            f"Argument names conflict with internal names: {taken}. "
            'Please avoid using names starting with "__i_"'
        )
    if len(arg_defaults) > len(arg_names):
        raise ValueError(
            f"arg_defaults has {len(arg_defaults)} values but only {len(arg_names)} positional "
            "arguments"
        )
    for name in kwonly_defaults:
        if name not in kwonly_names:
            raise ValueError(
                f"Default provided for {name!r} which is not in kwonly_names: {kwonly_names}"
            )


def make_kwargs_wrapper(
    target_func: Callable[..., Any],
    arg_names: list[str],
    arg_defaults: tuple[Any, ...] = (),
    kwonly_names: list[str] | None = None,
    kwonly_defaults: dict[str, Any] | None = None,
    prototype: Callable[..., Any] | None = None,
    map_dataclass_to_tuple: list[str] | None = None,
) -> Callable[..., Any]:
    """A function with named parameters that makes one positional call.

    Parameters
    ----------
    target_func
        Called with the values of ``arg_names``, then those of ``kwonly_names``.
    arg_names
        Parameters that can be given by position or by name.
    arg_defaults
        Defaults of the last of them. None and bool defaults are part of the signature; any other
        one is shown as ``MISSING`` and filled in by the wrapper.
    kwonly_names, kwonly_defaults
        Parameters that are given by name, and their defaults.
    prototype
        A function whose name, documentation and module the wrapper takes.
    map_dataclass_to_tuple
        Parameters whose values go through ``unpack_dataclass_to_tuple`` first.

    Raises
    ------
    TypeError, ValueError
        A name is no identifier, occurs twice, or is one that the wrapper uses itself; a default
        belongs to no parameter.
    """
    kwonly_names = list(kwonly_names or ())
    kwonly_defaults = dict(kwonly_defaults or {})
    arg_names = list(arg_names)
    _check(arg_names, arg_defaults, kwonly_names, kwonly_defaults)
    unpacked = set(map_dataclass_to_tuple or ())

    values: dict[str, Any] = dict(
        zip(arg_names[len(arg_names) - len(arg_defaults) :], arg_defaults)
    )
    values.update(kwonly_defaults)
    parameters: list[str] = []
    passed: list[str] = []

    def add(name: str) -> None:
        expression = name
        if name not in values:
            parameters.append(name)
        elif values[name] is None or isinstance(values[name], bool):
            parameters.append(f"{name}={values[name]!r}")
        else:
            parameters.append(f"{name}={_MISSING_NAME}")
            expression = f"({_DEFAULTS}[{name!r}] if {name} is {_MISSING_NAME} else {name})"
        passed.append(f"{_UNPACK_NAME}({expression})" if name in unpacked else expression)

    for name in arg_names:
        add(name)
    if kwonly_names:
        parameters.append("*")
    for name in kwonly_names:
        add(name)

    scope: dict[str, Any] = {
        _TARGET: target_func,
        _MISSING_NAME: MISSING,
        _DEFAULTS: values,
        _UNPACK_NAME: unpack_dataclass_to_tuple,
    }
    exec(
        f"def wrapper({', '.join(parameters)}):\n    return {_TARGET}({', '.join(passed)})\n", scope
    )
    wrapper = scope["wrapper"]
    if prototype is not None:
        functools.update_wrapper(wrapper, prototype)
        # inspect.signature would follow this to the prototype, whose parameters may differ.
        del wrapper.__wrapped__
    return wrapper


def make_kwargs_wrapper_from_signature(
    target_func: Callable[..., Any],
    signature: inspect.Signature,
    prototype: Callable[..., Any] | None = None,
    exclude_arg_names: Iterable[str] | None = None,
    map_dataclass_to_tuple: list[str] | None = None,
) -> Callable[..., Any]:
    """``make_kwargs_wrapper`` for the parameters of a signature, without the excluded ones.

    Raises ``ValueError`` for a signature with ``*args`` or ``**kwargs``.
    """
    excluded = set(exclude_arg_names or ())
    names: list[str] = []
    defaults: list[Any] = []
    kwonly_names: list[str] = []
    kwonly_defaults: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise ValueError("*args not supported in wrapper generation")
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            raise ValueError("**kwargs not supported in wrapper generation")
        if name in excluded:
            continue
        has_default = parameter.default is not inspect.Parameter.empty
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            kwonly_names.append(name)
            if has_default:
                kwonly_defaults[name] = parameter.default
        else:
            names.append(name)
            if has_default:
                defaults.append(parameter.default)
    return make_kwargs_wrapper(
        target_func,
        names,
        tuple(defaults),
        kwonly_names,
        kwonly_defaults,
        prototype,
        map_dataclass_to_tuple,
    )
