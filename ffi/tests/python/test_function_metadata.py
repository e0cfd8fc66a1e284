# SPDX-License-Identifier: Apache-2.0
"""What functions say about themselves in their metadata: names and default values of parameters,
documentation, and whether they ever wait."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import cpp

SOURCE = r"""
#include <dlfcn.h>
#include <tvm/ffi/reflection/registry.h>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

// Whether the caller holds the interpreter's lock.
bool Locked() {
  return reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_Check"))() == 1;
}

int64_t Weigh(int64_t x, int64_t y, int64_t scale) { return (x + 10 * y) * scale; }

struct ScaleObj : public ffi::Object {
  int64_t factor = 3;
  int64_t Apply(int64_t x, int64_t offset) const { return factor * x + offset; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_function_metadata.Scale", ScaleObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def("test_function_metadata.locked", Locked)
      .def("test_function_metadata.quick", Locked, refl::Metadata{{"never_blocks", true}})
      .def("test_function_metadata.slow", Locked, refl::Metadata{{"never_blocks", false}})
      .def("test_function_metadata.named", Weigh, "Weighs two numbers.",
           refl::Metadata{{"param_names", "x, y, scale"}})
      .def("test_function_metadata.defaults", Weigh,
           refl::Metadata{{"param_names", "x, y, scale"},
                          {"param_defaults", "{\"y\": 5, \"scale\": 2}"}});
  refl::ObjectDef<ScaleObj>()
      .def_ro("factor", &ScaleObj::factor)
      .def("apply", &ScaleObj::Apply, "Scales.",
           refl::Metadata{{"param_names", "self, x, offset"},
                          {"param_defaults", "{\"offset\": 0}"}})
      .def("locked", [](const ScaleObj*) { return Locked(); })
      .def("quick", [](const ScaleObj*) { return Locked(); },
           refl::Metadata{{"never_blocks", true}})
      .def_static("quick_static", [] { return Locked(); },
                  refl::Metadata{{"never_blocks", true}});
}

int Text(const char* text, TVMFFIAny* result) {
  TVMFFIByteArray bytes = {text, std::char_traits<char>::length(text)};
  return TVMFFIStringFromByteArray(&bytes, result);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(locked, Locked)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(quick, Locked)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(weigh, Weigh)

extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_quick(void*, const TVMFFIAny*, int32_t,
                                                            TVMFFIAny* result) {
  return Text(R"({"type_schema":"{\"type\":\"ffi.Function\"}","never_blocks":true})", result);
}
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_weigh(void*, const TVMFFIAny*, int32_t,
                                                            TVMFFIAny* result) {
  return Text(R"({"param_names":["x","y","scale"],"param_defaults":{"scale":7}})", result);
}
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__doc_weigh(void*, const TVMFFIAny*, int32_t,
                                                       TVMFFIAny* result) {
  return Text("Weighs two numbers.", result);
}
"""


@pytest.fixture(scope="module")
def module() -> Any:
    return cpp.load_inline(name="function_metadata", cpp_sources=SOURCE)


def find(name: str) -> Any:
    return tvm_ffi.get_global_func(f"test_function_metadata.{name}")


class TestNeverBlocks:
    def test_global_function(self, module: Any) -> None:
        assert find("locked")() is False
        assert find("slow")() is False
        assert find("quick")() is True
        assert find("quick").release_gil is False

    def test_the_caller_may_still_choose(self, module: Any) -> None:
        quick, slow = find("quick"), find("locked")
        quick.release_gil = True
        slow.release_gil = False
        assert quick() is False
        assert slow() is True

    def test_function_of_a_module(self, module: Any) -> None:
        assert module.locked() is False
        assert module.quick() is True
        assert module["quick"]() is True

    def test_methods(self, module: Any) -> None:
        scale = tvm_ffi.testing.create_object("test_function_metadata.Scale", factor=3)
        assert scale.locked() is False
        assert scale.quick() is True
        assert type(scale).quick_static() is True

    def test_functions_of_the_library(self) -> None:
        for name in ("ffi.ArraySize", "ffi.MapGetItem", "ffi.GetGlobalFuncMetadata"):
            assert tvm_ffi.get_global_func(name).release_gil is False
        assert tvm_ffi.get_global_func("ffi.ModuleLoadFromFile").release_gil is True


class TestKeywords:
    def test_by_name(self, module: Any) -> None:
        named = find("named")
        assert named(1, 2, 3) == 63
        assert named(1, scale=3, y=2) == 63
        assert named(x=1, y=2, scale=3) == 63

    def test_wrong_names(self, module: Any) -> None:
        named = find("named")
        with pytest.raises(TypeError, match=r"named\(\) got an unexpected keyword argument 'z'"):
            named(1, 2, z=3)
        with pytest.raises(TypeError, match=r"named\(\) got multiple values for argument 'x'"):
            named(1, 2, x=3)
        with pytest.raises(TypeError, match=r"named\(\) missing a required argument: 'y'"):
            named(1, scale=3)

    def test_without_names(self, module: Any) -> None:
        with pytest.raises(TypeError) as caught:
            find("locked")(x=1)
        assert str(caught.value) == (
            "test_function_metadata.locked() got an unexpected keyword argument 'x': the native "
            "function names no parameters, pass the arguments by position"
        )

    def test_defaults(self, module: Any) -> None:
        defaults = find("defaults")
        assert defaults(1) == 102
        assert defaults(1, 2) == 42
        assert defaults(1, 2, 3) == 63
        assert defaults(1, scale=1) == 51
        assert defaults(x=1) == 102

    def test_defaults_also_with_the_lock_kept(self, module: Any) -> None:
        defaults = find("defaults")
        defaults.release_gil = False
        assert defaults(1) == 102
        defaults.release_gil = True
        assert defaults(1) == 102

    @pytest.mark.parametrize("args", [(), (1, 2, 3, 4)])
    def test_wrong_count(self, module: Any, args: tuple[int, ...]) -> None:
        message = (
            "Mismatched number of arguments when calling: `test_function_metadata.defaults(0: int, "
            f"1: int, 2: int) -> int`. Expected 1 to 3 but got {len(args)} arguments"
        )
        with pytest.raises(TypeError) as caught:
            find("defaults")(*args)
        assert str(caught.value) == message
        assert caught.value.__tvm_ffi_error__.message == message

    def test_wrong_type_beside_a_default(self, module: Any) -> None:
        with pytest.raises(TypeError, match="Mismatched type on argument #0"):
            find("defaults")("x")

    def test_wrong_count_without_defaults(self, module: Any) -> None:
        with pytest.raises(TypeError, match=r"Expected 3 but got 1 arguments$"):
            find("named")(1)

    def test_method(self, module: Any) -> None:
        scale = tvm_ffi.testing.create_object("test_function_metadata.Scale", factor=3)
        assert scale.apply(2, 1) == 7
        assert scale.apply(2) == 6
        assert scale.apply(x=2, offset=5) == 11

    def test_function_of_a_module(self, module: Any) -> None:
        assert module.weigh(1, 2) == 147
        assert module.weigh(y=2, x=1, scale=1) == 21


class TestTexts:
    def test_names_and_documentation(self, module: Any) -> None:
        named = find("named")
        assert named.__name__ == "named"
        assert named.__qualname__ == "test_function_metadata.named"
        assert named.__doc__ == "Weighs two numbers."
        assert find("locked").__doc__ is None
        assert module.weigh.__name__ == "weigh"
        assert module.weigh.__doc__ == "Weighs two numbers."
        assert module.locked.__doc__ is None

    def test_signature(self, module: Any) -> None:
        assert str(inspect.signature(find("named"))) == (
            "(x: 'int', y: 'int', scale: 'int') -> 'int'"
        )
        assert str(inspect.signature(find("defaults"))) == (
            "(x: 'int', y: 'int' = 5, scale: 'int' = 2) -> 'int'"
        )
        assert str(inspect.signature(find("locked"))) == "() -> 'bool'"
        assert list(inspect.signature(module.weigh).parameters) == ["x", "y", "scale"]
        assert inspect.signature(module.weigh).parameters["scale"].default == 7

    def test_signature_of_a_method(self, module: Any) -> None:
        cls = type(tvm_ffi.testing.create_object("test_function_metadata.Scale", factor=3))
        signature = inspect.signature(cls.apply)
        assert str(signature) == (
            "(self: 'test_function_metadata.Scale', x: 'int', offset: 'int' = 0) -> 'int'"
        )
        assert cls.apply.__doc__ == "Scales."


CONSTRUCTOR = r"""
#include <tvm/ffi/reflection/registry.h>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

struct PointObj : public ffi::Object {
  static constexpr bool _type_mutable = true;
  int64_t x, y, z;
  PointObj(int64_t x, int64_t y, int64_t z) : x(x), y(y), z(z) {}
  TVM_FFI_DECLARE_OBJECT_INFO("KEY", PointObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>()
      .def_rw("x", &PointObj::x)
      .def_rw("y", &PointObj::y)
      .def_rw("z", &PointObj::z)
      .def(refl::init<int64_t, int64_t, int64_t>(), refl::param_names("x, y, z"),
           refl::param_defaults("DEFAULTS"));
}

}  // namespace
"""


def constructed(name: str, defaults: str) -> str:
    """The key of a type with such default values."""
    key = f"test_function_metadata.{name}"
    source = CONSTRUCTOR.replace("KEY", key).replace("DEFAULTS", defaults.replace('"', '\\"'))
    cpp.load_inline(name=f"metadata_{name}", cpp_sources=source)
    return key


@pytest.fixture(scope="module")
def point() -> Any:
    @tvm_ffi.register_object(constructed("Point", '{"y": 5, "z": 7}'))
    class Point(tvm_ffi.Object):
        pass

    return Point


class TestConstructorDefaults:
    def test_by_position_and_by_keyword(self, point: Any) -> None:
        for made, values in [
            (point(1), (1, 5, 7)),
            (point(1, 2), (1, 2, 7)),
            (point(1, 2, 3), (1, 2, 3)),
            (point(x=1), (1, 5, 7)),
            (point(1, z=3), (1, 5, 3)),
            (point(z=3, x=1, y=2), (1, 2, 3)),
        ]:
            assert (made.x, made.y, made.z) == values

    def test_own_init(self) -> None:
        @tvm_ffi.register_object(constructed("Own", '{"z": 7}'))
        class Own(tvm_ffi.Object):
            def __init__(self, x: int) -> None:
                self.__ffi_init__(x, 2 * x)

        assert Own(4).z == 7

    def test_fallback_class(self) -> None:
        key = constructed("Fallback", '{"y": 5, "z": 7}')
        cls = tvm_ffi.core._lookup_or_register_type_info_from_type_key(key).type_cls
        made = cls.__new__(cls)
        made.__ffi_init__(1)
        assert (made.x, made.y, made.z) == (1, 5, 7)

    def test_signature(self, point: Any) -> None:
        for function in (point.__init__, point.__ffi_init__):
            assert str(inspect.signature(function)) == (
                "(self, /, x: 'int', y: 'int' = 5, z: 'int' = 7) -> None"
            )
        inspect.signature(point).bind(1)

    @pytest.mark.parametrize("args", [(), (1, 2, 3, 4)])
    def test_wrong_count(self, point: Any, args: tuple[int, ...]) -> None:
        message = f"Expected 1 to 3 but got {len(args)} arguments"
        with pytest.raises(TypeError) as caught:
            point(*args)
        assert str(caught.value).startswith("Mismatched number of arguments when calling: ")
        assert str(caught.value).endswith(message)
        with pytest.raises(TypeError, match=r"__init__\(\) missing a required argument: 'x'"):
            point(y=1)

    def test_default_before_a_required_one(self) -> None:
        @tvm_ffi.register_object(constructed("Middle", '{"y": 5}'))
        class Middle(tvm_ffi.Object):
            pass

        made = Middle(x=1, z=3)
        assert (made.x, made.y, made.z) == (1, 5, 3)
        assert "y: 'int', z" in str(inspect.signature(Middle))
        with pytest.raises(TypeError, match=r"Expected 3 but got 1 arguments$"):
            Middle(1)

    def test_dataclass(self) -> None:
        from tvm_ffi import dataclasses

        @dataclasses.c_class(constructed("Data", '{"y": 5, "z": 7}'))
        class Data(tvm_ffi.Object):
            x: int
            y: int
            z: int

        made = Data(1, 2)
        assert (made.x, made.y, made.z) == (1, 2, 7)
        assert Data(1).y == 5
