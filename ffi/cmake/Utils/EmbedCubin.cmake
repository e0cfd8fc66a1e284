# SPDX-License-Identifier: Apache-2.0
# CUDA binaries for TVM_FFI_EMBED_CUBIN. CMake 3.27 and newer can do the first two functions itself
# (CUDA_CUBIN_COMPILATION, CUDA_FATBIN_COMPILATION).
set(OBJECT_COPY_UTIL "${CMAKE_CURRENT_LIST_DIR}/ObjectCopyUtil.cmake")

function(_tvm_ffi_add_cuda_binary function_name target_name flag extension)
  cmake_parse_arguments(ARG "" "CUDA" "" ${ARGN})
  if(NOT ARG_CUDA)
    message(FATAL_ERROR "${function_name}: missing CUDA <source>")
  endif()
  add_library(${target_name} OBJECT ${ARG_CUDA})
  target_compile_options(${target_name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flag}>)
  add_custom_target(
    ${target_name}_bin ALL
    COMMAND ${CMAKE_COMMAND} "-DOBJECTS=$<TARGET_OBJECTS:${target_name}>"
            -DOUT_DIR=${CMAKE_CURRENT_BINARY_DIR} -DEXT=${extension} -P ${OBJECT_COPY_UTIL}
    DEPENDS $<TARGET_OBJECTS:${target_name}>
    COMMENT "Writing the ${extension} of ${target_name}"
    VERBATIM)
endfunction()

# add_tvm_ffi_cubin(<target> CUDA <source>): compiles one .cu file to <name>.cubin.
function(add_tvm_ffi_cubin target_name)
  _tvm_ffi_add_cuda_binary(add_tvm_ffi_cubin ${target_name} --cubin cubin ${ARGN})
endfunction()

# add_tvm_ffi_fatbin(<target> CUDA <source>): compiles one .cu file to <name>.fatbin.
function(add_tvm_ffi_fatbin target_name)
  _tvm_ffi_add_cuda_binary(add_tvm_ffi_fatbin ${target_name} --fatbin fatbin ${ARGN})
endfunction()

# tvm_ffi_embed_bin_into(<target> SYMBOL <name> BIN <file>): merges a CUDA binary into the single
# object of a target; TVM_FFI_EMBED_CUBIN(<name>) reads it.
function(tvm_ffi_embed_bin_into target_name)
  cmake_parse_arguments(ARG "" "SYMBOL;BIN" "" ${ARGN})
  if(NOT ARG_SYMBOL)
    message(FATAL_ERROR "tvm_ffi_embed_bin_into: missing SYMBOL <name>")
  endif()
  if(NOT ARG_BIN)
    message(FATAL_ERROR "tvm_ffi_embed_bin_into: missing BIN <file>")
  endif()
  if(NOT Python_EXECUTABLE)
    find_package(Python COMPONENTS Interpreter REQUIRED)
  endif()
  set(intermediate "${CMAKE_CURRENT_BINARY_DIR}/${ARG_SYMBOL}_intermediate.o")
  add_custom_command(
    TARGET ${target_name}
    PRE_LINK
    COMMAND ${CMAKE_COMMAND} -E rename $<TARGET_OBJECTS:${target_name}> ${intermediate}
    COMMAND
      ${Python_EXECUTABLE} -m tvm_ffi.utils.embed_cubin --output-obj
      $<TARGET_OBJECTS:${target_name}> --name ${ARG_SYMBOL} --input-obj ${intermediate} --cubin
      ${ARG_BIN}
    COMMENT "Embedding ${ARG_BIN} as ${ARG_SYMBOL} into ${target_name}"
    VERBATIM)
endfunction()
