// SPDX-License-Identifier: Apache-2.0
// Methods that share a name.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/string.h>

#include <string>
#include <utility>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

class PointObj : public Object {
 public:
  int64_t x = 0;
  String name;
  PointObj() = default;
  explicit PointObj(int64_t value) : x(value) {}
  PointObj(int64_t value, String text) : x(value), name(std::move(text)) {}
  int64_t AddInt(int64_t by) const { return x + by; }
  String AddText(const String& text) const { return name + text; }
  void Reset() { x = 0; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.overload.Point", PointObj, Object);
};

class Point : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, ObjectRef, PointObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::OverloadObjectDef<PointObj>()
      .def(refl::init<int64_t>())
      .def(refl::init<int64_t, String>())
      .def_rw("x", &PointObj::x)
      .def_ro("name", &PointObj::name)
      .def("add", &PointObj::AddInt)
      .def("add", &PointObj::AddText, "Appends.")
      .def("reset", &PointObj::Reset)
      .def_static("kind", [](DLDataType) { return "dtype"; })
      .def_static("kind", [](const String&) { return "text"; })
      .def_static("kind", [](AnyView, const Any&, Any&&) { return "three"; });
}

TEST(Overload, FirstThatConvertsWins) {
  const Function init = refl::GetMethod("test.overload.Point", "__ffi_init__");
  const Point point = init(3).cast<Point>();
  const Point named = init(4, "n").cast<Point>();
  EXPECT_EQ(point->x, 3);
  EXPECT_EQ(named->name, "n");
  const Function add = refl::GetMethod("test.overload.Point", "add");
  EXPECT_EQ(add(point, 5).cast<int64_t>(), 8);
  EXPECT_EQ(add(point, true).cast<int64_t>(), 4);
  EXPECT_EQ(add(named, "ame").cast<String>(), "name");
  const Function kind = refl::GetMethod("test.overload.Point", "kind");
  EXPECT_EQ(kind("int32").cast<String>(), "dtype");
  // A text that is no dtype is not an error: the next overload takes it.
  EXPECT_EQ(kind("not a dtype").cast<String>(), "text");
  EXPECT_EQ(kind(1, 2, 3).cast<String>(), "three");
}

TEST(Overload, NoMatchNamesEveryOverload) {
  const Function add = refl::GetMethod("test.overload.Point", "add");
  const Point point(make_object<PointObj>(1));
  ExpectError(
      "TypeError",
      "No matching overload found when calling: `test.overload.Point.add` with 2 arguments:\n"
      "Overload #0: Mismatched type on argument #1 when calling: `test.overload.Point.add (0: "
      "test.overload.Point, 1: int) -> int`. Expected `int` but got `float`\n"
      "Overload #1: Mismatched type on argument #1 when calling: `test.overload.Point.add (0: "
      "test.overload.Point, 1: str) -> str`. Expected `str` but got `float`",
      [&] { add(point, 1.5); });
  ExpectError(
      "TypeError",
      "No matching overload found when calling: `test.overload.Point.add` with 1 arguments:\n"
      "Overload #0: Mismatched number of arguments when calling: `test.overload.Point.add (0: "
      "test.overload.Point, 1: int) -> int`. Expected 2 arguments\n"
      "Overload #1: Mismatched number of arguments when calling: `test.overload.Point.add (0: "
      "test.overload.Point, 1: str) -> str`. Expected 2 arguments",
      [&] { add(point); });
}

TEST(Overload, ASingleOverloadHasPlainErrors) {
  const Function reset = refl::GetMethod("test.overload.Point", "reset");
  const Point point(make_object<PointObj>(1));
  reset(point);
  EXPECT_EQ(point->x, 0);
  ExpectError("TypeError",
              "Mismatched number of arguments when calling: `test.overload.Point.reset(0: "
              "test.overload.Point) -> void`. Expected 1 but got 2 arguments",
              [&] { reset(point, 1); });
}

TEST(Overload, EveryOverloadHasItsMethodEntry) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(PointObj::RuntimeTypeIndex());
  std::string entries;
  const Function add = refl::GetMethod("test.overload.Point", "add");
  for (int32_t i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    const std::string name(method.name.data, method.name.size);
    entries += name + ' ';
    if (name == "add") {
      EXPECT_EQ(method.method.v_ptr, static_cast<const void*>(add.get()));
    }
  }
  EXPECT_EQ(entries, "__ffi_init__ __ffi_init__ add add reset kind kind kind ");
  const refl::TypeAttrColumn init(type_attr::kInit);
  EXPECT_TRUE(init[PointObj::RuntimeTypeIndex()].cast<Function>().same_as(
      refl::GetMethod("test.overload.Point", "__ffi_init__")));
}

}  // namespace
