// SPDX-License-Identifier: Apache-2.0
// Errors that are raised when the thread-local values of the library have had their turn to die.
#include <gtest/gtest.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using tvm::ffi::Error;
using tvm::ffi::Function;

// Raises through the C ABI, catches and says what came.
std::string RaiseAndCatch() {
  try {
    Function::GetGlobalRequired("testing.test_raise_error")("ValueError", "too late?");
  } catch (const Error& error) {
    std::string said = error.kind() + ": " + error.message();
    if (error.backtrace().find("in ") == std::string::npos) said += " without a trace";
    return said;
  }
  return "nothing";
}

constexpr const char* kExpected = "ValueError: too late?";

struct RaisesAtTheEnd {
  std::string* said = nullptr;
  ~RaisesAtTheEnd() {
    if (said != nullptr) *said = RaiseAndCatch() + "; " + RaiseAndCatch();
  }
};

// Made before the library has thread-local values, so it dies after them.
thread_local RaisesAtTheEnd last_of_thread;

TEST(LateErrors, DestructorsOfThreadsRaise) {
  std::string at_first;
  std::string at_last;
  std::thread thread([&] {
    last_of_thread.said = &at_last;
    at_first = RaiseAndCatch();
    TVMFFIEnvSetStream(kDLCUDA, 1, &at_last, nullptr);
  });
  thread.join();
  EXPECT_EQ(at_first, kExpected);
  EXPECT_EQ(at_last, std::string(kExpected) + "; " + kExpected);
}

// Dies after main has returned.
struct RaisesAtExit {
  ~RaisesAtExit() {
    const std::string said = RaiseAndCatch();
    if (said == kExpected) return;
    std::fprintf(stderr, "LateErrors: a static destructor caught %s\n", said.c_str());
    std::_Exit(1);
  }
} at_exit;

}  // namespace
