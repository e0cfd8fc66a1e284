// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <string>

#include "c_call.h"

namespace {

namespace ffi = tvm::ffi;

TEST(CRegistration, ALibraryThatRegistersAgainLoadsAndTheFirstStays) {
  ffi::Function::SetGlobal("ctest.duplicate", ffi::Function::FromTyped([] { return 1; }));
  TVMFFIByteArray key = Bytes("ctest.DuplicateType");
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata{};
  metadata.total_size = 40;
  ASSERT_EQ(TVMFFITypeRegisterMetadata(index, &metadata), 0);
  TVMFFIFieldInfo field{};
  field.name = Bytes("x");
  ASSERT_EQ(TVMFFITypeRegisterField(index, &field), 0);
  TVMFFIByteArray attr = Bytes("ctest_duplicate_attr");
  TVMFFIAny value{};
  value.type_index = kTVMFFIInt;
  value.v_int64 = 1;
  ASSERT_EQ(TVMFFITypeRegisterAttr(index, &attr, &value), 0);

  ::testing::internal::CaptureStderr();
  void* library = dlopen(TVM_FFI_TEST_DUPLICATE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  std::string printed = ::testing::internal::GetCapturedStderr();
  ASSERT_NE(library, nullptr) << dlerror();
  // One line for each thing that two definitions fight over; the field and the attribute go with
  // their type.
  const std::string start = std::string("[WARNING] ") + TVM_FFI_TEST_DUPLICATE_LIBRARY + ": ";
  EXPECT_NE(printed.find(start + "global function `ctest.duplicate` is already registered by "),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find(start + "type `ctest.DuplicateType` is already registered by "),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find(" with another layout (40 bytes there, 99 here); "), std::string::npos)
      << printed;
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 2) << printed;

  EXPECT_EQ(ffi::Function::GetGlobalRequired("ctest.duplicate")().cast<int>(), 1);
  EXPECT_EQ(TVMFFIGetTypeInfo(index)->metadata->total_size, 40);
  EXPECT_EQ(TVMFFIGetTypeInfo(index)->num_fields, 1);
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&attr)->data[index].v_int64, 1);
  dlclose(library);
}

}  // namespace
