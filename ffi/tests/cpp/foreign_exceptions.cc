// SPDX-License-Identifier: Apache-2.0
// Exceptions that are no ffi::Error and reach the C ABI.
#include <gtest/gtest.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <new>
#include <stdexcept>
#include <string>

namespace {

namespace ffi = tvm::ffi;

// Kind and message of what a caller through the C ABI gets.
template <typename F>
std::string Crosses(F thrower) {
  ffi::Function function = ffi::Function::FromTyped(thrower);
  ffi::Expected<void> result = function.CallExpected<void>();
  if (!result.is_err()) return "no error";
  EXPECT_EQ(result.error().backtrace(), "");
  return result.error().kind() + ": " + result.error().message();
}

struct Unknown {};

TEST(ForeignExceptions, KeepWhatTheySay) {
  EXPECT_EQ(Crosses([] { throw std::bad_alloc(); }),
            std::string("MemoryError: ") + std::bad_alloc().what());
  EXPECT_EQ(Crosses([] { throw std::runtime_error("plain"); }), "InternalError: plain");
  EXPECT_EQ(Crosses([] { throw std::out_of_range("range"); }), "InternalError: range");
  EXPECT_EQ(Crosses([] { throw std::string("text\0more", 9); }),
            std::string("InternalError: text\0more", 24));
  EXPECT_EQ(Crosses([] { throw "literal"; }), "InternalError: literal");
  EXPECT_EQ(Crosses([] { throw static_cast<const char*>(nullptr); }), "InternalError: (null)");
  EXPECT_EQ(Crosses([] { throw 3; }), "InternalError: unknown C++ exception of type `int`");
  EXPECT_EQ(Crosses([] { throw Unknown(); }),
            "InternalError: unknown C++ exception of type `(anonymous namespace)::Unknown`");
}

TEST(ForeignExceptions, OfACallbackLeaveTheCountsExact) {
  ffi::Any held = ffi::Function::FromTyped([] { return 1; });
  auto fails = ffi::Function::FromTyped(
      [](ffi::Any, const ffi::Any&) { throw std::runtime_error("fails"); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(fails.CallExpected<void>(held, held).is_err());
    EXPECT_THROW(fails(held, held), std::runtime_error);
  }
  EXPECT_EQ(held.cast<ffi::Function>().use_count(), 2);
}

}  // namespace
