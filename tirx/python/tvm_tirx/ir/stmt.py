# SPDX-License-Identifier: Apache-2.0
"""Statements. Bodies may be given as one statement or a sequence of them."""

from __future__ import annotations

import enum
from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from .attrs import DictAttrs
from .base import Node, Scriptable
from .expr import Expr, StringImm, as_argument

_ir = Functions("ir.")


class ForKind(enum.IntEnum):
    """How the iterations of a loop run."""

    DEFAULT = 0
    PARALLEL = 1
    VECTORIZED = 2
    UNROLLED = 3


@register_object("ir.Stmt")
class Stmt(Scriptable, Node):
    """Base of all statements."""


@register_object("ir.SeqStmt")
class SeqStmt(Stmt):
    """A block. Nested blocks are flattened, evaluations of constants dropped."""

    def __init__(self, seq: Any, loc: Any = None) -> None:
        if isinstance(seq, Stmt):
            seq = [seq]
        self.__init_handle_by_constructor__(_ir.SeqStmt, seq, loc)

    def __getitem__(self, i: int) -> Any:
        return self.seq[i]

    def __len__(self) -> int:
        return len(self.seq)


def as_block(body: Any) -> Any:
    """A SeqStmt of a statement or of a sequence of statements; None stays None."""
    if body is None or isinstance(body, SeqStmt):
        return body
    return SeqStmt(body)


def stmt_seq(*args: Any) -> SeqStmt:
    """A block of statements and of expressions to evaluate."""
    return SeqStmt([Evaluate(a) if isinstance(a, Expr) else a for a in args])


@register_object("ir.Bind")
class Bind(Stmt):
    """An immutable name for a value, for the rest of the block."""

    def __init__(self, var: Any, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.Bind, var, value, loc)


@register_object("ir.TensorStore")
class TensorStore(Stmt):
    """A store of an element or a vector."""

    def __init__(self, dest: Any, indices: Any, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.TensorStore, dest, indices, value, loc)


@register_object("ir.For")
class For(Stmt):
    """A loop over begin, begin + step, ... before end."""

    def __init__(
        self,
        var: Any,
        begin: Any,
        end: Any,
        step: Any,
        kind: ForKind,
        body: Any,
        annotations: Any = None,
        loc: Any = None,
    ) -> None:
        self.__init_handle_by_constructor__(
            _ir.For, var, begin, end, step, int(kind), as_block(body), annotations or {}, loc
        )


@register_object("ir.While")
class While(Stmt):
    """A loop that runs while a condition holds."""

    def __init__(self, condition: Any, body: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.While, condition, as_block(body), loc)


@register_object("ir.Break")
class Break(Stmt):
    """Leaves the innermost loop."""

    def __init__(self, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.Break, loc)


@register_object("ir.Continue")
class Continue(Stmt):
    """Goes on with the next iteration of the innermost loop."""

    def __init__(self, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.Continue, loc)


@register_object("ir.If")
class If(Stmt):
    """One of two blocks."""

    def __init__(
        self, condition: Any, then_case: Any, else_case: Any = None, loc: Any = None
    ) -> None:
        self.__init_handle_by_constructor__(
            _ir.If, condition, as_block(then_case), as_block(else_case), loc
        )


@register_object("ir.Return")
class Return(Stmt):
    """Ends the function with a value."""

    def __init__(self, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.Return, as_argument(value), loc)


@register_object("ir.AssertStmt")
class AssertStmt(Stmt):
    """Raises an error of a kind when a condition does not hold."""

    def __init__(
        self, condition: Any, error_kind: Any, message_parts: Any = None, loc: Any = None
    ) -> None:
        parts = [StringImm(p) if isinstance(p, str) else p for p in message_parts or ()]
        if isinstance(error_kind, str):
            error_kind = StringImm(error_kind)
        self.__init_handle_by_constructor__(_ir.AssertStmt, condition, error_kind, parts, loc)


@register_object("ir.Evaluate")
class Evaluate(Stmt):
    """Evaluates an expression for its effects."""

    def __init__(self, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.Evaluate, value, loc)


@register_object("ir.RegionStmt")
class RegionStmt(Stmt):
    """A structured operator around a body."""

    def __init__(
        self,
        op: Any,
        args: Any,
        body_params: Any,
        attrs: Any = None,
        body: Any = (),
        result_vars: Any = (),
        loc: Any = None,
    ) -> None:
        if isinstance(op, str):
            from .op import Op

            op = Op.get(op)
        if not isinstance(attrs, DictAttrs):
            attrs = DictAttrs(attrs or {})
        self.__init_handle_by_constructor__(
            _ir.RegionStmt, op, attrs, args, body_params, as_block(body), list(result_vars), loc
        )
