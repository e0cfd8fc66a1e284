# SPDX-License-Identifier: Apache-2.0
"""Runs compiled definitions to build functions and modules."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CellType, FunctionType
from typing import Any

from ..._ffi_functions import Functions
from . import direct, protocol
from .compile import CONSTEXPR, OPTIONAL, FunctionCode, make_function
from .diagnostics import add_note, locate, note_location

_b = Functions("script.ir_builder.")
_tirx = Functions("script.ir_builder.tirx.")
_ir = Functions("ir.")

FUNCTION_OPTIONS = {"private": False, "persistent": False, "check_well_formed": True}


def function_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of T.function with their defaults; TypeError for an unknown one."""
    for name in options:
        if name not in FUNCTION_OPTIONS:
            raise TypeError(f"function_() got an unexpected keyword argument {name!r}")
    return {**FUNCTION_OPTIONS, **options}


class NoCollection:
    """Keeps the cyclic garbage collector off: a growing tree makes it run for nothing."""

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: Any) -> None:
        if self._was_on:
            gc.enable()


@contextmanager
def building(filename: str) -> Iterator[Any]:
    """A builder for a source file. After an error everything is left, and the error located."""
    builder = _b.IRBuilder()
    depth = len(protocol._open_with)
    _b.IRBuilderEnter(builder)
    _b.PushSource(filename, None)
    try:
        yield builder
    except BaseException as error:
        protocol.abandon_with(depth)
        if isinstance(error, Exception):
            locate(error)
        raise
    finally:
        _b.PopSource()
        _b.IRBuilderExit(builder)


class Signature:
    """The evaluated signature of a function: a type for each parameter that is not a constant."""

    __slots__ = ("cells", "ret_type", "types")

    def __init__(self, types: list[Any], ret_type: Any, cells: dict[str, CellType]) -> None:
        self.types = types
        self.ret_type = ret_type
        self.cells = cells


def evaluate_signature(
    code: FunctionCode,
    namespace: dict,
    cells: Mapping[str, CellType],
    constants: Mapping[str, Any],
    annotations: Mapping[str, Any] | None = None,
) -> Signature:
    """Parameter and result types. ``constants`` are the values of compile-time constants, and None
    for optional parameters that are left out. ``annotations``: values that Python has already."""
    from ...ir.expr import Var
    from ...ir.type import NoneType, PrimType

    own = dict(cells)
    for name, bound in code.symbols.items():
        dtype: Any = "int32"
        if bound is not None:
            dtype = eval(bound, namespace, cell_values(cells))
            if dtype is int:
                dtype = "int32"
            elif not isinstance(dtype, PrimType) or not dtype.is_scalar():
                raise TypeError(
                    "A symbolic type parameter bound must be int or a registered scalar dtype"
                )
        own[name] = CellType(Var(name, dtype))
    for parameter in code.parameters:
        if parameter.role == CONSTEXPR:
            own[parameter.name] = CellType(constants[parameter.name])
    own.update(protocol.CELLS)
    if annotations is not None and not code.symbols:
        types = [annotations[p.name] for p in code.parameters]
        return Signature(types, annotations.get("return"), own)
    thunks, _, returns = make_function(code.signature, namespace, own)()
    types = []
    for parameter, thunk in zip(code.parameters, thunks):
        if parameter.role == CONSTEXPR:
            continue
        if parameter.role == OPTIONAL and parameter.name in constants:
            types.append(NoneType())
        else:
            types.append(thunk())
    return Signature(types, None if returns is None else returns(), own)


def parameter_type(annotation: Any) -> Any:
    """The type that an annotation stands for; TypeError when it is none."""
    from ...ir.expr import Var
    from ...ir.type import Type, as_type

    if isinstance(annotation, Type):
        return annotation
    if isinstance(annotation, Var):
        return annotation.ty
    if callable(annotation) and getattr(annotation, "__name__", "") in ("handle", "ptr"):
        return as_type("handle")
    if isinstance(annotation, type) and issubclass(annotation, Type):
        return annotation()
    name = type(annotation).__name__
    if name == "OptionalAnnotation":
        raise TypeError("T.Optional is only supported by @T.jit")
    raise TypeError(f"A parameter annotation must be a type, got {name}: {annotation!r}")


