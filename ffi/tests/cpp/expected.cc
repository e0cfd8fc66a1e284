// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <string>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Error;
using ffi::Expected;
using ffi::String;
using ffi::Unexpected;

template <typename F>
std::string ErrorOf(F&& f) {
  try {
    f();
  } catch (const Error& err) {
    return err.kind() + ": " + err.message();
  }
  return "nothing was thrown";
}

Expected<int> Half(int x) {
  if (x % 2 != 0) return TVM_FFI_UNEXPECTED(ValueError) << x << " is odd";
  return x / 2;
}

Expected<String> Checked(int x) {
  TVM_FFI_RET_CHECK(x > 0, ValueError) << "x is " << x;
  TVM_FFI_RET_CHECK_LT(x, 10, IndexError) << "too large";
  TVM_FFI_RET_ICHECK_NE(x, 5);
  return std::to_string(x);
}

Expected<void> Nothing(bool fail) {
  if (fail) return Unexpected(Error("KeyError", "k", ""));
  return {};
}

TEST(Expected, ValueOrError) {
  EXPECT_TRUE(Half(4).is_ok());
  EXPECT_TRUE(Half(4).has_value());
  EXPECT_EQ(Half(4).value(), 2);
  EXPECT_TRUE(Half(3).is_err());
  EXPECT_EQ(Half(3).error().message(), "3 is odd");
  EXPECT_EQ(ErrorOf([] { Half(3).value(); }), "ValueError: 3 is odd");
  EXPECT_EQ(ErrorOf([] { Half(4).error(); }),
            "RuntimeError: Bad expected access: contains value, not error");
  EXPECT_EQ(Half(3).value_or(7), 7);
  EXPECT_EQ(Half(4).value_or(7), 2);
  // The one line of the backtrace is the place of the macro.
  const std::string trace = Half(3).error().backtrace();
  EXPECT_NE(trace.find("expected.cc\", line "), std::string::npos);
  EXPECT_EQ(trace.find('\n'), trace.size() - 1);
}

TEST(Expected, ReturnChecks) {
  EXPECT_EQ(Checked(3).value(), "3");
  EXPECT_EQ(Checked(0).error().message(), "Check failed: (x > 0) is false: x is 0");
  EXPECT_EQ(Checked(11).error().kind(), "IndexError");
  EXPECT_EQ(Checked(11).error().message(), "Check failed: x < 10 (11 vs. 10) : too large");
  EXPECT_EQ(Checked(5).error().kind(), "InternalError");
}

TEST(Expected, Void) {
  EXPECT_TRUE(Nothing(false).is_ok());
  Nothing(false).value();
  EXPECT_EQ(ErrorOf([] { Nothing(true).value(); }), "KeyError: k");
}

TEST(Expected, ConvertsBetweenTypes) {
  Expected<double> wide = Half(4);
  EXPECT_EQ(wide.value(), 2.0);
  Expected<double> failed = Half(3);
  EXPECT_EQ(failed.error().message(), "3 is odd");
  Expected<Any> any = Half(4);
  EXPECT_EQ(any.value().cast<int>(), 2);
  EXPECT_EQ(any.as_or_error<int>().value(), 2);
  EXPECT_EQ(any.as_or_error<String>().error().message(), "Cannot treat type `int` as type `str`");
  Expected<String> text = "literal";
  EXPECT_EQ(std::move(text).value(), "literal");
}

TEST(Expected, AsResultAndArgument) {
  ffi::Function half = ffi::Function::FromTyped(Half);
  EXPECT_EQ(half(4).cast<int>(), 2);
  EXPECT_EQ(half(3).type_index(), kTVMFFIError);  // returned as a value, not raised
  EXPECT_EQ(half.CallExpected<int>(3).error().kind(), "ValueError");
  ffi::Function kind = ffi::Function::FromTyped(
      [](Expected<int> x) -> std::string { return x.is_ok() ? "ok" : x.error().kind(); });
  EXPECT_EQ(kind(1).cast<std::string>(), "ok");
  EXPECT_EQ(kind(Error("KeyError", "", "")).cast<std::string>(), "KeyError");
  EXPECT_THROW(kind("text"), Error);
  EXPECT_EQ(ffi::TypeTraits<Expected<int>>::TypeStr(), "Expected<int>");
  EXPECT_EQ(ffi::TypeTraits<Expected<void>>::TypeSchema(),
            R"({"type":"Expected","args":[{"type":"None"},{"type":"ffi.Error"}]})");
}

}  // namespace
