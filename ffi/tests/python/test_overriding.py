# SPDX-License-Identifier: Apache-2.0
"""Python classes that override what their native type defines reach it by ``super()``."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import cpp
from tvm_ffi.dataclasses import c_class

SOURCE = r"""
#include <tvm/ffi/reflection/registry.h>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

struct BaseObj : public ffi::Object {
  int64_t a = 1;
  int64_t Get(int64_t x) const { return a + x; }
  static int64_t Nine() { return 9; }
  TVM_FFI_DECLARE_OBJECT_INFO("test_overriding.KEY", BaseObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<BaseObj>()
      .def(refl::init<>())
      .def_ro("a", &BaseObj::a)
      .def("get", &BaseObj::Get)
      .def("__len__", [](const BaseObj*) { return 3; })
      .def_static("nine", BaseObj::Nine);
}

}  // namespace
"""


def type_key(name: str) -> str:
    """The key of a type of its own."""
    cpp.load_inline(name=f"overriding_{name}", cpp_sources=SOURCE.replace("KEY", name))
    return f"test_overriding.{name}"


@pytest.mark.parametrize("register", [tvm_ffi.register_object, c_class])
def test_methods_of_the_class_body(register: Any) -> None:
    @register(type_key(f"Body{register.__name__}"))
    class Body(tvm_ffi.Object):
        @property
        def a(self) -> int:
            return 100 + super().a

        def get(self, x: int) -> int:
            return 1000 + super().get(2 * x)

        def __len__(self) -> int:
            return 10 + super().__len__()

        @staticmethod
        def nine() -> int:
            return 5

    class Below(Body):
        def get(self, x: int) -> int:
            return 10000 + super().get(x)

    made = Body()
    assert (made.a, made.get(3), len(made), made.nine()) == (101, 1007, 13, 5)
    assert super(Body, made).nine() == super(Body, Body).nine() == 9
    assert Below().get(3) == 11007 and Below().a == 101
    assert [cls.__name__ for cls in Below.__mro__[:3]] == ["Below", "Body", "<native>"]
    assert issubclass(Body, tvm_ffi.Object) and isinstance(tvm_ffi.convert([made])[0], Body)
    assert str(inspect.signature(super(Body, made).get)).endswith("-> 'int'")
    with pytest.raises(AttributeError):
        made.unknown = 1


def test_methods_of_a_plain_base() -> None:
    class Mixin:
        __slots__ = ()

        def get(self, x: int) -> int:
            return 1000 + super().get(x)  # type: ignore[misc]

    @tvm_ffi.register_object(type_key("Mixed"))
    class Mixed(Mixin, tvm_ffi.Object):
        pass

    assert Mixed().get(2) == 1003
    assert Mixed.__mro__.index(Mixin) < [c.__name__ for c in Mixed.__mro__].index("<native>")


def test_classes_that_override_nothing_stay_as_they_are() -> None:
    @tvm_ffi.register_object(type_key("Plain"))
    class Plain(tvm_ffi.Object):
        def more(self) -> int:
            return self.get(1)

    assert Plain.__bases__ == (tvm_ffi.Object,)
    assert Plain().more() == 2


def test_registering_a_class_twice() -> None:
    key = type_key("Twice")

    class Twice(tvm_ffi.Object):
        def get(self, x: int) -> int:
            return 10 * super().get(x)

    for _ in range(2):
        tvm_ffi.register_object(key)(Twice)
        assert Twice().get(2) == 30
    assert [cls.__name__ for cls in Twice.__mro__].count("<native>") == 1
