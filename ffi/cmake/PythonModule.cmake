# SPDX-License-Identifier: Apache-2.0
# The CPython extension `tvm_ffi.core`.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)

file(GLOB TVM_FFI_PYTHON_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/src/*.cc)
Python_add_library(tvm_ffi_python MODULE WITH_SOABI ${TVM_FFI_PYTHON_SOURCES})
target_include_directories(tvm_ffi_python PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/python/src)
target_link_libraries(tvm_ffi_python PRIVATE tvm_ffi_shared)
set_target_properties(
  tvm_ffi_python
  PROPERTIES OUTPUT_NAME core
             CXX_STANDARD 20
             CXX_STANDARD_REQUIRED ON
             CXX_EXTENSIONS OFF
             CXX_VISIBILITY_PRESET hidden
             VISIBILITY_INLINES_HIDDEN ON
             # In the build tree the extension lies beside lib/, as it does once installed.
             LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python
             INSTALL_RPATH "$ORIGIN/lib")
if(APPLE)
  set_target_properties(tvm_ffi_python PROPERTIES INSTALL_RPATH "@loader_path/lib")
endif()
if(UNIX AND NOT APPLE)
  # The interpreter is a shared library as often as not: its functions are called without stubs.
  target_compile_options(tvm_ffi_python PRIVATE -ffunction-sections -fdata-sections -fno-plt)
  target_link_options(tvm_ffi_python PRIVATE -Wl,--gc-sections -Wl,--as-needed)
endif()
tvm_ffi_add_msvc_flags(tvm_ffi_python)
tvm_ffi_add_prefix_map(tvm_ffi_python ${CMAKE_CURRENT_SOURCE_DIR})
add_sanitizers(tvm_ffi_python "${TVM_FFI_SANITIZE}")

install(TARGETS tvm_ffi_python DESTINATION .)
