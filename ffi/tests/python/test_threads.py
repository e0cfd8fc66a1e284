# SPDX-License-Identifier: Apache-2.0
"""Calls from many threads, callbacks in between, interrupts."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tvm_ffi

sys.path.insert(0, str(Path(__file__).parent))


def test_many_threads():
    importlib.import_module("native_testing")
    add_one = tvm_ffi.get_global_func("testing.add_one")
    apply = tvm_ffi.get_global_func("testing.apply")

    def work(seed):
        total = 0
        for i in range(300):
            total += add_one(i)
            total += apply(lambda a, b: a + len(b), i, "text of some length")
            values = tvm_ffi.Array([seed, str(seed) * 5, [i]])
            assert values[2][0] == i and values[1] == str(seed) * 5
            with pytest.raises(ZeroDivisionError):
                apply(lambda a: a / 0, i)
        return total

    expected = sum(2 * i + 1 + 19 for i in range(300))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [expected] * 8


def test_collection_while_native_code_runs():
    import gc

    stop = threading.Event()
    echo = tvm_ffi.convert(lambda x: x)

    def churn():
        while not stop.is_set():
            values = tvm_ffi.List([1])
            for i in range(50):
                values.append([lambda held=values: held, i])
            echo(values)

    threads = [threading.Thread(target=churn) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        gc.collect()
    stop.set()
    for thread in threads:
        thread.join()


def test_release_on_a_native_thread():
    """The last reference to a Python value may go on any thread."""
    tvm_ffi.core._testing_drop_last_ref_without_thread_state()


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("kind", ["default", "own exception"])
def test_interrupt_of_a_native_loop(kind):
    folder = str(Path(__file__).parent)
    program = f"""
import sys, signal, threading, os, time
sys.path.insert(0, {folder!r})
import tvm_ffi, native_testing
class Mine(Exception): pass
def handler(signum, frame): raise Mine("from the handler")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have had it ignored
wanted = KeyboardInterrupt
if {kind == "own exception"}:
    signal.signal(signal.SIGINT, handler)
    wanted = Mine
def send():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send).start()
try:
    tvm_ffi.get_global_func("testing.run_check_signal")(20)
except wanted:
    print("caught", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "caught\n", done.stderr


def test_callbacks_after_shutdown_do_not_crash():
    program = """
import atexit, tvm_ffi
kept = tvm_ffi.Array([lambda: 1, object()])
tvm_ffi.register_global_func("test_threads.kept", lambda: kept)
atexit.register(lambda: print("bye", kept[0]()))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and done.stdout == "bye 1\n", done.stderr


def test_daemon_threads_in_callbacks_do_not_end_the_process_badly() -> None:
    code = """
import threading, time, tvm_ffi

numbers = tvm_ffi.List(range(100))
divide = tvm_ffi.convert(lambda x: 1 // 0)

def work(k):
    while True:
        try:
            numbers.append(k)
            list(numbers)
            divide(1)
        except (ZeroDivisionError, IndexError):
            pass

for k in range(3):
    threading.Thread(target=work, args=(k,), daemon=True).start()
time.sleep(0.05)
print("end", flush=True)
"""
    for _ in range(5):
        result = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
        )
        assert (result.returncode, result.stdout) == (0, "end\n"), result.stderr


def in_threads(work, count: int = 4) -> list:
    """What `work` adds to a list, run by several threads that take turns as often as can be."""
    results: list = []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(results,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    return results


def test_an_entry_is_popped_once():
    entries = tvm_ffi.Dict({i: i for i in range(5000)})

    def by_key(results):
        for i in range(5000):
            value = entries.pop(i, None)
            if value is not None:
                results.append(value)

    assert sorted(in_threads(by_key)) == list(range(5000))

    entries.update({i: i for i in range(5000)})

    def first(results):
        try:
            while True:
                results.append(entries.popitem()[0])
        except KeyError:
            pass

    assert sorted(in_threads(first)) == list(range(5000))

    numbers = tvm_ffi.List(range(5000))

    def last(results):
        try:
            while True:
                results.append(numbers.pop())
        except IndexError as error:
            assert str(error) == "pop from empty list"

    assert sorted(in_threads(last)) == list(range(5000))
