// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "c_call.h"

namespace {

TEST(CString, ShortTextLiesInTheValue) {
  TVMFFIByteArray text = Bytes("abcdefg");
  TVMFFIAny value{};
  ASSERT_EQ(TVMFFIStringFromByteArray(&text, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFISmallStr);
  EXPECT_EQ(value.small_str_len, 7u);
  EXPECT_EQ(TextOf(value), "abcdefg");
  EXPECT_EQ(value.v_bytes[7], '\0');
  text.size = 2;
  ASSERT_EQ(TVMFFIStringFromByteArray(&text, &value), 0);
  EXPECT_EQ(value.v_uint64, 0x6261u);  // unused bytes are zero
  text = {nullptr, 0};
  ASSERT_EQ(TVMFFIStringFromByteArray(&text, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFISmallStr);
  EXPECT_EQ(value.v_uint64, 0u);
}

TEST(CString, LongTextIsAnObject) {
  std::string content("with a \0 inside", 15);
  TVMFFIByteArray text = Bytes(content);
  TVMFFIAny value{};
  ASSERT_EQ(TVMFFIStringFromByteArray(&text, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFIStr);
  EXPECT_EQ(TextOf(value), content);
  EXPECT_EQ(TVMFFIBytesGetByteArrayPtr(value.v_obj)->data[15], '\0');
  Release(&value);
  ASSERT_EQ(TVMFFIBytesFromByteArray(&text, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFIBytes);
  EXPECT_EQ(TextOf(value), content);
  Release(&value);
  text.size = 3;
  ASSERT_EQ(TVMFFIBytesFromByteArray(&text, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFISmallBytes);
  EXPECT_EQ(TextOf(value), "wit");
}

TEST(COwned, CopiesPlainValuesBitByBit) {
  TVMFFIAny view{};
  view.type_index = kTVMFFIFloat;
  view.v_float64 = 2.5;
  TVMFFIAny owned{};
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&view, &owned), 0);
  EXPECT_EQ(owned.type_index, kTVMFFIFloat);
  EXPECT_EQ(owned.v_float64, 2.5);
}

TEST(COwned, CopiesRawTextAndBytes) {
  TVMFFIAny view{}, owned{};
  view.type_index = kTVMFFIRawStr;
  view.v_c_str = "short";
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&view, &owned), 0);
  EXPECT_EQ(owned.type_index, kTVMFFISmallStr);
  EXPECT_EQ(TextOf(owned), "short");
  TVMFFIByteArray bytes = Bytes("quite some bytes");
  view.type_index = kTVMFFIByteArrayPtr;
  view.v_ptr = &bytes;
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&view, &owned), 0);
  EXPECT_EQ(owned.type_index, kTVMFFIBytes);
  EXPECT_EQ(TextOf(owned), "quite some bytes");
  Release(&owned);
}

TEST(COwned, RetainsObjectsAndMovesRValues) {
  TVMFFIByteArray text = Bytes("an object of a string");
  TVMFFIAny object{}, owned{};
  ASSERT_EQ(TVMFFIStringFromByteArray(&text, &object), 0);
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&object, &owned), 0);
  EXPECT_EQ(StrongCount(object.v_obj), 2u);
  Release(&owned);

  TVMFFIObject* slot = object.v_obj;
  TVMFFIAny view{};
  view.type_index = kTVMFFIObjectRValueRef;
  view.v_ptr = &slot;
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&view, &owned), 0);
  EXPECT_EQ(slot, nullptr);
  EXPECT_EQ(owned.v_obj, object.v_obj);
  EXPECT_EQ(owned.type_index, kTVMFFIStr);
  EXPECT_EQ(StrongCount(owned.v_obj), 1u);
  TVMFFIAny untouched{};
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &untouched), -1);
  EXPECT_EQ(TakeError(), "InternalError: RValueRef already moved");
  EXPECT_EQ(untouched.type_index, kTVMFFINone);
  Release(&owned);
}

