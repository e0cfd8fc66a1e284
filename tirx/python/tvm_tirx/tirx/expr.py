# SPDX-License-Identifier: Apache-2.0
"""Operators of expressions."""

from __future__ import annotations

from ..ir.expr import EqualOp, NotEqualOp, const
from ..ir.expr import ExprOperand as ExprOp


def div_ambiguity_error() -> RuntimeError:
    """What ``/`` on integers raises."""
    return RuntimeError(
        "There are several integer divisions; call div, indexdiv/indexmod, floordiv/floormod or "
        "truncdiv/truncmod to say which one is meant."
    )


__all__ = ["EqualOp", "ExprOp", "NotEqualOp", "const", "div_ambiguity_error"]
