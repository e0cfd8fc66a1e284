# SPDX-License-Identifier: Apache-2.0
# find_package(tvm_ffi CONFIG): asks the Python interpreter for the installed package.
if(CMAKE_VERSION VERSION_LESS 3.18)
  message(FATAL_ERROR "tvm_ffi needs CMake 3.18 or newer, this is ${CMAKE_VERSION}")
endif()
find_package(Python COMPONENTS Interpreter REQUIRED)

function(_tvm_ffi_query flag out_var)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m tvm_ffi.config ${flag}
    OUTPUT_VARIABLE value
    ERROR_VARIABLE error
    RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "tvm_ffi: '${Python_EXECUTABLE} -m tvm_ffi.config ${flag}' failed:\n${error}")
  endif()
  file(TO_CMAKE_PATH "${value}" value)
  set(${out_var} "${value}" PARENT_SCOPE)
endfunction()

_tvm_ffi_query(--includedir tvm_ffi_INCLUDE_DIR)
_tvm_ffi_query(--dlpack-includedir tvm_ffi_DLPACK_INCLUDE_DIR)
_tvm_ffi_query(--libfiles tvm_ffi_LIB_FILES)
message(STATUS "Found tvm_ffi: ${tvm_ffi_LIB_FILES}")

# CUDA extensions share one CUDA runtime with the process. Projects that use the driver API alone
# set this to None before find_package.
if(NOT DEFINED CMAKE_CUDA_RUNTIME_LIBRARY)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  message(STATUS "tvm_ffi: CMAKE_CUDA_RUNTIME_LIBRARY is set to Shared")
endif()

if(NOT TARGET tvm_ffi::header)
  add_library(tvm_ffi::header INTERFACE IMPORTED)
  target_compile_features(tvm_ffi::header INTERFACE cxx_std_17)
  target_include_directories(tvm_ffi::header INTERFACE "${tvm_ffi_INCLUDE_DIR}"
                                                       "${tvm_ffi_DLPACK_INCLUDE_DIR}")
endif()
if(NOT TARGET tvm_ffi::shared)
  add_library(tvm_ffi::shared SHARED IMPORTED)
  target_compile_features(tvm_ffi::shared INTERFACE cxx_std_17)
  target_include_directories(tvm_ffi::shared INTERFACE "${tvm_ffi_INCLUDE_DIR}"
                                                       "${tvm_ffi_DLPACK_INCLUDE_DIR}")
  if(WIN32)
    set_target_properties(tvm_ffi::shared PROPERTIES IMPORTED_IMPLIB "${tvm_ffi_LIB_FILES}")
  else()
    set_target_properties(tvm_ffi::shared PROPERTIES IMPORTED_LOCATION "${tvm_ffi_LIB_FILES}")
  endif()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/Utils/Library.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Utils/EmbedCubin.cmake")
