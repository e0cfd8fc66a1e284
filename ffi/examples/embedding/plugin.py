# SPDX-License-Identifier: Apache-2.0
"""Run by the host: registers what the host calls, and uses what the host offers."""

import itertools
from collections.abc import Sequence

import tvm_ffi

log = tvm_ffi.get_global_func("host.log")
log(f"plugin for host {tvm_ffi.get_global_func('host.version')()}")


@tvm_ffi.register_global_func("plugin.score")
def score(values: Sequence[float]) -> float:
    log(f"scoring {len(values)} values")
    return sum(value * value for value in values) / len(values)


@tvm_ffi.register_global_func("plugin.describe")
def describe(word: str) -> dict[str, int]:
    return {"length": len(word), "vowels": sum(letter in "aeiou" for letter in word)}


tvm_ffi.register_global_func("plugin.count", itertools.count(1).__next__)
