// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/enum.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>

#include "algo_nodes.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::ErrorOf;

Function Attr(const char* attr, const char* type_key) {
  return AnyView(reflection::TypeAttrColumn(attr)[TypeKeyToIndex(type_key)]).cast<Function>();
}

template <typename... Args>
std::string Init(const char* type_key, Args&&... args) {
  Function init = Attr("__ffi_init__", type_key);
  Any result;
  std::string error = ErrorOf([&] { result = init(std::forward<Args>(args)...); });
  return error.empty() ? std::string(ReprPrint(result)) : error;
}

Any Kwargs() { return Call("ffi.GetKwargsObject"); }

TEST(AutoInit, CallForms) {
  const char* key = "testing.TestCxxAutoInit";
  EXPECT_EQ(Init(key, 1, Kwargs(), String("c"), 2),
            "testing.TestCxxAutoInit(a=1, b=42, c=2, d=99)");
  EXPECT_EQ(Init(key, 1, 7, Kwargs(), String("c"), 2),
            "testing.TestCxxAutoInit(a=1, b=42, c=2, d=7)");
  EXPECT_EQ(Init(key, Kwargs(), String("c"), 2, String("a"), 1),
            "testing.TestCxxAutoInit(a=1, b=42, c=2, d=99)");
  EXPECT_EQ(Init("testing.TestCxxAutoInitAllInitOff"),
            "testing.TestCxxAutoInitAllInitOff(x=7, y=9, z=1234)");
  EXPECT_EQ(Init("testing.TestCxxAutoInitChild", 1, 2, 3, Kwargs(), String("child_kw_only"), 4),
            "testing.TestCxxAutoInitChild(parent_required=1, parent_default=3, child_required=2, "
            "child_kw_only=4)");
}

TEST(AutoInit, Errors) {
  const char* key = "testing.TestCxxAutoInit";
  const std::string prefix = "TypeError: testing.TestCxxAutoInit.__ffi_init__() ";
  EXPECT_EQ(Init(key, 1), prefix + "missing required keyword-only argument: 'c'");
  EXPECT_EQ(Init(key, Kwargs(), String("c"), 1), prefix + "missing required argument: 'a'");
  EXPECT_EQ(Init(key, 1, 2, 3),
            prefix + "takes at most 2 positional argument(s), but 3 were given");
  EXPECT_EQ(Init(key, 1, Kwargs(), String("c")),
            prefix + "KWARGS requires an even number of key-value arguments");
  EXPECT_EQ(Init(key, 1, Kwargs(), String("b"), 2, String("c"), 1),
            prefix + "got an unexpected keyword argument 'b'");
  EXPECT_EQ(Init(key, 1, Kwargs(), String("a"), 2),
            prefix + "got multiple values for argument 'a'");
  EXPECT_EQ(Init(key, String("x"), Kwargs(), String("c"), 1),
            prefix + "field 'a':\n  Cannot convert from type `ffi.SmallStr` to `int`");
  EXPECT_EQ(Init(key, 1, Kwargs(), 3, 4), "TypeError: Cannot convert from type `int` to `str`");
}

TEST(AutoInit, FieldErrorsKeepTheirCause) {
  try {
    Attr("__ffi_init__", "testing.TestCxxAutoInitSimple")(String("x"), 1);
    FAIL();
  } catch (const Error& error) {
    ASSERT_TRUE(error.cause_chain().has_value());
    EXPECT_EQ(error.cause_chain()->message(), "Cannot convert from type `ffi.SmallStr` to `int`");
  }
}

TEST(MakeObject, Errors) {
  auto make = [](auto... args) {
    return ErrorOf([&] { Call("ffi.MakeObjectFromPackedArgs", args...); });
  };
  EXPECT_EQ(make(String("testing.TestIntPair"), String("a"), 1),
            "TypeError: Required field `b` not set in type `testing.TestIntPair`");
  EXPECT_EQ(make(String("testing.TestIntPair"), String("a"), 1, String("b"), 2, String("c"), 3),
            "TypeError: Type `testing.TestIntPair` does not have field `c`");
  EXPECT_EQ(
      make(String("testing.TestIntPair"), String("a")),
      "InternalError: Check failed: (args.size() % 2 == 1) is false: a type is followed by names "
      "and values in pairs, but there are 2 arguments");
  EXPECT_EQ(make(String("ffi.Function")),
            "RuntimeError: Type `ffi.Function` does not support reflection creation (no native "
            "creator or __ffi_new__ "
            "type attr)");
  EXPECT_NE(make(123456).find("Cannot find type info for type_index=123456"), std::string::npos);
}

