// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <unordered_set>

namespace {

namespace ffi = tvm::ffi;
using ffi::BigInt;

BigInt Parse(const char* text) { return *BigInt::FromDecimal(text); }
std::string Text(const BigInt& value) { return value.ToDecimal(); }

template <typename F>
std::string ErrorOf(F&& f) {
  try {
    f();
  } catch (const ffi::Error& err) {
    return err.kind() + ": " + err.message();
  }
  return "nothing was thrown";
}

TEST(BigInt, SmallValuesAreInts) {
  EXPECT_EQ(ffi::Any(BigInt(5)).type_index(), kTVMFFIInt);
  EXPECT_EQ(ffi::Any(BigInt(std::numeric_limits<int64_t>::min())).type_index(), kTVMFFIInt);
  EXPECT_EQ(ffi::Any(BigInt(std::numeric_limits<uint64_t>::max())).type_index(), kTVMFFIBigInt);
  EXPECT_EQ(ffi::Any(BigInt(std::numeric_limits<int64_t>::max()) + 1).type_index(), kTVMFFIBigInt);
  EXPECT_EQ(ffi::Any((BigInt(1) << 80) >> 70).type_index(), kTVMFFIInt);
  EXPECT_EQ(BigInt(), 0);
}

// Values from an independent implementation of integers.
TEST(BigInt, KnownValues) {
  const BigInt a = Parse("123456789012345678901234567890");
  const BigInt b = Parse("-987654321098765432109876543210987654321");
  EXPECT_EQ(Text(a + b), "-987654320975308643097530864309753086431");
  EXPECT_EQ(Text(a - b), "987654321222222221122222222112222222211");
  EXPECT_EQ(Text(a * b), "-121932631137021795226185032733744855963362292333223746380111126352690");
  EXPECT_EQ(Text(b / a), "-8000000072");
  EXPECT_EQ(Text(b % a), "-111111192011111119202098766241");
  EXPECT_EQ(Text(BigInt(2) << 127), "340282366920938463463374607431768211456");
}

TEST(BigInt, DivisionIdentities) {
  std::mt19937_64 random(7);
  auto number = [&random](int words) {
    BigInt value = static_cast<int64_t>(random());
    for (int i = 1; i < words; ++i) value = (value << 64) + BigInt(random() >> (random() % 64));
    return value;
  };
  for (int i = 0; i < 2000; ++i) {
    const BigInt a = number(1 + i % 5), b = number(1 + i % 3);
    if (!b) continue;
    const BigInt q = truncdiv(a, b), r = truncmod(a, b);
    EXPECT_EQ(q * b + r, a);
    EXPECT_TRUE(max(r, -r) < max(b, -b));
    EXPECT_TRUE(!r || (r < 0) == (a < 0));
    const BigInt fq = ffi::floordiv(a, b), fr = ffi::floormod(a, b);
    EXPECT_EQ(fq * b + fr, a);
    EXPECT_TRUE(!fr || (fr < 0) == (b < 0));
    EXPECT_EQ((a & b) + (a | b), a + b);
    EXPECT_EQ(a ^ b, (a | b) - (a & b));
    EXPECT_EQ(~a, -a - 1);
    EXPECT_EQ(a >> 13, ffi::floordiv(a, 8192));
    EXPECT_EQ((a << 67) >> 67, a);
    EXPECT_EQ(Parse(Text(a).c_str()), a);
    EXPECT_EQ(a - b + b, a);
  }
}

// The estimate of a quotient digit is one too large here, which few inputs reach.
TEST(BigInt, DivisionCorrectsItsGuess) {
  const BigInt b = (BigInt(1) << 95) + 3;
  const BigInt a = (BigInt(1) << 159) + ((BigInt(1) << 63) - 1);
  EXPECT_EQ(a / b * b + a % b, a);
  EXPECT_TRUE(a % b < b);
  const BigInt c = Parse("340282366920938463463374607431768211455");
  const BigInt d = Parse("18446744073709551615");
  EXPECT_EQ(Text(c / d), "18446744073709551617");
  EXPECT_EQ(c % d, 0);
}

TEST(BigInt, Ends) {
  const int64_t low = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Text(BigInt(low) / -1), "9223372036854775808");
  EXPECT_EQ(Text(-BigInt(low)), "9223372036854775808");
  EXPECT_EQ(BigInt(low) % -1, 0);
  EXPECT_EQ(ffi::floordiv(BigInt(-7), 2), -4);
  EXPECT_EQ(ffi::floormod(BigInt(-7), 2), 1);
  EXPECT_EQ(ffi::floormod(BigInt(7), -2), -1);
  EXPECT_EQ(BigInt(-7) / 2, -3);
  EXPECT_EQ(BigInt(-7) % 2, -1);
  EXPECT_EQ(BigInt(-1) >> 200, -1);
  EXPECT_EQ(BigInt(1) >> 200, 0);
  BigInt counter = std::numeric_limits<int64_t>::max();
  ++counter;
  EXPECT_EQ(Text(counter--), "9223372036854775808");
  EXPECT_EQ(counter, std::numeric_limits<int64_t>::max());
}

