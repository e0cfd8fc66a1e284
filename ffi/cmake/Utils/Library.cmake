# SPDX-License-Identifier: Apache-2.0
# Helpers for libraries that use tvm_ffi, and for tvm_ffi itself.

# Makes file names in diagnostics and debug information relative to `path`.
function(tvm_ffi_add_prefix_map target_name path)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC)
    target_compile_options(${target_name} PRIVATE "-ffile-prefix-map=${path}/=")
  endif()
endfunction()

# Extracts debug symbols beside the binary after each link (Apple only).
function(tvm_ffi_add_apple_dsymutil target_name)
  if(APPLE)
    add_custom_command(
      TARGET ${target_name}
      POST_BUILD
      COMMAND dsymutil ARGS $<TARGET_FILE:${target_name}>
      COMMENT "Extracting debug symbols of ${target_name}"
      VERBATIM)
  endif()
endfunction()

function(tvm_ffi_add_msvc_flags target_name)
  if(NOT MSVC)
    return()
  endif()
  target_compile_definitions(
    ${target_name} PUBLIC WIN32_LEAN_AND_MEAN _CRT_SECURE_NO_WARNINGS _SCL_SECURE_NO_WARNINGS
                          _ENABLE_EXTENDED_ALIGNED_STORAGE NOMINMAX)
  target_compile_options(${target_name} PRIVATE /Zi /bigobj
                                                $<$<COMPILE_LANGUAGE:C,CXX>:/Zc:inline>)
endfunction()

