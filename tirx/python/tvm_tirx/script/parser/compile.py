# SPDX-License-Identifier: Apache-2.0
# The stubs of `ast` know neither positions given as a dict nor fields of a node whose class was
# looked at before.
# mypy: disable-error-code="attr-defined,union-attr,arg-type,misc"
"""From a definition to code objects that build it.

The rewritten function is compiled inside a function whose parameters are all names that it may
take from outside (enclosing scopes, compile-time constants, the builder protocol). That outer
function never runs: its inner code is given cells for those names, which keeps late binding where
the language asks for it and lets one compilation serve many specializations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

from .rewrite import Rewriter, _all_arguments, pack_location, rewrite_helper
from .source import SourceText, move_lines

CONSTEXPR, REQUIRED, OPTIONAL = "constexpr", "required", "optional"


class Parameter:
    """A parameter of a function: its role, its packed location and the place of its default."""

    __slots__ = ("default", "loc", "name", "role")

    def __init__(self, name: str, role: str, loc: int, default: bool) -> None:
        self.name = name
        self.role = role
        self.loc = loc
        self.default = default


class FunctionCode:
    """The code of one function of the program.

    ``body`` takes the parameters that are no constants; ``signature`` returns thunks for the
    annotations, the defaults (both by position, None where there is none) and the result type."""

    __slots__ = ("body", "filename", "loc", "name", "parameters", "signature", "symbols")

    def __init__(self) -> None:
        self.name = ""
        self.filename = ""
        self.loc = 0
        self.parameters: list[Parameter] = []
        self.body: CodeType
        self.signature: CodeType
        # Type parameters and the code of their bounds (None: int32).
        self.symbols: dict[str, CodeType | None] = {}


def _code_named(outer: CodeType, name: str) -> CodeType:
    for value in outer.co_consts:
        if isinstance(value, CodeType) and value.co_name == name:
            return value
    raise AssertionError(name)


def _compile_inside(
    functions: list[ast.FunctionDef], source: SourceText, names: Iterable[str], at: ast.AST
) -> CodeType:
    """The code of an outer function with parameters ``names`` around ``functions``."""
    where = {
        "lineno": at.lineno,
        "col_offset": at.col_offset,
        "end_lineno": at.end_lineno,
        "end_col_offset": at.end_col_offset,
    }
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name, None, **where) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    outer = _make_def("@outer", arguments, list(functions), where)
    module = ast.Module([outer], [])
    code = compile(module, source.filename, "exec", dont_inherit=True)
    return move_lines(_code_named(code, "@outer"), source.shift)


def _make_def(
    name: str, arguments: ast.arguments, body: list[ast.stmt], where: Mapping[str, int]
) -> ast.FunctionDef:
    node = ast.FunctionDef(name, arguments, body, [], None, None, **where)
    if "type_params" in node._fields:
        node.type_params = []
    return node


def make_function(
    code: CodeType, namespace: dict, cells: Mapping[str, CellType], like: FunctionType | None = None
) -> FunctionType:
    """A function of ``code`` whose free variables are ``cells``."""
    closure = tuple(cells[name] for name in code.co_freevars)
    defaults = None if like is None else like.__defaults__
    function = FunctionType(code, namespace, code.co_name, defaults, closure)
    if like is not None:
        function.__kwdefaults__ = like.__kwdefaults__
        function.__doc__ = like.__doc__
        function.__qualname__ = like.__qualname__
        function.__module__ = like.__module__
    return function


def _optional_inner(node: ast.expr) -> ast.expr | None:
    """The annotation inside `X | None`, `Optional[X]` or `T.Optional(X)`; None for others."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        if isinstance(node.right, ast.Constant) and node.right.value is None:
            return node.left
        if isinstance(node.left, ast.Constant) and node.left.value is None:
            return node.right
    if isinstance(node, ast.Subscript) and _last_name(node.value) == "Optional":
        return node.slice
    if isinstance(node, ast.Call) and _last_name(node.func) == "Optional" and len(node.args) == 1:
        return node.args[0]
    return None


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def compile_function(
    node: ast.FunctionDef,
    source: SourceText,
    is_namespace: Callable[[str], bool],
    names: Iterable[str],
    *,
    jit: bool = False,
    module_name: str | None = None,
) -> FunctionCode:
    """Compile a function of the program. ``names``: what it may take from outside."""
    result = FunctionCode()
    result.name = node.name
    result.filename = source.filename
    result.loc = pack_location(node, source.shift)
    rewriter = Rewriter(source, is_namespace, "function", module_name)
    for name, bound in _type_parameters(node, rewriter).items():
        rewriter.symbols[name] = node.lineno + source.shift
        result.symbols[name] = None
        if bound is not None:
            expression = ast.Expression(bound)
            result.symbols[name] = compile(expression, source.filename, "eval", dont_inherit=True)

    arguments = node.args
    if arguments.vararg is not None or arguments.kwarg is not None:
        raise source.error(
            "IR signatures require ordinary named parameters", arguments.vararg or arguments.kwarg
        )
    defaults = _defaults_by_name(arguments)
    annotations: list[ast.expr] = []
    for argument in _all_arguments(arguments):
        annotation = argument.annotation
        if annotation is None:
            raise source.error(f"Parameter {argument.arg!r} requires an annotation", argument)
        rewriter.check_annotation(annotation)
        role = REQUIRED
        if jit and _last_name(annotation) == "constexpr":
            role = CONSTEXPR
        elif jit and (inner := _optional_inner(annotation)) is not None:
            role, annotation = OPTIONAL, inner
        result.parameters.append(
            Parameter(
                argument.arg,
                role,
                pack_location(argument, source.shift),
                argument.arg in defaults,
            )
        )
        annotations.append(annotation)
        rewriter.bind_name(argument.arg, argument, "shadowed")

    where = {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.lineno,
        "end_col_offset": node.col_offset,
    }
    if node.returns is not None:
        rewriter.check_annotation(node.returns)
    signature = _signature_def(result.parameters, annotations, defaults, node.returns, where)
    constants = {p.name for p in result.parameters if p.role == CONSTEXPR}
    inner_arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(p.name, None, **where) for p in result.parameters if p.name not in constants],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    body = _make_def(
        node.name, inner_arguments, rewriter.body(node.body) or [ast.Pass(**where)], where
    )
    outside = dict.fromkeys([*names, *result.symbols, *constants])
    outer = _compile_inside([body, signature], source, outside, node)
    result.body = _code_named(outer, node.name)
    result.signature = _code_named(outer, "@signature")
    return result


