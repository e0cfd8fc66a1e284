// SPDX-License-Identifier: Apache-2.0
// The text that is streamed into TVM_FFI_THROW and the checks, compared with what a real
// std::ostringstream makes of the same operands.
#include <gtest/gtest.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/string.h>

#include <atomic>
#include <complex>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace ffi = tvm::ffi;

struct Point {
  int x;
};
std::ostream& operator<<(std::ostream& os, const Point& point) { return os << 'P' << point.x; }
std::ostream& operator<<(std::ostream& os, const Point* point) { return os << "at " << point->x; }
// Argument-dependent lookup finds this one from here alone.
std::ostream& operator<<(std::ostream& os, const std::vector<int>& values) {
  return os << values.size() << " ints";
}
enum Plain { kPlain = 7 };
enum Named { kNamed = 8 };
std::ostream& operator<<(std::ostream& os, Named) { return os << "named"; }
enum class Scoped { kOne = 1 };
std::ostream& operator<<(std::ostream& os, Scoped) { return os << "scoped"; }
struct ToInt {
  operator int() const { return 77; }  // NOLINT(google-explicit-constructor)
};
struct Bits {
  unsigned three : 3;
};

template <typename F>
std::string MessageOf(F&& f) {
  try {
    f();
  } catch (const ffi::Error& err) {
    return err.message();
  }
  return "nothing was thrown";
}

// The same operands go into the macro and into the library's stream.
#define EXPECT_LIKE_OSTREAM(...)                                                         \
  do {                                                                                   \
    std::ostringstream want;                                                             \
    want << __VA_ARGS__;                                                                 \
    EXPECT_EQ(MessageOf([&] { TVM_FFI_THROW(ValueError) << __VA_ARGS__; }), want.str()); \
  } while (0)

TEST(ErrorMessage, TextAndNumbers) {
  std::string text = "text";
  const char array[] = "array";
  char mutable_array[] = {'m', 0, 'x', 0};
  unsigned char byte = 'b';
  signed char letter = 's';
  int16_t small = -2;
  uint16_t natural = 65535;
  Bits bits{5};
  std::vector<bool> flags{true, false};
  const void* null = nullptr;
  int* address = reinterpret_cast<int*>(0x1234);
  EXPECT_LIKE_OSTREAM("literal" << text << std::string_view("view") << array << mutable_array);
  EXPECT_LIKE_OSTREAM('c' << byte << letter << true << false << flags[0] << flags[1]);
  EXPECT_LIKE_OSTREAM(small << ' ' << natural << ' ' << -1 << ' ' << 2u << ' ' << 3L << ' '
                            << 4ULL);
  EXPECT_LIKE_OSTREAM(std::numeric_limits<int64_t>::min() << std::numeric_limits<uint64_t>::max());
  EXPECT_LIKE_OSTREAM(bits.three << kPlain << ToInt{});
  EXPECT_LIKE_OSTREAM(1.5 << ' ' << 0.1f << ' ' << 1e10 << ' ' << 1e-7 << ' ' << 3.0 << ' '
                          << 1.5L);
  EXPECT_LIKE_OSTREAM(null << ' ' << static_cast<const void*>(address) << ' ' << address);
  EXPECT_LIKE_OSTREAM(std::string(1000, 'x') << 1 << std::string(300, 'y'));
  EXPECT_LIKE_OSTREAM(std::string("zero\0inside", 11));
}

TEST(ErrorMessage, WhatOnlyAStreamKnows) {
  Point point{3};
  std::atomic<int> atomic(9);
  EXPECT_LIKE_OSTREAM("a" << point << &point << kNamed << Scoped::kOne);
  EXPECT_LIKE_OSTREAM(std::vector<int>{1, 2} << " and " << std::vector<int>{});
  EXPECT_LIKE_OSTREAM(atomic << std::complex<double>(1, 2) << std::quoted("q\"q"));
  EXPECT_LIKE_OSTREAM(std::hex << 255 << ' ' << std::showbase << 16 << std::dec << 255);
  // A signed number shows the bits of its own type.
  EXPECT_LIKE_OSTREAM(std::hex << -1 << ' ' << int16_t{-2} << ' ' << -1L << ' ' << -1LL << ' '
                               << int8_t{'x'} << ' ' << uint16_t{65535} << ' ' << 255u);
  EXPECT_LIKE_OSTREAM(std::oct << -8 << ' ' << int16_t{-8} << std::dec << -8 << int16_t{-8});
  EXPECT_LIKE_OSTREAM("a" << std::endl
                          << std::setw(5) << 3 << '|' << std::setfill('.') << std::setw(4) << "x");
  EXPECT_LIKE_OSTREAM(std::boolalpha << true << false << std::setprecision(3) << 1.23456);
  EXPECT_LIKE_OSTREAM("long " << std::string(500, 'x') << point << std::string(500, 'z'));
  // The last operand decides what type the whole expression has.
  EXPECT_LIKE_OSTREAM("ends with " << std::vector<int>{4});
}

