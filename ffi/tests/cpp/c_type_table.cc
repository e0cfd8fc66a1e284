// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "c_call.h"

namespace {

int32_t Register(const char* key, int32_t depth, int32_t slots, bool overflow, int32_t parent) {
  TVMFFIByteArray name = Bytes(key);
  return TVMFFITypeGetOrAllocIndex(&name, -1, depth, slots, overflow, parent);
}

TEST(CTypeTable, HoldsTheBuiltinTypes) {
  const TVMFFITypeInfo* array = TVMFFIGetTypeInfo(kTVMFFIArray);
  EXPECT_EQ(Text(array->type_key), "ffi.Array");
  EXPECT_EQ(array->type_depth, 1);
  EXPECT_EQ(array->type_ancestors[0], TVMFFIGetTypeInfo(kTVMFFIObject));
  EXPECT_EQ(array->type_key_hash, 9300778484448642049u);
  EXPECT_EQ(array->metadata, nullptr);
  EXPECT_EQ(TVMFFIGetTypeInfo(kTVMFFIObject)->metadata->total_size, 24);
  EXPECT_EQ(Text(TVMFFIGetTypeInfo(kTVMFFINone)->type_key), "None");
  EXPECT_EQ(TVMFFIGetTypeInfo(kTVMFFIUnchanged)->type_depth, 0);
}

TEST(CTypeTable, KeysLeadToIndices) {
  TVMFFIByteArray key = Bytes("ffi.BigInt");
  int32_t index = 0;
  EXPECT_EQ(TVMFFITypeKeyToIndex(&key, &index), 0);
  EXPECT_EQ(index, kTVMFFIBigInt);
  key = Bytes("ctest.Nobody");
  EXPECT_EQ(TVMFFITypeKeyToIndex(&key, &index), -1);
  std::string error = TakeError();
  EXPECT_EQ(error.substr(0, 15), "InternalError: ");
  EXPECT_NE(error.find("Cannot find type `ctest.Nobody`"), std::string::npos);
  EXPECT_EQ(Register("ctest.Nobody", 1, 0, true, -2), -2);
}

TEST(CTypeTable, ChildSlotsAreReservedBesideTheParent) {
  int32_t parent = Register("ctest.Slots", 1, 2, true, kTVMFFIObject);
  EXPECT_GE(parent, kTVMFFIDynObjectBegin);
  int32_t next = Register("ctest.AfterSlots", 1, 0, true, kTVMFFIObject);
  EXPECT_EQ(next, parent + 3);
  EXPECT_EQ(Register("ctest.Slots.A", 2, 0, true, parent), parent + 1);
  EXPECT_EQ(Register("ctest.Slots.B", 2, 0, true, parent), parent + 2);
  EXPECT_EQ(Register("ctest.Slots.C", 2, 0, true, parent), next + 1);
  // A known key wins over every other argument.
  EXPECT_EQ(Register("ctest.Slots.A", 9, 5, false, 12345), parent + 1);
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(parent + 1);
  EXPECT_EQ(info->type_depth, 2);
  EXPECT_EQ(info->type_ancestors[0]->type_index, kTVMFFIObject);
  EXPECT_EQ(info->type_ancestors[1]->type_index, parent);
}

using CTypeTableDeathTest = ::testing::Test;

TEST(CTypeTableDeathTest, ContradictionsEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The function is pure: its result must be used.
  EXPECT_EXIT(std::exit(TVMFFIGetTypeInfo(1 << 20) != nullptr), ::testing::ExitedWithCode(255),
              "Exception caught during TVMFFIGetTypeInfo:\n.*type_index=1048576");
  EXPECT_EXIT(Register("ctest.BadDepth", 2, 0, true, kTVMFFIObject), ::testing::ExitedWithCode(255),
              "TVMFFITypeGetOrAllocIndex");
  EXPECT_EXIT(Register("ctest.OfFinal", 2, 0, true, kTVMFFIArray), ::testing::ExitedWithCode(255),
              "No type can derive from `ffi.Array`: the child slots");
}

TEST(CTypeTable, FieldsAreCopied) {
  int32_t index = Register("ctest.Fields", 1, 0, true, kTVMFFIObject);
  TVMFFIFieldInfo field{};
  std::string name = "first", doc = "doc text";
  field.name = Bytes(name);
  field.doc = Bytes(doc);
  field.metadata = Bytes("{}");
  field.offset = 24;
  field.flags = kTVMFFIFieldFlagBitMaskHasDefault;
  field.default_value_or_factory.type_index = kTVMFFIRawStr;
  field.default_value_or_factory.v_c_str = "a default of more than seven bytes";
  ASSERT_EQ(TVMFFITypeRegisterField(index, &field), 0) << TakeError();
  name = doc = "overwritten";
  for (int i = 0; i < 20; ++i) {
    std::string other = "field" + std::to_string(i);
    TVMFFIFieldInfo more{};
    more.name = Bytes(other);
    more.default_value_or_factory.type_index = kTVMFFIInt;  // not marked as a default: dropped
    ASSERT_EQ(TVMFFITypeRegisterField(index, &more), 0) << TakeError();
  }
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
  ASSERT_EQ(info->num_fields, 21);
  EXPECT_EQ(Text(info->fields[0].name), "first");
  EXPECT_EQ(Text(info->fields[0].doc), "doc text");
  EXPECT_EQ(info->fields[0].default_value_or_factory.type_index, kTVMFFIStr);
  EXPECT_EQ(TextOf(info->fields[0].default_value_or_factory), "a default of more than seven bytes");
  EXPECT_EQ(Text(info->fields[20].name), "field19");
  EXPECT_EQ(info->fields[20].default_value_or_factory.type_index, kTVMFFINone);
}

TEST(CTypeTable, DuplicatesAreErrors) {
  int32_t index = Register("ctest.Twice", 1, 0, true, kTVMFFIObject);
  TVMFFIFieldInfo field{};
  field.name = Bytes("x");
  EXPECT_EQ(TVMFFITypeRegisterField(index, &field), 0);
  EXPECT_EQ(TVMFFITypeRegisterField(index, &field), -1);
  EXPECT_EQ(TakeError(), "InternalError: Duplicate field name \"x\" in type \"ctest.Twice\"");

  TVMFFITypeMetadata metadata{};
  metadata.total_size = 32;
  EXPECT_EQ(TVMFFITypeRegisterMetadata(index, &metadata), 0);
  EXPECT_EQ(TVMFFIGetTypeInfo(index)->metadata->total_size, 32);
  EXPECT_EQ(TVMFFITypeRegisterMetadata(index, &metadata), -1);
  EXPECT_EQ(TakeError().substr(0, 54), "RuntimeError: Overriding ctest.Twice, possible causes:");
}

TEST(CTypeTable, UnknownIndexIsAnError) {
  TVMFFIFieldInfo field{};
  field.name = Bytes("x");
  EXPECT_EQ(TVMFFITypeRegisterField(1 << 20, &field), -1);
  EXPECT_EQ(TakeError(), "InternalError: Cannot find type info for type_index=1048576");
  EXPECT_EQ(TVMFFITypeRegisterField(-5, &field), -1);
  EXPECT_EQ(TakeError(), "InternalError: Cannot find type info for type_index=-5");
}

TEST(CTypeTable, ReadersRunBesideRegistration) {
  int32_t base = Register("ctest.Concurrent", 1, 0, true, kTVMFFIObject);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, base] {
      for (int i = 0; i < 200; ++i) {
        std::string key = "ctest.Concurrent." + std::to_string(t) + "." + std::to_string(i);
        int32_t index = Register(key.c_str(), 2, 0, true, base);
        EXPECT_EQ(Text(TVMFFIGetTypeInfo(index)->type_key), key);
        EXPECT_EQ(TVMFFIGetTypeInfo(index)->type_ancestors[1]->type_index, base);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CTypeAttr, ColumnsGrowFromIndexZero) {
  TVMFFIByteArray name = Bytes("ctest_attr");
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&name), nullptr);
  TVMFFIAny value{};
  EXPECT_EQ(TVMFFITypeRegisterAttr(kTVMFFINone, &name, &value), 0);
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&name);
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(column->size, 0);
  EXPECT_EQ(column->begin_index, 0);

  value.type_index = kTVMFFIInt;
  value.v_int64 = 42;
  EXPECT_EQ(TVMFFITypeRegisterAttr(kTVMFFIArray, &name, &value), 0);
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&name), column);
  EXPECT_EQ(column->size, kTVMFFIArray + 1);
  EXPECT_EQ(column->data[kTVMFFIArray].v_int64, 42);
  EXPECT_EQ(column->data[kTVMFFIMap - 2].type_index, kTVMFFINone);

  EXPECT_EQ(TVMFFITypeRegisterAttr(kTVMFFIArray, &name, &value), -1);
  std::string expected =
      "RuntimeError: TypeAttr `ctest_attr` is already registered for type index 71.";
  EXPECT_EQ(TakeError().substr(0, expected.size()), expected);

  TVMFFIAny none{};
  EXPECT_EQ(TVMFFITypeRegisterAttr(kTVMFFIBigInt, &name, &none), 0);
  EXPECT_EQ(column->size, kTVMFFIBigInt + 1);
  EXPECT_EQ(TVMFFITypeRegisterAttr(kTVMFFIBigInt, &name, &value), 0);
  EXPECT_EQ(column->data[kTVMFFIBigInt].v_int64, 42);

  EXPECT_EQ(TVMFFITypeRegisterAttr(-1, &name, &value), -1);
  EXPECT_EQ(TakeError().substr(0, 12), "ValueError: ");
}

TEST(CTypeAttr, ColumnsOfInlineCodeExistFromTheStart) {
  for (const char* text :
       {"__ffi_new__", "__ffi_init__", "__ffi_shallow_copy__", "__any_hash__", "__any_equal__",
        "__ffi_repr__", "__ffi_hash__", "__ffi_eq__", "__ffi_compare__", "__s_equal__",
        "__s_hash__", "__data_to_json__", "__data_from_json__", "__ffi_enum__", "__s_visit__",
        "__s_mutate__", "__s_maybe_inplace_mutate__"}) {
    TVMFFIByteArray name = Bytes(text);
    EXPECT_NE(TVMFFIGetTypeAttrColumn(&name), nullptr) << text;
  }
}

}  // namespace
