# SPDX-License-Identifier: Apache-2.0
"""Where types of native libraries live in Python."""

from __future__ import annotations

# First segment of a type key -> module.
MOD_MAP = {"testing": "tvm_ffi.testing", "ffi": "tvm_ffi"}

TY_MAP_DEFAULTS = {
    "Any": "typing.Any",
    "Callable": "typing.Callable",
    "Array": "collections.abc.Sequence",
    "List": "collections.abc.MutableSequence",
    "Map": "collections.abc.Mapping",
    "Dict": "collections.abc.MutableMapping",
    "Object": "ffi.Object",
    "Tensor": "ffi.Tensor",
    "dtype": "ffi.dtype",
    "Device": "ffi.Device",
    "ffi.Enum": "tvm_ffi.dataclasses.Enum",
    # These are not at the root of the package either.
    "ffi.IntEnum": "tvm_ffi.dataclasses.IntEnum",
    "ffi.StrEnum": "tvm_ffi.dataclasses.StrEnum",
    "ffi.EnumState": "tvm_ffi.dataclasses.EnumState",
    "ffi.Error": "tvm_ffi.core.Error",
    "ffi.reflection.AccessPath": "tvm_ffi.access_path.AccessPath",
    "ffi.reflection.AccessStep": "tvm_ffi.access_path.AccessStep",
}

# Parameters accept any sequence or mapping.
TY_MAP_INPUT_DEFAULTS = {
    "Array": "collections.abc.Sequence",
    "List": "collections.abc.Sequence",
    "Map": "collections.abc.Mapping",
    "Dict": "collections.abc.Mapping",
}