# Keeps symbols of static archives out of the dynamic symbol table of the target.
function(tvm_ffi_hide_static_linked_lib_symbols target_name)
  if(APPLE)
    target_link_options(${target_name} PRIVATE -Wl,-load_hidden)
  elseif(CMAKE_SYSTEM_NAME MATCHES "Linux|Android|BSD" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_link_options(${target_name} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
endfunction()

# Creates <name>_static, <name>_shared (file name <name>) and <name>_testing from an object library.
# Sources of <name>_testing are added by the caller.
function(tvm_ffi_add_target_from_obj target_name object_target)
  add_library(${target_name}_static STATIC $<TARGET_OBJECTS:${object_target}>)
  add_library(${target_name}::static ALIAS ${target_name}_static)
  set_target_properties(
    ${target_name}_static
    PROPERTIES OUTPUT_NAME ${target_name}_static
               ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)

  add_library(${target_name}_shared SHARED $<TARGET_OBJECTS:${object_target}>)
  add_library(${target_name}::shared ALIAS ${target_name}_shared)
  add_library(${target_name}_testing SHARED)
  foreach(kind shared testing)
    set_target_properties(
      ${target_name}_${kind}
      PROPERTIES LINKER_LANGUAGE CXX
                 ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib
                 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib
                 RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)
  endforeach()
  set_target_properties(${target_name}_shared PROPERTIES OUTPUT_NAME ${target_name})
  if(WIN32)
    target_compile_definitions(${object_target} PRIVATE TVM_FFI_EXPORTS)
  endif()
endfunction()

function(_tvm_ffi_add_stub_step target_name stub_dir stub_init stub_pkg stub_prefix stub_target)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  get_filename_component(stub_dir "${stub_dir}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(command ${Python3_EXECUTABLE} -m tvm_ffi.stub.cli ${stub_dir} --dlls
              $<TARGET_FILE:${target_name}>)
  if(stub_target)
    list(APPEND command --target ${stub_target})
  endif()
  if(stub_init)
    list(APPEND command --init-lib ${target_name} --init-pypkg ${stub_pkg} --init-prefix
         ${stub_prefix})
  endif()
  add_custom_command(
    TARGET ${target_name}
    POST_BUILD
    COMMAND ${command}
    COMMENT "Generating stubs of ${target_name} in ${stub_dir}"
    VERBATIM)
endfunction()

# tvm_ffi_configure_target(<target>
#   [LINK_HEADER ON|OFF] [LINK_SHARED ON|OFF] [DEBUG_SYMBOL ON|OFF] [MSVC_FLAGS ON|OFF]
#   [STUB_DIR <dir>] [STUB_INIT ON|OFF] [STUB_PKG <pkg>] [STUB_PREFIX <prefix>]
#   [STUB_TARGET python|rust])
#
# Links a target with tvm_ffi and sets the flags that its libraries want. The first four options are
# ON by default. With STUB_DIR the stub generator runs after each build.
function(tvm_ffi_configure_target target_name)
  set(prefix "tvm_ffi_configure_target")
  if(NOT target_name)
    message(FATAL_ERROR "${prefix}: missing target name")
  endif()
  if(NOT TARGET ${target_name})
    message(FATAL_ERROR "${prefix}: target '${target_name}' does not exist")
  endif()
  cmake_parse_arguments(
    ARG "" "LINK_HEADER;LINK_SHARED;DEBUG_SYMBOL;MSVC_FLAGS;STUB_DIR;STUB_INIT;STUB_PKG;STUB_PREFIX;STUB_TARGET"
    "" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${prefix}: unknown arguments '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(option LINK_HEADER LINK_SHARED DEBUG_SYMBOL MSVC_FLAGS)
    if(NOT DEFINED ARG_${option})
      set(ARG_${option} ON)
    endif()
  endforeach()

  if(NOT ARG_STUB_DIR)
    if(ARG_STUB_INIT)
      message(FATAL_ERROR "${prefix}: STUB_INIT needs STUB_DIR")
    endif()
    if(ARG_STUB_PKG OR ARG_STUB_PREFIX)
      message(FATAL_ERROR "${prefix}: STUB_PKG and STUB_PREFIX need STUB_DIR")
    endif()
  elseif(NOT ARG_STUB_INIT AND (ARG_STUB_PKG OR ARG_STUB_PREFIX))
    message(FATAL_ERROR "${prefix}: STUB_PKG and STUB_PREFIX need STUB_INIT ON")
  endif()

  foreach(kind header shared)
    string(TOUPPER LINK_${kind} option)
    if(ARG_${option})
      if(NOT TARGET tvm_ffi::${kind})
        message(FATAL_ERROR "${prefix}: ${option} needs the target tvm_ffi::${kind}")
      endif()
      target_link_libraries(${target_name} PRIVATE tvm_ffi::${kind})
    endif()
  endforeach()
  if(ARG_DEBUG_SYMBOL)
    tvm_ffi_add_apple_dsymutil(${target_name})
  endif()
  if(ARG_MSVC_FLAGS)
    tvm_ffi_add_msvc_flags(${target_name})
  endif()
  tvm_ffi_add_prefix_map(${target_name} ${CMAKE_CURRENT_SOURCE_DIR})

  if(ARG_STUB_DIR)
    if(NOT ARG_STUB_PKG)
      if(SKBUILD_PROJECT_NAME)
        set(ARG_STUB_PKG ${SKBUILD_PROJECT_NAME})
      else()
        set(ARG_STUB_PKG ${target_name})
      endif()
    endif()
    if(NOT ARG_STUB_PREFIX)
      set(ARG_STUB_PREFIX "${ARG_STUB_PKG}.")
    endif()
    _tvm_ffi_add_stub_step(${target_name} "${ARG_STUB_DIR}" "${ARG_STUB_INIT}" "${ARG_STUB_PKG}"
                           "${ARG_STUB_PREFIX}" "${ARG_STUB_TARGET}")
  endif()
endfunction()

# tvm_ffi_install(<target> [DESTINATION <dir>]): installs the debug symbols that
# tvm_ffi_configure_target extracted (Apple only); the target itself is installed by the caller.
function(tvm_ffi_install target_name)
  if(NOT target_name)
    message(FATAL_ERROR "tvm_ffi_install: missing target name")
  endif()
  if(NOT TARGET ${target_name})
    message(FATAL_ERROR "tvm_ffi_install: target '${target_name}' does not exist")
  endif()
  cmake_parse_arguments(ARG "" "DESTINATION" "" ${ARGN})
  if(NOT ARG_DESTINATION)
    set(ARG_DESTINATION ".")
  endif()
  if(APPLE)
    install(
      DIRECTORY $<TARGET_FILE:${target_name}>.dSYM
      DESTINATION ${ARG_DESTINATION}
      OPTIONAL)
  endif()
endfunction()
