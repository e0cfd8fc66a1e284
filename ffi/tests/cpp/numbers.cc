// SPDX-License-Identifier: Apache-2.0
// Numbers cross the boundary whole or raise.
#include <gtest/gtest.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace {

namespace ffi = tvm::ffi;

std::string MessageOf(const ffi::Function& func, const ffi::Any& arg, const char* kind) {
  try {
    func(arg);
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.kind(), kind);
    return err.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

ffi::BigInt PowerOfTwo(int exponent) { return ffi::BigInt(1) << exponent; }

TEST(Numbers, NarrowParametersTakeWhatTheyHold) {
  ffi::Function f = ffi::Function::FromTyped([](int8_t x) { return x; }, "f");
  EXPECT_EQ(f(127).cast<int>(), 127);
  EXPECT_EQ(f(-128).cast<int>(), -128);
  EXPECT_EQ(f(true).cast<int>(), 1);
  EXPECT_EQ(MessageOf(f, 300, "OverflowError"),
            "Integer out of range on argument #0 when calling: `f(0: int) -> int`. Expected "
            "`int8_t` in [-128, 127] but got `300`");
  EXPECT_EQ(MessageOf(f, -129, "OverflowError"),
            "Integer out of range on argument #0 when calling: `f(0: int) -> int`. Expected "
            "`int8_t` in [-128, 127] but got `-129`");
}

TEST(Numbers, EveryWidthHasItsEnds) {
  ffi::Function u8 = ffi::Function::FromTyped([](uint8_t x) { return x; });
  ffi::Function i16 = ffi::Function::FromTyped([](int16_t x) { return x; });
  ffi::Function u16 = ffi::Function::FromTyped([](uint16_t x) { return x; });
  ffi::Function i32 = ffi::Function::FromTyped([](int32_t x) { return x; });
  ffi::Function u32 = ffi::Function::FromTyped([](uint32_t x) { return x; });
  EXPECT_EQ(u8(255).cast<int>(), 255);
  EXPECT_EQ(i16(-32768).cast<int>(), -32768);
  EXPECT_EQ(u16(65535).cast<int>(), 65535);
  EXPECT_EQ(i32(std::numeric_limits<int32_t>::min()).cast<int64_t>(), -2147483648LL);
  EXPECT_EQ(u32(int64_t{4294967295}).cast<int64_t>(), 4294967295LL);
  MessageOf(u8, 256, "OverflowError");
  MessageOf(i16, 32768, "OverflowError");
  MessageOf(u16, -1, "OverflowError");
  MessageOf(i32, int64_t{1} << 40, "OverflowError");
  EXPECT_NE(MessageOf(u32, -1, "OverflowError").find("`uint32_t` in [0, 4294967295] but got `-1`"),
            std::string::npos);
}

TEST(Numbers, UInt64IsWhole) {
  const uint64_t top = std::numeric_limits<uint64_t>::max();
  ffi::Function id = ffi::Function::FromTyped([](uint64_t x) { return x; });
  ffi::Any result = id(top);
  EXPECT_EQ(result.type_index(), kTVMFFIBigInt);
  EXPECT_EQ(result.cast<uint64_t>(), top);
  EXPECT_EQ(id(uint64_t{1} << 63).cast<uint64_t>(), uint64_t{1} << 63);
  EXPECT_EQ(id(5).type_index(), kTVMFFIInt);
  EXPECT_EQ(ffi::Any(top).as<uint64_t>(), top);
  EXPECT_EQ(ffi::Any(-1).as<uint64_t>(), std::nullopt);
  MessageOf(id, -1, "OverflowError");
  MessageOf(id, PowerOfTwo(64), "OverflowError");
  // A view owns nothing, so it can't hold such a number.
  EXPECT_THROW(ffi::AnyView view(top), ffi::Error);
}

TEST(Numbers, BigIntConvertsToFloat) {
  ffi::Function f = ffi::Function::FromTyped([](double x) { return x; });
  EXPECT_EQ(f(PowerOfTwo(70)).cast<double>(), 1180591620717411303424.0);
  EXPECT_EQ(f(-PowerOfTwo(70)).cast<double>(), -1180591620717411303424.0);
  EXPECT_EQ(f(PowerOfTwo(1023)).cast<double>(), std::ldexp(1.0, 1023));
  EXPECT_NE(MessageOf(f, PowerOfTwo(1024), "OverflowError").find("[-1.797e308, 1.797e308]"),
            std::string::npos);
}

TEST(Numbers, BigIntToDoubleRoundsTiesToEven) {
  const ffi::BigInt base = PowerOfTwo(100);
  const ffi::BigInt half = PowerOfTwo(47);  // half a unit in the last place of 2^100
  EXPECT_EQ(static_cast<double>(base + half), std::ldexp(1.0, 100));
  EXPECT_EQ(static_cast<double>(base + half + 1), std::nextafter(std::ldexp(1.0, 100), 1e300));
  EXPECT_EQ(static_cast<double>(base + half * 3),
            std::nextafter(std::nextafter(std::ldexp(1.0, 100), 1e300), 1e300));
  EXPECT_EQ(static_cast<double>(-(base + half)), -std::ldexp(1.0, 100));
}

TEST(Numbers, IntParametersRejectFloatsAndBigInts) {
  ffi::Function f = ffi::Function::FromTyped([](int64_t x) { return x; }, "f");
  EXPECT_EQ(MessageOf(f, 1.0, "TypeError"),
            "Mismatched type on argument #0 when calling: `f(0: int) -> int`. Expected `int` but "
            "got `float`");
  EXPECT_NE(MessageOf(f, PowerOfTwo(70), "OverflowError").find("but got `1180591620717411303424`"),
            std::string::npos);
}

TEST(Numbers, CastsAreChecked) {
  ffi::Any value = 300;
  EXPECT_EQ(value.try_cast<int8_t>(), std::nullopt);
  EXPECT_EQ(value.as<int8_t>(), std::nullopt);
  EXPECT_EQ(value.as<int16_t>(), 300);
  try {
    value.cast<int8_t>();
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.kind(), "OverflowError");
    EXPECT_EQ(err.message(),
              "Cannot convert integer 300 to `int8_t`, expected a value in [-128, 127]");
  }
  EXPECT_EQ(ffi::TypeTraits<ffi::Optional<int8_t>>::GetMismatchTypeInfo(
                ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value)),
            "int 300 outside [-128, 127]");
}

