# SPDX-License-Identifier: Apache-2.0
"""Exceptions across the language boundary."""

from __future__ import annotations

import gc
import importlib
import pickle
import subprocess
import sys
import traceback
import weakref
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import core

sys.path.insert(0, str(Path(__file__).parent))
interpreter = importlib.import_module("interpreter")


class CustomError(Exception):
    def __init__(self, code, detail):
        super().__init__(code, detail)
        self.code = code


def raiser(exception):
    def body():
        raise exception

    return tvm_ffi.convert(body)


@pytest.mark.parametrize(
    "exception",
    [
        CustomError(7, "x"),
        KeyError("k"),
        OSError(2, "No such file", "name"),
        NotImplementedError("later"),
        StopIteration(5),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        KeyboardInterrupt(),
        SystemExit(3),
        GeneratorExit(),
        ValueError("\ud800 lone"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_the_same_exception_comes_back(exception):
    with pytest.raises(type(exception)) as caught:
        raiser(exception)()
    assert caught.value is exception


def test_cause_context_notes_and_attributes_survive():
    def body():
        try:
            raise KeyError("inner")
        except KeyError as inner:
            error = CustomError(7, "detail")
            error.extra = [1]
            if sys.version_info >= (3, 11):
                error.add_note("a note")
            raise error from inner

    with pytest.raises(CustomError) as caught:
        tvm_ffi.convert(body)()
    error = caught.value
    assert error.args == (7, "detail") and error.code == 7 and error.extra == [1]
    assert isinstance(error.__cause__, KeyError)
    if sys.version_info >= (3, 11):
        assert error.__notes__ == ["a note"]


def test_through_several_boundaries():
    error = CustomError(1, 2)
    call = raiser(error)
    for _ in range(5):
        call = tvm_ffi.convert(lambda inner=call: inner())
    with pytest.raises(CustomError) as caught:
        call()
    assert caught.value is error
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names.count("<lambda>") == 5
    assert names[0] == "test_through_several_boundaries" and names[-1] == "body"


def test_an_exception_may_be_raised_again():
    error = CustomError(1, 2)
    call = raiser(error)
    for _ in range(3):
        with pytest.raises(CustomError) as caught:
            call()
        assert caught.value is error


def test_error_of_native_code():
    with pytest.raises(TypeError, match="Expected `str` but got `int`") as caught:
        tvm_ffi.get_global_func("ffi.String")(1)
    native = caught.value.__tvm_ffi_error__
    assert isinstance(native, core.Error)
    assert native.kind == "TypeError" and "Expected `str`" in native.message
    assert native.extra_context is None


def test_kinds():
    for cls in (ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError):
        error = core._convert_to_ffi_error(cls("text"))
        assert error.kind == cls.__name__
        assert type(error.py_error()) is cls
    assert core.Error("Unheard", "text", "").py_error().args == ("text",)
    assert type(core.Error("Unheard", "text", "").py_error()) is RuntimeError
    assert core._convert_to_ffi_error(CustomError(1, 2)).kind == "RuntimeError"

    class Narrow(ValueError):
        pass

    assert core._convert_to_ffi_error(Narrow("x")).kind == "ValueError"


def test_an_error_in_new_words_has_the_exception_as_its_cause():
    original = CustomError(1, "original")
    inner = core._convert_to_ffi_error(original)

    class Converts:
        def __tvm_ffi_value__(self):
            raise original

    with pytest.raises(CustomError) as caught:
        tvm_ffi.convert(lambda x: x)([Converts()])
    assert caught.value is original
    assert inner.message == "(1, 'original')"


@pytest.mark.parametrize("wrong", [5, "ValueError", int, None, lambda message: ValueError(message)])
def test_register_error_refuses_what_is_no_exception_class(wrong):
    with pytest.raises(TypeError, match="expected an exception class"):
        tvm_ffi.register_error("test_error.Wrong")(wrong)
    assert "test_error.Wrong" not in tvm_ffi.core.ERROR_NAME_TO_TYPE
    with pytest.raises(TypeError, match="the kind of an error must be str, got int"):
        tvm_ffi.register_error(5, ValueError)


def test_register_error():
    @tvm_ffi.register_error
    class FirstKind(RuntimeError):
        pass

    @tvm_ffi.register_error("test_error.Second")
    class SecondKind(Exception):
        pass

    class ThirdKind(Exception):
        pass

    assert tvm_ffi.register_error("test_error.Third", ThirdKind) is ThirdKind
    assert type(core.Error("FirstKind", "m", "").py_error()) is FirstKind
    assert type(core.Error("test_error.Second", "m", "").py_error()) is SecondKind
    assert core._convert_to_ffi_error(ThirdKind("m")).kind == "test_error.Third"


def test_registered_class_that_needs_more_than_a_message():
    @tvm_ffi.register_error("test_error.Picky")
    class Picky(Exception):
        def __init__(self, a, b):
            super().__init__(a, b)

    with pytest.raises(RuntimeError, match=r"test_error\.Picky: text"):
        raise core.Error("test_error.Picky", "text", "").py_error()


def test_traceback_of_a_backtrace():
    lines = '  File "inner.cc", line 3, in Inner\n  File "outer.cc", line 9, in Outer<int>\n'
    error = core.Error("ValueError", "text", lines).py_error()
    frames = traceback.extract_tb(error.__traceback__)
    assert [(f.filename, f.lineno, f.name) for f in frames] == [
        ("outer.cc", 9, "Outer<int>"),
        ("inner.cc", 3, "Inner"),
    ]


def test_traceback_order():
    def innermost():
        raise ValueError("text")

    with pytest.raises(ValueError) as caught:
        tvm_ffi.convert(innermost)()
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[0] == "test_traceback_order" and names[-1] == "innermost"
    lines = caught.value.__tvm_ffi_error__.backtrace.splitlines()
    assert lines[0].endswith("in innermost")


def test_malformed_backtrace_lines_are_skipped():
    text = 'nonsense\n  File "a", line x, in f\n  File "b", line 1, in g'
    error = core.Error("ValueError", "text", text).py_error()
    assert [f.name for f in traceback.extract_tb(error.__traceback__)] == ["g"]


def test_str_that_raises():
    class Broken(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    error = Broken()
    with pytest.raises(Broken) as caught:
        raiser(error)()
    assert caught.value is error
    assert "failed" in caught.value.__tvm_ffi_error__.message


def test_surrogates_in_the_message():
    error = core._convert_to_ffi_error(ValueError("a\ud800b"))
    assert error.message == "a\ud800b"
    with pytest.raises(ValueError) as caught:
        raise error.py_error()
    assert caught.value.args == ("a\ud800b",)


def test_error_objects():
    error = core.Error("ValueError", "message", '  File "f", line 1, in g\n')
    assert (error.kind, error.message) == ("ValueError", "message")
    error.update_backtrace('  File "h", line 2, in k\n')
    assert error.backtrace == '  File "h", line 2, in k\n'
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.kind, copy.message, copy.backtrace) == (
        error.kind,
        error.message,
        error.backtrace,
    )
    assert not isinstance(error, BaseException)
    returned = tvm_ffi.convert(lambda: ValueError("as value"))()
    assert isinstance(returned, core.Error) and returned.message == "as value"
    with pytest.raises(TypeError):
        core.Error("a", "b", 3)


def test_no_garbage_is_left():
    class Marker:
        pass

    def body():
        marker = Marker()
        refs.append(weakref.ref(marker))
        raise CustomError(1, 2)

    refs: list = []
    call = tvm_ffi.convert(body)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            try:
                call()
            except CustomError:
                pass
        assert [ref() for ref in refs] == [None] * 3
    finally:
        gc.enable()


@interpreter.classes_may_die
def test_exception_swallowed_by_the_callee_is_released():
    class Witness(Exception):
        pass

    def call():
        error = Witness("x")

        class Arg:
            def __tvm_ffi_int__(self):
                raise error

        with pytest.raises(Witness):
            tvm_ffi.convert(lambda x: x)(Arg())
        return weakref.ref(error)

    ref = call()
    gc.collect()
    assert ref() is None


def test_tracebacks_print(capsys):
    try:
        raiser(CustomError(1, "shown"))()
    except CustomError:
        traceback.print_exc()
    assert "CustomError: (1, 'shown')" in capsys.readouterr().err


@pytest.mark.parametrize(("statement", "code"), [("sys.exit(5)", 5), ("raise SystemExit(6)", 6)])
def test_exit_in_a_callback_ends_the_process(statement, code):
    program = f"""
import sys, tvm_ffi
def body():
    {statement}
tvm_ffi.convert(body)()
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == code


def test_missing_error_append_traceback():
    manager = tvm_ffi.error.TracebackManager()
    tb = manager.append_traceback(None, "file.cc", 12, "fn")
    (frame,) = traceback.extract_tb(tb)
    assert (frame.filename, frame.lineno, frame.name) == ("file.cc", 12, "fn")


def test_recursion_error_arrives_as_itself():
    value = tvm_ffi.Array([])
    for _ in range(3000):
        value = tvm_ffi.Array([value])
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        tvm_ffi.structural_visit(value, lambda item, visitor: visitor.default_visit(item))
