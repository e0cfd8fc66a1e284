// SPDX-License-Identifier: Apache-2.0
// Load-time blocks that throw: nothing ends, and who loads the library is told.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <stdexcept>
#include <string>

namespace {

namespace ffi = tvm::ffi;

std::string LoadError() {
  try {
    ffi::Module::LoadFromFile(TVM_FFI_TEST_FAILING_LIBRARY);
  } catch (const ffi::Error& err) {
    EXPECT_TRUE(err.cause_chain().has_value());
    if (err.cause_chain().has_value()) {
      EXPECT_EQ(err.cause_chain()->message(), "no device 3");
      EXPECT_NE(err.backtrace().find("failing_library.cc"), std::string::npos) << err.backtrace();
    }
    return err.kind() + ": " + err.message();
  }
  return "nothing was thrown";
}

TEST(StaticInit, LoadingTellsTheFileAndTheCause) {
  const std::string want = std::string("ValueError: Failed to initialize shared library ") +
                           TVM_FFI_TEST_FAILING_LIBRARY + ": ValueError: no device 3";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(LoadError(), want);
  // The initialisers do not run again, the error is the same.
  EXPECT_EQ(LoadError(), want);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  // A refused library leaves no name behind, and the rest of the registry works.
  EXPECT_FALSE(ffi::Function::GetGlobal("ctest.failing.first").has_value());
  EXPECT_FALSE(ffi::Function::GetGlobal("ctest.failing.second").has_value());
  EXPECT_NO_THROW(ffi::Module::LoadFromFile(TVM_FFI_TEST_SAMPLE_LIBRARY));
}

TEST(StaticInit, OutsideOfALoadTheErrorIsPrinted) {
  ::testing::internal::CaptureStderr();
  ffi::detail::RunStaticInit([] { TVM_FFI_THROW(KeyError) << "k"; });
  ffi::detail::RunStaticInit([] { throw std::runtime_error("plain"); });
  ffi::detail::RunStaticInit([] { throw 3; });
  ffi::detail::RunStaticInit([] {});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "A TVM_FFI_STATIC_INIT_BLOCK failed: KeyError: k\n"
            "A TVM_FFI_STATIC_INIT_BLOCK failed: InternalError: plain\n"
            "A TVM_FFI_STATIC_INIT_BLOCK failed: InternalError: unknown C++ exception of type "
            "`int`\n");
  TVMFFIObjectHandle raised = nullptr;
  TVMFFIErrorMoveFromRaised(&raised);
  EXPECT_EQ(raised, nullptr);
}

}  // namespace
