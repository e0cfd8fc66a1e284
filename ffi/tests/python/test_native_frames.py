# SPDX-License-Identifier: Apache-2.0
"""Calls that go through Python, C++ and Python again: tracebacks, nested errors, destructors, and
threads that native code starts."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import traceback
import weakref
from pathlib import Path

import pytest
import tvm_ffi
import tvm_ffi.cpp

SOURCE = r"""
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>
using tvm::ffi::Any;
using tvm::ffi::Array;
using tvm::ffi::Function;
using tvm::ffi::String;

Any call(Function f, Any x) { return f(x); }
__attribute__((noinline)) Any inner_call(Function f, Any x) { return f(x); }
__attribute__((noinline)) Any outer_call(Function f, Any x) { return inner_call(f, x); }

int64_t checked(Function f, int64_t x) {
  int64_t result = f(x).cast<int64_t>();
  TVM_FFI_CHECK_GE(result, 0, ValueError) << "the callback returned " << result;
  return result;
}

// Catches the error of `f` and throws another one.
Any in_other_words(Function f) {
  try {
    return f();
  } catch (const tvm::ffi::Error& error) {
    TVM_FFI_THROW(ValueError) << "in other words: " << error.message();
  }
}

// The same, and says what it comes from.
Any with_its_cause(Function f) {
  try {
    return f();
  } catch (const tvm::ffi::Error& error) {
    throw tvm::ffi::Error("ValueError", "in other words", "", error, std::nullopt);
  }
}

// Catches the error of `f` and goes on.
String swallow(Function f) {
  try {
    f();
  } catch (const tvm::ffi::Error& error) {
    return error.kind();
  }
  return "";
}

void throw_std() { throw std::out_of_range("a plain C++ exception"); }
void throw_int() { throw 5; }

// f(i) on `count` threads at once; the results in order. The first error is thrown on.
Array<Any> on_threads(Function f, int64_t count) {
  std::vector<Any> results(count);
  std::vector<tvm::ffi::Error> errors;
  std::atomic<bool> lock{false};
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        for (int round = 0; round < 20; ++round) results[i] = f(i);
      } catch (const tvm::ffi::Error& error) {
        while (lock.exchange(true)) std::this_thread::yield();
        errors.push_back(error);
        lock = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!errors.empty()) throw errors[0];
  return Array<Any>(results.begin(), results.end());
}

