# SPDX-License-Identifier: Apache-2.0

# Compiles and links a target with the given sanitizers, such as "address,undefined"; an empty list
# changes nothing.
function(add_sanitizers target_name sanitizers)
  if(sanitizers STREQUAL "" OR MSVC)
    return()
  endif()
  target_compile_options(${target_name} PRIVATE -fsanitize=${sanitizers} -fno-omit-frame-pointer -g
                                                -fno-sanitize-recover=all)
  target_link_options(${target_name} PRIVATE -fsanitize=${sanitizers})
endfunction()

# Compiles and links a target with the address sanitizer.
function(add_sanitizer_address target_name)
  add_sanitizers(${target_name} address)
endfunction()
