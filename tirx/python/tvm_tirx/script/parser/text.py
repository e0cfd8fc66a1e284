# SPDX-License-Identifier: Apache-2.0
# The stubs of `ast` know neither positions given as a dict nor fields of a node whose class was
# looked at before.
# mypy: disable-error-code="attr-defined,union-attr,arg-type,misc"
"""Source text: the definition in it, and what printed text needs to be read on any Python."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Mapping
from typing import Any

from .build import build_function, function_options
from .compile import compile_function
from .entry import Scope, _decorator_at, _read_options, parse_module
from .source import SourceText

# The first lines of printed text name the import that it needs as a comment.
_IMPORT_COMMENT = re.compile(r"^# (from tvm_tirx\.script import [^\n]*)$", re.MULTILINE)
_TYPE_PARAMETERS = re.compile(r"^([ \t]*def[ \t]+\w+[ \t]*)\[([^\]]*)\]", re.MULTILINE)


_START = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


def _read_import_comments(text: str) -> str:
    """Make commented import lines of printed text effective, keeping lines and columns of all
    others. Only lines before the first statement count."""
    head, separator, rest = text.partition("\n@")
    if not separator and text.startswith("@"):
        return text
    return _IMPORT_COMMENT.sub(r"\1", head) + separator + rest


def _take_type_parameters(text: str) -> tuple[str, dict[int, str]]:
    """Blank out ``[n, m: T.int64]`` after function names; the parameters by line number."""
    found: dict[int, str] = {}

    def blank(match: re.Match) -> str:
        found[text.count("\n", 0, match.start()) + 1] = match.group(2)
        return match.group(1) + " " * (len(match.group(2)) + 2)

    return _TYPE_PARAMETERS.sub(blank, text), found


def _parse_type_parameters(
    text: str, node: ast.FunctionDef, source: SourceText
) -> dict[str, ast.expr | None]:
    """The names in a type-parameter list and the expressions of their bounds."""
    found: dict[str, ast.expr | None] = {}
    for part in text.split(","):
        name, colon, bound = part.partition(":")
        name = name.strip()
        if not name and not colon:
            continue
        if name.startswith("*"):
            raise source.error("Only scalar type parameters are supported", node)
        if "=" in part:
            raise source.error("A symbolic type parameter cannot have a default", node)
        if not name.isidentifier():
            raise source.error("invalid syntax", node)
        found[name] = None
        if colon:
            found[name] = ast.parse(bound.strip(), mode="eval").body
    return found


def _attach_type_parameters(tree: ast.Module, found: dict[int, str], source: SourceText) -> None:
    if not found:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno in found:
            node.symbols = _parse_type_parameters(  # type: ignore[attr-defined]
                found[node.lineno], node, source
            )


def parse_text(text: str, names: Mapping[str, Any], filename: str, options: dict[str, Any]) -> Any:
    """The function or module of a source text. ``names`` are visible in it."""
    text = _read_import_comments(text)
    text, type_parameters = _take_type_parameters(text)
    lines = text.splitlines(keepends=True)
    # Tracebacks and notes show the lines of the text.
    linecache.cache[filename] = (len(text), None, lines, filename)
    source = SourceText(filename, lines)
    tree = compile(text, filename, "exec", ast.PyCF_ONLY_AST)
    namespace: dict[str, Any] = {"__name__": "<script>", "__builtins__": __builtins__}
    namespace.update(names)
    scope = Scope(namespace, {})
    definition: Any = None
    _attach_type_parameters(tree, type_parameters, source)
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            definition = statement
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                continue
            exec(compile(ast.Module([statement], []), filename, "exec"), namespace)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        elif (
            isinstance(statement, (ast.Assign, ast.AnnAssign))
            and definition is None
            and (_defines_value(statement))
        ):
            exec(compile(ast.Module([statement], []), filename, "exec"), namespace)
        else:
            raise source.error("Source must contain one function or module class", statement)
    if definition is None:
        first = tree.body[0] if tree.body else ast.Pass(**_START)
        raise source.error("Source must contain one function or module class", first)
    if isinstance(definition, ast.ClassDef):
        decorator = _decorator_at(definition, ("ir_module",), scope)
        chosen = {} if decorator is None else _read_options(decorator, source, scope)
        well_formed = options.get("check_well_formed", chosen.get("check_well_formed", True))
        return parse_module(definition, source, scope, well_formed)
    decorator = _decorator_at(definition, ("function", "jit"), scope)
    if decorator is None:
        raise source.error(
            f"Function {definition.name!r} requires a qualified construction decorator such as "
            "@T.function; bare and preconfigured decorator aliases are unsupported",
            definition,
        )
    chosen = function_options({**_read_options(decorator, source, scope), **options})
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    is_jit = target.attr == "jit"
    code = compile_function(definition, source, scope.is_namespace, scope.names(), jit=is_jit)
    if is_jit:
        from ...tirx.script.jit import JITFunction

        return JITFunction(code, scope, chosen)
    return build_function(code, namespace, scope.cells, chosen)


def _defines_value(statement: Any) -> bool:
    """Whether an assignment before the definition declares a variable that the text uses."""
    value = statement.value
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
