// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/function.h>

#include <sstream>
#include <string>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::String;

TEST(DType, TextBothWays) {
  const struct {
    const char* text;
    DLDataType dtype;
    const char* abbrev;
  } rows[] = {
      {"int32", {kDLInt, 32, 1}, "i32"},
      {"uint8", {kDLUInt, 8, 1}, "u8"},
      {"float16x4", {kDLFloat, 16, 4}, "f16x4"},
      {"bfloat16", {kDLBfloat, 16, 1}, "bf16"},
      {"bool", {kDLBool, 8, 1}, "bool"},
      {"handle", {kDLOpaqueHandle, 64, 1}, "handle"},
      {"", {kDLOpaqueHandle, 0, 0}, "void"},
      {"float8_e4m3fn", {kDLFloat8_e4m3fn, 8, 1}, "f8_e4m3fn"},
      {"float6_e2m3fn", {kDLFloat6_e2m3fn, 6, 1}, "f6_e2m3fn"},
      {"float4_e2m1fnx2", {kDLFloat4_e2m1fn, 4, 2}, "f4_e2m1fnx2"},
      {"int32xvscalex4", {kDLInt, 32, static_cast<uint16_t>(-4)}, "i32xvscalex4"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ffi::StringToDLDataType(row.text), row.dtype) << row.text;
    EXPECT_EQ(ffi::DLDataTypeToString(row.dtype), row.text);
    EXPECT_EQ(ffi::DTypeAbbrev(row.dtype), row.abbrev);
  }
}

TEST(DType, Errors) {
  for (const char* text : {"int3a", "float8_e9", "int32x", "int256x2", "foo", "int32x0"}) {
    try {
      ffi::StringToDLDataType(text);
      ADD_FAILURE() << text;
    } catch (const ffi::Error& err) {
      EXPECT_EQ(err.kind(), "ValueError") << text;
    }
  }
  try {
    ffi::detail::DLDataTypeCodeAsCStr(kDLComplex);
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.message(), "DLDataType contains unknown type_code=5");
  }
  EXPECT_STREQ(ffi::detail::DLDataTypeCodeAsCStr(130), "custom");
}

TEST(DType, Conversions) {
  Any value = DLDataType{kDLFloat, 32, 1};
  EXPECT_EQ(value.type_index(), kTVMFFIDataType);
  EXPECT_EQ(value.cast<DLDataType>(), (DLDataType{kDLFloat, 32, 1}));
  ffi::Function f = ffi::Function::FromTyped([](DLDataType t) { return t; }, "f");
  EXPECT_EQ(f("int8").cast<DLDataType>(), (DLDataType{kDLInt, 8, 1}));
  EXPECT_EQ(f(String("uint16x2")).cast<DLDataType>(), (DLDataType{kDLUInt, 16, 2}));
  EXPECT_THROW(f(1), ffi::Error);
  EXPECT_FALSE(Any("int8").as<DLDataType>().has_value());
  try {
    f("nonsense");
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.kind(), "ValueError");
    EXPECT_EQ(err.message(), "unknown dtype `nonsense`");
  }
  std::ostringstream os;
  os << DLDataType{kDLInt, 8, 4};
  EXPECT_EQ(os.str(), "int8x4");
  EXPECT_TRUE(ffi::DTypeIsFloat({kDLFloat8_e5m2, 8, 1}));
  EXPECT_TRUE(ffi::DTypeIsFloat({kDLBfloat, 16, 1}));
  EXPECT_FALSE(ffi::DTypeIsFloat({kDLInt, 8, 1}));
  EXPECT_TRUE(ffi::DTypeIsInt({kDLUInt, 8, 1}));
  EXPECT_TRUE(ffi::DTypeIsBool({kDLBool, 8, 1}));
}

TEST(DType, OfElementTypes) {
  EXPECT_EQ(ffi::dtype_trait<int8_t>::value, (DLDataType{kDLInt, 8, 1}));
  EXPECT_EQ(ffi::dtype_trait<unsigned long long>::value, (DLDataType{kDLUInt, 64, 1}));
  EXPECT_EQ(ffi::dtype_trait<double>::value, (DLDataType{kDLFloat, 64, 1}));
  EXPECT_EQ(ffi::dtype_trait<bool>::value, (DLDataType{kDLBool, 8, 1}));
  EXPECT_EQ(ffi::dtype_trait<__nv_bfloat16>::value, (DLDataType{kDLBfloat, 16, 1}));
  EXPECT_EQ(ffi::dtype_trait<__nv_fp4x2_e2m1>::value, (DLDataType{kDLFloat4_e2m1fn, 4, 2}));
}

TEST(Device, Text) {
  auto parse = [](const char* text) { return Any(String(text)).try_cast<DLDevice>(); };
  auto same = [](const std::optional<DLDevice>& device, DLDeviceType type, int id) {
    return device.has_value() && device->device_type == type && device->device_id == id;
  };
  EXPECT_TRUE(same(parse("cpu"), kDLCPU, 0));
  EXPECT_TRUE(same(parse("cuda:1"), kDLCUDA, 1));
  EXPECT_TRUE(same(parse("mps:2"), kDLMetal, 2));
  EXPECT_TRUE(same(parse("webgpu"), kDLWebGPU, 0));
  EXPECT_TRUE(same(parse("cuda:3 -keys=gpu"), kDLCUDA, 3));
  EXPECT_TRUE(same(parse("cuda:2147483647"), kDLCUDA, 2147483647));
  for (const char* bad : {"", "gpu", "cuda:", "cuda:1:2", "cuda:-1", "cuda:2147483648", ":1",
                          "cuda:x", "cuda:99999999999999999999999"}) {
    EXPECT_FALSE(parse(bad).has_value()) << bad;
  }
  ffi::Function f = ffi::Function::FromTyped([](DLDevice d) { return d.device_id; }, "f");
  EXPECT_EQ(f("cuda:5").cast<int>(), 5);
  EXPECT_EQ(f(DLDevice{kDLCPU, 6}).cast<int>(), 6);
  try {
    f("gpu");
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.kind(), "TypeError");
    EXPECT_EQ(err.message(),
              "Mismatched type on argument #0 when calling: `f(0: Device) -> int`. Expected "
              "`Device` but got `unknown device 'gpu'`");
  }
}

}  // namespace
