# SPDX-License-Identifier: Apache-2.0
"""The C++ classes in Python: inherited methods, overrides, operators, dispatch by class, and copies."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm_ffi

tvm_ffi.load_module(Path(os.environ.get("EXAMPLE_LIBRARIES", ".")) / "libclass_hierarchy.so")
as_expr = tvm_ffi.get_global_func("class_hierarchy.as_expr")


@tvm_ffi.register_object("class_hierarchy.Expr")
class Expr(tvm_ffi.Object):
    """Anything with a value. Operators build new expressions."""

    if TYPE_CHECKING:  # C++ brings the methods; type checkers are told here

        def text(self) -> str: ...
        def evaluate(self, values: Mapping[str, float]) -> float: ...
        def derivative(self, name: str) -> Binary: ...

    def __add__(self, other: Any) -> Add:
        return Add(self, as_expr(other))

    def __radd__(self, other: Any) -> Add:
        return Add(as_expr(other), self)

    def __mul__(self, other: Any) -> Mul:
        return Mul(self, as_expr(other))

    def __rmul__(self, other: Any) -> Mul:
        return Mul(as_expr(other), self)

    def __str__(self) -> str:
        return self.text()


@tvm_ffi.register_object("class_hierarchy.Const")
class Const(Expr):
    """A number."""


@tvm_ffi.register_object("class_hierarchy.Var")
class Var(Expr):
    """A name that gets a value on evaluation."""

    name: str


@tvm_ffi.register_object("class_hierarchy.Binary")
class Binary(Expr):
    """Two operands."""

    lhs: Expr
    rhs: Expr


@tvm_ffi.register_object("class_hierarchy.Add")
class Add(Binary):
    """A sum."""


@tvm_ffi.register_object("class_hierarchy.Mul")
class Mul(Binary):
    """A product."""


x, y = Var("x"), Var("y")
f = 3 * x * x + x * y + 1
print(f, "=", f.evaluate({"x": 2.0, "y": 5.0}))

# `derivative` is declared once, on the base; C++ calls the override of each node.
df = f.derivative("x")
print(df, "=", df.evaluate({"x": 2.0, "y": 5.0}))

# What C++ returns as an Expr arrives as its most derived class.
print(type(df).__name__, [cls.__name__ for cls in type(df).__mro__[:4]])


def variables(expr: Expr) -> set[str]:
    match expr:
        case Var(name=name):
            return {str(name)}
        case Binary(lhs=lhs, rhs=rhs):
            return variables(lhs) | variables(rhs)
        case _:
            return set()


print(sorted(variables(f)), isinstance(f.lhs, Binary), isinstance(x, Binary))

# Nodes are shared, not copied: both operands below are the same C++ object.
square = f * f
print(square.lhs.same_as(square.rhs), copy.deepcopy(square).lhs.same_as(square.lhs))

mistakes: list[Callable[[], object]] = [
    lambda: Expr(),
    lambda: Add(x, "y"),
    lambda: x + [1],
    lambda: f.evaluate({"x": 1.0}),
    lambda: setattr(x, "name", "z"),
]
for wrong in mistakes:
    try:
        wrong()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
