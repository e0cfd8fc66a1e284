// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

#include <string>

namespace {

namespace ffi = tvm::ffi;
using ffi::Error;

template <typename F>
std::string ErrorOf(F&& f) {
  try {
    f();
  } catch (const Error& err) {
    return err.kind() + ": " + err.message();
  }
  return "nothing was thrown";
}

TEST(Error, HoldsItsParts) {
  Error err("ValueError", "text", "  File \"a\", line 1, in f\n  File \"b\", line 2, in g\n");
  EXPECT_EQ(err.kind(), "ValueError");
  EXPECT_EQ(err.message(), "text");
  EXPECT_STREQ(err.what(), "text");
  EXPECT_EQ(err.TracebackMostRecentCallLast(),
            "  File \"b\", line 2, in g\n  File \"a\", line 1, in f\n");
  EXPECT_EQ(err.FullMessage(),
            "Traceback (most recent call last):\n  File \"b\", line 2, in g\n"
            "  File \"a\", line 1, in f\nValueError: text\n");
  EXPECT_FALSE(err.cause_chain().has_value());
  EXPECT_FALSE(err.extra_context().has_value());
  EXPECT_EQ(Error("E", "m", "").TracebackMostRecentCallLast(), "");
}

TEST(Error, UpdatesItsBacktrace) {
  Error err("E", "m", "one\n");
  TVMFFIByteArray more = {"two\n", 4};
  err.UpdateBacktrace(&more, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(err.backtrace(), "one\ntwo\n");
  err.UpdateBacktrace(&more, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(err.backtrace(), "two\n");
}

TEST(Error, CauseAndContext) {
  Error cause("KeyError", "inner", "");
  ffi::ObjectRef context = cause;
  Error err("ValueError", "outer", "", cause, context);
  EXPECT_EQ(err.cause_chain()->message(), "inner");
  EXPECT_TRUE(err.extra_context()->same_as(cause));
  EXPECT_EQ(cause.use_count(), 4);  // cause, context and the two handles of err
}

TEST(Error, MacrosKeepKindMessageAndPlace) {
  int line = 0;
  try {
    line = __LINE__ + 1;
    TVM_FFI_THROW(IndexError) << "index " << 3 << " of " << std::string("x");
  } catch (const Error& err) {
    EXPECT_EQ(err.kind(), "IndexError");
    EXPECT_EQ(err.message(), "index 3 of x");
    const std::string first = err.backtrace().substr(0, err.backtrace().find('\n'));
    EXPECT_NE(first.find("error.cc\", line " + std::to_string(line) + ", in "), std::string::npos)
        << first;
  }
}

TEST(Error, Checks) {
  int evaluated = 0;
  auto next = [&evaluated] { return ++evaluated; };
  TVM_FFI_CHECK(next() == 1, ValueError) << "unused";
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(ErrorOf([] { TVM_FFI_CHECK(1 + 1 == 3, ValueError) << "sum " << 2; }),
            "ValueError: Check failed: (1 + 1 == 3) is false: sum 2");
  EXPECT_EQ(ErrorOf([&] { TVM_FFI_CHECK_EQ(next(), 5, TypeError) << "no"; }),
            "TypeError: Check failed: next() == 5 (2 vs. 5) : no");
  EXPECT_EQ(evaluated, 2);  // once also when it fails
  EXPECT_EQ(ErrorOf([] { TVM_FFI_ICHECK_LT(3, 2); }),
            "InternalError: Check failed: 3 < 2 (3 vs. 2) : ");
  EXPECT_EQ(ErrorOf([] { TVM_FFI_ICHECK_GE(1, size_t{2}) << "mixed signs"; }),
            "InternalError: Check failed: 1 >= size_t{2} (1 vs. 2) : mixed signs");
  EXPECT_EQ(ErrorOf([] { TVM_FFI_ICHECK(false); }),
            "InternalError: Check failed: (false) is false: ");
  TVM_FFI_ICHECK_NE(1, 2);
  TVM_FFI_ICHECK_GT(2, 1);
  TVM_FFI_ICHECK_LE(1, 1);
  int value = 4;
  int* pointer = &value;
  EXPECT_EQ(*TVM_FFI_ICHECK_NOTNULL(pointer), 4);
  pointer = nullptr;
  EXPECT_EQ(ErrorOf([&] { TVM_FFI_CHECK_NOTNULL(pointer, ValueError); }),
            "ValueError: Check not null: pointer ");
}

// A check must not take the `else` of the user.
std::string Branch(bool outer, bool inner) {
  if (outer)
    TVM_FFI_CHECK(inner, ValueError) << "inner";
  else
    return "else";
  return "end";
}

TEST(Error, ChecksLeaveElseAlone) {
  EXPECT_EQ(Branch(true, true), "end");
  EXPECT_EQ(Branch(false, true), "else");
  EXPECT_THROW(Branch(true, false), Error);
}

TEST(Error, DebugChecks) {
#ifdef NDEBUG
  int evaluated = 0;
  TVM_FFI_DCHECK(++evaluated > 5);
  TVM_FFI_DCHECK_EQ(++evaluated, 5) << "never printed";
  EXPECT_EQ(evaluated, 0);
#else
  EXPECT_EQ(ErrorOf([] { TVM_FFI_DCHECK(false); }),
            "InternalError: Check failed: (false) is false: ");
#endif
  int value = 1;
  EXPECT_EQ(TVM_FFI_DCHECK_NOTNULL(&value), &value);
}

TEST(Error, EnvErrorAlreadySet) {
  Error err = ffi::EnvErrorAlreadySet();
  EXPECT_EQ(err.kind(), "EnvErrorAlreadySet");
  EXPECT_EQ(err.message(), "");
}

TEST(Error, TravelsAsAValue) {
  Error err("ValueError", "text", "");
  ffi::Any value = err;
  EXPECT_EQ(value.type_index(), kTVMFFIError);
  EXPECT_EQ(value.cast<Error>().message(), "text");
  EXPECT_FALSE(ffi::Any().as<Error>().has_value());
  EXPECT_FALSE(ffi::Any(1).try_cast<Error>().has_value());
}

TEST(Error, SlotOfTheThread) {
  EXPECT_EQ(ffi::detail::MoveFromSafeCallRaised().kind(), "InternalError");  // nothing was raised
  ffi::detail::SetSafeCallRaised(Error("KeyError", "k", ""));
  EXPECT_EQ(ffi::detail::MoveFromSafeCallRaised().kind(), "KeyError");
}

}  // namespace
