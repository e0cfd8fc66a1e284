# SPDX-License-Identifier: Apache-2.0
"""Names, documentation, default values and signatures of native functions, from their metadata.

Imported when somebody asks; a call with all arguments by position never does.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import core

if TYPE_CHECKING:
    import inspect


def _parse(text: str | None) -> dict[str, Any]:
    parsed = json.loads(text) if text else {}
    return parsed if isinstance(parsed, dict) else {}


def _names(metadata: dict[str, Any]) -> list[str] | None:
    """Names of the parameters: ``param_names`` is a list, or a text with commas."""
    names = metadata.get("param_names")
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")] if names.strip() else []
    return [str(name) for name in names] if isinstance(names, list) else None


def _defaults(metadata: dict[str, Any]) -> dict[str, Any]:
    """Default values by name: ``param_defaults`` is an object, or the text of one."""
    defaults = metadata.get("param_defaults")
    if isinstance(defaults, str):
        defaults = json.loads(defaults)
    return defaults if isinstance(defaults, dict) else {}


def parameter_names_and_defaults(
    metadata: dict[str, Any],
) -> tuple[list[str] | None, dict[str, Any]]:
    """Names of the parameters, None when the metadata has none, and default values by name."""
    return _names(metadata), _defaults(metadata)


def count_defaulted(text: str) -> int:
    """Number of parameters of a function when some of them have default values, else 0."""
    metadata = _parse(text)
    names, defaults = _names(metadata), _defaults(metadata)
    return len(names) if names and any(name in defaults for name in names) else 0


def _from_schema(metadata: dict[str, Any], skip_self: bool = False) -> inspect.Signature:
    from inspect import Parameter, Signature

    any_args = Parameter("args", Parameter.VAR_POSITIONAL, annotation=Any)
    text = metadata.get("type_schema")
    schema = core.TypeSchema.from_json_str(text) if text else None
    groups = schema.named_args if schema is not None else None
    names, defaults = _names(metadata), _defaults(metadata)
    if groups and "params" in groups:
        types: list[Any] = [param.input_repr() for param in groups["params"]]
        result: Any = groups["return"][0].output_repr()
    elif names is not None:
        types, result = [Any] * len(names), Any
    else:
        return Signature([any_args], return_annotation=Any)
    # Behind the last parameter without a default: a signature shows no default before that.
    required = 0
    for i in range(len(types)):
        if names is None or i >= len(names) or names[i] not in defaults:
            required = i + 1
    parameters = []
    for i, annotation in enumerate(types):
        named = names is not None and i < len(names)
        name = names[i] if named and names is not None else f"_{i}"
        if skip_self and i == 0 and not named:
            name = "self"
        kind = Parameter.POSITIONAL_OR_KEYWORD if named else Parameter.POSITIONAL_ONLY
        default = defaults[name] if i >= required else Parameter.empty
        parameters.append(Parameter(name, kind, default=default, annotation=annotation))
    return Signature(parameters, return_annotation=result)


def signature_of(function: Any) -> inspect.Signature:
    """Signature of a function: of its Python callable when it has one, else of its metadata."""
    callable_ = core._callable_of(function)
    if callable_ is not None:
        import inspect

        return inspect.signature(callable_)
    return _from_schema(_parse(function._metadata))


def method_signature(method: Any) -> inspect.Signature:
    """Signature of a reflected method, ``self`` included."""
    made = method.__dict__.get("__ffi_signature__")
    if made is not None:
        return made()
    metadata = method.__dict__.get("__ffi_metadata__")
    if isinstance(metadata, str):
        metadata = json.loads(metadata)
    is_static = method.__dict__.get("__ffi_is_static__", False)
    signature = _from_schema(metadata or {}, skip_self=not is_static)
    if method.__dict__.get("__ffi_add_self__"):
        from inspect import Parameter

        this = Parameter("self", Parameter.POSITIONAL_ONLY)
        # The native function returns the object that the constructor puts into self.
        parameters = [this, *signature.parameters.values()]
        return signature.replace(parameters=parameters, return_annotation=None)
    return signature


def _global_doc(function: Any) -> str | None:
    """Documentation of a global function. The functions of modules know theirs already."""
    name = function._name
    found = None if name is None else core._get_global_func(name, True)
    if found is None or not found.same_as(function):
        return None
    doc = core._get_global_func("ffi.GetGlobalFuncDoc", False)(name)
    return str(doc) if doc else None


def derive(function: Any, attribute: str) -> Any:
    """Value of ``__name__``, ``__qualname__``, ``__doc__`` or ``__signature__``."""
    callable_ = core._callable_of(function)
    if attribute == "__signature__":
        try:
            return signature_of(function)
        except (TypeError, ValueError) as error:
            raise AttributeError(attribute) from error
    if attribute == "__doc__":
        if callable_ is not None:
            return getattr(callable_, "__doc__", None)
        return _global_doc(function)
    full = function._name
    if full is not None:
        return full.rpartition(".")[2] if attribute == "__name__" else full
    if callable_ is not None and hasattr(callable_, attribute):
        return getattr(callable_, attribute)
    return "Function"


def _bind_callable(
    callable_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    import inspect

    signature = inspect.signature(callable_)
    bound = signature.bind(*args, **kwargs)
    for name in kwargs:
        parameter = signature.parameters.get(name)
        if parameter is None or parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            raise TypeError(f"'{name}' can't be passed by name: native calls are positional")
    bound.apply_defaults()
    return bound.args


def _bind(
    title: str,
    names: list[str],
    defaults: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, ...]:
    for name in kwargs:
        if name not in names:
            raise TypeError(f"{title} got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"{title} got multiple values for argument '{name}'")
    values = list(args)
    for name in names[len(args) :]:
        if name in kwargs:
            values.append(kwargs[name])
        elif name in defaults:
            values.append(defaults[name])
        elif kwargs:
            raise TypeError(f"{title} missing a required argument: '{name}'")
        else:
            return args
    return tuple(values)


def bind_constructor(
    constructor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The positional arguments of a native constructor that has its own signature.

    Left-out arguments get their default values. Raises ``TypeError`` for keywords when the metadata
    does not name the parameters.
    """
    metadata = constructor.__ffi_metadata__
    if isinstance(metadata, str):
        metadata = json.loads(metadata)
    names = _names(metadata or {})
    if names is None:
        if not kwargs:
            return args
        signature = _from_schema(metadata or {})
        types = ", ".join(str(p.annotation) for p in signature.parameters.values())
        raise TypeError(
            f"{constructor.__qualname__}() got a keyword argument '{next(iter(kwargs))}', but the "
            f"native constructor names no parameters: pass ({types}) by position"
        )
    return _bind(f"{constructor.__qualname__}()", names, _defaults(metadata), args, kwargs)


