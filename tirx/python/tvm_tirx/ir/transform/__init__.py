# SPDX-License-Identifier: Apache-2.0
"""Passes and what they run under."""

from . import core, instrument
from .core import (
    ModulePass,
    Pass,
    PassContext,
    PassInfo,
    PassInstrument,
    PrintIR,
    Sequential,
    module_pass,
    pass_instrument,
)

__all__ = [
    "ModulePass",
    "Pass",
    "PassContext",
    "PassInfo",
    "PassInstrument",
    "PrintIR",
    "Sequential",
    "core",
    "instrument",
    "module_pass",
    "pass_instrument",
]