TEST(Convert, BuiltinTypes) {
  auto convert = [](const char* key, Any value) {
    std::string error = ErrorOf([&] { value = Attr("__ffi_convert__", key)(value); });
    return error.empty() ? std::string(ReprPrint(value)) : error;
  };
  EXPECT_EQ(convert("ffi.Array", List<Any>{1}), "(1,)");
  EXPECT_EQ(convert("ffi.List", Array<Any>{1}), "[1]");
  EXPECT_EQ(convert("ffi.Shape", Array<Any>{1, 2}), "Shape(1, 2)");
  EXPECT_EQ(convert("ffi.Object", Any()), "None");
  EXPECT_EQ(convert("ffi.String", 1.5), "TypeError: Cannot cast from `float` to `str`");
  EXPECT_EQ(convert("ffi.Map", Any()), "TypeError: Cannot cast from `None` to `Map<Any, Any>`");
  EXPECT_EQ(convert("ffi.IntEnum", 1), "TypeError: Cannot cast from `int` to `ffi.IntEnum`");
}

TEST(BuiltinTypes, KeepTheirIndices) {
  const char* keys[] = {"ffi.EnumState",
                        "ffi.Enum",
                        "ffi.IntEnum",
                        "ffi.StrEnum",
                        "ffi.reflection.AccessStep",
                        "ffi.reflection.AccessPath",
                        "ffi.StructuralVisitor",
                        "ffi.VisitErrorContext",
                        "ffi.StructuralMutator",
                        "ffi.StructuralKey"};
  int32_t index = 128;
  for (const char* key : keys) EXPECT_EQ(TypeKeyToIndex(key), index++) << key;
}

/// A class laid out by hand, as a binding does it: two Any fields, one integer, one object pointer.
class BindingClass : public ::testing::Test {
 protected:
  static int32_t TypeIndex() {
    static const int32_t index = [] {
      const TVMFFIByteArray key = reflection::AsByteArray("kiln.test.BindingClass");
      const int32_t type_index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
      TVMFFITypeMetadata metadata{};
      metadata.total_size = 72;
      EXPECT_EQ(TVMFFITypeRegisterMetadata(type_index, &metadata), 0);
      AddField(type_index, "first", kTVMFFIAny, 24, 16);
      AddField(type_index, "second", kTVMFFIAny, 40, 16);
      AddField(type_index, "count", kTVMFFIInt, 56, 8);
      AddField(type_index, "link", kTVMFFIObject, 64, 8);
      Call("ffi._PyClassRegisterTypeAttrColumns", type_index, 72);
      return type_index;
    }();
    return index;
  }

  static void AddField(int32_t type_index, const char* name, int32_t hint, int64_t offset,
                       int64_t size) {
    TVMFFIFieldInfo info{};
    info.name = reflection::AsByteArray(name);
    info.flags = kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitSetterIsFunctionObj;
    info.size = size;
    info.alignment = 8;
    info.offset = offset;
    info.getter =
        reinterpret_cast<TVMFFIFieldGetter>(Call("ffi.MakeFieldGetter", hint).cast<int64_t>());
    static std::vector<Any>* setters = new std::vector<Any>();
    setters->push_back(Call("ffi.MakeFieldSetter", hint, 0, 0));
    info.setter = const_cast<Object*>(setters->back().as<Object>());
    info.field_static_type_index = hint;
    ASSERT_EQ(TVMFFITypeRegisterField(type_index, &info), 0);
  }
};

TEST_F(BindingClass, CreateCopyDestroy) {
  TypeIndex();
  Array<Any> held{1};
  {
    Any object =
        Attr("__ffi_init__", "kiln.test.BindingClass")(held, String("a longer text"), 7, held);
    EXPECT_EQ(ReprPrint(object),
              "kiln.test.BindingClass(first=(1,), second=\"a longer text\", count=7, link=(1,))");
    EXPECT_EQ(held.use_count(), 3);
    Any copy = Attr("__ffi_shallow_copy__", "kiln.test.BindingClass")(object);
    EXPECT_EQ(held.use_count(), 5);
    EXPECT_TRUE(RecursiveEq(object, copy));
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(ReprPrint(Attr("__ffi_new__", "kiln.test.BindingClass")()),
            "kiln.test.BindingClass(first=None, second=None, count=0, link=None)");
}

TEST_F(BindingClass, Errors) {
  TypeIndex();
  EXPECT_EQ(Init("kiln.test.BindingClass", 1, 2, String("x"), 3),
            "TypeError: kiln.test.BindingClass.__ffi_init__() field 'count':\n  Cannot convert "
            "from type `ffi.SmallStr` "
            "to `int`");
  EXPECT_EQ(ErrorOf([] { Call("ffi.MakeFieldGetter", 7); }),
            "ValueError: Unsupported field type index for getter: 7");
  Function setter = Call("ffi.MakeFieldSetter", 7, 0, 0).cast<Function>();
  int64_t storage = 0;
  EXPECT_EQ(ErrorOf([&] { setter(static_cast<void*>(&storage), 1); }),
            "ValueError: Unsupported field type index for setter: 7");
  EXPECT_NE(ErrorOf([] { Attr("__ffi_shallow_copy__", "kiln.test.BindingClass")(Array<Any>{}); }),
            "");
}

}  // namespace
