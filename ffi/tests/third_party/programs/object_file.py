# SPDX-License-Identifier: Apache-2.0
"""The published just-in-time linker loads an object file made with the C header, and runs it."""

from __future__ import annotations

import numpy as np
import tvm_ffi
import tvm_ffi_orcjit
from harness import C_OBJECT, finish, outcome


@tvm_ffi.register_global_func("third_party.twice")
def twice(value: object) -> object:
    return value * 2


def check(module: tvm_ffi.Module) -> None:
    data = np.arange(5, dtype="float32")
    assert module.scale(tvm_ffi.from_dlpack(data), 2.5) is None
    np.testing.assert_array_equal(data, np.arange(5, dtype="float32") * 2.5)
    assert module.call_global(21) == 42
    assert module.call_global("text longer than seven, ") == "text longer than seven, " * 2
    assert module.name() == "an object file in plain C"
    print(outcome(module.scale, 1, 2.5))
    print(outcome(module.scale, tvm_ffi.from_dlpack(data), 2))
    print(outcome(module.scale, tvm_ffi.from_dlpack(data.reshape(5, 1)), 1.5))
    print(outcome(module.call_global, 2**62, 3))
    print(outcome(lambda: module.no_such_function))


session = tvm_ffi_orcjit.ExecutionSession()
check(session.load_module(str(C_OBJECT)))
# From memory, in a session of its own, and functions that outlive what they came from.
call_global = tvm_ffi_orcjit.ExecutionSession().load_module(C_OBJECT.read_bytes()).call_global
check(tvm_ffi_orcjit.default_session().load_module(str(C_OBJECT)))
assert call_global(4) == 8
finish()
