// SPDX-License-Identifier: Apache-2.0
// Checks kind and message of the Error that a callable throws.
#ifndef TVM_FFI_TESTS_EXPECT_ERROR_H_
#define TVM_FFI_TESTS_EXPECT_ERROR_H_

#include <gtest/gtest.h>
#include <tvm/ffi/error.h>

#include <string>
#include <utility>

/*! \brief Expects `f()` to throw an Error of exactly this kind and message. */
template <typename F>
void ExpectError(const std::string& kind, const std::string& message, F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const tvm::ffi::Error& err) {
    EXPECT_EQ(err.kind(), kind);
    EXPECT_EQ(err.message(), message);
    return;
  }
  ADD_FAILURE() << "no " << kind << " was thrown: " << message;
}

#endif  // TVM_FFI_TESTS_EXPECT_ERROR_H_
