# SPDX-License-Identifier: Apache-2.0
"""Functions of a program."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from ..ir.attrs import DictAttrs
from ..ir.function import BaseFunc
from ..ir.stmt import as_block
from ..ir.type import TupleType, as_type

_tirx = Functions("tirx.")


@register_object("tirx.Function")
class Function(BaseFunc):
    """A function: ``params``, ``body`` (None for a declaration), ``ret_type``, ``attrs``.

    Compile it with ``tvm_tirx.tirx.compile``."""

    def __init__(
        self, params: Any, body: Any, ret_type: Any = None, attrs: Any = None, loc: Any = None
    ) -> None:
        if not isinstance(attrs, DictAttrs):
            attrs = DictAttrs(dict(attrs or {}))
        ret = TupleType([]) if ret_type is None else as_type(ret_type)
        self.__init_handle_by_constructor__(_tirx.Function, params, ret, as_block(body), attrs, loc)

    def with_body(self, new_body: Any, loc: Any = None) -> Function:
        """A copy with another body."""
        return Function(self.params, new_body, self.ret_type, self.attrs, loc)


def renew_def(func: Function) -> Function:
    """A copy in which every variable that the function defines is a new one."""
    return _tirx.RenewDef(func)
