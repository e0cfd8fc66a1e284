# SPDX-License-Identifier: Apache-2.0
"""Construction of vectors."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from ..._ffi_functions import Functions
from ..expr import ExprWithOp

_prim = Functions("prim.")


@register_object("prim.Ramp")
class Ramp(ExprWithOp):
    """base, base + stride, ...: ``lanes`` integers."""

    def __init__(self, base: Any, stride: Any, lanes: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Ramp, base, stride, lanes, loc)


@register_object("prim.Broadcast")
class Broadcast(ExprWithOp):
    """``lanes`` times the same value."""

    def __init__(self, value: Any, lanes: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Broadcast, value, lanes, loc)


@register_object("prim.Shuffle")
class Shuffle(ExprWithOp):
    """The lanes of ``vectors``, one after the other, picked by ``indices``."""

    def __init__(self, vectors: Any, indices: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_prim.Shuffle, vectors, indices, loc)
