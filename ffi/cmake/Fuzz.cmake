# SPDX-License-Identifier: Apache-2.0
# One executable for each target in fuzz/. With TVM_FFI_FUZZ they are libFuzzer programs (Clang);
# otherwise they replay files, and tests run them on the corpora of found and typical cases.
#
# They are linked with the objects of the library, not with the shared library: some targets reach
# functions that it does not export.

set(TVM_FFI_FUZZ_DIR ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
set(TVM_FFI_FUZZ_json_graph_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/algo_nodes.cc)
set(TVM_FFI_FUZZ_structural_SOURCES ${TVM_FFI_FUZZ_DIR}/value_maker.cc
                                    ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/algo_nodes.cc)

foreach(name json json_graph library_bin dtype_device dlpack structural)
  set(target fuzz_${name})
  add_executable(${target} ${TVM_FFI_FUZZ_DIR}/${name}.cc ${TVM_FFI_FUZZ_${name}_SOURCES})
  target_link_libraries(${target} PRIVATE tvm_ffi_objs ${TVM_FFI_SYSTEM_LIBS})
  target_include_directories(
    ${target} PRIVATE ${TVM_FFI_FUZZ_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src
                      ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  target_compile_options(${target} PRIVATE -O1)
  add_sanitizers(${target} "${TVM_FFI_SANITIZE}")
  if(TVM_FFI_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(${target} PRIVATE TVM_FFI_FUZZ)
  else()
    target_sources(${target} PRIVATE ${TVM_FFI_FUZZ_DIR}/replay.cc)
    # Cut, an input of `structural` is only another graph, and the deep ones take their time.
    set(cuts --cuts)
    if(name STREQUAL "structural")
      set(cuts)
    endif()
    add_test(NAME fuzz_replay_${name} COMMAND ${target} ${cuts} ${TVM_FFI_FUZZ_DIR}/corpus/${name})
  endif()
endforeach()