TEST(Numbers, OptionalParametersAreCheckedToo) {
  ffi::Function f = ffi::Function::FromTyped([](ffi::Optional<int8_t> x) { return x; }, "f");
  EXPECT_EQ(f(5).cast<int>(), 5);
  EXPECT_TRUE(f(nullptr) == nullptr);
  EXPECT_EQ(MessageOf(f, 300, "OverflowError"),
            "Integer out of range on argument #0 when calling: `f(0: Optional<int>) -> "
            "Optional<int>`. Expected `int8_t` in [-128, 127] but got `300`");
}

TEST(Numbers, BoolAndEnums) {
  enum class Small : int8_t { kA = 1, kB = -3 };
  ffi::Any value = Small::kB;
  EXPECT_EQ(value.cast<int>(), -3);
  EXPECT_EQ(value.cast<Small>(), Small::kB);
  EXPECT_EQ(ffi::Any(1000).try_cast<Small>(), std::nullopt);
  EXPECT_EQ(ffi::Any(5).cast<bool>(), true);
  EXPECT_EQ(ffi::Any(5).as<bool>(), std::nullopt);
  EXPECT_EQ(ffi::Any(true).as<int>(), std::nullopt);
  EXPECT_EQ(ffi::Any(1).try_cast<ffi::StrictBool>().has_value(), false);
  EXPECT_EQ(static_cast<bool>(*ffi::Any(true).try_cast<ffi::StrictBool>()), true);
}

}  // namespace
