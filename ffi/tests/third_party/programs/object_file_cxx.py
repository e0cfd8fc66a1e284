# SPDX-License-Identifier: Apache-2.0
"""The published just-in-time linker loads the object file of the C++ extension, and runs it."""

from __future__ import annotations

import gc

import tvm_ffi
import tvm_ffi_orcjit
from harness import EXTENSION_OBJECT, finish, outcome

session = tvm_ffi_orcjit.ExecutionSession()
module = session.load_module(str(EXTENSION_OBJECT))
assert module.add(40, 2) == 42
assert module.greet("a name of more than seven bytes") == "hello a name of more than seven bytes"
assert list(module.twice_all([1, 2, 3])) == [2, 4, 6]
assert dict(module.count_words(tvm_ffi.List(["a", "b", "a"])).items()) == {"a": 2, "b": 1}
print(outcome(module.fail, 3))
print(outcome(module.add, 1))
print(outcome(module.add, 1, "x"))

# Its load-time registration ran: classes and global functions are there.
describe = tvm_ffi.get_global_func("third_party.describe")
assert describe([1, "a"]) == "A#0[i1,s61,]"
point = tvm_ffi.get_global_func("third_party.make_graph")(3, 50)
assert describe(point).startswith("A#0[")

# The session owns the machine code, deleters included: what it made goes before it does.
del point, describe
gc.collect()

finish()
