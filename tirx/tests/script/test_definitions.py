# SPDX-License-Identifier: Apache-2.0
"""Definitions: decorators, signatures, modules, helpers, specialization."""

from __future__ import annotations

import gc

import pytest
import tvm_tirx
from tvm_tirx.script import from_source
from tvm_tirx.script import ir as I
from tvm_tirx.script import tirx as T


def test_annotations_as_text_see_the_enclosing_scope():
    def make(dtype, size):
        @T.function
        def main(A: T.Tensor((size,), dtype)):
            A[0] = A[size - 1]

        return main

    main = make("uint8", 7)
    assert list(main.params[0].shape) == [7]
    assert main.params[0].dtype == "uint8"


def test_decorator_options():
    @T.function(private=True, persistent=True)
    def main():
        pass

    assert "global_symbol" not in main.attrs
    assert "tirx.persistent_kernel" in main.attrs


def test_check_well_formed_can_be_left_out():
    free = T.Var("free", "int32")

    @T.function(check_well_formed=False)
    def main(A: T.Tensor((4,), "int32")):
        A[0] = free

    assert [v.name for v in tvm_tirx.tirx.analysis.undefined_vars(main)] == ["free"]


def test_positional_option_is_refused():
    with pytest.raises(ValueError, match="require a function or keyword options"):
        T.function(True)


def test_inline_sees_later_values_and_macro_earlier_ones():
    k = 1

    @T.inline
    def late(buf):
        buf[0] = k

    @T.macro
    def early(buf):
        buf[1] = k

    k = 9

    @T.function(private=True)
    def main(A: T.Tensor((2,), "int32")):
        late(A)
        early(A)

    stores = [stmt.value.value for stmt in main.body]
    assert stores == [9, 1]


def test_inline_returns_python_values_and_recurses():
    @T.inline
    def fill(buf, i):
        if T.constexpr(i == 0):
            return 0
        buf[i] = i
        return i + fill(buf, i - 1)

    @T.function(private=True)
    def main(A: T.Tensor((8,), "int32")):
        A[0] = fill(A, 3)

    assert len(main.body) == 4
    assert main.body[3].value.value == 6


def test_macro_return_is_a_statement():
    @T.macro
    def early(n):
        if n > 0:
            return 1

    @T.function(private=True)
    def main(n: T.int32) -> T.int32:
        early(n)
        return 2

    assert [type(s).__name__ for s in main.body] == ["If", "Return"]


def test_helper_keeps_defaults_and_keywords():
    @T.inline
    def fill(buf, start, count=2, *, value=9):
        for i in range(count):
            buf[start + i] = value

    @T.function(private=True)
    def main(A: T.Tensor((8,), "int32")):
        fill(A, 0)
        fill(A, 2, 3, value=5)

    assert [int(loop.end.value) for loop in main.body] == [2, 3]


def test_module_members_call_each_other():
    @I.ir_module
    class Mod:
        I.module_attrs({"kind": "demo"})

        @T.function(private=True)
        def twice(x: T.int32) -> T.int32:
            return x * 2

        @I.pyfunc
        def python(self):
            return 1

        @T.function
        def main(A: T.Tensor((4,), "int32")):
            for i in range(4):
                A[i] = Mod.twice(A[i]) + Mod.later(i)

        @T.function(private=True)
        def later(x: T.int32) -> T.int32:
            return Mod.twice(x)

    assert isinstance(Mod, tvm_tirx.IRModule)
    assert sorted(v.name_hint for v in Mod.get_global_vars()) == ["later", "main", "twice"]
    assert Mod.attrs["kind"] == "demo"
    assert Mod["twice"].ret_type.dtype == "int32"


def test_meta_class_fields():
    @T.meta_class
    class Pair:
        def __init__(self):
            self.a = T.alloc_local((2,), "int32").value
            self.n = T.local_scalar("int32", 5).value

    @T.function(private=True)
    def main(A: T.Tensor((16,), "int32")):
        p = Pair()
        p.a[0] = 1
        p.n = 7
        p.n += 2
        A[0] = p.a[1]

    assert main.script().splitlines()[-6:] == [
        '    v_1 = T.alloc_tensor(ty_args=[T.Tensor((1,), T.int32, scope="local")])',
        "    v_1[0] = 5",
        "    v[0] = 1",
        "    v_1[0] = 7",
        "    v_1[0] = v_1[0] + 2",
        "    A[0] = v[1]",
    ]


