# SPDX-License-Identifier: Apache-2.0
# tvm_ffi_tests (GoogleTest), the ABI tests and the check of exported symbols.
include(cmake/Utils/AddGoogleTest.cmake)

file(GLOB TVM_FFI_TEST_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/*.cc)
if(TVM_FFI_SANITIZE MATCHES "thread")
  # Only the tests with threads: the others have nothing to tell this sanitizer.
  set(TVM_FFI_TEST_SOURCES)
  foreach(name threads c_env c_error c_type_table object algo_nodes)
    list(APPEND TVM_FFI_TEST_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/${name}.cc)
  endforeach()
endif()
if(TVM_FFI_TEST_SOURCES)
  add_executable(tvm_ffi_tests ${TVM_FFI_TEST_SOURCES})
  target_link_libraries(tvm_ffi_tests PRIVATE tvm_ffi_shared)
  if(TVM_FFI_TESTING_SOURCES)
    # Tests look its registrations up by name, so no symbol of it is referenced.
    target_link_options(tvm_ffi_tests PRIVATE -Wl,--no-as-needed)
    target_link_libraries(tvm_ffi_tests PRIVATE tvm_ffi_testing)
  endif()
  target_link_libraries(tvm_ffi_tests PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(tvm_ffi_tests PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    # Quick to compile; backtraces are tested with file names and lines.
    target_compile_options(tvm_ffi_tests PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1> -g1)
  endif()
  tvm_ffi_add_prefix_map(tvm_ffi_tests ${CMAKE_CURRENT_SOURCE_DIR})
  add_sanitizers(tvm_ffi_tests "${TVM_FFI_SANITIZE}")
  tvm_ffi_add_gtest(tvm_ffi_tests)

  # Loaded at run time by tests; TVM_FFI_TEST_<NAME>_LIBRARY is the path.
  foreach(name sample duplicate failing newer cut_import_tree)
    set(target tvm_ffi_test_${name})
    add_library(${target} MODULE tests/cpp/libs/${name}_library.cc)
    target_link_libraries(${target} PRIVATE tvm_ffi_shared)
    set_target_properties(
      ${target} PROPERTIES CXX_VISIBILITY_PRESET hidden PREFIX "" LIBRARY_OUTPUT_DIRECTORY
                                                                  ${CMAKE_CURRENT_BINARY_DIR}/lib)
    add_sanitizers(${target} "${TVM_FFI_SANITIZE}")
    string(TOUPPER ${name} upper_name)
    target_compile_definitions(
      tvm_ffi_tests PRIVATE TVM_FFI_TEST_${upper_name}_LIBRARY="$<TARGET_FILE:${target}>")
    add_dependencies(tvm_ffi_tests ${target})
  endforeach()
endif()

# Brings its own malloc (on glibc's), which sanitizers do as well.
if(TVM_FFI_TEST_SOURCES AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT TVM_FFI_SANITIZE)
  add_executable(
    tvm_ffi_alloc_failure_tests
    tests/cpp/alloc_failure/alloc_failure.cc tests/cpp/alloc_failure/failing_malloc.cc
    tests/cpp/algo_nodes.cc)
  target_link_libraries(tvm_ffi_alloc_failure_tests PRIVATE tvm_ffi_shared)
  set_target_properties(tvm_ffi_alloc_failure_tests PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED
                                                                               ON)
  target_compile_options(tvm_ffi_alloc_failure_tests PRIVATE -O1)
  tvm_ffi_add_gtest(tvm_ffi_alloc_failure_tests)
endif()

if(NOT TVM_FFI_SANITIZE MATCHES "thread")
  add_subdirectory(tests/abi)
endif()

if(UNIX AND NOT APPLE AND NOT TVM_FFI_SANITIZE)
  add_test(
    NAME exported_symbols
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:tvm_ffi_shared>
            -DVERSION_SCRIPT=${TVM_FFI_VERSION_SCRIPT} -P
            ${CMAKE_CURRENT_SOURCE_DIR}/cmake/CheckExports.cmake)
endif()