TEST(BigInt, Errors) {
  EXPECT_EQ(ErrorOf([] { BigInt(1) / 0; }), "ZeroDivisionError: Division by zero");
  EXPECT_EQ(ErrorOf([] { BigInt(1) % BigInt(0); }), "ZeroDivisionError: Division by zero");
  EXPECT_EQ(ErrorOf([] { ffi::floordiv(BigInt(1) << 90, 0); }),
            "ZeroDivisionError: Division by zero");
  EXPECT_EQ(ErrorOf([] { (void)BigInt(std::nan("")); }),
            "ValueError: Cannot convert NaN to BigInt");
  EXPECT_EQ(ErrorOf([] { (void)BigInt(HUGE_VAL); }),
            "OverflowError: Cannot convert infinity to BigInt");
  EXPECT_EQ(ErrorOf([] { (void)static_cast<int64_t>(BigInt(1) << 63); }),
            "OverflowError: BigInt does not fit int64_t");
  EXPECT_EQ(ErrorOf([] { (void)static_cast<double>(BigInt(1) << 1024); }),
            "OverflowError: BigInt does not fit finite double");
  EXPECT_EQ(ErrorOf([] { BigInt(1) << -1; }), "ValueError: BigInt shift count is negative");
  EXPECT_EQ(ErrorOf([] { BigInt(1) << (BigInt(1) << 70); }).substr(0, 13), "OverflowError");
}

TEST(BigInt, Doubles) {
  EXPECT_EQ(BigInt(2.9), 2);
  EXPECT_EQ(BigInt(-2.9), -2);
  EXPECT_EQ(BigInt(0.5), 0);
  EXPECT_EQ(Text(BigInt(1e22)), "10000000000000000000000");
  EXPECT_EQ(static_cast<double>(BigInt(1e300)), 1e300);
  EXPECT_EQ(static_cast<double>(BigInt(-1e19)), -1e19);
}

TEST(BigInt, NarrowsOnlyWhenItFits) {
  EXPECT_EQ(BigInt(127).as<int8_t>(), 127);
  EXPECT_EQ(BigInt(128).as<int8_t>(), std::nullopt);
  EXPECT_EQ((BigInt(1) << 63).as<int64_t>(), std::nullopt);
  EXPECT_EQ((BigInt(1) << 63).as<uint64_t>(), uint64_t{1} << 63);
  EXPECT_EQ(BigInt(-1).as<uint64_t>(), std::nullopt);
}

TEST(BigInt, ComparesAcrossForms) {
  const BigInt big = BigInt(1) << 64;
  EXPECT_TRUE(big > std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(-big < std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(5 == BigInt(5));
  EXPECT_TRUE(big != 0);
  EXPECT_EQ(min(big, 3), 3);
  EXPECT_EQ(ffi::max(big, BigInt(3)), big);
  std::unordered_set<BigInt> set = {big, BigInt(1) << 64, 3};
  EXPECT_EQ(set.size(), 2u);
}

TEST(BigInt, Streams) {
  std::ostringstream os;
  os << (BigInt(-1) << 64);
  EXPECT_EQ(os.str(), "-18446744073709551616");
  std::istringstream is("  -18446744073709551616x +7 y");
  BigInt value;
  is >> value;
  EXPECT_EQ(value, BigInt(-1) << 64);
  EXPECT_EQ(is.get(), 'x');
  is >> value;
  EXPECT_EQ(value, 7);
  is >> value;
  EXPECT_TRUE(is.fail());
  EXPECT_EQ(value, 7);
  std::istringstream end("12");
  end >> value;
  EXPECT_FALSE(end.fail());
  EXPECT_EQ(value, 12);
}

TEST(BigInt, AsArgument) {
  ffi::Function f = ffi::Function::FromTyped([](BigInt x) { return x * x; });
  EXPECT_EQ(Text(f(int64_t{1} << 40).cast<BigInt>()), "1208925819614629174706176");
  EXPECT_EQ(f(true).cast<BigInt>(), 1);
  EXPECT_THROW(f(1.5), ffi::Error);
  EXPECT_EQ(ffi::TypeTraits<BigInt>::TypeStr(), "BigInt");
}

}  // namespace
