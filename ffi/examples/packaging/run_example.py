# SPDX-License-Identifier: Apache-2.0
"""Uses the installed extension: ``python run_example.py add_one | int_pair | raise_error``."""

import sys

import my_ffi_extension
import numpy as np


def add_one() -> None:
    x = np.array([1, 2, 3, 4, 5], dtype="float32")
    y = np.empty_like(x)
    my_ffi_extension.add_one(x, y)
    print("result:", y)


def int_pair() -> None:
    pair = my_ffi_extension.IntPair(1, 2)
    print("pair.a =", pair.a)
    print("pair.b =", pair.b)
    print("pair.get_first() =", pair.get_first())
    print("IntPair.static_get_second(pair) =", my_ffi_extension.IntPair.static_get_second(pair))


def raise_error() -> None:
    my_ffi_extension.raise_error("This is an error")


EXAMPLES = {"add_one": add_one, "int_pair": int_pair, "raise_error": raise_error}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in EXAMPLES:
        sys.exit(f"usage: python run_example.py {' | '.join(EXAMPLES)}")
    EXAMPLES[sys.argv[1]]()
