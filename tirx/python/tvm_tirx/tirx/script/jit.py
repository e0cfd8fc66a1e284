# SPDX-License-Identifier: Apache-2.0
"""Functions with compile-time constants."""

from __future__ import annotations

from collections.abc import Mapping
from types import CellType, FrameType, FunctionType
from typing import Any

from ...script.parser.build import NoCollection, build_function, function_options
from ...script.parser.compile import (
    CONSTEXPR,
    OPTIONAL,
    FunctionCode,
    compile_function,
    make_function,
)
from ...script.parser.entry import Scope, _decorate, _parse_definition


class OptionalAnnotation:
    """``T.Optional(annotation)``: a parameter that a specialization may leave out."""

    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation


class JITFunction:
    """A function of the program that waits for its compile-time constants."""

    def __init__(
        self,
        code: FunctionCode,
        scope: Scope,
        options: Mapping[str, Any],
        function: FunctionType | None = None,
    ) -> None:
        self._code = code
        self._scope = scope
        self._options = dict(options)
        self._cache: dict[Any, Any] = {}
        self.__name__ = code.name
        self.__doc__ = None if function is None else function.__doc__
        self.__wrapped__ = function

    def __repr__(self) -> str:
        return f"<T.jit function {self.__name__} of {self._constant_names()}>"

    def _constant_names(self) -> list[str]:
        return [p.name for p in self._code.parameters if p.role == CONSTEXPR]

    def _defaults(self) -> dict[str, Any]:
        """Values of the defaults of constants."""
        from ...script.parser import protocol

        wanted = [p for p in self._code.parameters if p.default]
        if not wanted:
            return {}
        function = self.__wrapped__
        if function is not None:
            import inspect

            parameters = inspect.signature(function).parameters
            return {p.name: parameters[p.name].default for p in wanted}
        cells: dict[str, CellType] = {**self._scope.cells, **protocol.CELLS}
        for name in (*self._constant_names(), *self._code.symbols):
            cells.setdefault(name, CellType())
        _, defaults, _ = make_function(self._code.signature, self._scope.namespace, cells)()
        return {
            p.name: thunk()
            for p, thunk in zip(self._code.parameters, defaults)
            if thunk is not None
        }

    def specialize(self, **constants: Any) -> Any:
        """The ``tirx.Function`` for the values of the constants. ``name=None`` leaves out an
        optional parameter. The same values give the same function."""
        name = self.__name__
        roles = {p.name: p.role for p in self._code.parameters}
        required = self._constant_names()
        specializable = [p.name for p in self._code.parameters if p.role in (CONSTEXPR, OPTIONAL)]
        unexpected = [key for key in constants if key not in specializable]
        if unexpected:
            raise TypeError(
                f"{name}.specialize() got unexpected arg(s): {unexpected} "
                f"(specializable params are: {specializable})"
            )
        kept = {k: v for k, v in constants.items() if roles[k] == OPTIONAL and v is not None}
        if kept:
            raise TypeError(
                f"{name}.specialize(): optional parameters only accept None; pass actual tensors "
                f"when calling the compiled kernel (got: {kept})"
            )
        defaults = self._defaults()
        missing = [key for key in required if key not in constants and key not in defaults]
        if missing:
            raise TypeError(
                f"{name}.specialize() missing constexpr arg(s) (no default provided): {missing}"
            )
        values = {k: v for k, v in defaults.items() if roles[k] == CONSTEXPR} | constants
        for parameter, default in defaults.items():
            if roles[parameter] == OPTIONAL and default is None:
                values.setdefault(parameter, None)
        key = tuple((k, type(values[k]), values[k]) for k in sorted(values))
        try:
            found = self._cache.get(key)
        except TypeError:
            raise TypeError(
                f"{name}.specialize(): all constexpr values must be hashable (got: {constants})"
            ) from None
        if found is None:
            with NoCollection():
                found = build_function(
                    self._code,
                    self._scope.namespace,
                    self._scope.cells,
                    self._options,
                    constants=values,
                )
            self._cache[key] = found
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{self.__name__} has compile-time constants: specialize it, then compile it"
        )


def jit(func: Any = None, /, **options: Any) -> Any:
    """Decorator: a function whose parameters annotated ``T.constexpr`` are compile-time constants.

    Options as for ``T.function``. Use ``from __future__ import annotations``, since annotations
    mention the constants."""

    def apply(target: FunctionType, options: dict, frame: FrameType) -> JITFunction:
        chosen = function_options(options)
        with NoCollection():
            scope = Scope.of_function(target, frame)
            source, node = _parse_definition(target, scope)
            code = compile_function(node, source, scope.is_namespace, scope.names(), jit=True)
        return JITFunction(code, scope, chosen, target)

    return _decorate(func, options, apply, FunctionType)
