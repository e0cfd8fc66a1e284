# SPDX-License-Identifier: Apache-2.0
"""Types whose fields are named like words of Python and Rust, for generators to import."""

from __future__ import annotations

import tvm_ffi
from tvm_ffi.dataclasses import py_class

NAMES = (
    # built-in names and keywords of Python
    "int list type match property staticmethod self None class def "
    # keywords, prelude and names of generated code in Rust
    "crate Self fn struct Some Ok Err Option Result FIELD INIT new base deref clone opaque _ "
    # which become one in Rust
    "value value_ __value__ vaLue"
).split()


def _make(key: str, parent: type, names: list[str], annotation: object) -> type:
    body = {"__annotations__": dict.fromkeys(names, annotation), "__module__": __name__}
    return py_class(key)(type(key.rpartition(".")[2], (parent,), body))


Together = _make("odd_names.Together", tvm_ffi.Object, NAMES, int)
Child = _make("odd_names.Child", Together, ["kind", "Kind"], int)
Lists = _make("odd_names.Lists", tvm_ffi.Object, ["int", "items"], list[int])