def explain_count(function: Any, error: Exception, count: int) -> None:
    """Makes the text about a wrong number of arguments tell how many may be left out.

    The native text knows nothing of default values: ``error`` is what a call with ``count``
    arguments raised, and any other error stays as it is.
    """
    metadata = _parse(function._metadata)
    names, defaults = _names(metadata) or [], _defaults(metadata)
    required = len(names)
    while required and names[required - 1] in defaults:
        required -= 1
    text = str(error)
    end = f"Expected {len(names)} but got {count} arguments"
    if required == len(names) or type(error) is not TypeError or not text.endswith(end):
        return
    text = f"{text[: -len(end)]}Expected {required} to {len(names)} but got {count} arguments"
    error.args = (text,)
    native: core.Error = error.__tvm_ffi_error__  # type: ignore[attr-defined]
    error.__tvm_ffi_error__ = core.Error(native.kind, text, native.backtrace)  # type: ignore[attr-defined]


def bind_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The positional arguments of a call that has keywords or leaves out arguments with a default.

    TypeError when a name is unknown or an argument is given twice or not at all. A call without
    keywords that still lacks arguments is left to the function, which tells its own signature.
    """
    callable_ = core._callable_of(function)
    if callable_ is not None:
        return _bind_callable(callable_, args, kwargs)
    metadata = _parse(function._metadata)
    names, defaults = _names(metadata), _defaults(metadata)
    if names is None:
        raise TypeError(
            f"{function.__qualname__}() got an unexpected keyword argument "
            f"'{next(iter(kwargs))}': the native function names no parameters, pass the arguments "
            "by position"
        )
    return _bind(f"{function.__name__}()", names, defaults, args, kwargs)
