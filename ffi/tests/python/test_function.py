# SPDX-License-Identifier: Apache-2.0
"""Calls of functions: argument and result conversion, keywords, attributes."""

from __future__ import annotations

import ctypes
import decimal
import enum
import fractions
import importlib
import inspect
import math
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import core

sys.path.insert(0, str(Path(__file__).parent))
interpreter = importlib.import_module("interpreter")


@pytest.fixture(scope="module")
def echo():
    return tvm_ffi.convert(lambda x: x)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        2**63,
        -(2**63) - 1,
        2**64 - 1,
        2**200 + 12345,
        -(2**200),
        0.0,
        -1.5,
        math.inf,
        "",
        "a",
        "1234567",
        "12345678",
        "häß",
        "\0nul\0",
        "😀" * 5,
        b"",
        b"1234567",
        b"12345678\0\xff",
    ],
    ids=repr,
)
def test_plain_values_come_back_unchanged(echo, value):
    result = echo(value)
    assert result == value
    assert type(result) is type(value) or isinstance(result, type(value))


def test_nan_and_signed_zero(echo):
    assert math.isnan(echo(math.nan))
    assert math.copysign(1.0, echo(-0.0)) == -1.0


def test_text_forms(echo):
    assert type(echo("1234567")) is str
    assert type(echo("12345678")) is core.String
    assert type(echo(b"1234567")) is bytes
    assert type(echo(b"12345678")) is core.Bytes
    long = echo("x" * 100)
    assert long._tvm_ffi_cached_object is not None
    assert echo(long)._tvm_ffi_cached_object.same_as(long._tvm_ffi_cached_object)
    assert core.String("abc")._tvm_ffi_cached_object is None
    assert hash(long) == hash("x" * 100)


def test_lone_surrogate_is_refused(echo):
    with pytest.raises(UnicodeEncodeError):
        echo("\ud800")
    with pytest.raises(UnicodeEncodeError):
        echo(["ok", "\udfff" * 10])


def test_numbers_by_protocol(echo):
    assert echo(fractions.Fraction(1, 2)) == 0.5

    class Level(enum.IntEnum):
        HIGH = 7

    class Name(str, enum.Enum):
        A = "alpha"

    assert echo(Level.HIGH) == 7 and type(echo(Level.HIGH)) is int
    assert echo(Name.A) == "alpha"


@pytest.mark.parametrize(
    "value", [{1, 2}, range(3), slice(1), 1j, decimal.Decimal("1.5"), KeyboardInterrupt()], ids=repr
)
def test_other_values_travel_as_they_are(echo, value):
    assert echo(value) is value


def test_containers_convert_in_depth(echo):
    result = echo([1, ("a", {"k": [None, 2.5]}), b"x"])
    assert isinstance(result, tvm_ffi.Array)
    assert result[1][1]["k"][1] == 2.5
    assert list(echo({"b": 1, "a": 2})) == ["b", "a"]