def _defaults_by_name(arguments: ast.arguments) -> dict[str, ast.expr]:
    positional = [*arguments.posonlyargs, *arguments.args]
    count = len(arguments.defaults)
    found = {a.arg: d for a, d in zip(positional[len(positional) - count :], arguments.defaults)}
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is not None:
            found[argument.arg] = default
    return found


def _signature_def(
    parameters: list[Parameter],
    annotations: list[ast.expr],
    defaults: Mapping[str, ast.expr],
    returns: ast.expr | None,
    where: Mapping[str, int],
) -> ast.FunctionDef:
    load = ast.Load()

    def thunk(value: ast.expr | None) -> ast.expr:
        if value is None:
            return ast.Constant(None, **where)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        spot = {key: getattr(value, key) for key in where}
        return ast.Lambda(nothing, value, **spot)

    def thunks(values: Iterable[ast.expr | None]) -> ast.expr:
        return ast.Tuple([thunk(value) for value in values], load, **where)

    types = [None if p.role == CONSTEXPR else a for p, a in zip(parameters, annotations)]
    parts = [thunks(types), thunks(defaults.get(p.name) for p in parameters), thunk(returns)]
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    body = [ast.Return(ast.Tuple(parts, load, **where), **where)]
    return _make_def("@signature", arguments, body, where)


def _type_parameters(node: ast.FunctionDef, rewriter: Rewriter) -> dict[str, ast.expr | None]:
    found: dict[str, ast.expr | None] = {}
    # Put there by text.py, which reads the list of a source text on any Python.
    for name, bound in getattr(node, "symbols", {}).items():
        rewriter.bind_name(name, node, "shadowed")
        found[name] = bound
    for parameter in getattr(node, "type_params", ()):
        if type(parameter).__name__ != "TypeVar":
            raise rewriter.error("Only scalar type parameters are supported", parameter)
        if getattr(parameter, "default_value", None) is not None:
            raise rewriter.error("A symbolic type parameter cannot have a default", parameter)
        rewriter.bind_name(parameter.name, parameter, "shadowed")
        found[parameter.name] = parameter.bound
    return found


def compile_helper(
    node: ast.FunctionDef,
    source: SourceText,
    is_namespace: Callable[[str], bool],
    names: Iterable[str],
    kind: str,
) -> CodeType:
    """Compile a T.inline or T.macro helper."""
    name = node.name
    # Defaults are evaluated where the helper is defined, not again here.
    node.args.defaults = [ast.copy_location(ast.Constant(None), d) for d in node.args.defaults]
    node.args.kw_defaults = [
        None if d is None else ast.copy_location(ast.Constant(None), d)
        for d in node.args.kw_defaults
    ]
    helper = rewrite_helper(node, source, is_namespace, kind)
    return _code_named(_compile_inside([helper], source, names, node), name)


def cells_of(values: Mapping[str, Any]) -> dict[str, CellType]:
    return {name: CellType(value) for name, value in values.items()}
