# SPDX-License-Identifier: Apache-2.0
"""What the library registers under ``my_ffi_extension.``, as Python names.

Between the markers the text is written by tvm-ffi-stubgen:

    tvm-ffi-stubgen python --imports my_ffi_extension
"""

# tvm-ffi-stubgen(begin): import-section
# fmt: off
# isort: off
from __future__ import annotations
from tvm_ffi import init_ffi_api as _FFI_INIT_FUNC
from typing import TYPE_CHECKING
# isort: on
# fmt: on
# tvm-ffi-stubgen(end)

from tvm_ffi import Object, register_object

from . import base  # noqa: F401  (loading the library registers what follows)

# tvm-ffi-stubgen(begin): global/my_ffi_extension
# fmt: off
_FFI_INIT_FUNC("my_ffi_extension", __name__)
if TYPE_CHECKING:
    def raise_error(_0: str, /) -> None: ...
# fmt: on
# tvm-ffi-stubgen(end)


@register_object("my_ffi_extension.IntPair")
class IntPair(Object):
    """A pair of integers that lives in C++."""

    # tvm-ffi-stubgen(begin): object/my_ffi_extension.IntPair
    # fmt: off
    if TYPE_CHECKING:
        @property
        def a(self) -> int: ...
        @property
        def b(self) -> int: ...
        def __init__(self, _0: int, _1: int, /) -> None: ...
        def __ffi_init__(self, _0: int, _1: int, /) -> None: ...
        @staticmethod
        def static_get_second(_0: IntPair, /) -> int: ...
        def get_first(self, /) -> int: ...
    # fmt: on
    # tvm-ffi-stubgen(end)


__all__ = [
    # tvm-ffi-stubgen(begin): __all__
    "IntPair",
    "raise_error",
    # tvm-ffi-stubgen(end)
]
