# SPDX-License-Identifier: Apache-2.0

# Turns the warnings on under which the headers and sources of the project are clean, as errors.
function(tvm_ffi_add_cxx_warning target_name)
  if(MSVC)
    return()
  endif()
  target_compile_options(${target_name} PRIVATE -Werror -Wall -Wextra -Wpedantic
                                                -Wno-unused-parameter)
endfunction()
