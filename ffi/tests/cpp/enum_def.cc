// SPDX-License-Identifier: Apache-2.0
// Enum types and their entries.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/enum.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

class ColorObj : public EnumObj {
 public:
  using EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.enum.Color", ColorObj, EnumObj);
};
class LevelObj : public IntEnumObj {
 public:
  using IntEnumObj::IntEnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.enum.Level", LevelObj, IntEnumObj);
};

int64_t Shade(AnyView value) { return value.cast<int64_t>() + 100; }
constexpr refl::AttrKey<double> kWeight{"weight"};
constexpr refl::AttrKey<NativeFunctionView<int64_t(AnyView)>> kShade{"shade"};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ColorObj>(refl::init(false));
  refl::ObjectDef<LevelObj>(refl::init(false));
  refl::EnumDef<ColorObj>("red").set_attr("code", 10).set_attr(kWeight, 2);
  refl::EnumDef<ColorObj>("green").set_attr("code", 20).set_native_fn_attr<&Shade>(kShade);
  refl::EnumDef<LevelObj>("low", 5);
  refl::EnumDef<LevelObj>("high", 50);
}

template <typename ObjT>
EnumState StateOf() {
  return refl::TypeAttrColumn(type_attr::kEnumState)[ObjT::RuntimeTypeIndex()]
      .template cast<EnumState>();
}

TEST(EnumDef, EntriesInOrder) {
  const EnumState state = StateOf<ColorObj>();
  ASSERT_EQ(state->entries.size(), 2u);
  const ObjectRef red = state->entries[0];
  EXPECT_EQ(red.as<ColorObj>()->_int_index, 0);
  EXPECT_EQ(red.as<ColorObj>()->_str_index, "red");
  EXPECT_EQ(state->entries[1].as<ColorObj>()->_int_index, 1);
  EXPECT_TRUE(state->indexes.at(0).same_as(red));
  EXPECT_TRUE(state->indexes.at("red").same_as(red));
  EXPECT_EQ(ReprPrint(red), "test.enum.Color.red");
  EXPECT_EQ(StateOf<LevelObj>()->indexes.at(50).as<LevelObj>()->_str_index, "high");
}

TEST(EnumDef, Lookup) {
  EXPECT_EQ(EnumObj::_GetByIntIndex<ColorObj>(1)->_str_index, "green");
  EXPECT_EQ(EnumObj::_GetByStrIndex<LevelObj>("low")->_int_index, 5);
  EXPECT_TRUE(refl::EnumDef<ColorObj>::IsDefined("red"));
  EXPECT_FALSE(refl::EnumDef<ColorObj>::IsDefined("blue"));
  ExpectError("ValueError", "Enum `test.enum.Color` has no instance with index 7",
              [] { EnumObj::_GetByIntIndex<ColorObj>(7); });
  ExpectError("ValueError", "Enum `test.enum.Color` has no instance with index blue",
              [] { EnumObj::_GetByStrIndex<ColorObj>("blue"); });
}

TEST(EnumDef, Attributes) {
  const EnumState state = StateOf<ColorObj>();
  const Dict<ObjectRef, Any> codes = state->attrs.at("code");
  EXPECT_EQ(codes.at(state->entries[0]).cast<int64_t>(), 10);
  EXPECT_EQ(codes.at(state->entries[1]).cast<int64_t>(), 20);
  EXPECT_EQ(state->attrs.at("weight").at(state->entries[0]).type_index(), kTVMFFIFloat);
  const auto shade =
      state->attrs.at("shade").at(state->entries[1]).cast<NativeFunctionView<int64_t(AnyView)>>();
  EXPECT_EQ(shade(1), 101);
}

TEST(EnumDef, Duplicates) {
  ExpectError("ValueError", "Duplicate enum index for type `test.enum.Color`",
              [] { refl::EnumDef<ColorObj> again("red"); });
  ExpectError("ValueError", "Duplicate enum index for type `test.enum.Level`",
              [] { refl::EnumDef<LevelObj> again("other", 5); });
  EXPECT_EQ(StateOf<ColorObj>()->entries.size(), 2u);
  EXPECT_EQ(StateOf<LevelObj>()->entries.size(), 2u);
}

}  // namespace
