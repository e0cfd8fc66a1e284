# SPDX-License-Identifier: Apache-2.0
"""The decorators of the language, and parsing of source text."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from types import CellType, FrameType, FunctionType
from typing import Any

from . import direct, protocol
from .build import (
    NoCollection,
    build_directly,
    build_function,
    build_module,
    cell_values,
    function_options,
)
from .compile import cells_of, compile_function, compile_helper, make_function
from .namespaces import is_namespace
from .source import SourceText, cut_function, of_class, parse_cut

_BARE_ALIAS = (
    "Use a qualified construction decorator such as @T.function; bare and preconfigured decorator "
    "aliases are unsupported"
)
_NOT_AT_DEFINITION = "Construction decorators must be applied with @ at the definition site"


class Scope:
    """Where the names of a definition come from: cells first, then the globals."""

    __slots__ = ("cells", "namespace")

    def __init__(self, namespace: dict, cells: dict[str, CellType]) -> None:
        self.namespace = namespace
        self.cells = cells

    @staticmethod
    def of_function(function: FunctionType, frame: FrameType) -> Scope:
        """The scope of a function defined in ``frame``. Names that the function itself does not
        capture (they stand in annotations only) are taken from the frame."""
        cells: dict[str, CellType] = {}
        if frame.f_locals is not frame.f_globals:
            cells = cells_of(frame.f_locals)
        closure = function.__closure__ or ()
        cells.update(zip(function.__code__.co_freevars, closure))
        return Scope(function.__globals__, cells)

    @staticmethod
    def of_frame(frame: FrameType) -> Scope:
        """What is visible in ``frame``."""
        inner = frame.f_locals is not frame.f_globals
        return Scope(frame.f_globals, cells_of(frame.f_locals) if inner else {})

    def lookup(self, name: str) -> Any:
        """The value of a name now, None when it has none."""
        cell = self.cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                return None
        return self.namespace.get(name)

    def is_namespace(self, name: str) -> bool:
        return is_namespace(self.lookup(name))

    def names(self) -> list[str]:
        """Names that compiled code may take from cells."""
        return [*self.cells, *protocol.CELLS]


class DeferredMember:
    """A function of a module class, until the class is parsed."""

    __slots__ = ("frame_line", "function", "options")

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self.function = function
        self.options = options


def _in_module_class(frame: FrameType) -> bool:
    """Whether ``frame`` runs the body of a class that is decorated as a module."""
    names = frame.f_locals
    if names is frame.f_globals or "__qualname__" not in names or "__module__" not in names:
        return False
    import linecache

    code = frame.f_code
    for number in range(code.co_firstlineno, code.co_firstlineno + 50):
        line = linecache.getline(code.co_filename, number, frame.f_globals).strip()
        if line.startswith("@") and "ir_module" in line:
            return True
        if line.startswith("class ") or (not line and number > code.co_firstlineno + 40):
            return False
    return False


def _decorator_at(node: ast.stmt, kinds: tuple[str, ...], scope: Scope) -> ast.expr | None:
    """The decorator of a definition that is ``namespace.kind`` with kind in ``kinds``."""
    for decorator in getattr(node, "decorator_list", ()):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (
            isinstance(target, ast.Attribute)
            and target.attr in kinds
            and is_namespace(_evaluate_path(target.value, scope))
        ):
            return decorator
    return None


def _evaluate_path(node: ast.expr, scope: Scope) -> Any:
    """The value of ``a`` or ``a.b.c``, None when there is none."""
    if isinstance(node, ast.Name):
        return scope.lookup(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(_evaluate_path(node.value, scope), node.attr, None)
    return None


def _check_decorators(node: ast.stmt, source: SourceText, scope: Scope) -> None:
    """Raise unless ``node`` carries a construction decorator in its qualified form."""
    if _decorator_at(node, ("function", "jit", "inline", "macro", "ir_module"), scope) is not None:
        return
    for decorator in getattr(node, "decorator_list", ()):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        raise source.error(_BARE_ALIAS, target)
    raise source.error(_NOT_AT_DEFINITION, node)


def _parse_definition(
    function: FunctionType, scope: Scope, text: SourceText | None = None
) -> tuple[SourceText, ast.FunctionDef]:
    source, node = parse_cut(text or cut_function(function), function)
    if not isinstance(node, ast.FunctionDef):
        if isinstance(node, ast.AsyncFunctionDef):
            raise source.error("Unsupported statement: AsyncFunctionDef", node)
        raise source.error(_NOT_AT_DEFINITION, node)
    _check_decorators(node, source, scope)
    return source, node


def _plain_annotations(function: FunctionType) -> Mapping[str, Any] | None:
    """The annotations as values, None when they are texts (``from __future__``)."""
    annotations = function.__annotations__
    for value in annotations.values():
        if isinstance(value, str):
            return None
    return annotations


def parse_function(function: FunctionType, options: Mapping[str, Any], frame: FrameType) -> Any:
    """Build the tirx.Function that ``function``, defined in ``frame``, describes."""
    chosen = function_options(options)
    with NoCollection():
        scope = Scope.of_function(function, frame)
        text = cut_function(function)
        result = _build_directly(function, text, scope, chosen)
        if result is not None:
            return result
        source, node = _parse_definition(function, scope, text)
        code = compile_function(node, source, scope.is_namespace, scope.names())
        del node
        return build_function(
            code, scope.namespace, scope.cells, chosen, annotations=_plain_annotations(function)
        )


def _build_directly(
    function: FunctionType, text: SourceText, scope: Scope, options: Mapping[str, Any]
) -> Any:
    """The function when its body can run as it is; None when it must be rewritten."""
    plan = direct.plan(function, "".join(text.lines), scope.is_namespace)
    if plan is None:
        return None
    annotations = direct.evaluated_annotations(function, scope.cells)
    count = function.__code__.co_argcount
    if annotations is None or any(
        name not in annotations for name in function.__code__.co_varnames[:count]
    ):
        return None
    try:
        return build_directly(function, plan, annotations, options)
    except Exception:
        return None  # the general way finds the error again, and its place


def parse_helper(function: FunctionType, kind: str, frame: FrameType) -> Callable:
    """The expanding form of a T.inline or T.macro helper."""
    with NoCollection():
        scope = Scope.of_function(function, frame)
        source, node = _parse_definition(function, scope)
        code = compile_helper(node, source, scope.is_namespace, scope.names(), kind)
    cells = dict(scope.cells)
    if kind == "macro":
        # A macro keeps the values that it captured when it was defined.
        for name, cell in cells.items():
            try:
                cells[name] = CellType(cell.cell_contents)
            except ValueError:
                pass
    namespace = SnapshotGlobals(scope.namespace, code.co_names)
    cells.update(protocol.CELLS)
    rewritten = make_function(code, namespace, cells, like=function)
    return protocol.helper(rewritten)


class SnapshotGlobals(dict):
    """Globals as they are now for some names, and later ones for all others."""

    def __init__(self, namespace: dict, names: tuple[str, ...]) -> None:
        super().__init__((name, namespace[name]) for name in names if name in namespace)
        self._live = namespace
        self["__builtins__"] = namespace.get("__builtins__", __builtins__)

    def __missing__(self, name: str) -> Any:
        return self._live[name]


# ---- decorators


def _decorate(
    value: Any, options: dict[str, Any], apply: Callable[[Any, dict, FrameType], Any], kinds: Any
) -> Any:
    """``@decorator`` and ``@decorator(options)``. The frame is that of the definition."""
    if value is None:
        return lambda target: apply(target, options, sys._getframe(1))
    if not isinstance(value, kinds):
        raise ValueError("Construction decorators require a function or keyword options")
    return apply(value, options, sys._getframe(2))


def function(function: Any = None, /, **options: Any) -> Any:
    """Decorator: parse a Python function into a ``tirx.Function``.

    Options: ``private`` (no global symbol), ``persistent`` (a persistent kernel),
    ``check_well_formed``. SyntaxError for what the language does not have, with its place."""

    def apply(target: FunctionType, options: dict, frame: FrameType) -> Any:
        if _in_module_class(frame):
            return DeferredMember(target, options)
        return parse_function(target, options, frame)

    return _decorate(function, options, apply, FunctionType)


def inline(function: Any = None, /, **options: Any) -> Any:
    """Decorator: a helper that is expanded at each call; ``return`` gives a Python value."""

    def apply(target: FunctionType, options: dict, frame: FrameType) -> Any:
        return parse_helper(target, "inline", frame)

    return _decorate(function, options, apply, FunctionType)


def macro(function: Any = None, /, **options: Any) -> Any:
    """Decorator: as `inline`, but ``return`` is a statement of the program."""

    def apply(target: FunctionType, options: dict, frame: FrameType) -> Any:
        return parse_helper(target, "macro", frame)

    return _decorate(function, options, apply, FunctionType)


def pyfunc(function: Any) -> Any:
    """Decorator: an ordinary Python function inside a module class."""
    return function


def ir_module(module: Any = None, /, **options: Any) -> Any:
    """Decorator: parse a class into an ``ir.IRModule``. Option: ``check_well_formed``."""

    def apply(target: type, options: dict, frame: FrameType) -> Any:
        unknown = set(options) - {"check_well_formed"}
        if unknown:
            raise TypeError(
                f"ir_module() got an unexpected keyword argument {sorted(unknown)[0]!r}"
            )
        scope = Scope.of_frame(frame)
        with NoCollection():
            source, node = of_class(
                target, frame.f_code.co_filename, frame.f_globals, frame.f_lineno
            )
            if not isinstance(node, ast.ClassDef):
                raise source.error(_NOT_AT_DEFINITION, node)
            return parse_module(node, source, scope, options.get("check_well_formed", True))

    return _decorate(module, options, apply, type)


def parse_module(node: ast.ClassDef, source: SourceText, scope: Scope, well_formed: bool) -> Any:
    """Build the module that a class definition describes."""
    functions = []
    prologue = []
    seen: set[str] = set()
    names = [*scope.names(), node.name]
    # Names that other statements of the class define are visible in the members too.
    for item in node.body:
        if isinstance(item, ast.Assign):
            names += [t.id for t in item.targets if isinstance(t, ast.Name)]
    for item in node.body:
        if not isinstance(item, ast.FunctionDef):
            if isinstance(item, (ast.Pass, ast.ClassDef)):
                continue
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
                continue
            statement = ast.Module([item], [])
            code = compile(statement, source.filename, "exec", dont_inherit=True)
            prologue.append(code.replace(co_firstlineno=code.co_firstlineno + source.shift))
            continue
        decorator = _decorator_at(item, ("function", "pyfunc"), scope)
        if decorator is None:
            if item.decorator_list:
                continue
            raise source.error(
                f"Function {item.name!r} requires a qualified construction "
                "decorator such as @T.function; bare and preconfigured decorator "
                "aliases are unsupported",
                item,
            )
        target: Any = decorator.func if isinstance(decorator, ast.Call) else decorator
        if target.attr == "pyfunc":
            continue
        if item.name in seen:
            raise source.error("Duplicate function declaration", item)
        seen.add(item.name)
        options = function_options(_read_options(decorator, source, scope))
        member = compile_function(item, source, scope.is_namespace, names, module_name=node.name)
        functions.append((member, options))
    return build_module(
        node.name, source.filename, functions, prologue, scope.namespace, scope.cells, well_formed
    )


def _read_options(decorator: ast.expr, source: SourceText, scope: Scope) -> dict[str, Any]:
    """The keyword options that a decorator in the tree is written with."""
    if not isinstance(decorator, ast.Call):
        return {}
    if decorator.args:
        raise source.error("Function decorators accept keyword options only", decorator.args[0])
    options = {}
    values = cell_values(scope.cells)
    for keyword in decorator.keywords:
        expression = ast.Expression(keyword.value)
        code = compile(expression, source.filename, "eval", dont_inherit=True)
        options[str(keyword.arg)] = eval(code, scope.namespace, values)
    return options


def parse(
    source: Any,
    extra_vars: Mapping[str, Any] | None = None,
    *,
    filename: str | None = None,
    track_loc: bool = True,
    definition_scope: Mapping[str, Any] | None = None,
    root_function_kwargs: Mapping[str, Any] | None = None,
    check_well_formed: bool | None = None,
) -> Any:
    """Parse source text, a function or a class into a function or a module.

    Text holds one decorated function or class, and imports its namespaces, unless ``extra_vars``
    gives them. What ``script()`` prints is understood as it is."""
    options = dict(root_function_kwargs or {})
    if check_well_formed is not None:
        options["check_well_formed"] = check_well_formed
    frame = sys._getframe(1)
    if isinstance(source, FunctionType):
        return parse_function(source, options, frame)
    if isinstance(source, type):
        with NoCollection():
            import inspect

            text, node = of_class(
                source,
                inspect.getsourcefile(source) or "<str>",
                vars(sys.modules[source.__module__]),
                inspect.getsourcelines(source)[1],
            )
            if not isinstance(node, ast.ClassDef):
                raise text.error(_NOT_AT_DEFINITION, node)
            return parse_module(
                node, text, Scope.of_frame(frame), options.get("check_well_formed", True)
            )
    if not isinstance(source, str):
        raise TypeError(
            f"Source must be a text, a function or a class, got {type(source).__name__}"
        )
    from .text import parse_text

    names = {**(definition_scope or {}), **(extra_vars or {})}
    with NoCollection():
        return parse_text(source, names, filename or "<str>", options)
