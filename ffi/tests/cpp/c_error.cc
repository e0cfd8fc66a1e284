// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/error.h>

#include <cstdlib>
#include <thread>

#include "c_call.h"

namespace {

TVMFFIObjectHandle MakeError(const char* kind, const char* message, const char* backtrace) {
  TVMFFIByteArray parts[3] = {Bytes(kind), Bytes(message), Bytes(backtrace)};
  TVMFFIObjectHandle error = nullptr;
  EXPECT_EQ(TVMFFIErrorCreate(&parts[0], &parts[1], &parts[2], &error), 0);
  return error;
}

TEST(CError, KeepsItsTexts) {
  TVMFFIObjectHandle error = MakeError("ValueError", "wrong", "  File \"a.cc\", line 1, in f\n");
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  EXPECT_EQ(Text(cell->kind), "ValueError");
  EXPECT_EQ(Text(cell->message), "wrong");
  EXPECT_EQ(cell->message.data[cell->message.size], '\0');
  EXPECT_EQ(cell->cause_chain, nullptr);
  TVMFFIByteArray outer = Bytes("  File \"b.cc\", line 2, in g\n");
  cell->update_backtrace(error, &outer, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(Text(cell->backtrace),
            "  File \"a.cc\", line 1, in f\n  File \"b.cc\", line 2, in g\n");
  // Appending an error's own text to itself must not read what it overwrites.
  cell->update_backtrace(error, &cell->backtrace, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(cell->backtrace.size, 4u * 28u);
  cell->update_backtrace(error, &outer, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(Text(cell->backtrace), Text(outer));
  TVMFFIObjectDecRef(error);
}

TEST(CError, RetainsCauseAndContext) {
  TVMFFIObjectHandle cause = MakeError("KeyError", "inner", "");
  TVMFFIObjectHandle context = MakeError("Context", "any object will do", "");
  TVMFFIByteArray kind = Bytes("ValueError"), message = Bytes("outer"), trace = Bytes("");
  TVMFFIObjectHandle error = nullptr;
  ASSERT_EQ(
      TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, &trace, cause, context, &error),
      0);
  EXPECT_EQ(TVMFFIErrorGetCellPtr(error)->cause_chain, cause);
  EXPECT_EQ(TVMFFIErrorGetCellPtr(error)->extra_context, context);
  EXPECT_EQ(StrongCount(cause), 2u);
  TVMFFIObjectDecRef(error);
  EXPECT_EQ(StrongCount(cause), 1u);
  EXPECT_EQ(StrongCount(context), 1u);
  TVMFFIObjectDecRef(cause);
  TVMFFIObjectDecRef(context);
}

TEST(CError, LongCauseChainsAreFreedWithoutRecursion) {
  TVMFFIObjectHandle error = MakeError("E", "0", "");
  TVMFFIByteArray kind = Bytes("E"), message = Bytes("next"), trace = Bytes("");
  for (int i = 0; i < 1000000; ++i) {
    TVMFFIObjectHandle next = nullptr;
    ASSERT_EQ(
        TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, &trace, error, nullptr, &next),
        0);
    TVMFFIObjectDecRef(error);
    error = next;
  }
  TVMFFIObjectDecRef(error);
}

TEST(CRaised, HoldsOneErrorPerThread) {
  TVMFFIObjectHandle error = MakeError("E", "first", "");
  TVMFFIErrorSetRaised(error);
  EXPECT_EQ(StrongCount(error), 2u);
  std::thread([] {
    EXPECT_EQ(TakeError(), "");
    TVMFFIErrorSetRaisedFromCStr("E", "left behind");  // freed with the thread
  }).join();
  TVMFFIErrorSetRaisedFromCStr("ValueError", "second");
  EXPECT_EQ(StrongCount(error), 1u);
  EXPECT_EQ(TakeError(), "ValueError: second");
  EXPECT_EQ(TakeError(), "");
  TVMFFIObjectDecRef(error);
}

TEST(CRaised, JoinsParts) {
  const char* parts[] = {"a", nullptr, "bc", "", "d"};
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 5);
  EXPECT_EQ(TakeError(), "TypeError: abcd");
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", nullptr, 0);
  EXPECT_EQ(TakeError(), "TypeError: ");
}

// The lines of the current backtrace, as C code that reports a place would ask for it.
__attribute__((noinline)) std::string TraceFrom(const char* file, int line, const char* function) {
  std::string text = Text(*TVMFFIBacktrace(file, line, function, 0));
  return text;
}

__attribute__((noinline)) std::string Outer(const char* file, int line, const char* function) {
  std::string text = TraceFrom(file, line, function);
  return text + "";
}

TEST(CBacktrace, BeginsWithTheGivenPlace) {
  std::string text = Outer("some/file.cc", 17, "int demo::f()");
  EXPECT_EQ(text.find("  File \"some/file.cc\", line 17, in int demo::f()\n"), 0u);
}

TEST(CBacktrace, NamesLocalFunctionsWithFileAndLine) {
  std::string text = Outer(nullptr, 0, nullptr);
  size_t inner = text.find("TraceFrom(");
  size_t outer = text.find("Outer(");
  if (text.find("c_error.cc\"") == std::string::npos) GTEST_SKIP() << "no debug information";
  ASSERT_NE(inner, std::string::npos) << text;
  ASSERT_NE(outer, std::string::npos) << text;
  EXPECT_LT(inner, outer);
  EXPECT_EQ(text.find("TVMFFIBacktrace"), std::string::npos);
}

TEST(CBacktrace, LinesAreLimited) {
  setenv("TVM_TRACEBACK_LIMIT", "1", 1);
  std::string one = Outer("f.cc", 1, "f");
  setenv("TVM_TRACEBACK_LIMIT", "0", 1);
  std::string none = Outer("f.cc", 1, "f");
  setenv("TVM_TRACEBACK_LIMIT", "nonsense", 1);
  std::string all = Outer("f.cc", 1, "f");
  unsetenv("TVM_TRACEBACK_LIMIT");
  EXPECT_EQ(one, "  File \"f.cc\", line 1, in f\n");
  EXPECT_EQ(none, "");
  EXPECT_GT(all.size(), one.size());
}

TEST(CBacktrace, LeavesOutTheGlue) {
  std::string hidden = Outer("/x/include/tvm/ffi/function.h", 1, "f");
  EXPECT_EQ(hidden.find("function.h"), std::string::npos);
  hidden = Outer("f.cc", 1, "tvm::ffi::detail::Helper()");
  EXPECT_EQ(hidden.find("Helper"), std::string::npos);
}

__attribute__((noinline)) int Thrower(int depth) {
  if (depth > 0) return Thrower(depth - 1) + 1;
  TVM_FFI_CHECK_GT(depth, 0, ValueError) << "thrown";
  return 0;
}

TEST(CBacktrace, PrintsTheThrowingFunctionOnce) {
  try {
    Thrower(2);
    FAIL();
  } catch (const tvm::ffi::Error& error) {
    std::string text = error.backtrace();
    size_t lines_in_thrower = 0;
    for (size_t at = text.find("Thrower("); at != std::string::npos;
         at = text.find("Thrower(", at + 1)) {
      ++lines_in_thrower;
    }
    EXPECT_EQ(lines_in_thrower, 3u) << text;
  }
}

}  // namespace
