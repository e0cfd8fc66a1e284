# SPDX-License-Identifier: Apache-2.0
"""Which value of a call has the wrong type: the first wrong argument, or what a callback gave."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import cpp

importlib.import_module("native_testing")

SOURCE = r"""
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/reflection/registry.h>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

struct PairObj : public ffi::Object {
  int64_t a;
  int64_t b;
  PairObj(int64_t a, int64_t b) : a(a), b(b) {}
  int64_t Sum(int64_t x, int64_t y) const { return a + b + x + y; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_call_mismatch.Pair", PairObj, ffi::Object);
};

int64_t Add(int64_t a, int64_t b) { return a + b; }
int64_t Apply(const ffi::TypedFunction<int64_t(int64_t)>& f, int64_t x) { return f(x); }
int64_t ApplySmall(const ffi::TypedFunction<int8_t(int64_t)>& f, int64_t x) { return f(x); }
ffi::Array<int64_t> Collect(const ffi::TypedFunction<ffi::Array<int64_t>()>& f) { return f(); }
void Tell(const ffi::TypedFunction<void(int64_t)>& f) { f(1); }

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PairObj>()
      .def(refl::init<int64_t, int64_t>())
      .def("sum", &PairObj::Sum)
      .def_static("add", Add);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, Add)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(apply, Apply)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(apply_small, ApplySmall)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(collect, Collect)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tell, Tell)
"""


@pytest.fixture(scope="module")
def module() -> Any:
    return cpp.load_inline(name="call_mismatch", cpp_sources=SOURCE)


@pytest.fixture(scope="module")
def pair(module: Any) -> Any:
    @tvm_ffi.register_object("test_call_mismatch.Pair")
    class Pair(tvm_ffi.Object):
        pass

    return Pair


def message(call: Any, *args: Any) -> str:
    with pytest.raises(TypeError) as caught:
        call(*args)
    return str(caught.value)


class TestTheFirstWrongArgumentIsReported:
    def test_function(self, module: Any) -> None:
        assert message(module.add, "x", None) == (
            "Mismatched type on argument #0 when calling: `add(0: int, 1: int) -> int`. "
            "Expected `int` but got `ffi.SmallStr`"
        )

    def test_method(self, pair: Any) -> None:
        assert message(pair(1, 2).sum, "x", None) == (
            "Mismatched type on argument #1 when calling: `test_call_mismatch.Pair.sum"
            "(0: test_call_mismatch.Pair, 1: int, 2: int) -> int`. "
            "Expected `int` but got `ffi.SmallStr`"
        )
        assert "argument #0" in message(pair.add, "x", None)

    def test_constructor(self, pair: Any) -> None:
        text = message(pair, "x", None)
        assert text.startswith("Mismatched type on argument #0 when calling: ")
        assert text.endswith("Expected `int` but got `ffi.SmallStr`")


def to_text(x: int) -> str:
    return str(x)


class Doubler:
    def __call__(self, x: int) -> Any:
        return [x, x]

    def method(self, x: int) -> None:
        return None


class TestTheResultOfACallback:
    def test_right_ones(self, module: Any) -> None:
        assert module.apply(lambda x: x + 1, 2) == 3
        assert module.apply(lambda x: True, 2) == 1
        assert list(module.collect(lambda: [1, 2])) == [1, 2]
        assert module.tell(lambda x: "ignored") is None

    @pytest.mark.parametrize(
        ("callback", "name", "got"),
        [
            (to_text, "to_text", "ffi.SmallStr"),
            (lambda x: "text that is longer", "TestTheResultOfACallback.<lambda>", "ffi.String"),
            (Doubler(), "Doubler", "ffi.Array"),
            (Doubler().method, "Doubler.method", "None"),
            (functools.partial(lambda text, x: text, "x"), "partial", "ffi.SmallStr"),
        ],
    )
    def test_wrong_type(self, module: Any, callback: Any, name: str, got: str) -> None:
        assert message(module.apply, callback, 2) == (
            f"Mismatched type on the result of the callback `{name}(0: int) -> int`. "
            f"Expected `int` but got `{got}`"
        )

    def test_function_without_a_name(self, module: Any) -> None:
        assert message(module.apply, tvm_ffi.get_global_func("testing.echo"), "x").startswith(
            "Mismatched type on argument #1 when calling: `apply("
        )
        nop = tvm_ffi.get_global_func("testing.nop")
        assert message(module.apply, nop, 2) == (
            "Mismatched type on the result of the callback `(0: int) -> int`. "
            "Expected `int` but got `None`"
        )

    def test_element(self, module: Any) -> None:
        assert message(module.collect, lambda: [1, "x"]) == (
            "Mismatched type on the result of the callback `<lambda>() -> Array<int>`. "
            "Expected `Array<int>` but got `Array[index 1: ffi.SmallStr]`"
        )

    def test_out_of_range(self, module: Any) -> None:
        with pytest.raises(OverflowError) as caught:
            module.apply_small(lambda x: 300, 1)
        assert str(caught.value) == (
            "Integer out of range on the result of the callback `<lambda>(0: int) -> int`. "
            "Expected `int8_t` in [-128, 127] but got `300`"
        )
