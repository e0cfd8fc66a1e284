# SPDX-License-Identifier: Apache-2.0
# Layout below the prefix, which in a wheel is the package directory `tvm_ffi/`:
#   include/{tvm/ffi,dlpack}  lib/  share/cmake/tvm_ffi/  and, in wheels, CMakeLists.txt cmake/ src/
if(NOT TVM_FFI_IS_TOP_LEVEL AND NOT TVM_FFI_BUILD_PYTHON_MODULE)
  return()
endif()

install(DIRECTORY include/ DESTINATION include FILES_MATCHING PATTERN "*.h")
install(TARGETS tvm_ffi_shared RUNTIME DESTINATION lib LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
if(TVM_FFI_TESTING_SOURCES)
  install(TARGETS tvm_ffi_testing RUNTIME DESTINATION lib LIBRARY DESTINATION lib
          ARCHIVE DESTINATION lib)
endif()
tvm_ffi_install(tvm_ffi_shared DESTINATION lib)
install(FILES cmake/tvm_ffi-config.cmake DESTINATION share/cmake/tvm_ffi)
install(DIRECTORY cmake/Utils DESTINATION share/cmake/tvm_ffi FILES_MATCHING PATTERN "*.cmake")

# The wheel carries its sources, so that a project can build the library with add_subdirectory.
if(TVM_FFI_BUILD_PYTHON_MODULE)
  install(FILES CMakeLists.txt DESTINATION .)
  install(DIRECTORY src cmake DESTINATION .)
endif()