// Keeps `value` on a thread of its own and drops it there.
void drop_on_thread(Any value) {
  std::thread([value = std::move(value)]() mutable { value = nullptr; }).join();
}
"""
LIBRARY = tvm_ffi.cpp.load_inline(
    "test_native_frames",
    cpp_sources=SOURCE,
    functions=[
        "call",
        "outer_call",
        "checked",
        "in_other_words",
        "with_its_cause",
        "swallow",
        "throw_std",
        "throw_int",
        "on_threads",
        "drop_on_thread",
    ],
    extra_cflags=["-g1"],
    extra_ldflags=["-pthread"],
)


class Own(Exception):
    pass


def frames_of(error):
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_one_traceback_in_order():
    def python_inner(x):
        raise Own("text")

    def python_outer(x):
        return LIBRARY.outer_call(python_inner, x)

    with pytest.raises(Own) as caught:
        LIBRARY.call(python_outer, 1)
    names = frames_of(caught.value)
    assert names[0] == "test_one_traceback_in_order" and names[-1] == "python_inner"
    python = [name for name in names if name in ("python_outer", "python_inner")]
    assert python == ["python_outer", "python_inner"]
    native = [name for name in names if "call(" in name]
    between = names.index("python_outer")
    assert any("outer_call" in name for name in names[between:]), names
    assert any("inner_call" in name for name in names[between:]), names
    order = [name.split("(")[0].split()[-1] for name in native]
    assert order.index("outer_call") < order.index("inner_call")
    printed = "".join(traceback.format_exception(caught.value))
    assert printed.count("Traceback (most recent call last)") == 1
    assert printed.index("python_outer") < printed.index("in python_inner")


def test_native_frames_tell_file_and_line():
    with pytest.raises(ValueError, match="the callback returned -1") as caught:
        LIBRARY.checked(lambda x: -1, 0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    line = next(
        i for i, text in enumerate(SOURCE.splitlines(), 1) if "TVM_FFI_CHECK_GE(result" in text
    )
    assert frames[-1].name.split("(")[0].endswith("checked")
    # The user's source starts after the includes of the wrapper.
    assert frames[-1].lineno >= line and frames[-1].filename.endswith(".cpp")


def test_frames_of_the_interpreter_are_not_shown():
    """Also where native code is called by the extension and not through a Function."""
    for call in (lambda: tvm_ffi.dtype("no such type"), lambda: LIBRARY["no such function"]):
        with pytest.raises((ValueError, AttributeError)) as caught:
            call()
        frames = traceback.extract_tb(caught.value.__traceback__)
        shown = [(frame.filename, frame.name) for frame in frames]
        assert all(not file.startswith(("Objects/", "Python/")) for file, _ in shown), shown
        assert not {"type_call", "cfunction_call"} & {name for _, name in shown}


def test_error_in_a_callback_inside_a_callback():
    log = []

    def innermost(x):
        raise Own(x)

    def middle(x):
        try:
            LIBRARY.call(innermost, x)
        except Own as error:
            log.append(error.args)
            raise KeyError("middle") from error

    with pytest.raises(KeyError) as caught:
        LIBRARY.call(middle, 3)
    assert log == [(3,)] and caught.value.args == ("middle",)
    cause = caught.value.__cause__
    assert isinstance(cause, Own) and cause.args == (3,)
    assert frames_of(cause)[-1] == "innermost" and frames_of(caught.value)[-1] == "middle"


def test_handling_an_error_calls_native_code_that_fails():
    def handler(x):
        try:
            raise Own("first")
        except Own:
            LIBRARY.call(lambda y: 1 // 0, x)

    with pytest.raises(ZeroDivisionError) as caught:
        LIBRARY.call(handler, 1)
    assert isinstance(caught.value.__context__, Own)


def test_an_error_in_other_words():
    error = Own("text")

    def fail():
        raise error

    with pytest.raises(ValueError, match="in other words: text") as caught:
        LIBRARY.in_other_words(fail)
    assert caught.value.__cause__ is None  # C++ named none
    with pytest.raises(ValueError, match="in other words") as caught:
        LIBRARY.with_its_cause(fail)
    assert caught.value.__cause__ is error and frames_of(error)[-1] == "fail"


def test_an_error_that_native_code_swallows_leaves_nothing():
    class Witness(Own):
        pass

    refs = []

    def fail():
        error = Witness("x")
        refs.append(weakref.ref(error))
        raise error

    assert LIBRARY.swallow(fail) == "RuntimeError"
    assert LIBRARY.swallow(lambda: {}["k"]) == "KeyError"
    assert LIBRARY.swallow(lambda: None) == ""
    gc.collect()
    assert refs[0]() is None


def test_other_exceptions_of_cpp():
    with pytest.raises(Exception, match="a plain C\\+\\+ exception"):
        LIBRARY.throw_std()
    with pytest.raises(RuntimeError, match="unknown C\\+\\+ exception of type `int`"):
        LIBRARY.throw_int()


def test_notes_are_kept():
    error = Own("text")
    if sys.version_info >= (3, 11):
        error.add_note("a note")

    def fail(x):
        raise error

    with pytest.raises(Own) as caught:
        LIBRARY.call(lambda x: LIBRARY.call(fail, x), 1)
    assert caught.value is error
    assert getattr(error, "__notes__", ["a note"]) == ["a note"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")
def test_exception_groups():
    def fail(x):
        raise ExceptionGroup("several", [ValueError(1), Own(2)])  # noqa: F821

    with pytest.raises(ExceptionGroup) as caught:  # noqa: F821
        LIBRARY.call(fail, 1)
    assert [type(e) for e in caught.value.exceptions] == [ValueError, Own]


class LoudDestructor:
    def __del__(self):
        raise RuntimeError("raised in __del__")


@pytest.fixture
def unraisable(monkeypatch):
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: caught.append(str(args.exc_value)))
    return caught


def test_a_destructor_that_raises(unraisable):
    LIBRARY.call(lambda x: None, LoudDestructor())
    assert unraisable == ["raised in __del__"]
    LIBRARY.drop_on_thread(LoudDestructor())
    gc.collect()
    assert unraisable == ["raised in __del__"] * 2
    values = tvm_ffi.List([LoudDestructor()])
    values.clear()
    assert len(unraisable) == 3
    ring = tvm_ffi.List([LoudDestructor()])
    ring.append(ring)
    del ring
    for _ in range(2):
        gc.collect()
    assert unraisable == ["raised in __del__"] * 4


def test_a_destructor_that_raises_while_an_error_is_under_way(unraisable):
    def fail(x):
        raise Own("kept")

    with pytest.raises(Own, match="kept"):
        LIBRARY.call(fail, LoudDestructor())
    gc.collect()
    assert unraisable == ["raised in __del__"]


def test_calls_from_eight_native_threads():
    seen = set()

    def callback(i):
        seen.add(threading.get_ident())
        return [i, str(i) * 10, {"k": object()}]

    results = LIBRARY.on_threads(callback, 8)
    assert [r[0] for r in results] == list(range(8)) and results[7][1] == "7777777777"
    assert threading.get_ident() not in seen  # 8 of them, unless one takes the number of another


def test_native_threads_meet_in_python():
    """All eight are inside Python at once: the caller has given the interpreter up."""
    barrier = threading.Barrier(8, timeout=60)
    assert list(LIBRARY.on_threads(lambda i: barrier.wait() >= 0, 8)) == [True] * 8


def test_an_error_on_a_native_thread():
    error = Own("from a thread")

    def fail(i):
        if i == 5:
            raise error
        return i

    with pytest.raises(Own) as caught:
        LIBRARY.on_threads(fail, 8)
    assert caught.value is error and frames_of(error)[-1] == "fail"


def test_callables_may_die_on_a_native_thread():
    class Witness:
        pass

    witness = Witness()
    ref = weakref.ref(witness)
    LIBRARY.drop_on_thread(lambda held=witness: held)
    LIBRARY.drop_on_thread([witness, {"k": witness}])
    del witness
    gc.collect()
    assert ref() is None


def run_program(program, **kwargs):
    folder = str(Path(__file__).parent)
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r})\n{program}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **kwargs,
    )


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_interrupt_in_a_callback_inside_a_native_loop():
    program = """
