# SPDX-License-Identifier: Apache-2.0
# Fails unless LIBRARY exports exactly the symbols that VERSION_SCRIPT lists.
# Weak and unique symbols of the list may be absent: the compiler emits them where it needs them.
execute_process(
  COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY}
  OUTPUT_VARIABLE table
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} failed on ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(exported)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  list(APPEND exported ${name})
endforeach()

file(READ ${VERSION_SCRIPT} script)
string(REGEX MATCHALL "\n    [A-Za-z_0-9]+;" entries "${script}")
set(listed)
foreach(entry IN LISTS entries)
  string(REGEX REPLACE "[\n ]" "" name "${entry}")
  list(APPEND listed ${name})
endforeach()
string(REPLACE ";;" ";" listed "${listed}")

set(missing ${listed})
list(REMOVE_ITEM missing ${exported})
list(FILTER missing EXCLUDE REGEX "^(_ZT[VIS]N3tvm3ffi5ErrorE|_ZG?V?ZN3tvm3ffi9ModuleObj27_Get.*)$")
set(extra ${exported})
list(REMOVE_ITEM extra ${listed})
if(missing OR extra)
  message(FATAL_ERROR "missing exports: ${missing}\nunexpected exports: ${extra}")
endif()
list(LENGTH exported count)
message(STATUS "${count} exported symbols, as listed")