TVMFFIAny BigIntOf(const std::vector<int64_t>& words) {
  TVMFFIByteArray bytes = {reinterpret_cast<const char*>(words.data()),
                           words.size() * sizeof(int64_t)};
  TVMFFIAny value{};
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&bytes, &value), 0);
  return value;
}

std::vector<int64_t> WordsOf(const TVMFFIAny& value) {
  TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&value);
  std::vector<int64_t> words(bytes.size / sizeof(int64_t));
  std::memcpy(words.data(), bytes.data, bytes.size);
  return words;
}

TEST(CBigInt, IsAnIntWhenItFits) {
  EXPECT_EQ(BigIntOf({}).v_int64, 0);
  EXPECT_EQ(BigIntOf({}).type_index, kTVMFFIInt);
  EXPECT_EQ(BigIntOf({-7}).v_int64, -7);
  TVMFFIAny minus_one = BigIntOf({-1, -1, -1});
  EXPECT_EQ(minus_one.type_index, kTVMFFIInt);
  EXPECT_EQ(minus_one.v_int64, -1);
  TVMFFIAny five = BigIntOf({5, 0, 0, 0});
  EXPECT_EQ(five.type_index, kTVMFFIInt);
  EXPECT_EQ(WordsOf(five), (std::vector<int64_t>{5}));
}

TEST(CBigInt, KeepsTheFewestWords) {
  // 2^63 needs a word for the sign; so does -(2^63) - 1.
  TVMFFIAny value = BigIntOf({INT64_MIN, 0, 0});
  EXPECT_EQ(value.type_index, kTVMFFIBigInt);
  EXPECT_EQ(WordsOf(value), (std::vector<int64_t>{INT64_MIN, 0}));
  Release(&value);
  value = BigIntOf({INT64_MAX, -1, -1});
  EXPECT_EQ(WordsOf(value), (std::vector<int64_t>{INT64_MAX, -1}));
  Release(&value);
  value = BigIntOf({0, 64});
  EXPECT_EQ(WordsOf(value), (std::vector<int64_t>{0, 64}));
  Release(&value);
}

TEST(CBigInt, TakesWholeWordsOnly) {
  TVMFFIByteArray bytes = {"123456789", 9};
  TVMFFIAny value{};
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&bytes, &value), -1);
  EXPECT_EQ(TakeError(), "ValueError: BigInt content must contain whole 64-bit words");
}

struct DTypeCase {
  const char* text;
  DLDataType dtype;
  const char* printed;
};

TEST(CDataType, TextAndValueAgree) {
  const DTypeCase cases[] = {
      {"", {kDLOpaqueHandle, 0, 0}, ""},
      {"void", {kDLOpaqueHandle, 0, 0}, ""},
      {"int", {kDLInt, 32, 1}, "int32"},
      {"int0", {kDLInt, 32, 1}, "int32"},
      {"i1", {kDLInt, 1, 1}, "int1"},
      {"u4", {kDLUInt, 4, 1}, "uint4"},
      {"f16x4", {kDLFloat, 16, 4}, "float16x4"},
      {"bf8", {kDLBfloat, 8, 1}, "bfloat8"},
      {"bfloat", {kDLBfloat, 16, 1}, "bfloat16"},
      {"bool", {kDLBool, 8, 1}, "bool"},
      {"bool1", {kDLBool, 1, 1}, "bool1"},
      {"boolx4", {kDLBool, 8, 4}, "boolx4"},
      {"handle", {kDLOpaqueHandle, 64, 1}, "handle"},
      {"handle32x2", {kDLOpaqueHandle, 32, 2}, "handle"},
      {"float8", {kDLFloat, 8, 1}, "float8"},
      {"fp8_e4m3fn", {kDLFloat8_e4m3fn, 8, 1}, "float8_e4m3fn"},
      {"f8_e5m2x2", {kDLFloat8_e5m2, 8, 2}, "float8_e5m2x2"},
      {"float8_e4m3b11fnuz", {kDLFloat8_e4m3b11fnuz, 8, 1}, "float8_e4m3b11fnuz"},
      {"float8_e4m3fnuzx4", {kDLFloat8_e4m3fnuz, 8, 4}, "float8_e4m3fnuzx4"},
      {"float6_e3m2fn", {kDLFloat6_e3m2fn, 6, 1}, "float6_e3m2fn"},
      {"float4_e2m1fn_x2", {kDLFloat4_e2m1fn, 4, 2}, "float4_e2m1fnx2"},
      {"float4_e2m1fnx2", {kDLFloat4_e2m1fn, 4, 2}, "float4_e2m1fnx2"},
      {"int32xvscalex4", {kDLInt, 32, static_cast<uint16_t>(-4)}, "int32xvscalex4"},
  };
  for (const DTypeCase& c : cases) {
    TVMFFIByteArray text = Bytes(c.text);
    DLDataType dtype{};
    ASSERT_EQ(TVMFFIDataTypeFromString(&text, &dtype), 0) << c.text << " " << TakeError();
    EXPECT_EQ(dtype.code, c.dtype.code) << c.text;
    EXPECT_EQ(dtype.bits, c.dtype.bits) << c.text;
    EXPECT_EQ(dtype.lanes, c.dtype.lanes) << c.text;
    TVMFFIAny printed{};
    ASSERT_EQ(TVMFFIDataTypeToString(&dtype, &printed), 0) << c.text << " " << TakeError();
    EXPECT_EQ(printed.type_index, kTVMFFIStr) << "callers rely on the object form";
    EXPECT_EQ(TextOf(printed), c.printed);
    Release(&printed);
  }
}

