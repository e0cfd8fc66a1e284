# SPDX-License-Identifier: Apache-2.0

# Links a test executable with GoogleTest of the distribution and registers its tests with CTest.
# CTest runs them in one process: start-up and type registration dominate single tests.
macro(TVM_FFI_ADD_GTEST target_name)
  find_package(GTest REQUIRED)
  target_link_libraries(${target_name} PRIVATE GTest::gtest GTest::gtest_main)
  add_test(NAME ${target_name} COMMAND ${target_name})
endmacro()