def test_meta_class_refuses_unowned_tensors():
    @T.meta_class
    class Leak:
        def __init__(self):
            T.alloc_local((2,), "int32")

    with pytest.raises(RuntimeError, match="created an unowned resource"):

        @T.function(private=True)
        def main():
            Leak()


@T.jit
def scale(A: T.Tensor((N,), "float32"), N: T.constexpr, K: T.constexpr = 2):  # noqa: F821
    for i in range(N):
        A[i] = A[i] * T.float32(K)


def test_specialize():
    assert scale.__name__ == "scale"
    six = scale.specialize(N=6)
    assert six is scale.specialize(N=6, K=2)
    assert six is not scale.specialize(N=6, K=2.0)
    assert [p.name for p in six.params] == ["A"]
    assert six.attrs["global_symbol"] == "scale"
    for arguments, message in [
        ({}, r"scale.specialize\(\) missing constexpr arg\(s\) \(no default provided\): \['N'\]"),
        ({"N": 1, "Q": 2}, r"got unexpected arg\(s\): \['Q'\]"),
        ({"N": [3]}, "all constexpr values must be hashable"),
    ]:
        with pytest.raises(TypeError, match=message):
            scale.specialize(**arguments)


@T.jit
def gained(X: T.Tensor((8,), "float32"), gain: T.Tensor((8,), "float32") | None):
    for q in range(8):
        if T.constexpr(gain is None):
            X[q] = X[q] * T.float32(3)
        else:
            X[q] = X[q] * gain[q]


def test_optional_parameters():
    without = gained.specialize(gain=None)
    assert repr(without.params[1].ty) == "T.NoneType()"
    assert "gain[q]" in gained.specialize().script()
    with pytest.raises(TypeError, match="optional parameters only accept None"):
        gained.specialize(gain=3)


def test_constexpr_outside_of_a_script():
    with pytest.raises(TypeError, match="constexpr is a parser syntax marker"):
        T.constexpr(3)


def test_type_parameters_of_text():
    text = (
        "# from tvm_tirx.script import tirx as T\n\n@T.function\n"
        "def f[n, m: T.int64](A: T.Tensor((n, m), T.float16), B: T.Tensor((n,), T.float16)):\n"
        "    for i in range(n):\n        B[i] = A[i, 0]\n"
    )
    function = from_source(text)
    assert [str(d.ty.dtype) for d in function.params[0].shape] == ["int32", "int64"]
    assert "def f[n, m: T.int64](" in function.script()
    with pytest.raises(SyntaxError, match="Symbolic variable 'n' cannot be reassigned"):
        from_source(text + "        n = 3\n")


def test_printed_text_parses_as_it_is():
    @T.function
    def main(A: T.Tensor((4,), "int32")):
        for i in range(4):
            A[i] = i

    tvm_tirx.ir.assert_structural_equal(from_source(main.script()), main)


def test_locations():
    text = "\n\n@T.function\ndef f(A: T.Tensor((4,), 'int32')):\n    A[0] = A[1] + 2\n"
    function = from_source(text, extra_vars={"T": T}, filename="k.py")
    loc = function.body[0].loc
    assert str(loc.source_name.name) == "k.py"
    assert (loc.start_line, loc.start_column, loc.end_line, loc.end_column) == (5, 5, 5, 20)
    assert function.body[0].value.loc.start_line == 5


def test_location_in_a_helper_names_the_call():
    @T.inline
    def put(buf):
        buf[0] = 1

    @T.function(private=True)
    def main(A: T.Tensor((4,), "int32")):
        put(A)

    loc = main.body[0].loc
    assert type(loc).__name__ == "CallSiteLoc"
    assert loc.caller.start_line - loc.callee.start_line == 4


def test_garbage_collector_is_switched_on_again():
    assert gc.isenabled()
    with pytest.raises(NameError):
        from_source("@T.function\ndef f():\n    T.evaluate(zz)\n", extra_vars={"T": T})
    assert gc.isenabled()


def test_double_underscore_names_are_not_mangled():
    @I.ir_module
    class Mod:
        @T.function
        def main(A: T.Tensor((32,), "float32")):
            with T.launch_thread("threadIdx.x", 32) as lane:
                A[lane] = T.cuda.__shfl_xor_sync(T.uint32(1), A[lane], 1, 32)

    assert "__shfl_xor_sync" in Mod.script()
