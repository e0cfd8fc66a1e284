# SPDX-License-Identifier: Apache-2.0
"""A tour of errors between Python and C++."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import tvm_ffi

tvm_ffi.load_module(Path(os.environ.get("EXAMPLE_LIBRARIES", ".")) / "liberrors.so")
tvm_ffi.init_ffi_api("errors", __name__)
errors = sys.modules[__name__]


def show(action: Callable[[], object]) -> None:
    try:
        print(action())
    except BaseException as error:
        print(f"{type(error).__name__}: {error}")


# 1. C++ names the kind; Python gets its own class of that name.
show(lambda: errors.withdraw(10, -1))
show(lambda: errors.withdraw(10, 2.5))

# 2. A kind of one's own: unknown at first, then an exception class.
show(lambda: errors.withdraw(10, 25))


@tvm_ffi.register_error
class OverdrawnError(RuntimeError):
    """The account holds less than is asked for."""


show(lambda: errors.withdraw(10, 25))


# 3. An exception of a callback passes C++ unchanged: class, arguments, cause; and C++ cleans up.
class Refused(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code = code


def refuse(handles: int) -> None:
    print("inside, handles open:", handles)
    entries: dict[str, Any] = {}
    try:
        entries["missing"]
    except KeyError as cause:
        raise Refused(403, "no entry") from cause


try:
    errors.with_handle(refuse)
except Refused as error:
    print("code:", error.code, "cause:", repr(error.__cause__))
print("after, handles open:", errors.open_handles())

# 4. C++ catches by kind, here to try again, and rethrows what it does not know. A class that is not
# registered has the kind RuntimeError in C++; this one is to be told apart.
tvm_ffi.register_error("ConnectionError", ConnectionError)
attempts: list[int] = []


def flaky(attempt: int) -> str:
    attempts.append(attempt)
    if attempt < 3:
        raise ConnectionError("try again")
    return "connected"


show(lambda: errors.retry(flaky, 5))
print("attempts:", attempts)
show(lambda: errors.retry(lambda attempt: int("x"), 5))
show(lambda: errors.retry(lambda attempt: sys.exit(3), 5))

# 5. Exceptions of the C++ library, translated by hand and left as they are.
show(lambda: errors.parse_port("http"))
show(errors.out_of_range)

# 6. Errors as values: what C++ returns is a value here too, and can be raised; a callback that raises is a
# value for C++ when it asks for one.
quotient = errors.checked_divide(7, 0)
print(type(quotient).__name__, quotient.kind, errors.checked_divide(7, 2))


def raise_it() -> NoReturn:
    raise quotient.py_error()


show(raise_it)
print(list(errors.outcomes([lambda: 1, lambda: 1 / 0, lambda: [][0]])))

# 7. One traceback has the frames of both languages, from the call to the place.
try:
    errors.retry(lambda attempt: errors.withdraw(1, 2), 1)
except OverdrawnError as error:
    frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    print(
        "Python frames:", "<lambda>" in frames, "C++ frames:", any("Withdraw" in f for f in frames)
    )