def test_cyclic_and_deep_arguments_raise(echo):
    cyclic: list = []
    cyclic.append(cyclic)
    with pytest.raises(RecursionError):
        echo(cyclic)
    mapping: dict = {}
    mapping["self"] = mapping
    with pytest.raises(RecursionError):
        echo(mapping)
    deep: list = []
    for _ in range(1_000_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        echo(deep)
    while deep:
        deep = deep[0]


def test_list_changed_while_it_is_converted(echo):
    values: list = [1, 2, 3]

    class Shrink:
        def __tvm_ffi_int__(self):
            values.clear()
            return 5

    values[0] = Shrink()
    assert list(echo(values)) == [5]


def test_protocols(echo):
    class AsInt:
        def __tvm_ffi_int__(self):
            return 2**70

    class AsFloat:
        def __tvm_ffi_float__(self):
            return 3

    class AsValue:
        def __tvm_ffi_value__(self):
            return ["v", AsInt()]

    class AsObject:
        def __tvm_ffi_object__(self):
            return tvm_ffi.Array([1, 2])

    class AsPtr:
        def __tvm_ffi_opaque_ptr__(self):
            return 0x1234

    assert echo(AsInt()) == 2**70
    assert echo(AsFloat()) == 3.0 and type(echo(AsFloat())) is float
    assert list(echo(AsValue())) == ["v", 2**70]
    assert list(echo(AsObject())) == [1, 2]
    assert echo(AsPtr()).value == 0x1234
    assert echo(ctypes.c_void_p(16)).value == 16
    assert echo(ctypes.c_void_p(None)).value is None


def test_protocol_that_never_ends(echo):
    class Loop:
        def __tvm_ffi_value__(self):
            return self

    with pytest.raises(RecursionError):
        echo(Loop())


def test_protocol_on_an_instance_does_not_count(echo):
    class Plain:
        pass

    value = Plain()
    value.__tvm_ffi_int__ = lambda: 3
    assert echo(value) is value


def test_handlers_of_exact_classes(echo):
    class Handle:
        pass

    core._OPAQUE_PTR_HANDLERS[Handle] = lambda h: 99
    try:
        assert echo(Handle()).value == 99
    finally:
        del core._OPAQUE_PTR_HANDLERS[Handle]


def test_many_arguments():
    count = tvm_ffi.convert(lambda *args: len(args))
    assert count() == 0
    assert count(*range(500)) == 500
    total = tvm_ffi.convert(lambda *args: sum(args))
    assert total(*range(100)) == 4950
    words = tvm_ffi.convert(lambda *args: "".join(args))
    assert words(*["long enough text"] * 40) == "long enough text" * 40


def test_call_with_keywords():
    @tvm_ffi.convert
    def scale(x, factor=2, *, offset=0):
        return x * factor + offset

    assert scale(3) == 6
    assert scale(3, factor=5) == 15
    assert scale(factor=5, x=2) == 10
    with pytest.raises(TypeError, match="nope"):
        scale(1, nope=2)
    with pytest.raises(TypeError, match="offset"):
        scale(1, offset=2)
    with pytest.raises(TypeError, match="keyword"):
        tvm_ffi.get_global_func("ffi.String")(x="abc")


def test_names_and_signatures():
    def add(a: int, b: int = 1) -> int:
        """Adds."""
        return a + b

    function = tvm_ffi.convert(add)
    assert function.__name__ == "add" and function.__doc__ == "Adds."
    assert str(inspect.signature(function)) == str(inspect.signature(add))
    get = tvm_ffi.get_global_func("ffi.ArrayGetItem")
    assert get.__name__ == "ArrayGetItem" and get.__qualname__ == "ffi.ArrayGetItem"
    signature = inspect.signature(get)
    assert [str(p.annotation) for p in signature.parameters.values()] == ["Array[Any]", "int"]
    function.mark = 3
    assert function.mark == 3 and function.__dict__ == {"mark": 3}
    function.__name__ = "other"
    assert function.__name__ == "other"


def test_identity_of_functions():
    a, b = tvm_ffi.get_global_func("ffi.String"), tvm_ffi.get_global_func("ffi.String")
    assert a == b and hash(a) == hash(b) and a.same_as(b)
    assert a != tvm_ffi.get_global_func("ffi.Bytes")
    assert a != 3 and not a.same_as(3)


def test_functions_as_values():
    apply = tvm_ffi.convert(lambda f, x: f(x))
    assert apply(lambda v: v + 1, 41) == 42
    assert apply(int, 3.9) == 3
    inner = apply(lambda n: lambda m: n * m, 6)
    assert isinstance(inner, tvm_ffi.Function) and inner(7) == 42


def test_pickle_is_refused():
    import pickle

    with pytest.raises(TypeError):
        pickle.dumps(tvm_ffi.get_global_func("ffi.String"))


def test_registration():
    @tvm_ffi.register_global_func("test_function.twice")
    def twice(x):
        return 2 * x

    try:
        assert isinstance(twice, tvm_ffi.Function)
        assert tvm_ffi.get_global_func("test_function.twice")(4) == 8
        assert "test_function.twice" in tvm_ffi.registry.list_global_func_names()
        assert tvm_ffi.get_global_func_metadata("test_function.twice") == {}
        with pytest.raises(RuntimeError, match="is already registered"):
            tvm_ffi.register_global_func("test_function.twice", lambda x: x)
        tvm_ffi.register_global_func("test_function.twice", lambda x: 3 * x, override=True)
        assert tvm_ffi.get_global_func("test_function.twice")(4) == 12
        with pytest.raises(TypeError):
            tvm_ffi.register_global_func("test_function.bad", 3)
    finally:
        tvm_ffi.remove_global_func("test_function.twice")
    tvm_ffi.remove_global_func("test_function.twice")
    assert tvm_ffi.get_global_func("test_function.twice", allow_missing=True) is None
    with pytest.raises(ValueError, match=r"Cannot find global function test_function\.twice"):
        tvm_ffi.get_global_func("test_function.twice")


def test_metadata_of_native_functions():
    metadata = tvm_ffi.get_global_func_metadata("ffi.String")
    assert metadata["type_schema"] == (
        '{"type":"ffi.Function","named_args":{"return":[{"type":"ffi.String"}],'
        '"params":[{"type":"ffi.String"}]}}'
    )
    with pytest.raises(RuntimeError, match="Global Function is not found: no such"):
        tvm_ffi.get_global_func_metadata("no such")


def test_wrong_argument_messages():
    get = tvm_ffi.get_global_func("ffi.ArrayGetItem")
    with pytest.raises(TypeError, match=r"argument #1 .*Expected `int` but got `ffi.SmallStr`"):
        get([1], "x")
    with pytest.raises(TypeError, match=r"Expected 2 but got 1 arguments"):
        get([1])


def test_extern_c():
    safe_call = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p
    )

    def body(handle, args, num_args, result):
        number = ctypes.cast(args, ctypes.POINTER(ctypes.c_int64))
        out = ctypes.cast(result, ctypes.POINTER(ctypes.c_int64))
        out[0], out[1] = 1, number[1] + 1
        return 0

    c_function = safe_call(body)
    address = ctypes.cast(c_function, ctypes.c_void_p).value
    function = core.Function.__from_extern_c__(address, keep_alive_object=c_function)
    assert function(41) == 42
    with pytest.raises(ValueError):
        core.Function.__from_extern_c__(0)


