# SPDX-License-Identifier: Apache-2.0
# Script: copies each object of OBJECTS to OUT_DIR under its base name with the extension EXT.
#   cmake -DOBJECTS=a.o -DOUT_DIR=dir -DEXT=cubin -P ObjectCopyUtil.cmake
foreach(variable OBJECTS OUT_DIR EXT)
  if(NOT DEFINED ${variable})
    message(FATAL_ERROR "ObjectCopyUtil: ${variable} is not set")
  endif()
endforeach()
foreach(object IN LISTS OBJECTS)
  # "kernel.cu.o" becomes "kernel.cubin".
  get_filename_component(name ${object} NAME)
  string(REGEX REPLACE "\\.o(bj)?$" "" name "${name}")
  string(REGEX REPLACE "\\.cu$" "" name "${name}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${object} ${OUT_DIR}/${name}.${EXT}
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ObjectCopyUtil: cannot copy ${object} to ${OUT_DIR}/${name}.${EXT}")
  endif()
endforeach()
