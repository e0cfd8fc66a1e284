# SPDX-License-Identifier: Apache-2.0
"""Questions about functions and expressions."""

from __future__ import annotations

from typing import Any

from ..._ffi_functions import Functions
from ...script.parser.build import check_well_formed

_ir = Functions("ir.")
_analysis = Functions("tirx.analysis.")


def undefined_vars(node: Any, defs: Any = ()) -> Any:
    """Variables that are used in a node but neither defined in it nor listed in ``defs``."""
    return _ir.UndefinedVars(node, list(defs))


def verify_memory(func: Any) -> bool:
    """Whether a function for the host touches no device memory outside of device code."""
    return bool(_analysis.verify_memory(func))


def detect_linear_equation(expr: Any, variables: Any) -> Any:
    """Coefficients of the variables and the rest, empty when ``expr`` is not linear in them."""
    return _analysis.detect_linear_equation(expr, list(variables))


def detect_clip_bound(expr: Any, variables: Any) -> Any:
    """Lower and upper bound of each variable that a condition implies, None for none."""
    return _analysis.detect_clip_bound(expr, list(variables))


__all__ = [
    "check_well_formed",
    "detect_clip_bound",
    "detect_linear_equation",
    "undefined_vars",
    "verify_memory",
]
