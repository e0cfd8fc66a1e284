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

// A type without reserved child slots. Unlike TVMFFITypeGetOrAllocIndex, which has no way to report
// an error and ends the process, this throws when the parent allows no more children.
int32_t AllocTypeBelow(const String& key, int32_t parent_index) {
  TypeTable* table = TypeTable::Global();
  int32_t depth = table->RequireInfo(parent_index)->type_depth + 1;
  return table->GetOrAllocIndex(std::string_view(key.data(), key.size()), -1, depth, 0, true,
                                parent_index, reinterpret_cast<const void*>(&AllocTypeBelow));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  QuickDef()
      .def("ffi.GetRegisteredTypeKeys", GetRegisteredTypeKeys)
      .def("ffi._AllocTypeBelow", AllocTypeBelow)
      .def("ffi._ForgetTypeKey",
           [](int32_t type_index) { TypeTable::Global()->ForgetKey(type_index); });
}

}  // namespace
}  // namespace ffi
}  // namespace tvm
