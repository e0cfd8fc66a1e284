# SPDX-License-Identifier: Apache-2.0
"""Drives the loop: chains of handlers, threads, timers, cancellation, an error and Ctrl-C."""

import gc
import os
import signal
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm_ffi

tvm_ffi.load_module(Path(os.environ.get("EXAMPLE_LIBRARIES", ".")) / "libevent_loop.so")


@tvm_ffi.register_object("event_loop.Loop")
class Loop(tvm_ffi.Object):
    """An event loop in C++."""

    if TYPE_CHECKING:  # C++ brings the methods; type checkers are told here

        def post(self, handler: Callable[[Any], object], payload: object) -> None: ...
        def after(self, milliseconds: int, handler: Callable[[int], object]) -> int: ...
        def cancel(self, timer: int) -> bool: ...
        def run(self) -> int: ...


loop = Loop()

# A handler that posts the next one: 100,000 round trips between C++ and Python.
total = 0


def count_down(n: int) -> None:
    global total
    total += n
    if n:
        loop.post(count_down, n - 1)


loop.post(count_down, 100_000)
print("handlers run:", loop.run(), "sum:", total)

# Four threads post while the loop runs; the fifth event of each says that it is done.
arrived: list[Any] = []
done: list[int] = []


def arrive(message: Any) -> None:
    arrived.append(message)
    if message[1] == 999:
        done.append(message[0])
        if len(done) == 4:
            loop.cancel(watch)


def produce(who: int) -> None:
    for i in range(1000):
        loop.post(arrive, (who, i))


watch = loop.after(60_000, lambda timer: None)  # keeps the loop waiting for the threads
threads = [threading.Thread(target=produce, args=(who,)) for who in range(4)]
for thread in threads:
    thread.start()
loop.run()
for thread in threads:
    thread.join()
in_order = all([i for w, i in arrived if w == who] == list(range(1000)) for who in range(4))
print("from threads:", len(arrived), "each in order:", in_order)

# Timers run in the order of their times, and a cancelled one never.
order: list[str] = []
loop.after(20, lambda timer: order.append("late"))
loop.after(1, lambda timer: order.append("early"))
never = loop.after(5, lambda timer: order.append("never"))
print("cancelled:", loop.cancel(never), loop.cancel(never))
loop.run()
print("timers:", order)


# An error leaves the loop usable: the events behind it are still there.
def fail(payload: object) -> None:
    raise LookupError(payload)


loop.post(fail, "no such event")
loop.post(order.append, "after the error")
try:
    loop.run()
except LookupError as error:
    print("error:", error)
print("left:", loop.run(), order[-1])

# Ctrl-C ends the wait for a timer.
waiting = loop.after(60_000, lambda timer: None)
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    loop.run()
except KeyboardInterrupt:
    print("interrupted; still waiting:", loop.cancel(waiting))


# What a handler holds is released with it.
class Resource:
    pass


resource = Resource()
gone = weakref.ref(resource)


def hold(payload: object, held: Resource = resource) -> None:
    """Nothing but a reference."""


loop.post(hold, None)
del resource, hold
loop.run()
gc.collect()
print("released:", gone() is None)
