# SPDX-License-Identifier: Apache-2.0
"""Types that only kernels have."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from ..ir.type import Type

_tirx = Functions("tirx.")


@register_object("tirx.TensorMapType")
class TensorMapType(Type):
    """The descriptor of a tensor for bulk copies of CUDA devices."""

    def __init__(self, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_tirx.TensorMapType)