TEST(CDataType, BadTextIsRefused) {
  const char* lanes = " Lanes must be a positive integer.";
  const std::pair<const char*, std::string> cases[] = {
      {"foo", "unknown dtype `foo`"},
      {"f", "unknown dtype `f`"},
      {"void1", "unknown dtype `void1`"},
      {"int32foo", "unknown dtype `int32foo`"},
      {"i32foo", "unknown dtype `int32foo`"},
      {"float8_e9", "unknown float8 type `float8_e9`"},
      {"fp8_", "unknown float8 type `float8_`"},
      {"float8_e4m3fn8", "unknown float8 type `float8_e4m3fn8`"},
      {"float6_e2m3fn_x2", "unknown float6 type `float6_e2m3fn_x2`"},
      {"float4_e2", "unknown float4 type `float4_e2`"},
      {"float4_e2m1fn_y", "unknown dtype `float4_e2m1fn_y`"},
      {"float32_x2", "unknown dtype `float32_x2`"},
      {"int256", "Bits value 256 is out of range for uint8_t in dtype 'int256'"},
      {"int99999999999",
       "Integer value in dtype string '99999999999' is out of range for uint32_t"},
      {"int32x", std::string("Invalid lanes specification in dtype 'int32x'.") + lanes},
      {"int32x0", std::string("Invalid lanes specification in dtype 'int32x0'.") + lanes},
      {"int32x-1", std::string("Invalid lanes specification in dtype 'int32x-1'.") + lanes},
      {"int32x70000", "Lanes value 70000 is out of range for uint16_t in dtype 'int32x70000'"},
      {"int8xvscalex40000",
       "Lanes value 40000 is out of range for uint16_t in dtype 'int8xvscalex40000'"},
      {"custom", "expected opening brace after 'custom' type incustom"},
      {"custom[a", "expected closing brace after 'custom' type incustom[a"},
      {"custom[a]", "Function dtype.get_custom_type_code not found"},
  };
  for (const auto& [input, message] : cases) {
    TVMFFIByteArray text = Bytes(input);
    DLDataType dtype{};
    EXPECT_EQ(TVMFFIDataTypeFromString(&text, &dtype), -1) << input;
    EXPECT_EQ(TakeError(), "ValueError: " + message);
  }
  for (int code : {5, 18, 128}) {
    DLDataType dtype{static_cast<uint8_t>(code), 32, 1};
    TVMFFIAny printed{};
    EXPECT_EQ(TVMFFIDataTypeToString(&dtype, &printed), -1);
    EXPECT_EQ(TakeError(),
              "ValueError: DLDataType contains unknown type_code=" + std::to_string(code));
  }
}

}  // namespace
