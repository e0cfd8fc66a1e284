# SPDX-License-Identifier: Apache-2.0
# The stubs of `ast` know neither positions given as a dict nor fields of a node whose class was
# looked at before.
# mypy: disable-error-code="attr-defined,union-attr,arg-type,misc,assignment,return-value,list-item"
"""Rewrites the syntax tree of a script function into calls of the builder protocol.

The tree is walked once and changed in place. Names that start with ``@`` are functions of
``protocol.py``; Python code can't collide with them, since they are no identifiers. A block becomes
a begin call, its statements and an end call, never a Python block, so that any depth of nesting
compiles:

    for i in range(n):          i = @range_("i", LOC, n)
        A[i] = 1          ->    @setitem(A, i, 1, LOC)
                                @end(LOC)

What decides at build time (``if T.constexpr(...)``) stays a Python ``if``. Names bound in a branch
of an ``if`` are local to that branch; names bound in loops stay visible to Python, and the
well-formedness check finds a use outside of the scope.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from .source import SourceText

# Statements whose text has none of these need no look into their expressions.
_NEEDS_WALK = re.compile(r"\b(?:and|or|not|if|lambda|yield|await|constexpr)\b|==|!=|:=|<|>")
_SCALAR_BUILDERS = frozenset({"local_scalar", "alloc_scalar", "shared_scalar", "decl_scalar"})
RESERVED_NAMES = frozenset({"range", "int"})

_LOAD = ast.Load()
_STORE = ast.Store()
_DEL = ast.Del()

Environment = Callable[[str], object]


def pack_location(node: ast.AST, shift: int) -> int:
    """Line, column, end line and end column of ``node`` in one int (columns from 1).

    Bits: 23 line, 12 column, 12 lines to the end, 16 end column; larger values are cut."""
    line = node.lineno + shift
    column = node.col_offset + 1
    lines = node.end_lineno - node.lineno
    end_column = node.end_col_offset + 1
    if line > 0x7FFFFF or column > 0xFFF or lines > 0xFFF or end_column > 0xFFFF:
        line, column = min(line, 0x7FFFFF), min(column, 0xFFF)
        lines, end_column = min(lines, 0xFFF), min(end_column, 0xFFFF)
    return line << 40 | column << 28 | lines << 16 | end_column


class Rewriter:
    """Rewrites one function (``kind`` "function"), or the body of a helper ("inline", "macro")."""

    def __init__(
        self,
        source: SourceText,
        is_namespace: Callable[[str], bool],
        kind: str = "function",
        module_name: str | None = None,
    ) -> None:
        self.source = source
        self.shift = source.shift
        self.is_namespace = is_namespace
        self.kind = kind
        self.module_name = module_name
        self.symbols: dict[str, int] = {}  # type parameters and the line that introduces them
        self.bound: set[str] = set()  # names that surely have a value here
        self.cells: set[str] = set()  # names that may stand for a mutable scalar
        self.assigned: set[str] = set()  # names bound in the block that is being rewritten
        self.blocks = 0  # open blocks of the program around the current statement
        self.fresh = 0
        self.walk = False

    # ---- small parts

    def error(self, message: str, node: ast.AST) -> SyntaxError:
        return self.source.error(message, node)

    def _unsupported(self, what: str, node: ast.AST) -> SyntaxError:
        return self.error(f"Unsupported {what}: {type(node).__name__}", node)

    def _loc(self, node: ast.AST) -> ast.Constant:
        return ast.Constant(pack_location(node, self.shift), **_at(node))

    def _temporary(self) -> str:
        self.fresh += 1
        return f"@{self.fresh}"

    def bind_name(self, name: str, node: ast.AST, how: str = "rebound") -> None:
        """Record that ``name`` gets a value, after checking that it may."""
        if name in RESERVED_NAMES:
            raise self.error(
                f"Name {name!r} is reserved for script syntax and cannot be {how}", node
            )
        if name in self.symbols:
            raise self.error(
                f"Symbolic variable {name!r} cannot be reassigned; "
                f"introduced at line {self.symbols[name]}",
                node,
            )
        if self.is_namespace(name):
            raise self.error(f"Script namespace {name!r} cannot be rebound or shadowed", node)
        self.bound.add(name)
        self.assigned.add(name)

    def is_constexpr(self, node: ast.expr) -> bool:
        """Whether ``node`` is ``T.constexpr(value)``."""
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "constexpr"
        ):
            return False
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise self.error("constexpr expects exactly one controlling value", node)
        return True

    # ---- blocks

    def body(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in statements:
            handler = _STATEMENTS.get(type(statement))
            if handler is None:
                raise self._unsupported("statement", statement)
            first, last = statement.lineno, statement.end_lineno
            self.walk = (
                first != last
                or self.module_name is not None
                or _NEEDS_WALK.search(
                    self.source.lines[first + self.shift - self.source.first_line]
                )
                is not None
            )
            handler(self, statement, out)
        return out

    def block(self, statements: list[ast.stmt], out: list[ast.stmt]) -> None:
        """The statements of a loop or region; names bound inside stay visible."""
        self.blocks += 1
        out.extend(self.body(statements))
        self.blocks -= 1

    def branch(self, statements: list[ast.stmt], out: list[ast.stmt], at: ast.AST) -> None:
        """The statements of a branch; names bound inside get their old value back, or none."""
        outer_assigned, outer_bound, outer_cells = self.assigned, self.bound, self.cells
        self.assigned, self.bound, self.cells = set(), set(outer_bound), set(outer_cells)
        inside: list[ast.stmt] = []
        self.block(statements, inside)
        changed = sorted(self.assigned)
        self.assigned, self.bound, self.cells = outer_assigned, outer_bound, outer_cells
        where = _at(at)
        after: list[ast.stmt] = []
        for name in changed:
            if name in self.bound:
                saved = self._temporary()
                out.append(_assign(saved, ast.Name(name, _LOAD, **where), where))
                after.append(_assign(name, ast.Name(saved, _LOAD, **where), where))
            else:
                after.append(_assign(name, ast.Constant(None, **where), where))
                after.append(ast.Delete([ast.Name(name, _DEL, **where)], **where))
        out.extend(inside)
        out.extend(after)

    # ---- expressions

    def expression(self, node: ast.expr) -> ast.expr:
        return self.visit(node) if self.walk else node

    def visit(self, node: ast.expr) -> ast.expr:
        """Rewrite what Python can't overload. Iterates down the left side of long chains."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            return handler(self, node)
        if type(node) is ast.BinOp:
            chain = node
            while type(chain.left) is ast.BinOp:
                chain.right = self.visit(chain.right)
                chain = chain.left
            chain.left = self.visit(chain.left)
            chain.right = self.visit(chain.right)
            return node
        self._visit_fields(node)
        return node

    def _visit_fields(self, node: ast.AST) -> None:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.expr):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        value[index] = self.visit(item)
                    elif isinstance(item, (ast.keyword, ast.comprehension)):
                        self._visit_fields(item)
            elif isinstance(value, ast.arguments):
                self._visit_fields(value)

    def _leave(self, node: ast.expr) -> ast.expr:
        return node

    def _refuse(self, node: ast.expr) -> ast.expr:
        raise self._unsupported("expression", node)

    def _bool_op(self, node: ast.BoolOp) -> ast.expr:
        name = "@and_" if isinstance(node.op, ast.And) else "@or_"
        values = [self.visit(value) for value in node.values]
        result = values[0]
        for value in values[1:]:
            result = _call(name, [result, _thunk(value)], node)
        return result

    def _unary_op(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return _call("@not_", [node.operand], node)
        return node

    def _if_exp(self, node: ast.IfExp) -> ast.expr:
        if self.is_constexpr(node.test):
            test = _call("@static", [self.visit(node.test.args[0])], node.test)
            return ast.IfExp(test, self.visit(node.body), self.visit(node.orelse), **_at(node))
        test = self.visit(node.test)
        return _call(
            "@select",
            [test, _thunk(self.visit(node.body)), _thunk(self.visit(node.orelse))],
            node,
        )

    def _compare(self, node: ast.Compare) -> ast.expr:
        node.left = self.visit(node.left)
        node.comparators = [self.visit(value) for value in node.comparators]
        if len(node.ops) == 1:
            return self._one_compare(node.left, node.ops[0], node.comparators[0], node)
        for operand in node.comparators[:-1]:
            if not _may_repeat(operand):
                raise self.error(
                    "Comparison chains support only names and numeric literals", operand
                )
        left, result = node.left, None
        for op, right in zip(node.ops, node.comparators):
            part = self._one_compare(left, op, right, node)
            result = part if result is None else _call("@and_", [result, _thunk(part)], node)
            left = right
        return result

    @staticmethod
    def _one_compare(left: ast.expr, op: ast.cmpop, right: ast.expr, at: ast.expr) -> ast.expr:
        if isinstance(op, ast.Eq):
            return _call("@eq", [left, right], at)
        if isinstance(op, ast.NotEq):
            return _call("@ne", [left, right], at)
        if isinstance(op, (ast.In, ast.NotIn)):
            found = _call("@contains", [left, right], at)
            return found if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), found, **_at(at))
        return ast.Compare(left, [op], [right], **_at(at))

    def _call_expr(self, node: ast.Call) -> ast.expr:
        func = node.func
        if (
            node.keywords
            and self.module_name is not None
            and isinstance(func, ast.Attribute)
            and isinstance(func.value, ast.Name)
            and func.value.id == self.module_name
        ):
            raise self.error("Global function calls require positional arguments", node)
        if self.is_constexpr(node):
            return self.visit(node.args[0])
        self._visit_fields(node)
        return node

    def _lambda(self, node: ast.Lambda) -> ast.expr:
        self._visit_fields(node.args)
        node.body = self.visit(node.body)
        return node

    # ---- simple statements

    def _expr_stmt(self, node: ast.Expr, out: list[ast.stmt]) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, type(...))):
            return
        out.append(_do("@emit", [self.expression(node.value), self._loc(node)], node))

    def _pass(self, node: ast.stmt, out: list[ast.stmt]) -> None:
        # Kept as a Python statement, so that a constexpr branch is never without one.
        out.append(ast.Pass(**_at(node)))

    def _assign(self, node: ast.Assign, out: list[ast.stmt]) -> None:
        value = node.value
        for name in value.elts if isinstance(value, ast.Tuple) else (value,):
            if isinstance(name, ast.Name) and self.is_namespace(name.id):
                raise self.error(
                    f"Script namespace {name.id!r} cannot be renamed through an alias", name
                )
        if len(node.targets) == 1:
            self._store(node.targets[0], self.expression(value), node, out, value)
            return
        saved = self._temporary()
        out.append(_assign(saved, self.expression(value), _at(value)))
        for target in node.targets:
            self._store(target, ast.Name(saved, _LOAD, **_at(value)), node, out, value)

    def _store(
        self,
        target: ast.expr,
        value: ast.expr,
        at: ast.stmt,
        out: list[ast.stmt],
        written: ast.expr | None = None,
    ) -> None:
        """Assign ``value``, an expression that is evaluated once, to a target of any form."""
        loc = self._loc(at)
        if isinstance(target, ast.Name):
            name = target.id
            arguments = [value, ast.Constant(name, **_at(target)), loc]
            function = "@bind"
            if name in self.cells and name in self.bound:
                function = "@rebind"
                arguments.insert(0, ast.Name(name, _LOAD, **_at(target)))
            self.bind_name(name, target)
            if written is not None and _declares_scalar(written):
                self.cells.add(name)
            out.append(_assign(name, _call(function, arguments, at), _at(at)))
        elif isinstance(target, ast.Subscript):
            key = _index(self.expression(target.slice))
            base = self.expression(target.value)
            out.append(_do("@setitem", [base, key, value, loc], at))
        elif isinstance(target, ast.Attribute):
            base = self.expression(target.value)
            name = ast.Constant(target.attr, **_at(target))
            out.append(_do("@setattr", [base, name, value, loc], at))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._store_many(target, value, at, out, written)
        else:
            raise self.error(f"Unsupported assignment target: {type(target).__name__}", target)

    def _store_many(
        self,
        target: ast.Tuple | ast.List,
        value: ast.expr,
        at: ast.stmt,
        out: list[ast.stmt],
        written: ast.expr | None,
    ) -> None:
        count = len(target.elts)
        stars = [i for i, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
        star = stars[0] if stars else -1
        where = _at(at)
        names = [self._temporary() for _ in range(count)]
        stores_memory = any(not _is_plain_target(item, self.cells) for item in target.elts)
        source = _call(
            "@unpack",
            [
                value,
                ast.Constant(count, **where),
                ast.Constant(star, **where),
                ast.Constant(stores_memory, **where),
                self._loc(at),
            ],
            at,
        )
        names_tuple = ast.Tuple(
            [ast.Name(name, _STORE, **where) for name in names], _STORE, **where
        )
        out.append(ast.Assign([names_tuple], source, **where))
        parts: list[ast.expr | None] = [None] * count
        if isinstance(written, (ast.Tuple, ast.List)) and len(written.elts) == count and star < 0:
            parts = list(written.elts)
        for item, name, part in zip(target.elts, names, parts):
            if isinstance(item, ast.Starred):
                item = item.value
            self._store(item, ast.Name(name, _LOAD, **where), at, out, part)

    def _ann_assign(self, node: ast.AnnAssign, out: list[ast.stmt]) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.error("An annotated binding requires a name", node.target)
        self.check_annotation(node.annotation)
        name = node.target.id
        if node.value is None:
            value: ast.expr = ast.Name("@missing", _LOAD, **_at(node))
        else:
            value = self.expression(node.value)
        annotation = self.expression(node.annotation)
        arguments = [annotation, value, ast.Constant(name, **_at(node.target)), self._loc(node)]
        self.bind_name(name, node.target)
        self.cells.add(name)
        out.append(_assign(name, _call("@declare", arguments, node), _at(node)))

    def check_annotation(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            raise self.error(
                "Quoted annotations are not supported in script source; "
                "write the annotation expression without quotes",
                node,
            )

    def _aug_assign(self, node: ast.AugAssign, out: list[ast.stmt]) -> None:
        target, where = node.target, _at(node)
        value = self.expression(node.value)
        if isinstance(target, ast.Name):
            old = ast.Name(target.id, _LOAD, **_at(target))
            self._store(target, ast.BinOp(old, node.op, value, **where), node, out)
            return
        if not isinstance(target, (ast.Subscript, ast.Attribute)):
            raise self.error("An augmented assignment requires a name, attribute, or index", target)
        base = self._temporary()
        out.append(_assign(base, self.expression(target.value), _at(target)))

        def load_base() -> ast.expr:
            return ast.Name(base, _LOAD, **_at(target))

        loc = self._loc(node)
        if isinstance(target, ast.Attribute):
            old = ast.Attribute(load_base(), target.attr, _LOAD, **_at(target))
            name = ast.Constant(target.attr, **_at(target))
            total = ast.BinOp(old, node.op, value, **where)
            out.append(_do("@setattr", [load_base(), name, total, loc], node))
            return
        key = self._temporary()
        out.append(_assign(key, _index(self.expression(target.slice)), _at(target)))
        old = ast.Subscript(load_base(), ast.Name(key, _LOAD, **where), _LOAD, **_at(target))
        total = ast.BinOp(old, node.op, value, **where)
        out.append(_do("@setitem", [load_base(), ast.Name(key, _LOAD, **where), total, loc], node))

    def _return(self, node: ast.Return, out: list[ast.stmt]) -> None:
        if self.kind == "inline":
            if self.blocks:
                raise self.error(
                    "A return inside a loop, a region or a condition of the program is not "
                    "supported in T.inline: return once at the end, or use T.macro",
                    node,
                )
            if node.value is not None:
                node.value = self.expression(node.value)
            out.append(node)
            return
        if node.value is None:
            value: ast.expr = ast.Constant(None, **_at(node))
        else:
            value = self.expression(node.value)
        out.append(_do("@return_", [value, self._loc(node)], node))

    def _assert(self, node: ast.Assert, out: list[ast.stmt]) -> None:
        test = self.expression(node.test)
        if node.msg is None:
            message: ast.expr = ast.Constant("", **_at(node))
        else:
            message = self.expression(node.msg)
        out.append(_do("@assert_", [test, message, self._loc(node)], node))

    def _break(self, node: ast.Break, out: list[ast.stmt]) -> None:
        out.append(_do("@break_", [self._loc(node)], node))

    def _continue(self, node: ast.Continue, out: list[ast.stmt]) -> None:
        out.append(_do("@continue_", [self._loc(node)], node))

    # ---- compound statements

    def _end(self, node: ast.stmt, out: list[ast.stmt]) -> None:
        out.append(_do("@end", [], node))

    def _for(self, node: ast.For, out: list[ast.stmt]) -> None:
        if node.orelse:
            raise self.error("A construction loop does not support an else clause", node)
        target, iterable = node.target, node.iter
        many = isinstance(target, (ast.Tuple, ast.List))
        names = target.elts if many else [target]
        if not all(isinstance(name, ast.Name) for name in names):
            raise self.error("Loop targets must be names or a flat tuple of names", target)
        loc = self._loc(_header(node, node.body))
        if many:
            spelled: ast.expr = ast.Tuple(
                [ast.Constant(name.id, **_at(name)) for name in names], _LOAD, **_at(target)
            )
        else:
            spelled = ast.Constant(target.id, **_at(target))
        is_range = (
            isinstance(iterable, ast.Call)
            and isinstance(iterable.func, ast.Name)
            and iterable.func.id == "range"
        )
        self.walk = self.walk or iterable.lineno != iterable.end_lineno
        if is_range:
            iterable = self.expression(iterable)
            iterable.func = ast.Name("@range", _LOAD, **_at(iterable.func))
        else:
            iterable = self.expression(iterable)
        begin = _call("@for_", [iterable, spelled, loc], _header(node, node.body))
        for name in names:
            self.bind_name(name.id, name)
        if many:
            stores = ast.Tuple(
                [ast.Name(name.id, _STORE, **_at(name)) for name in names], _STORE, **_at(target)
            )
            out.append(ast.Assign([stores], begin, **_at(iterable)))
        else:
            out.append(_assign(target.id, begin, _at(iterable)))
        self.block(node.body, out)
        self._end(node, out)

    def _while(self, node: ast.While, out: list[ast.stmt]) -> None:
        if node.orelse:
            raise self.error("A construction loop does not support an else clause", node)
        test = self.expression(node.test)
        out.append(_do("@while_", [test, self._loc(_header(node, node.body))], node.test))
        self.block(node.body, out)
        self._end(node, out)

    def _if(self, node: ast.If, out: list[ast.stmt]) -> None:
        if self.is_constexpr(node.test):
            self._static_if(node, out)
            return
        test = self.expression(node.test)
        out.append(_do("@if_", [test, self._loc(_header(node, node.body))], node.test))
        self.branch(node.body, out, node.test)
        if node.orelse:
            out.append(_do("@else_", [self._loc(_header(node, node.orelse))], node.test))
            self.branch(node.orelse, out, node.test)
        out.append(_do("@end_if", [], node))

    def _static_if(self, node: ast.If, out: list[ast.stmt]) -> None:
        test = _call("@static", [self.visit(node.test.args[0])], node.test)
        before = set(self.bound)
        then = self.body(node.body) or [ast.Pass(**_at(node))]
        after_then, self.bound = self.bound, before
        orelse = self.body(node.orelse)
        self.bound = after_then & self.bound
        out.append(ast.If(test, then, orelse, **_at(node)))

    def _with(self, node: ast.With, out: list[ast.stmt]) -> None:
        for item in node.items:
            # The text of the whole header decides, since `body` looked at the first line only.
            self.walk = self.walk or item.context_expr.end_lineno != node.lineno
            context = self.expression(item.context_expr)
            target = item.optional_vars
            names: ast.expr = ast.Constant(None, **_at(node))
            if isinstance(target, ast.Name):
                names = ast.Constant(target.id, **_at(target))
            elif isinstance(target, (ast.Tuple, ast.List)):
                if not all(isinstance(name, ast.Name) for name in target.elts):
                    raise self.error(
                        f"Unsupported assignment target: {type(target).__name__}", target
                    )
                names = ast.Tuple(
                    [ast.Constant(name.id, **_at(name)) for name in target.elts],
                    _LOAD,
                    **_at(target),
                )
            elif target is not None:
                raise self.error(f"Unsupported assignment target: {type(target).__name__}", target)
            begin = _call(
                "@with_", [context, names, self._loc(item.context_expr)], item.context_expr
            )
            if target is None:
                out.append(ast.Expr(begin, **_at(item.context_expr)))
                continue
            for name in target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,):
                self.bind_name(name.id, name)
            out.append(ast.Assign([target], begin, **_at(item.context_expr)))
        self.block(node.body, out)
        for _ in node.items:
            out.append(_do("@end_with", [], node))

    def _function_def(self, node: ast.FunctionDef, out: list[ast.stmt]) -> None:
        """A function inside the function: a helper, or plain Python that is left as it is."""
        kinds = [self._helper_kind(decorator) for decorator in node.decorator_list]
        kind = next((k for k in kinds if k is not None), None)
        self.bind_name(node.name, node)
        if kind is None:
            out.append(node)
            return
        out.append(rewrite_helper(node, self.source, self.is_namespace, kind, inner=True))

    def _helper_kind(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Call):
            node = node.func
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in ("inline", "macro") and self.is_namespace(node.value.id):
                return node.attr
            if node.attr in ("function", "jit") and self.is_namespace(node.value.id):
                raise self.error(
                    "A function of the program cannot be defined inside another one; "
                    "use T.inline or T.macro for a helper",
                    node,
                )
        return None


def rewrite_helper(
    node: ast.FunctionDef,
    source: SourceText,
    is_namespace: Callable[[str], bool],
    kind: str,
    inner: bool = False,
) -> ast.FunctionDef:
    """The definition of a T.inline or T.macro helper, with its body rewritten.

    ``inner`` helpers, defined inside a script function, keep a ``@helper`` decorator that puts
    their statements under the location of the call."""
    rewriter = Rewriter(source, is_namespace, kind)
    for argument in _all_arguments(node.args):
        rewriter.bind_name(argument.arg, argument, "shadowed")
        argument.annotation = None
    node.body = rewriter.body(node.body) or [ast.Pass(**_at(node))]
    node.decorator_list = []
    if inner:
        where = _at(node)
        node.decorator_list = [ast.Name("@helper", _LOAD, **where)]
    node.returns = None
    return node


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


def _at(node: ast.AST) -> dict[str, int]:
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


class _Span:
    __slots__ = ("col_offset", "end_col_offset", "end_lineno", "lineno")


def _header(node: ast.stmt, body: list[ast.stmt]) -> _Span:
    """The position of a compound statement without its body."""
    span = _Span()
    span.lineno, span.col_offset = node.lineno, node.col_offset
    last = getattr(node, "iter", None) or getattr(node, "test", None)
    if last is None or last.end_lineno > body[0].lineno:
        last = body[0]
    span.end_lineno, span.end_col_offset = last.end_lineno, last.end_col_offset
    return span


def _call(name: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
    where = _at(at)
    return ast.Call(ast.Name(name, _LOAD, **where), arguments, [], **where)


def _do(name: str, arguments: list[ast.expr], at: ast.AST) -> ast.Expr:
    where = _at(at)
    return ast.Expr(ast.Call(ast.Name(name, _LOAD, **where), arguments, [], **where), **where)


def _assign(name: str, value: ast.expr, where: dict[str, int]) -> ast.Assign:
    return ast.Assign([ast.Name(name, _STORE, **where)], value, **where)


def _thunk(value: ast.expr) -> ast.expr:
    """``lambda: value``; the value itself when evaluating it can't matter."""
    if isinstance(value, ast.Constant):
        return value
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, value, **_at(value))


def _index(node: ast.expr) -> ast.expr:
    """The index of a subscript as an expression of its own: slices become ``slice(...)`` calls."""
    if isinstance(node, ast.Slice):
        parts = [
            part or ast.Constant(None, **_at(node)) for part in (node.lower, node.upper, node.step)
        ]
        return _call("@slice", parts, node)
    if isinstance(node, ast.Tuple):
        node.elts = [_index(item) for item in node.elts]
    return node


def _may_repeat(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
    )


def _declares_scalar(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _SCALAR_BUILDERS
    )


def _is_plain_target(node: ast.expr, cells: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id not in cells


_STATEMENTS: dict[type, Callable] = {
    ast.Expr: Rewriter._expr_stmt,
    ast.Pass: Rewriter._pass,
    ast.Nonlocal: Rewriter._pass,
    ast.Assign: Rewriter._assign,
    ast.AnnAssign: Rewriter._ann_assign,
    ast.AugAssign: Rewriter._aug_assign,
    ast.Return: Rewriter._return,
    ast.Assert: Rewriter._assert,
    ast.Break: Rewriter._break,
    ast.Continue: Rewriter._continue,
    ast.For: Rewriter._for,
    ast.While: Rewriter._while,
    ast.If: Rewriter._if,
    ast.With: Rewriter._with,
    ast.FunctionDef: Rewriter._function_def,
}

_EXPRESSIONS: dict[type, Callable] = {
    ast.Name: Rewriter._leave,
    ast.Constant: Rewriter._leave,
    ast.JoinedStr: Rewriter._leave,
    ast.BoolOp: Rewriter._bool_op,
    ast.UnaryOp: Rewriter._unary_op,
    ast.IfExp: Rewriter._if_exp,
    ast.Compare: Rewriter._compare,
    ast.Call: Rewriter._call_expr,
    ast.Lambda: Rewriter._lambda,
    ast.NamedExpr: Rewriter._refuse,
    ast.Await: Rewriter._refuse,
    ast.Yield: Rewriter._refuse,
    ast.YieldFrom: Rewriter._refuse,
}
