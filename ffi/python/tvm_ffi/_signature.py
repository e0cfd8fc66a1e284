# SPDX-License-Identifier: Apache-2.0
"""Names, documentation and signatures of native functions, from their metadata.

Imported when somebody asks; the call path never does.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from . import core


def _metadata(function: Any) -> dict[str, Any]:
    name = function._global_name
    if name is None:
        return {}
    text = core._get_global_func("ffi.GetGlobalFuncMetadata", False)(name)
    parsed = json.loads(text) if text else {}
    return parsed if isinstance(parsed, dict) else {}


def _names(metadata: dict[str, Any]) -> list[str] | None:
    """Names of the parameters: ``param_names`` is a list, or a text with commas."""
    names = metadata.get("param_names")
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")] if names else []
    return list(names) if isinstance(names, list) else None


def _defaults(metadata: dict[str, Any]) -> dict[str, Any]:
    defaults = metadata.get("param_defaults")
    if isinstance(defaults, str):
        defaults = json.loads(defaults)
    return defaults if isinstance(defaults, dict) else {}


def _from_schema(metadata: dict[str, Any], skip_self: bool = False) -> inspect.Signature:
    any_args = inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL, annotation=Any)
    text = metadata.get("type_schema")
    schema = core.TypeSchema.from_json_str(text) if text else None
    groups = schema.named_args if schema is not None else None
    if not groups or "params" not in groups:
        return inspect.Signature([any_args], return_annotation=Any)
    names, defaults = _names(metadata), _defaults(metadata)
    parameters = []
    for i, param in enumerate(groups["params"]):
        named = names is not None and i < len(names)
        name = names[i] if named and names is not None else f"_{i}"
        if skip_self and i == 0 and not named:
            name = "self"
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if named
                else inspect.Parameter.POSITIONAL_ONLY,
                default=defaults.get(name, inspect.Parameter.empty),
                annotation=param.input_repr(),
            )
        )
    return inspect.Signature(parameters, return_annotation=groups["return"][0].output_repr())


def signature_of(function: Any) -> inspect.Signature:
    """Signature of a function: of its Python callable when it has one, else of its metadata."""
    callable_ = core._callable_of(function)
    if callable_ is not None:
        return inspect.signature(callable_)
    return _from_schema(_metadata(function))


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
        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        return signature.replace(parameters=[this, *signature.parameters.values()])
    return signature


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
        doc = _metadata(function).get("doc")
        return doc if isinstance(doc, str) else None
    full = function._global_name
    if full is not None:
        return full.rpartition(".")[2] if attribute == "__name__" else full
    if callable_ is not None and hasattr(callable_, attribute):
        return getattr(callable_, attribute)
    return "Function"


def bind_constructor(
    constructor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The positional arguments of a native constructor that has its own signature.

    Raises ``TypeError`` when its metadata does not name the parameters.
    """
    if not kwargs:
        return args
    metadata = constructor.__ffi_metadata__
    if isinstance(metadata, str):
        metadata = json.loads(metadata)
    signature = _from_schema(metadata or {})
    if _names(metadata or {}) is None:
        types = ", ".join(str(p.annotation) for p in signature.parameters.values())
        raise TypeError(
            f"{constructor.__qualname__}() got a keyword argument '{next(iter(kwargs))}', but the "
            f"native constructor names no parameters: pass ({types}) by position"
        )
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def bind_keywords(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The positional arguments of a call with keywords. TypeError when a name is unknown."""
    callable_ = core._callable_of(function)
    if callable_ is None and _names(_metadata(function)) is None:
        raise TypeError(f"__call__() got an unexpected keyword argument '{next(iter(kwargs))}'")
    signature = signature_of(function)
    bound = signature.bind(*args, **kwargs)
    for name in kwargs:
        parameter = signature.parameters.get(name)
        if parameter is None or parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            raise TypeError(f"'{name}' can't be passed by name: native calls are positional")
    bound.apply_defaults()
    return bound.args
