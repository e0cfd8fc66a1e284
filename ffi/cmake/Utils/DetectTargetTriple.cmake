# SPDX-License-Identifier: Apache-2.0

# Stores the target triple of the C++ compiler, such as x86_64-linux-gnu, in `out_var`.
function(detect_target_triple out_var)
  if(CMAKE_CXX_COMPILER_TARGET)
    set(triple ${CMAKE_CXX_COMPILER_TARGET})
  elseif(MSVC)
    string(TOLOWER "${CMAKE_CXX_COMPILER_ARCHITECTURE_ID}" arch)
    string(REPLACE "x64" "x86_64" arch "${arch}")
    set(triple "${arch}-pc-windows-msvc")
  else()
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -dumpmachine
      OUTPUT_VARIABLE triple
      RESULT_VARIABLE status
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "detect_target_triple: ${CMAKE_CXX_COMPILER} -dumpmachine failed")
    endif()
  endif()
  set(${out_var} "${triple}" PARENT_SCOPE)
endfunction()