TEST(ErrorMessage, TypesOfTheseHeaders) {
  EXPECT_LIKE_OSTREAM(ffi::String("a string") << DLDataType{kDLFloat, 32, 4});
  EXPECT_LIKE_OSTREAM(ffi::Shape({2, 3}) << ffi::Shape());
  EXPECT_EQ(MessageOf([] {
              TVM_FFI_THROW(ValueError) << ffi::String("s") << DLDataType{kDLInt, 8, 1}
                                        << ffi::Shape({2, 3}) << kDLCUDA << nullptr;
            }),
            "sint8[2, 3]2nullptr");
  const char* missing = nullptr;
  EXPECT_EQ(MessageOf([&] { TVM_FFI_THROW(ValueError) << "<" << missing << ">"; }), "<(null)>");
  EXPECT_EQ(MessageOf([] { TVM_FFI_THROW(ValueError); }), "");
}

TEST(ErrorMessage, ChecksShowOperands) {
  Point point{4};
  EXPECT_EQ(MessageOf([&] { TVM_FFI_CHECK(point.x == 5, ValueError) << point << 'x'; }),
            "Check failed: (point.x == 5) is false: P4x");
  EXPECT_EQ(MessageOf([] { TVM_FFI_CHECK_LT(kNamed, 7, ValueError) << std::vector<int>{1}; }),
            "Check failed: kNamed < 7 (named vs. 7) : 1 ints");
  std::string text = "k";
  EXPECT_EQ(MessageOf([&] { TVM_FFI_ICHECK_EQ(text, "z"); }),  // no operand
            "Check failed: text == \"z\" (k vs. z) : ");
  ffi::Expected<int> result = [&]() -> ffi::Expected<int> {
    TVM_FFI_RET_CHECK_EQ(point.x, 3, ValueError) << std::hex << 255 << point << std::endl;
    return 1;
  }();
  EXPECT_EQ(result.error().message(), "Check failed: point.x == 3 (4 vs. 3) : ffP4\n");
}

TEST(ErrorMessage, AnOperandMayThrow) {
  auto fails = []() -> int { throw std::runtime_error("operand"); };
  EXPECT_THROW(TVM_FFI_THROW(ValueError) << "a" << fails(), std::runtime_error);
  EXPECT_THROW(TVM_FFI_CHECK(false, ValueError) << fails(), std::runtime_error);
}

// LeakSanitizer sees what is left behind (./dev test --sanitize).
TEST(ErrorMessage, AnOperandMayThrowAfterALongText) {
  auto fails = []() -> int { throw std::runtime_error("operand"); };
  const std::string text(1000, 'x');
  EXPECT_THROW(TVM_FFI_THROW(ValueError) << text << fails(), std::runtime_error);
  EXPECT_THROW(TVM_FFI_THROW(ValueError) << Point{1} << text << fails(), std::runtime_error);
  EXPECT_THROW(TVM_FFI_CHECK(false, ValueError) << text << fails(), std::runtime_error);
  EXPECT_THROW(TVM_FFI_CHECK_EQ(text, "", ValueError) << fails(), std::runtime_error);
  auto returns = [&]() -> ffi::Expected<int> {
    TVM_FFI_RET_CHECK(false, ValueError) << text << Point{1} << fails();
    return 1;
  };
  EXPECT_THROW(returns(), std::runtime_error);
  auto long_error = [&]() -> ffi::Expected<int> {
    TVM_FFI_RET_CHECK(false, ValueError) << text << Point{1};
    return 1;
  };
  EXPECT_EQ(long_error().error().message(), "Check failed: (false) is false: " + text + "P1");
}

TEST(ErrorMessage, ConvertsToAStream) {
  EXPECT_EQ(MessageOf([] {
              ffi::detail::ErrorBuilder builder("ValueError", __FILE__, __LINE__, "f", false);
              std::ostream& stream = builder.stream();
              stream << "direct " << 1;
            }),
            "direct 1");
}

}  // namespace
