# SPDX-License-Identifier: Apache-2.0
# libtvm_tirx_rust: the operators that are written in Rust. TVM_TIRX_USE_RUST is ON (an error when it
# can't be built), OFF, or AUTO (built when cargo is new enough and this is not Windows).

set(TVM_TIRX_RUST_DIR ${CMAKE_CURRENT_SOURCE_DIR}/rust)

# Sets `out` to the reason why the Rust library can't be built, or to nothing.
function(tvm_tirx_rust_obstacle out)
  set(${out} "" PARENT_SCOPE)
  if(NOT EXISTS ${TVM_TIRX_RUST_DIR}/Cargo.toml)
    set(${out} "its sources are not here" PARENT_SCOPE)
    return()
  endif()
  find_program(CARGO_EXECUTABLE cargo HINTS $ENV{HOME}/.cargo/bin)
  if(NOT CARGO_EXECUTABLE)
    set(${out} "cargo was not found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${CARGO_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${version}")
  file(STRINGS ${TVM_TIRX_RUST_DIR}/Cargo.toml minimum REGEX "^rust-version = \"")
  string(REGEX MATCH "[0-9]+\\.[0-9]+" minimum "${minimum}")
  if(version VERSION_LESS minimum)
    set(${out} "cargo is ${version}, ${minimum} is needed" PARENT_SCOPE)
  endif()
endfunction()

string(TOUPPER "${TVM_TIRX_USE_RUST}" use_rust)
if(NOT use_rust MATCHES "^(ON|OFF|AUTO)$")
  message(FATAL_ERROR "TVM_TIRX_USE_RUST is ON, OFF or AUTO, not ${TVM_TIRX_USE_RUST}")
endif()
if(use_rust STREQUAL "OFF")
  return()
endif()
tvm_tirx_rust_obstacle(obstacle)
if(use_rust STREQUAL "AUTO" AND (obstacle OR WIN32))
  message(STATUS "Rust backend: left out, ${obstacle}")
  return()
endif()
if(obstacle)
  message(FATAL_ERROR "Rust backend: ${obstacle}")
endif()

set(TVM_TIRX_RUST_LIBRARY
    ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${CMAKE_SHARED_LIBRARY_PREFIX}tvm_tirx_rust${CMAKE_SHARED_LIBRARY_SUFFIX})
set(TVM_TIRX_CARGO_DIR ${CMAKE_BINARY_DIR}/cargo)
file(GLOB_RECURSE TVM_TIRX_RUST_SOURCES CONFIGURE_DEPENDS ${TVM_TIRX_RUST_DIR}/src/*.rs
     ${TVM_TIRX_RUST_DIR}/builtin/*.rs ${TVM_TIRX_RUST_DIR}/*.toml)
add_custom_command(
  OUTPUT ${TVM_TIRX_RUST_LIBRARY}
  COMMAND
    ${CMAKE_COMMAND} -E env TVM_FFI_LIB_DIR=$<TARGET_FILE_DIR:${TVM_TIRX_FFI_TARGET}>
    ${CARGO_EXECUTABLE} build --release --package tvm_tirx_rust --target-dir ${TVM_TIRX_CARGO_DIR}
  COMMAND
    ${CMAKE_COMMAND} -E copy_if_different
    ${TVM_TIRX_CARGO_DIR}/release/${CMAKE_SHARED_LIBRARY_PREFIX}tvm_tirx_rust${CMAKE_SHARED_LIBRARY_SUFFIX}
    ${TVM_TIRX_RUST_LIBRARY}
  WORKING_DIRECTORY ${TVM_TIRX_RUST_DIR}
  DEPENDS ${TVM_TIRX_RUST_SOURCES}
  COMMENT "Building libtvm_tirx_rust"
  USES_TERMINAL # cargo says which crate it compiles; else this step would be silent for a minute
  VERBATIM)
add_custom_target(tvm_tirx_rust ALL DEPENDS ${TVM_TIRX_RUST_LIBRARY})
install(FILES ${TVM_TIRX_RUST_LIBRARY} DESTINATION lib)
message(STATUS "Rust backend: cargo at ${CARGO_EXECUTABLE}")
