// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <string>
#include <thread>

#include "c_call.h"

namespace {

TEST(CEnvStream, IsKeptPerThreadAndDevice) {
  int a = 0, b = 0;
  TVMFFIStreamHandle old = &a;
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), nullptr);
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, &a, &old), 0);
  EXPECT_EQ(old, nullptr);
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, &b, &old), 0);
  EXPECT_EQ(old, &a);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), &b);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 2), nullptr);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLROCM, 3), nullptr);
  std::thread([] { EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), nullptr); }).join();
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, nullptr, nullptr), 0);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), nullptr);
}

TEST(CEnvStream, NonsenseDevicesAreRefused) {
  EXPECT_EQ(TVMFFIEnvGetStream(-1, 0), nullptr);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, -1), nullptr);
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, -1, nullptr, nullptr), -1);
  EXPECT_EQ(TakeError(), "ValueError: No such device: type 2, id -1");
  EXPECT_EQ(TVMFFIEnvSetStream(INT32_MAX, 0, nullptr, nullptr), -1);
  EXPECT_EQ(TakeError(), "ValueError: No such device: type 2147483647, id 0");
}

std::string trace;
int pending = 0;

TEST(CEnvSignals, ChecksBetweenEnsureAndRelease) {
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  int (*check)() = [] {
    trace += "check ";
    return pending;
  };
  void* (*ensure)() = [] {
    trace += "ensure ";
    return static_cast<void*>(&trace);
  };
  void (*release)(void*) = [](void* state) { trace += state == &trace ? "release " : "wrong "; };
  EXPECT_EQ(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", reinterpret_cast<void*>(check)), 0);
  EXPECT_EQ(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", reinterpret_cast<void*>(ensure)), 0);
  EXPECT_EQ(TVMFFIEnvRegisterCAPI("PyGILState_Release", reinterpret_cast<void*>(release)), 0);
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  pending = -1;
  EXPECT_EQ(TVMFFIEnvCheckSignals(), -1);
  EXPECT_EQ(trace, "ensure check release ensure check release ");
  EXPECT_EQ(TakeError(), "");
  for (const char* name : {"PyErr_CheckSignals", "PyGILState_Ensure", "PyGILState_Release"}) {
    EXPECT_EQ(TVMFFIEnvRegisterCAPI(name, nullptr), 0);
  }
  EXPECT_EQ(TVMFFIEnvRegisterCAPI("PyNobody", nullptr), -1);
  EXPECT_EQ(TakeError(), "ValueError: Unknown env API PyNobody");
}

}  // namespace