def run_function(
    code: FunctionCode,
    namespace: dict,
    signature: Signature,
    constants: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    """Build a function inside the current builder (and the current module frame, if any)."""
    frame = _tirx.Function(options["private"], options["persistent"], False)
    _b.FrameEnter(frame, code.loc)
    _tirx.FuncName(code.name)
    values: list[Any] = []
    types = iter(signature.types)
    for parameter in code.parameters:
        if parameter.role == CONSTEXPR:
            continue
        var = _tirx.Arg(parameter.name, parameter_type(next(types)), parameter.loc)
        left_out = parameter.role == OPTIONAL and parameter.name in constants
        values.append(None if left_out else var)
    if signature.ret_type is not None:
        _tirx.FuncRet(parameter_type(signature.ret_type))
    make_function(code.body, namespace, signature.cells)(*values)
    _b.FrameExit(frame)


def build_function(
    code: FunctionCode,
    namespace: dict,
    cells: Mapping[str, CellType],
    options: Mapping[str, Any],
    constants: Mapping[str, Any] | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> Any:
    """A finished function."""
    constants = {} if constants is None else constants
    with building(code.filename) as builder:
        signature = evaluate_signature(code, namespace, cells, constants, annotations)
        run_function(code, namespace, signature, constants, options)
        function = _b.IRBuilderGet(builder)
        if options["check_well_formed"]:
            check_well_formed(function)
    return function


def build_directly(
    function: FunctionType,
    plan: direct.Plan,
    annotations: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Any:
    """A finished function whose body runs as Python compiled it."""
    code = function.__code__
    builder = _b.IRBuilder()
    _b.IRBuilderEnter(builder)
    _b.PushSource(code.co_filename, None)
    try:
        frame = _tirx.Function(options["private"], options["persistent"], False)
        _b.FrameEnter(frame, code.co_firstlineno << 40 | 1 << 28)
        _tirx.FuncName(function.__name__)
        values = [
            _tirx.Arg(name, parameter_type(annotations[name]), code.co_firstlineno << 40 | 1 << 28)
            for name in code.co_varnames[: code.co_argcount]
        ]
        if annotations.get("return") is not None:
            _tirx.FuncRet(parameter_type(annotations["return"]))
        direct.run(plan, function, values)
        _b.FrameExit(frame)
        result = _b.IRBuilderGet(builder)
        if options["check_well_formed"]:
            check_well_formed(result)
        return result
    finally:
        _b.PopSource()
        _b.IRBuilderExit(builder)


def cell_values(cells: Mapping[str, CellType]) -> dict[str, Any]:
    """The contents of the cells that have any."""
    values = {}
    for name, cell in cells.items():
        try:
            values[name] = cell.cell_contents
        except ValueError:
            pass
    return values


class ModuleMembers:
    """Stands for the module class inside its members: ``Module.f`` is the GlobalVar of ``f``."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self._name = name
        self._members = members

    def __getattr__(self, name: str) -> Any:
        try:
            return self._members[name]
        except KeyError:
            raise AttributeError(f"Module {self._name!r} has no member {name!r}") from None


def build_module(
    name: str,
    filename: str,
    functions: list[tuple[FunctionCode, dict[str, Any]]],
    prologue: list[Any],
    namespace: dict,
    cells: Mapping[str, CellType],
    well_formed: bool,
) -> Any:
    """A finished module. ``prologue``: code objects of the other statements of the class body."""
    from ...ir.type import FuncType

    members: dict[str, Any] = {}
    proxy = ModuleMembers(name, members)
    own = {**cells, name: CellType(proxy)}
    with building(filename) as builder:
        frame = _b.IRModule()
        _b.FrameEnter(frame, 0)
        scope = cell_values(own)
        for statement in prologue:
            exec(statement, namespace, scope)
        for key, value in scope.items():
            if key not in own:
                own[key] = CellType(value)
        signatures = []
        for code, _ in functions:
            signature = evaluate_signature(code, namespace, own, {})
            types = [parameter_type(t) for t in signature.types]
            ret = parameter_type(signature.ret_type) if signature.ret_type is not None else _unit()
            members[code.name] = _b.DeclFunction(code.name, FuncType(types, ret))
            signatures.append(signature)
        for (code, options), signature in zip(functions, signatures):
            run_function(code, namespace, signature, {}, options)
        _b.FrameExit(frame)
        module = _b.IRBuilderGet(builder)
        if well_formed and all(options["check_well_formed"] for _, options in functions):
            check_well_formed(module)
    return module


def _unit() -> Any:
    from ...ir.type import TupleType

    return TupleType([])


def check_well_formed(node: Any) -> None:
    """ValueError with the cause, and the place in the source, unless ``node`` is well-formed."""
    fault = _ir.FindIllFormed(node)
    if fault is None:
        return
    text, location, out_of_scope = fault
    error = ValueError(
        "Program is not well-formed. If this is deliberate, set check_well_formed=False in the "
        f"top-level decorator.\n{text}"
    )
    if out_of_scope:
        text = f"`{out_of_scope} = ...` gives the name to a new value, up to the end of its block."
        text += (
            f" A value that a loop or a branch changes needs a type: `{out_of_scope}: T.int32 = 0`"
        )
        add_note(error, text)
    note_location(error, location)
    raise error
