# SPDX-License-Identifier: Apache-2.0
"""Information that a module carries beside its functions."""

from __future__ import annotations

import tvm_ffi
from tvm_ffi import Object, register_object


@register_object("ir.GlobalInfo")
class GlobalInfo(Object):
    """Base of global information; ``==`` is structural."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalInfo) and bool(tvm_ffi.structural_equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tvm_ffi.structural_hash(self))
