# SPDX-License-Identifier: Apache-2.0
# Finds libbacktrace, which GCC installs beside its own runtime libraries, and checks that it links
# into a shared library. Sets TVM_FFI_LIBBACKTRACE_FOUND, _LIBRARY and _INCLUDE_DIR.
include(CheckCXXSourceCompiles)

set(TVM_FFI_LIBBACKTRACE_FOUND OFF)
if(TVM_FFI_USE_LIBBACKTRACE AND UNIX)
  # The compiler knows the directory of its GCC installation; Clang reports GCC's as well.
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a
    OUTPUT_VARIABLE tvm_ffi_backtrace_file
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(tvm_ffi_backtrace_hint "${tvm_ffi_backtrace_file}" DIRECTORY)
  find_library(
    TVM_FFI_LIBBACKTRACE_LIBRARY
    NAMES libbacktrace.a backtrace
    HINTS "${tvm_ffi_backtrace_hint}")
  find_path(TVM_FFI_LIBBACKTRACE_HEADER_DIR backtrace.h HINTS "${tvm_ffi_backtrace_hint}/include")
  if(TVM_FFI_LIBBACKTRACE_LIBRARY AND TVM_FFI_LIBBACKTRACE_HEADER_DIR)
    # A directory of its own: GCC's include directory also holds intrinsics that Clang must not see.
    set(TVM_FFI_LIBBACKTRACE_INCLUDE_DIR ${CMAKE_CURRENT_BINARY_DIR}/libbacktrace)
    configure_file(${TVM_FFI_LIBBACKTRACE_HEADER_DIR}/backtrace.h
                   ${TVM_FFI_LIBBACKTRACE_INCLUDE_DIR}/backtrace.h COPYONLY)
    set(CMAKE_REQUIRED_INCLUDES ${TVM_FFI_LIBBACKTRACE_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${TVM_FFI_LIBBACKTRACE_LIBRARY})
    set(CMAKE_REQUIRED_FLAGS "-fPIC -shared")
    check_cxx_source_compiles(
      "#include <backtrace.h>
       extern \"C\" void* probe() { return backtrace_create_state(nullptr, 1, nullptr, nullptr); }
       int main() { return probe() == nullptr; }"
      TVM_FFI_LIBBACKTRACE_LINKS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_FLAGS)
    if(TVM_FFI_LIBBACKTRACE_LINKS)
      set(TVM_FFI_LIBBACKTRACE_FOUND ON)
    endif()
  endif()
  if(NOT TVM_FFI_LIBBACKTRACE_FOUND)
    message(STATUS "tvm_ffi: no libbacktrace; stack traces name exported functions only")
  endif()
endif()