import os, signal, tvm_ffi, native_testing
signal.signal(signal.SIGINT, signal.default_int_handler)
apply = tvm_ffi.get_global_func("testing.apply")
wait = tvm_ffi.get_global_func("testing.run_check_signal")
def callback(x):
    os.kill(os.getpid(), signal.SIGINT)
    wait(20)
try:
    apply(callback, 1)
except KeyboardInterrupt:
    print("caught", tvm_ffi.convert(lambda: 3)())
"""
    done = run_program(program)
    assert done.stdout == "caught 3\n", done.stderr
    assert signal.SIGINT  # the program above needs it


def test_import_in_two_threads():
    program = """
import threading
errors, modules = [], []
barrier = threading.Barrier(4)
def load():
    barrier.wait()
    try:
        import tvm_ffi
        modules.append(tvm_ffi.Array([1, 2])[1])
    except BaseException as error:
        errors.append(error)
threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(errors, modules)
"""
    done = run_program(program)
    assert done.stdout == "[] [2, 2, 2, 2]\n", done.stderr


SUB_INTERPRETER = """
import os
try:
    import _interpreters as interpreters
    create = lambda: interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    def create():
        try:
            return interpreters.create(isolated=False)
        except TypeError:
            return interpreters.create()
if IMPORT_FIRST:
    import tvm_ffi
read, write = os.pipe()
sub = create()
interpreters.run_string(sub, '''
import os
try:
    import tvm_ffi
    text = "works"
except ImportError as error:
    text = "ImportError: " + str(error)
os.write(WRITE, text.encode())
'''.replace("WRITE", str(write)))
print(os.read(read, 1000).decode(), flush=True)
if IMPORT_FIRST:
    print(tvm_ffi.convert(lambda: 3)(), flush=True)
interpreters.destroy(sub)
"""


@pytest.mark.parametrize("first", [True, False])
def test_sub_interpreter(first):
    pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    done = run_program(SUB_INTERPRETER.replace("IMPORT_FIRST", str(first)))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "works" or (
        lines[0].startswith("ImportError") and ("interpreter" in lines[0])
    ), lines
    assert not first or lines[1] == "3"
