# SPDX-License-Identifier: Apache-2.0
"""Every module of the third-party wheels is imported: what they use of ``tvm_ffi`` is there."""

from __future__ import annotations

import importlib
import pkgutil

import tvm_ffi_orcjit
import tvm_tirx
from harness import finish

count = 0
for package in (tvm_ffi_orcjit, tvm_tirx):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".", lambda _: None):
        if found.name.rsplit(".", 1)[-1] == "__main__":
            continue
        try:
            importlib.import_module(found.name)
            count += 1
        except Exception as error:  # some need packages that are not installed
            print(found.name, type(error).__name__, error)
assert count > 30, count
print(count)
finish()
