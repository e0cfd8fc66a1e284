# SPDX-License-Identifier: Apache-2.0
"""Base of functions."""

from __future__ import annotations

import enum
from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from .expr import _CallableExprWithOp

_ir = Functions("ir.")


class CallingConv(enum.IntEnum):
    """Values of the function attribute calling_conv."""

    DEFAULT = 0
    C_PACKED_FUNC = 1
    DEVICE_KERNEL_LAUNCH = 2


@register_object("ir.BaseFunc")
class BaseFunc(_CallableExprWithOp):
    """A function with attributes."""

    def __call__(self, *args: Any) -> Any:
        """A call of the function, as an expression of a program. TypeError for other values."""
        from ..script.ir_builder.base import IRBuilder

        try:
            return super().__call__(*args)
        except TypeError as error:
            if IRBuilder.is_in_scope():
                raise
            attrs = self.attrs or {}
            name = attrs["global_symbol"] if "global_symbol" in attrs else "f"
            raise TypeError(
                f"`{name}` is a program, not compiled code; compile it first: "
                f'kernel = tvm_tirx.tirx.compile({name}, target="llvm")["{name}"]'
            ) from error

    def with_attr(self, attr_key_or_dict: Any, attr_value: Any = None) -> Any:
        """A copy with one attribute, or those of a dict, set."""
        if isinstance(attr_key_or_dict, dict):
            return self.with_attrs(attr_key_or_dict)
        return _ir.BaseFuncWithAttr(self, attr_key_or_dict, attr_value)

    def with_attrs(self, attr_map: Any) -> Any:
        """A copy with the attributes set."""
        result: Any = self
        for key, value in attr_map.items():
            result = _ir.BaseFuncWithAttr(result, key, value)
        return result

    def without_attr(self, attr_key: str) -> Any:
        """A copy without the attribute."""
        return _ir.BaseFuncWithoutAttr(self, attr_key)