def test_other_threads_run_during_a_call():
    entered, leave = threading.Event(), threading.Event()

    def wait():
        entered.set()
        assert leave.wait(10)
        return 1

    call = tvm_ffi.convert(wait)
    assert call.release_gil is True
    results = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    assert entered.wait(10)
    leave.set()
    thread.join()
    assert results == [1]
    call.release_gil = False
    assert call.release_gil is False


def test_callback_on_a_foreign_thread():
    core._testing_drop_last_ref_without_thread_state()


def test_import_leaves_numpy_alone():
    code = "import sys, tvm_ffi; assert 'numpy' not in sys.modules and 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_keeps_signal_handlers():
    code = (
        "import faulthandler, signal\n"
        "faulthandler.enable(); before = signal.getsignal(signal.SIGINT)\n"
        "import tvm_ffi\n"
        "assert signal.getsignal(signal.SIGINT) is before and faulthandler.is_enabled()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_sub_interpreter_gets_an_import_error():
    code = """
import sys
try:
    import _xxsubinterpreters as sub
except ImportError:
    import _interpreters as sub
script = '''
try:
    import tvm_ffi
except ImportError as error:
    print("refused:", error, flush=True)
'''
sub.run_string(sub.create(), f"import sys; sys.path = {sys.path!r}" + chr(10) + script)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert "refused:" in done.stdout, done.stderr


@interpreter.classes_may_die
def test_converted_classes_may_die(echo):
    import gc
    import weakref

    def make():
        class Short:
            def __tvm_ffi_int__(self):
                return 5

        assert echo(Short()) == 5
        return weakref.ref(Short)

    refs = [make() for _ in range(300)]
    gc.collect()
    assert all(ref() is None for ref in refs)


def test_debug_info(capfd):
    core._print_debug_info()
    sys.stdout.flush()
    assert "classes" in capfd.readouterr().out


def test_repr_shows_the_name():
    importlib.import_module("native_testing")

    def named():
        pass

    assert repr(tvm_ffi.get_global_func("testing.add_one")) == "ffi.Function(testing.add_one)"
    assert repr(tvm_ffi.convert(named)) == f"ffi.Function({named.__qualname__})"
    assert repr(tvm_ffi.convert(len)) == "ffi.Function(len)"
    symbol = tvm_ffi.get_global_func("testing.get_add_one_c_symbol")()
    assert repr(tvm_ffi.Function.__from_extern_c__(symbol)) == "ffi.Function"
    assert repr(tvm_ffi.Array([len])) == "(ffi.Function,)"
