# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F401
"""Types and functions of the native test library, for tests of programs that use ``tvm_ffi``.

Importing this needs pytest and the library ``tvm_ffi_testing``. The global functions
``testing.<name>`` are attributes of this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..registry import init_ffi_api
from . import testing
from ._locking import run_with_gpu_lock
from .testing import (
    TestCompare,
    TestCustomCompare,
    TestCustomHash,
    TestEqWithoutHash,
    TestFrozenCxx,
    TestHash,
    TestIntPair,
    TestNonCopyable,
    TestObjectBase,
    TestObjectDerived,
    TestObjectPtrHolder,
    add_one,
    create_object,
    make_unregistered_object,
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_written_here = {"add_one": add_one, "make_unregistered_object": make_unregistered_object}
init_ffi_api("testing", __name__)
globals().update(_written_here)
