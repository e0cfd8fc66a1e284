// SPDX-License-Identifier: Apache-2.0
/*!
 * \file type_functions.cc
 * \brief Global functions about registered types.
 */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/string.h>

#include "quick_def.h"
#include "type_table.h"

namespace tvm {
namespace ffi {
namespace {

Array<String> GetRegisteredTypeKeys() {
  Array<String> keys;
  for (std::string_view key : TypeTable::Global()->Keys()) {
    keys.push_back(String(key.data(), key.size()));
  }
  return keys;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  QuickDef()
      .def("ffi.GetRegisteredTypeKeys", GetRegisteredTypeKeys)
      .def("ffi._ForgetTypeKey",
           [](int32_t type_index) { TypeTable::Global()->ForgetKey(type_index); });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
